"""The chat page and what it posts: messages, presses, the language. Handling them is the inbox's."""

from __future__ import annotations

import json
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from bot.texts import web
from bot.texts.words import lang_of
from bot.web import markup
from bot.web.answers import refuse, wants_json
from bot.web.deps import MAX_ID, WebDeps
from bot.web.session import Deps, Signed, Visitor
from bot.web.upload import Upload, as_said, as_update
from pipeline.domain.errors import InputRejected, ProductError
from storage.queries.chat.thread import ThreadView, thread

router = APIRouter()
_VERBS = frozenset(
    "cancel reask retry points claim transcript paste_body upload_pdf upload_page password refetch again hint".split()
)
# What the file chooser offers first; anything else may still be dropped, and is told what it is.
_ACCEPT = ",".join(
    f".{suffix}"
    for suffix in (
        "pdf html htm mhtml md markdown txt png jpg jpeg webp gif bmp tif tiff epub docx srt vtt ass ssa ttml lrc"
    ).split()
)
_ARGS = frozenset({"revision", "index"})
_MAX_PRESS = 500  # characters of verb and arguments


@router.get("/")
async def home() -> Response:
    return RedirectResponse("/chat", status_code=303)


@router.get("/chat")
async def chat_page(
    deps: Deps, visitor: Signed, before: Annotated[int | None, Query(ge=1, le=MAX_ID)] = None
) -> Response:
    view = await thread(deps.engine, visitor.chat_id, limit=deps.limits.thread_messages, before=before)
    return HTMLResponse(_page(view, deps, visitor, paged=before is not None))


@router.get("/chat/earlier")
async def earlier(deps: Deps, visitor: Signed, before: Annotated[int, Query(ge=1, le=MAX_ID)]) -> Response:
    """Older messages for the page that is open: ``{html, first, earlier, label}``."""
    view = await thread(deps.engine, visitor.chat_id, limit=deps.limits.thread_messages, before=before)
    return JSONResponse(
        {
            "html": markup.messages(view.messages, visitor),
            "first": _first(view),
            "earlier": view.earlier,
            "label": web.EARLIER(visitor.lang, n=view.earlier),
        }
    )


@router.get("/chat/session")
async def session_alive(visitor: Signed) -> Response:
    """204 while the session lives: how a page tells a restart from a sign-out."""
    return Response(status_code=204)


@router.post("/chat/messages")
async def send(request: Request, deps: Deps, visitor: Signed) -> Response:
    """One message: fields ``csrf``, ``key`` (the sender's UUID), ``text``, ``pasted``…, ``files``….

    The same key again is the same message (rule SRC-2); stored before it is acknowledged (rule CHT-1).
    """
    upload = Upload(blobs=deps.blobs, owner_id=visitor.owner_id, limits=deps.limits, sources=deps.sources)
    try:
        received = await upload.read(request.headers.get("content-type", ""), request.stream())
        visitor.check(received.fields.get("csrf"))
        key = _key(received.fields.get("key"))
        await deps.store_update(
            external_id=f"{visitor.chat_id}:{key}",
            chat_id=visitor.chat_id,
            payload=as_update(received),
            said=as_said(received, key),
        )
    except ProductError as error:
        return refuse(request, error, visitor.lang)
    return _taken(request, "/chat")


@router.post("/chat/press")
async def press(
    request: Request,
    deps: Deps,
    visitor: Signed,
    press: Annotated[str, Form(max_length=_MAX_PRESS)],
    message: Annotated[int, Form(ge=1, le=MAX_ID)],
    key: Annotated[str, Form(max_length=64)],
    csrf: Annotated[str, Form(max_length=128)] = "",
) -> Response:
    """A button: ``press`` is JSON ``{verb, args}``, ``message`` the chat_message that shows it."""
    visitor.check(csrf)
    try:
        await deps.store_update(
            external_id=f"{visitor.chat_id}:{_key(key)}",
            chat_id=visitor.chat_id,
            payload={"type": "press", "message_id": message, **_pressed(press)},
            said=None,
        )
    except ProductError as error:
        return refuse(request, error, visitor.lang)
    return _taken(request, f"/chat#m{message}")


@router.post("/language")
async def language(
    deps: Deps,
    visitor: Signed,
    lang: Annotated[str, Form(max_length=10)],
    back: Annotated[str, Form(max_length=200)] = "/chat",
    csrf: Annotated[str, Form(max_length=128)] = "",
) -> Response:
    visitor.check(csrf)
    await deps.set_language(owner_id=visitor.owner_id, language=lang_of(lang))
    return RedirectResponse(back if _own(back) else "/chat", status_code=303)


def _page(view: ThreadView, deps: WebDeps, visitor: Visitor, *, paged: bool) -> str:
    lang = visitor.lang
    pdf_mb, text_mb = deps.sources.max_pdf_bytes >> 20, deps.sources.max_text_bytes >> 20
    image_mb = deps.sources.max_image_bytes >> 20
    config = {
        "cursor": view.cursor,
        "paged": paged,
        "pdf_mb": pdf_mb,
        "text_mb": text_mb,
        "image_mb": image_mb,
        "max_files": deps.limits.max_files,
        "paste_from": deps.limits.paste_as_attachment_chars,
    }
    return markup.page(
        "chat.html",
        lang=lang,
        visitor=visitor,
        place="chat",
        back="/chat",
        words=markup.script_words(lang),
        config=config,
        thread=markup.messages(view.messages, visitor),
        earlier=view.earlier,
        first=_first(view),
        paged=paged,
        empty=not view.messages and not paged,
        pdf_mb=pdf_mb,
        text_mb=text_mb,
        image_mb=image_mb,
        accept=_ACCEPT,
        model_line=web.WITH_MODEL(lang, model=deps.model) if deps.model else web.NO_MODEL(lang),
    )


def _first(view: ThreadView) -> int:
    return view.messages[0].id if view.messages else 0


def _key(sent: str | None) -> str:
    """Raises InputRejected: a key that is no UUID could collide with another message's."""
    try:
        return str(UUID(sent or ""))
    except ValueError:
        raise InputRejected("malformed") from None


def _pressed(sent: str) -> dict[str, Any]:
    """``{verb, args}`` with a known verb and whole numbers as known arguments; raises InputRejected."""
    try:
        data = json.loads(sent)
    except ValueError:
        raise InputRejected("malformed") from None
    verb, args = (data.get("verb"), data.get("args")) if isinstance(data, dict) else (None, None)
    if not isinstance(verb, str) or verb not in _VERBS or not isinstance(args, dict):
        raise InputRejected("malformed")
    if not all(name in _ARGS and type(value) is int and abs(value) < 2**53 for name, value in args.items()):
        raise InputRejected("malformed")
    return {"verb": verb, "args": args}


def _own(path: str) -> bool:
    """A path of ours: one slash, then no second one and no backslash, which browsers read as one."""
    return path.startswith("/") and not path.startswith(("//", "/\\"))


def _taken(request: Request, back: str) -> Response:
    if wants_json(request):
        return JSONResponse({"ok": True}, status_code=202)
    return RedirectResponse(back, status_code=303)
