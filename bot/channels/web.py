"""The built-in chat as a channel: delivering is writing the thread's row; the page follows by its sequence."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from bot.channels.port import Outbound, OutboxItem, Target
from storage.transactions.chat.deliver import deliver
from storage.tx import transaction


class WebChannel:
    """Idempotent: the message remembers the outbox row that made it, so a second delivery finds it (rule CHT-2)."""

    name = "web"
    idempotent = True
    edit_pace_s = 1.0

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def deliver(self, target: Target, item: OutboxItem, outbound: Outbound) -> int:
        """Return the chat_message id.

        Raises:
            Contention: the chat stayed locked; the row may be sent again.
            MissingRow: there is no such chat.
        """
        async with transaction(self._engine) as tx:
            return await deliver(
                tx,
                chat_id=target.chat_id,
                outbox_id=item.id,
                target_id=target.message_id,
                author="bot",
                kind=outbound.kind,
                subject_id=item.subject_id,
                args=item.args,
                payload=as_payload(outbound),
            )


def as_payload(outbound: Outbound) -> dict[str, Any]:
    """``Outbound`` as plain JSON data: what ``chat_message.payload`` holds and the templates read."""
    return asdict(outbound)
