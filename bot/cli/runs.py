"""``runs list``, ``show``, ``retry`` and ``cancel``: the ledger in a terminal."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

import typer
from rich.console import Console
from rich.table import Table

from bot.texts import terminal
from bot.texts.words import Text, lang_of
from pipeline.domain.errors import MissingRow
from pipeline.settings import Settings
from pipeline.wiring import open_house
from storage.queries.run.listing import run_of, runs, seconds_between, time_line
from storage.transactions.run.cancel import cancel_revision, resume_revision
from storage.tx import Row, Tx, transaction


def listing(settings: Settings, *, limit: int) -> int:
    async def act() -> int:
        async with open_house(settings) as house:
            rows = await runs(house.engine, limit=limit)
        table = Table("run", "kind", "state", "attempts", "created", "s", "source", "question", box=None)
        for row in rows:
            took = seconds_between(row["created_at"], row["finished_at"])
            table.add_row(
                str(row["id"]),
                row["kind"],
                row["state"] + (f" ({row['error_reason']})" if row["error_reason"] else ""),
                str(row["attempts"]),
                f"{row['created_at']:%Y-%m-%d %H:%M:%S}",
                "" if took is None else f"{took:.1f}",
                row["title"][:40],
                (row["question"] or "")[:40],
            )
        Console().print(table)
        return 0

    return asyncio.run(act())


def show(settings: Settings, run: int, *, as_json: bool) -> int:
    async def act() -> int:
        async with open_house(settings) as house:
            try:
                head, events, calls = await time_line(house.engine, run)
            except MissingRow:
                typer.echo(terminal.NO_RUN(lang_of(settings.default_language), run=run), err=True)
                return 1
        if as_json:
            body = {"run": dict(head), "events": [dict(e) for e in events], "calls": [dict(c) for c in calls]}
            typer.echo(json.dumps(body, ensure_ascii=False, indent=2, default=str))
            return 0
        _print(head, events, calls)
        return 0

    return asyncio.run(act())


def retry(settings: Settings, run: int) -> int:
    """Put a run that failed, or that waits for a decision, back into the queue. Exit code 1 when there is none."""

    async def act(tx: Tx, owner: int, revision: int, now: datetime) -> bool:
        return await resume_revision(tx, revision_id=revision, owner_id=owner, now=now)

    return _decide(settings, run, act, terminal.RUN_RETRIED, terminal.RUN_NOT_RETRIED)


def cancel(settings: Settings, run: int) -> int:
    """Stop a run that has not ended. Exit code 1 when it had."""

    async def act(tx: Tx, owner: int, revision: int, now: datetime) -> bool:
        return await cancel_revision(tx, revision_id=revision, owner_id=owner)

    return _decide(settings, run, act, terminal.RUN_CANCELLED, terminal.RUN_NOT_CANCELLED)


def _decide(
    settings: Settings, run: int, act: Callable[[Tx, int, int, datetime], Awaitable[bool]], done: Text, not_done: Text
) -> int:
    """What a button does, by the number of the run: the same transaction, so the two cannot differ."""
    lang = lang_of(settings.default_language)

    async def decide() -> int:
        async with open_house(settings) as house, transaction(house.engine) as tx:
            found = await run_of(tx, run)
            moved = found is not None and await act(tx, found["owner_id"], found["revision_id"], house.clock.now())
        if found is None:
            typer.echo(terminal.NO_RUN(lang, run=run), err=True)
            return 1
        typer.echo((done if moved else not_done)(lang, run=run, state=found["state"]), err=not moved)
        return 0 if moved else 1

    return asyncio.run(decide())


def _print(head: Row, events: Sequence[Row], calls: Sequence[Row]) -> None:
    for key, value in head.items():
        if value is not None and value != {}:
            shown = json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value
            typer.echo(f"{key:16} {shown}")
    start: datetime = head["created_at"]
    typer.echo("\n  +seconds  fence  event")
    for event in events:
        data = json.dumps(event["data"], ensure_ascii=False) if event["data"] else ""
        at = seconds_between(start, event["at"])
        typer.echo(f"{at:10.2f}  {event['fence']:5}  {event['kind']} {event['stage'] or ''} {data}")
    if calls:
        typer.echo("\n  call  state    seconds  provider")
    for call in calls:
        took = seconds_between(call["created_at"], call["settled_at"])
        seconds = "" if took is None else f"{took:.2f}"
        what = f"{call['provider']} (call {call['call_seq']}) {call['error'] or ''}"
        typer.echo(f"{call['id']:6}  {call['state']:8} {seconds:>7}  {what}")
