"""The short form of the burst, and its judge; the whole one is ``python -m eval burst`` (README, Figures)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from eval.scorers.burst import Wanted, score
from eval.simulators.botapi.log import Call
from eval.tasks.burst import Burst, siege
from tests.support.rows import execute, owner_and_chat

pytestmark = pytest.mark.slow


async def test_a_burst_over_a_bot_that_is_killed_is_handled_once():
    """CHT-1, CHT-2, CHT-3, CHT-5: seeded; 150 updates of 8 people, two kills in the midst of sending."""
    burst = Burst(updates=150, users=8, seed=7, kills=2, speed=4.0)
    found = await siege(burst, time_limit_s=90)
    assert found.breaches == {}
    assert (burst.in_time, burst.killed) == (True, 2)
    assert burst.did["again"] > 0
    assert found.counts["inbox"]["handled"] > 100
    assert found.counts["inbox"]["set_aside"] > 0
    assert found.counts["calls"]["sendMessage done 200"] > 150
    assert found.counts["most in a second"]["one chat"] == 1


@dataclass
class Clean:
    """One person in chat 42 who sent a message of two links and pressed a button; all of it went well."""

    engine: Any
    wanted: Wanted
    log: list[Call]


def call(number: int, method: str, at: float, *ids: int) -> Call:
    return Call(number, at, method, 42, False, ids, "done", 200, "", f"words {number}")


ROWS = """
WITH u AS (INSERT INTO inbox_update (channel, external_id, chat_id, payload, payload_sha256, state, handled_at)
           VALUES ('telegram', '1:100', :chat, '{"type": "message"}', 'a', 'handled', now()),
                  ('telegram', '1:101', :chat, '{"type": "press", "query": "9"}', 'b', 'handled', now()) RETURNING id),
     o AS (INSERT INTO outbox_message (chat_id, class, kind, args, state, sent_at, tries)
           VALUES (:chat, 'once', 'note', '{"key": "address", "file": "x/1"}', 'sent', now(), 1),
                  (:chat, 'once', 'note', '{"key": "address", "file": "x/2"}', 'sent', now(), 1),
                  (:chat, 'once', 'answer', '{"query": "9"}', 'sent', now(), 1) RETURNING id, kind, args)
INSERT INTO chat_message (chat_id, seq, author, kind, payload, external_ref, outbox_id)
SELECT :chat, right(args->>'file', 1)::int, 'bot', kind, '{}', right(args->>'file', 1), id FROM o WHERE kind = 'note'
"""


@pytest.fixture
async def clean(engine: Any) -> Clean:
    _, chat = await owner_and_chat(engine, channel="telegram")
    await execute(engine, "UPDATE chat SET external_id = '42'")
    await execute(engine, ROWS.replace(":chat", str(chat)))
    wanted = Wanted({"update 100": "handled", "press 9": "handled"}, {"about x/1", "about x/2", "answer 9"})
    log = [call(1, "sendMessage", 10, 1), call(2, "answerCallbackQuery", 10.5), call(3, "sendMessage", 12, 2)]
    return Clean(engine, wanted, log)


async def test_what_went_well_is_not_blamed(clean):
    """CHT-2: a judge that always says no says as little as one that never does."""
    found = await score(clean.engine, clean.log, clean.wanted)
    assert found.breaches == {}
    assert found.counts["inbox"] == {"handled": 2}
    assert found.counts["most in a second"] == {"all": 1, "one chat": 1}


BEFORE = "INSERT INTO outbox_message (chat_id, class, kind, args, state) SELECT id, 'once', 'note', "
IN_ROWS = [
    ("an update that was never stored", "DELETE FROM inbox_update WHERE external_id = '1:100'"),
    (
        "an update that was stored more than once",
        "INSERT INTO inbox_update (channel, external_id, chat_id, payload, payload_sha256, state) "
        "SELECT channel, external_id || chr(58) || 'b', chat_id, payload, 'b', state FROM inbox_update",
    ),
    ("an update in a state", "UPDATE inbox_update SET state = 'set_aside'"),
    ("an effect that is missing", "UPDATE outbox_message SET kind = 'lost' WHERE kind = 'answer'"),
    (
        "an effect that came more than once",
        BEFORE + '\'{"key": "address", "file": "x/1"}\', \'unknown\' FROM chat',
    ),
    ("an effect that nobody asked for", BEFORE + "'{\"key\": \"help\"}', 'unknown' FROM chat"),
    ("left stored or queued", "UPDATE inbox_update SET state = 'stored', handled_at = NULL"),
    ("left stored or queued", "UPDATE outbox_message SET state = 'queued'"),
    ("left stored or queued", "UPDATE outbox_message SET state = 'unknown', class = 'guarded'"),
    ("failed", "UPDATE outbox_message SET state = 'failed'"),
    ("sent, says the row", "UPDATE chat_message SET external_ref = '77' WHERE external_ref = '2'"),
    ("more answers than presses", "UPDATE outbox_message SET kind = 'lost' WHERE kind = 'answer'"),
]


@pytest.mark.parametrize(("name", "fault"), IN_ROWS, ids=[f"{n} {p[0]}" for n, p in enumerate(IN_ROWS)])
async def test_a_fault_planted_in_the_rows_is_found(clean, name, fault):
    """CHT-1, CHT-2, CHT-5: one fault each."""
    await execute(clean.engine, fault)
    assert any(found.startswith(name) for found in (await score(clean.engine, clean.log, clean.wanted)).breaches)


Fault = Callable[[list[Call]], list[Call]]
IN_LOG: list[tuple[str, Fault]] = [
    ("a `once` message that was sent twice", lambda log: [*log, replace(log[0], number=4, at=20, message_ids=(3,))]),
    ("a message that no row can explain", lambda log: [*log, call(4, "sendMessage", 20, 3)]),
    ("sent, says the row", lambda log: log[1:]),
    ("more answers than presses", lambda log: [*log, call(4, "answerCallbackQuery", 20)]),
    ("faster than the limits", lambda log: [*log[:2], replace(log[2], at=10.4)]),
    ("told to wait", lambda log: [*log, replace(log[0], number=4, outcome="refused", status=429, message_ids=())]),
]


@pytest.mark.parametrize(("name", "fault"), IN_LOG, ids=[p[0] for p in IN_LOG])
async def test_a_fault_planted_in_the_log_is_found(clean, name, fault):
    """CHT-2, CHT-3, CHT-5: one fault each."""
    assert any(found.startswith(name) for found in (await score(clean.engine, fault(clean.log), clean.wanted)).breaches)


async def test_what_nobody_can_know_is_allowed_once(clean):
    """CHT-2: a sender that died on the way explains one message in its chat, and no second one."""
    await execute(clean.engine, "UPDATE outbox_message SET state = 'unknown' WHERE args->>'file' = 'x/2'")
    await execute(clean.engine, "DELETE FROM chat_message WHERE external_ref = '2'")
    assert (await score(clean.engine, clean.log, clean.wanted)).breaches == {}
    doubled = [*clean.log, call(4, "sendMessage", 20, 3)]
    assert list((await score(clean.engine, doubled, clean.wanted)).breaches) == [
        "a message that no row can explain (1)"
    ]
