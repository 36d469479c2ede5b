"""The listening plan of one owner's day: what still fits, and the life of an item (rules PUB-1, PUB-2)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

from pipeline.domain.machine import Machine


class ItemState(StrEnum):
    RESERVED = "reserved"  # a place for something that is being made
    SETTLED = "settled"  # its true length is known
    PUBLISHED = "published"
    RELEASED = "released"  # gives its time back


class ItemEvent(StrEnum):
    SETTLE = "SETTLE"
    PUBLISH = "PUBLISH"
    RELEASE = "RELEASE"


_S, _E = ItemState, ItemEvent

PLAN_ITEM: Machine[ItemState, ItemEvent] = Machine(
    name="plan_item",
    initial=_S.RESERVED,
    edges={
        (_S.RESERVED, _E.SETTLE): _S.SETTLED,
        (_S.RESERVED, _E.RELEASE): _S.RELEASED,
        (_S.SETTLED, _E.PUBLISH): _S.PUBLISHED,
        (_S.SETTLED, _E.RELEASE): _S.RELEASED,
    },
)


@dataclass(frozen=True)
class Day:
    """The civil date of one owner and the milliseconds of listening it holds."""

    local_date: date
    budget_ms: int


def day_of(now: datetime, *, zone: ZoneInfo, budget_ms: int) -> tuple[Day, datetime]:
    """The civil day of ``now`` in ``zone``, and the first instant of the next one in UTC (rule PUB-1)."""
    today = now.astimezone(zone).date()
    return Day(today, budget_ms), datetime.combine(today + timedelta(days=1), time(), zone).astimezone(UTC)


def has_room(*, used_ms: int, duration_ms: int, budget_ms: int) -> bool:
    """Whether something of ``duration_ms`` still fits; a full day takes exactly its budget (rule PUB-1)."""
    return duration_ms > 0 and used_ms + duration_ms <= budget_ms
