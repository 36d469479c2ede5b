"""``runs list`` and ``runs show``: the ledger in a terminal."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import datetime

import typer
from rich.console import Console
from rich.table import Table
from sqlalchemy import RowMapping

from pipeline.domain.errors import MissingRow
from pipeline.settings import Settings
from pipeline.wiring import open_house
from storage.queries.run.listing import runs, seconds_between, time_line


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
                typer.echo(f"There is no run {run}. `earmark runs list` shows those there are.", err=True)
                return 1
        if as_json:
            body = {"run": dict(head), "events": [dict(e) for e in events], "calls": [dict(c) for c in calls]}
            typer.echo(json.dumps(body, ensure_ascii=False, indent=2, default=str))
            return 0
        _print(head, events, calls)
        return 0

    return asyncio.run(act())


def _print(head: RowMapping, events: Sequence[RowMapping], calls: Sequence[RowMapping]) -> None:
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
