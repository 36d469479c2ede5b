"""The built-in chat as a channel: the thread's row is the message; the page follows by its sequence."""

from __future__ import annotations

from typing import Any

from bot.channels.port import Delivery, Outbound, OutboxItem, Target, as_payload
from pipeline.domain.sending import WEB_PACE, Fate


class WebChannel:
    """Nothing leaves the house: the gateway writes the row that is the message in the transaction that settles it.

    Idempotent: the message remembers the outbox row that made it, so a second delivery finds it (rule CHT-2).
    """

    name = sender = "web"
    idempotent = True
    pace = WEB_PACE

    def parts(self, outbound: Outbound) -> tuple[Outbound, ...]:
        return (outbound,)

    def shown(self, outbound: Outbound) -> dict[str, Any]:
        return as_payload(outbound)

    async def deliver(self, target: Target, item: OutboxItem, outbound: Outbound) -> Delivery:
        return Delivery(Fate.SENT)
