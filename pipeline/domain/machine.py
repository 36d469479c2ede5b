"""A lifecycle is a table; this walks it. Not here: any lifecycle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from pipeline.domain.errors import IllegalTransition

S = TypeVar("S", bound=StrEnum)
E = TypeVar("E", bound=StrEnum)


@dataclass(frozen=True)
class Machine(Generic[S, E]):
    """A finite state machine given as ``{(state, event): next_state}``."""

    name: str
    initial: S
    edges: Mapping[tuple[S, E], S]

    def next(self, state: S, event: E) -> S:
        """Return the state after ``event``.

        Raises:
            IllegalTransition: the table has no such edge; names the events that are allowed.
        """
        try:
            return self.edges[state, event]
        except KeyError:
            raise IllegalTransition(self.name, state, event, self.events(state)) from None

    def events(self, state: S) -> frozenset[str]:
        return frozenset(event for source, event in self.edges if source == state)

    def sources(self, event: E) -> tuple[S, ...]:
        """States that ``event`` may leave, in table order; what a compare-and-set in SQL compares with."""
        return tuple(source for source, of in self.edges if of == event)

    def final(self) -> frozenset[S]:
        """States nothing leaves."""
        return frozenset(self.edges.values()) - {source for source, _ in self.edges}
