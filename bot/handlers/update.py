"""One stored update → one act, in two steps: look at it outside any transaction, then let it become true in one."""

from __future__ import annotations

from bot.handlers import edit, message, press
from bot.handlers.context import Act, Context
from pipeline.domain.errors import InputRejected
from storage.queries.chat.inbox import UpdateView


async def plan(context: Context, update: UpdateView) -> Act:
    """Read what must be read (bytes, kinds) and return what is to be done. Raises InputRejected."""
    kind = update.payload.get("type")
    if kind == "message":
        return await message.plan(context, update)
    if kind == "edit":
        return await edit.plan(context, update)
    if kind == "press":
        return press.plan(context, update)
    raise InputRejected("malformed", f"update {update.id} is a {kind!r}")
