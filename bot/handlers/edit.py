"""A message was edited: another question makes a new revision, anything else is left as it was (rule CHT-9)."""

from __future__ import annotations

from bot.handlers.acts import ask
from bot.handlers.context import Act, Context
from bot.handlers.message import SOURCE_CHARS, links_of
from pipeline.domain.errors import Ignored
from storage.queries.chat.about import said
from storage.queries.chat.inbox import UpdateView
from storage.transactions.chat.settle_update import concerns
from storage.tx import Tx


async def plan(context: Context, update: UpdateView) -> Act:
    """Raises Ignored, with the reason that is kept."""
    before = await said(context.engine, chat_id=update.chat_id, ref=str(update.payload.get("message_ref")))
    if before is None or before.revision_id is None:
        raise Ignored("edited: the message had asked nothing")
    revision = before.revision_id
    (_, words), (_, old) = links_of(update.payload), links_of(before.payload)
    if not words or words == old:
        raise Ignored("edited: the question is the same")
    if len(words) >= SOURCE_CHARS or len(old) >= SOURCE_CHARS or update.payload.get("forwarded"):
        raise Ignored("edited: material is kept as it came")

    async def act(tx: Tx) -> None:
        asked = await ask(context, update, tx, revision, words)
        await concerns(tx, update.id, revision_id=asked)

    return act
