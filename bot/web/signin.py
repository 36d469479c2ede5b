"""Sign in by the one-time address that the terminal prints (rules SEC-5, PUB-7): opened by GET, spent by POST."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import RedirectResponse, Response

from bot.texts import web
from bot.web.answers import guess_lang, plain
from bot.web.session import Deps, keep, sign_in

router = APIRouter()


@router.get("/signin")
async def open_address(request: Request, code: Annotated[str, Query(max_length=200)] = "") -> Response:
    """Spends nothing: a preview, a prefetch or a second tab may open it as well."""
    lang = guess_lang(request)
    if not code:
        return plain(request, lang, title=web.SIGN_IN(lang), say=web.SIGN_IN_NEEDED(lang), status=401)
    return plain(request, lang, title=web.SIGN_IN(lang), say=web.SIGN_IN_ONCE(lang), status=200, code=code)


@router.post("/signin")
async def spend_code(request: Request, deps: Deps, code: Annotated[str, Form(max_length=200)]) -> Response:
    lang = guess_lang(request)
    token = await sign_in(deps, code)
    if token is None:
        return plain(request, lang, title=web.SIGN_IN(lang), say=web.CODE_USED(lang), status=403)
    response = RedirectResponse("/chat", status_code=303)
    keep(response, token, deps)
    return response
