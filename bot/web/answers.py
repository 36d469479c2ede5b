"""Refusals of the pages: one sentence each, as a page for people and as JSON for the scripts."""

from __future__ import annotations

import logging
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, Response

from bot.errors import reason_of, sentence
from bot.texts import chat, web
from bot.texts.words import Lang, lang_of
from bot.web.markup import page
from bot.web.session import ForeignForm, SignInNeeded
from pipeline.domain.errors import Contention, Defect, MissingRow, ProductError

log = logging.getLogger(__name__)
_TOO_MUCH = frozenset({"upload_too_large", "text_too_large", "message_too_large", "too_many_files"})
_STATUS = {"request_conflict": 409, "missing": 404, "busy": 503, "foreign_press": 403, "malformed": 400, "generic": 500}


def wants_json(request: Request) -> bool:
    return "application/json" in request.headers.get("accept", "")


def guess_lang(request: Request) -> Lang:
    """Before the owner is known: what the browser asks for."""
    return lang_of(request.headers.get("accept-language"))


def plain(request: Request, lang: Lang, *, title: str, say: str, status: int, **values: Any) -> Response:
    if wants_json(request):
        return JSONResponse({"error": say}, status_code=status)
    return HTMLResponse(page("plain.html", lang=lang, title=title, say=say, **values), status_code=status)


def refuse(request: Request, error: ProductError, lang: Lang) -> Response:
    """``error`` as a sentence in ``lang``, under the status that fits it."""
    reason, values = reason_of(error)
    status = 413 if reason in _TOO_MUCH else _STATUS.get(reason, 422)
    said = sentence(reason, values, lang)
    return plain(request, lang, title=web.FAILED(lang), say=said, status=status, href="/chat")


def add_handlers(app: FastAPI) -> None:
    app.add_exception_handler(SignInNeeded, _sign_in_needed)
    app.add_exception_handler(ForeignForm, _foreign_form)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _unreadable)
    app.add_exception_handler(ProductError, _product)
    app.add_exception_handler(OSError, _away)


async def _sign_in_needed(request: Request, error: Exception) -> Response:
    lang = guess_lang(request)
    expired = isinstance(error, SignInNeeded) and error.expired
    said = chat.NOTES["expired_session"](lang) if expired else web.SIGN_IN_NEEDED(lang)
    return plain(request, lang, title=web.SIGN_IN(lang), say=said, status=401)


async def _foreign_form(request: Request, _: Exception) -> Response:
    lang = guess_lang(request)
    return plain(request, lang, title=web.FAILED(lang), say=web.WRONG_ORIGIN(lang), status=403, href="/chat")


async def _http(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    lang = guess_lang(request)
    say = web.NOT_FOUND(lang) if status == 404 else chat.NOTES["malformed"](lang)
    return plain(request, lang, title=web.FAILED(lang), say=say, status=status, href="/chat")


async def _unreadable(request: Request, _: Exception) -> Response:
    """An address or a form with something in it that no page of ours sends."""
    lang = guess_lang(request)
    missing = request.method in ("GET", "HEAD")
    say = web.NOT_FOUND(lang) if missing else chat.NOTES["malformed"](lang)
    return plain(request, lang, title=web.FAILED(lang), say=say, status=404 if missing else 422, href="/chat")


async def _away(request: Request, error: Exception) -> Response:
    """The database is being started again, or the disk is full: said as busy, and logged in one line."""
    log.warning("%s %s waits: %s", request.method, request.url.path, type(error).__name__)
    return refuse(request, Contention("storage is away"), guess_lang(request))


async def _product(request: Request, error: Exception) -> Response:
    if not isinstance(error, ProductError):
        raise error
    if isinstance(error, Defect) and not isinstance(error, MissingRow):
        log.error("%s %s", request.method, request.url.path, exc_info=error)
    return refuse(request, error, guess_lang(request))
