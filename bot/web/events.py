"""The stream of changes of one chat: server-sent events over the chat's own sequence (rule RUN-7)."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query
from starlette.responses import StreamingResponse

from bot.texts import web
from bot.web import markup
from bot.web.deps import MAX_ID, WebDeps
from bot.web.session import Deps, Signed, Visitor
from pipeline.domain.errors import Contention
from storage.queries.chat.thread import MessageView, ThreadView, changed_since, thread

log = logging.getLogger(__name__)
router = APIRouter()
_CURSOR = re.compile("[0-9]{1,18}")


@router.get("/chat/events")
async def events(
    deps: Deps,
    visitor: Signed,
    cursor: Annotated[int, Query(ge=0, le=MAX_ID)] = 0,
    last_event_id: Annotated[str | None, Header()] = None,
) -> StreamingResponse:
    """Each event is ``{id, seq, html}`` of one message, its id the seq; ``reset`` carries a whole thread.

    A browser that reconnects sends ``Last-Event-ID``, which goes before the cursor of the address.
    """
    after = int(last_event_id) if last_event_id and _CURSOR.fullmatch(last_event_id) else cursor
    return StreamingResponse(
        stream(deps, visitor, after),
        media_type="text/event-stream",
        headers={"X-Accel-Buffering": "no", "Cache-Control": "no-store"},
    )


async def stream(deps: WebDeps, visitor: Visitor, cursor: int) -> AsyncIterator[str]:
    """Read, send, wait; nothing is open in the database while it waits.

    While the database is away the stream ends: the browser asks again from the last change it has.
    """
    yield "retry: 2000\n\n"
    try:
        async for event in _changes(deps, visitor, cursor):
            yield event
    except (OSError, Contention) as error:
        log.warning("stream of chat %s ends: %s", visitor.chat_id, type(error).__name__)


async def _changes(deps: WebDeps, visitor: Visitor, cursor: int) -> AsyncIterator[str]:
    with deps.bell.listening(visitor.chat_id) as bell:
        snapshot = await thread(deps.engine, visitor.chat_id, limit=deps.limits.thread_messages)
        if not _continues(cursor, snapshot, deps):
            cursor = snapshot.cursor
            yield _event("reset", cursor, _snapshot(snapshot, visitor))
        while True:
            changed = await changed_since(deps.engine, visitor.chat_id, cursor)
            for view in changed:
                cursor = view.seq
                yield _event(None, cursor, _message(view, visitor))
            if not changed and deps.bell.closed:
                return
            if not changed:
                await bell.wait(deps.limits.heartbeat_s)
                yield ": still here\n\n"


def _continues(cursor: int, snapshot: ThreadView, deps: WebDeps) -> bool:
    """False for a cursor ahead of the chat (another database) or so far behind that a snapshot is shorter."""
    return cursor <= snapshot.cursor and snapshot.cursor - cursor <= deps.limits.far_behind


def _message(view: MessageView, visitor: Visitor) -> dict[str, Any]:
    return {"id": view.id, "seq": view.seq, "html": markup.message(view, visitor)}


def _snapshot(view: ThreadView, visitor: Visitor) -> dict[str, Any]:
    return {
        "cursor": view.cursor,
        "html": markup.messages(view.messages, visitor),
        "earlier": view.earlier,
        "earlier_label": web.EARLIER(visitor.lang, n=view.earlier),
    }


def _event(name: str | None, id: int, data: dict[str, Any]) -> str:
    """JSON has no raw line break, so one ``data:`` line is enough."""
    head = f"event: {name}\n" if name else ""
    return f"{head}id: {id}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
