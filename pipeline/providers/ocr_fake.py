"""A recogniser for tests and demos: says what it was told stands on each page, counts every call, dies on request."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field

from pipeline.domain.errors import ChildDied, InputRejected
from pipeline.domain.source import InputType, OcrLine, OcrPage, Reason

_WIDTH, _HEIGHT = 1_000, 1_400  # pixels of every page
_LINE = 40


@dataclass
class FakeRecogniser:
    """``pages``: the lines of each page; ``scores``: of pages read badly. ``dies`` is raised in place of a page.

    It never deduplicates: two calls are two entries, also for the same bytes.
    """

    pages: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    scores: Mapping[int, float] = field(default_factory=dict)
    dies: Mapping[int, str] = field(default_factory=dict)  # page → timeout | memory | crash
    identity: str = "ocr fake 1"
    calls: list[tuple[InputType, tuple[int, ...], int]] = field(default_factory=list)
    done: list[int] = field(default_factory=list)  # pages that were handed out

    async def recognise(self, data: bytes, *, kind: InputType, pages: tuple[int, ...]) -> AsyncIterator[OcrPage]:
        """Yield ``pages`` in order; empty bytes are BROKEN."""
        self.calls.append((kind, pages, len(data)))
        if not data:
            raise InputRejected(Reason.BROKEN)
        for number in pages:
            if number in self.dies:
                raise ChildDied("ocr_fake", self.dies[number], "asked to die")
            self.done.append(number)
            yield self._page(number)

    def _page(self, number: int) -> OcrPage:
        score = self.scores.get(number, 0.99)
        lines = tuple(
            OcrLine(text, (100, 100 + row * 2 * _LINE, 100 + 25 * len(text), 100 + row * 2 * _LINE + _LINE), score)
            for row, text in enumerate(self.pages.get(number, ()))
        )
        return OcrPage(number, _WIDTH, _HEIGHT, lines, self.identity)
