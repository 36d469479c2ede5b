"""One message that cannot be shown costs itself and nothing else (rule CHT-2)."""

from __future__ import annotations

import pytest

from bot.channels.web import WebChannel
from bot.gateway import Gateway
from bot.screens.render import Renderer
from storage.transactions.outbox.enqueue import say
from storage.tx import transaction
from tests.support.house import MovedClock, Wake
from tests.support.rows import owner_and_chat, rows, scalar


@pytest.fixture
def gateway(engine) -> Gateway:
    return Gateway(engine, WebChannel(), Renderer(engine), clock=MovedClock(), wake=Wake(), crash=lambda point: None)


BROKEN = [
    ("args of another shape", "note", None, {"no": "key"}),
    ("a number that is none", "claim", 1, {"index": "many"}),
    ("a kind nobody draws", "carrier pigeon", 1, {}),
    ("a subject that is gone", "voice", 404, {}),
]


@pytest.mark.parametrize(("kind", "subject", "args"), [b[1:] for b in BROKEN], ids=[b[0] for b in BROKEN])
async def test_a_message_that_cannot_be_shown_fails_alone(engine, gateway, kind, subject, args):
    _, chat = await owner_and_chat(engine)
    async with transaction(engine) as tx:
        await say(tx, chat_id=chat, kind=kind, subject_id=subject, args=args)
        await say(tx, chat_id=chat, kind="note", args={"key": "generic", "values": {}})
    while await gateway.send_one():
        pass
    assert await rows(engine, "SELECT state FROM outbox_message ORDER BY id") == [("failed",), ("sent",)]
    assert await scalar(engine, "SELECT count(*) FROM chat_message") == 1
