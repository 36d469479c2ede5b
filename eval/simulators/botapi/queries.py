"""Presses of buttons that wait for an answer: once, and not for long."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import Any

from eval.simulators.botapi.clock import Clock
from eval.simulators.botapi.errors import refused
from eval.simulators.botapi.limits import Limits


@dataclass
class Query:
    """One press. ``answer`` is what its presser saw, None while the button spins."""

    id: str
    chat_id: int
    message_id: int
    person_id: int
    data: str
    at: float
    answer: dict[str, Any] | None = None
    answered_at: float = 0.0


@dataclass
class Queries:
    clock: Clock
    limits: Limits
    all: dict[str, Query] = field(default_factory=dict)
    _ids: Any = field(default_factory=lambda: count(4_382_000_000_000_001))

    def press(self, chat_id: int, message_id: int, person_id: int, data: str) -> Query:
        query = Query(str(next(self._ids)), chat_id, message_id, person_id, data, self.clock.now())
        self.all[query.id] = query
        return query

    def answer(self, query_id: str, answer: dict[str, Any]) -> Query:
        """Stop the spinner.

        Raises:
            ApiError: 400 for an unknown, too old or already answered query (a real server may let a second answer
                pass; the product must not rely on it), and for more words than fit.
        """
        query = self.all.get(query_id)
        now = self.clock.now()
        if query is None or query.answer is not None or now - query.at > self.limits.query_age_s:
            raise refused("query is too old and response timeout expired or query ID is invalid")
        if len(str(answer.get("text", ""))) > self.limits.answer_chars:
            raise refused("MESSAGE_TOO_LONG")
        query.answer, query.answered_at = answer, now
        return query
