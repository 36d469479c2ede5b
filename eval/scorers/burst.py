"""What a burst must have left, from the rows and from the messenger's own log alone (rules CHT-1, CHT-2, CHT-3, CHT-5).

What people did is given as keys: ``Wanted``. An empty ``breaches`` is what is wanted; the counts beside it show that
something was looked at. What nobody can know stays allowed, and is counted: a message whose sender died on the way
(``unknown``) may stand in the chat or not.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from eval.simulators.botapi.log import Call, doubled, pace

# An update is known by its number, a press by its query: the simulator tells whoever presses nothing else.
UPDATES = """
SELECT CASE WHEN payload ? 'query' THEN 'press ' || (payload->>'query')
            ELSE 'update ' || split_part(external_id, ':', 2) END AS key, state, count(*) AS n
  FROM inbox_update GROUP BY 1, 2
"""
# The effect of each update here is something said; what is said of a lost message is the effect of a kill.
EFFECTS = """
SELECT CASE WHEN o.kind = 'answer' THEN 'answer ' || (o.args->>'query')
            WHEN o.kind = 'note' AND coalesce(o.args->>'file', '') <> '' THEN 'about ' || (o.args->>'file')
            WHEN o.kind = 'note' THEN (o.args->>'key') || ' ' || c.external_id
            ELSE o.kind || ' ' || c.external_id END AS key, count(*) AS n
  FROM outbox_message o JOIN chat c ON c.id = o.chat_id WHERE o.kind <> 'lost' GROUP BY 1
"""
OPEN = """
SELECT 'stored ' || external_id AS what FROM inbox_update WHERE state = 'stored'
UNION ALL SELECT state || ' ' || kind || ' ' || id FROM outbox_message
           WHERE state IN ('queued', 'sending') OR (state = 'unknown' AND class <> 'once')
"""
FAILED = "SELECT kind || ' ' || id || ': ' || coalesce(error, '') AS what FROM outbox_message WHERE state = 'failed'"
ROWS = """
SELECT o.id, c.external_id AS chat, o.kind, o.class, o.state, o.tries, m.external_ref AS ref
  FROM outbox_message o JOIN chat c ON c.id = o.chat_id LEFT JOIN chat_message m ON m.outbox_id = o.id
"""
MOST_SHOWN = 5


@dataclass
class Wanted:
    """What must be there once: ``updates`` key → state of the inbox row, ``effects`` keys of what is said."""

    updates: dict[str, str] = field(default_factory=dict)
    effects: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class BurstScore:
    """``breaches``: name → the first of them. ``counts``: what there is, by kind."""

    breaches: dict[str, list[str]]
    counts: dict[str, dict[str, int]]


@dataclass(frozen=True)
class _Row:
    """One outbox row and, where it made one, the messenger's id of its message."""

    id: int
    chat: str
    kind: str
    class_: str
    state: str
    tries: int
    ref: str | None


async def score(engine: AsyncEngine, log: Sequence[Call], wanted: Wanted) -> BurstScore:
    async with engine.connect() as connection:
        updates = (await connection.execute(text(UPDATES))).all()
        effects = {r.key: int(r.n) for r in (await connection.execute(text(EFFECTS))).all()}
        open_ = [r.what for r in (await connection.execute(text(OPEN))).all()]
        failed = [r.what for r in (await connection.execute(text(FAILED))).all()]
        rows = [_Row(*r) for r in (await connection.execute(text(ROWS))).all()]
    found = {
        **_updates([(r.key, r.state, int(r.n)) for r in updates], wanted),
        "an effect that is missing": sorted(wanted.effects - set(effects)),
        "an effect that came more than once": [f"{key} × {n}" for key, n in effects.items() if n != 1],
        "an effect that nobody asked for": sorted(set(effects) - wanted.effects),
        "left stored or queued": open_,
        "failed": failed,
        **_messages(rows, log),
        "faster than the limits": [f"{b.scope}: {b.count} in {b.window_s} s from call {b.first}" for b in pace(log)],
        "told to wait": [f"call {c.number} {c.method} to {c.chat_id}" for c in log if c.status == 429],
    }
    breaches = {f"{name} ({len(those)})": those[:MOST_SHOWN] for name, those in found.items() if those}
    return BurstScore(breaches, _counts([(r.state, int(r.n)) for r in updates], rows, log))


def _updates(rows: list[tuple[str, str, int]], wanted: Wanted) -> dict[str, list[str]]:
    there = Counter({key: 0 for key in wanted.updates})
    for key, _, n in rows:
        there[key] += n
    return {
        "an update that was never stored": [key for key, n in there.items() if n == 0],
        "an update that was stored more than once": [f"{key} × {n}" for key, n in there.items() if n > 1],
        "an update in a state that it should not have": [
            f"{key} is {state}" for key, state, _ in rows if wanted.updates.get(key) != state
        ],
    }


def _messages(rows: list[_Row], log: Sequence[Call]) -> dict[str, list[str]]:
    """The rows beside the messages that stand in the chats. Nothing of a burst edits."""
    sends = [(c, str(ref)) for c in log if c.sends and c.happened for ref in c.message_ids]
    stands = {(str(c.chat_id), ref) for c, ref in sends}
    known = {(r.chat, r.ref): r for r in rows if r.ref is not None}
    # One message may stand there for each row that nobody knows about, and for each repetition that is allowed.
    spare = Counter[str]()
    for row in rows:
        if row.kind != "answer":
            spare[row.chat] += row.state == "unknown" if row.class_ == "once" else max(0, row.tries - 1)
    unknown_to_us = Counter(chat for chat, ref in stands if (chat, ref) not in known)
    answers = sum(1 for c in log if c.method == "answerCallbackQuery")
    asked = sum(1 for r in rows if r.kind == "answer")
    return {
        "a `once` message that was sent twice": [_told(calls) for calls in doubled(log) if _once(calls, known)],
        "a message that no row can explain": [
            f"chat {chat}: {n} beside {spare[chat]} unknown" for chat, n in unknown_to_us.items() if n > spare[chat]
        ],
        "sent, says the row, and nothing stands in the chat": [
            f"{r.kind} {r.id}"
            for r in rows
            if r.state == "sent" and r.kind != "answer" and (r.chat, r.ref) not in stands
        ],
        "more answers than presses": [f"{answers} for {asked}"] if answers > asked else [],
    }


def _once(calls: Iterable[Call], known: dict[tuple[str, str], _Row]) -> bool:
    """Whether none of them is a message that the machine may repeat."""
    rows = [known.get((str(c.chat_id), str(ref))) for c in calls for ref in c.message_ids]
    return all(row is None or row.class_ == "once" for row in rows)


def _told(calls: Sequence[Call]) -> str:
    return f"{calls[0].method} to {calls[0].chat_id}: calls {[c.number for c in calls]}"


def _counts(updates: list[tuple[str, int]], rows: list[_Row], log: Sequence[Call]) -> dict[str, dict[str, int]]:
    inbox = Counter[str]()
    for state, n in updates:
        inbox[state] += n
    paced = [c for c in log if c.paced and c.happened]
    chats = {c.chat_id for c in paced}
    return {
        "most in a second": {
            "all": _most(c.at for c in paced),
            "one chat": max((_most(c.at for c in paced if c.chat_id == chat) for chat in chats), default=0),
        },
        "inbox": dict(sorted(inbox.items())),
        "outbox": dict(sorted(Counter(f"{r.kind} {r.state}" for r in rows).items())),
        "calls": dict(sorted(Counter(f"{c.method} {c.outcome} {c.status}" for c in log).items())),
    }


def _most(times: Iterable[float]) -> int:
    """The most of them in any second; they come in order."""
    window: deque[float] = deque()
    most = 0
    for at in times:
        window.append(at)
        while at - window[0] >= 1:
            window.popleft()
        most = max(most, len(window))
    return most
