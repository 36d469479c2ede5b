"""A clock that stands still until it is moved."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class StandingClock:
    def __init__(self, at: datetime = datetime(2026, 11, 30, 1, 0, tzinfo=UTC)) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at

    def move(self, by: timedelta) -> None:
        self.at += by
