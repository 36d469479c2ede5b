"""Source words as a reader sees them: in their surroundings, with their place and the checks that were made.

Everything here is read off the stored text again; nothing is claimed that this module did not just compare.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from bot.texts import episode, source
from bot.texts.words import Lang, clock, joined
from storage.queries.episode.spoken import QuoteView, SentenceView, SourceView, SpokenView

AROUND = 70  # code points of surroundings on each side: about two lines on a phone
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*%?")
_INVISIBLE = re.compile(r"\s+")
_ENDS = "。！？；.!?;…，,、：:"


@dataclass(frozen=True)
class Proof:
    """One quote with what stands around it, cut at the ends of its paragraph."""

    before: str
    quote: str
    after: str
    place: str  # title, section, page, in words
    start: int
    end: int

    def card(self) -> dict[str, Any]:
        return {
            "before": self.before,
            "quote": self.quote,
            "after": self.after,
            "place": self.place,
            "start": self.start,
            "end": self.end,
        }


def proofs(view: SpokenView, sentence: SentenceView, lang: Lang) -> tuple[Proof, ...]:
    return tuple(_proof(view, quote, lang) for quote in sentence.quotes)


def _proof(view: SpokenView, quote: QuoteView, lang: Lang) -> Proof:
    before, after = surroundings(view.source, quote.start, quote.end)
    return Proof(before, quote.text, after, place(view, quote, lang), quote.start, quote.end)


def surroundings(text_of: SourceView, start: int, end: int) -> tuple[str, str]:
    """What stands before and after ``[start, end)`` in the same blocks, at most ``AROUND`` each, with …… where cut."""
    first, last = _edges(text_of, start, end)
    left, right = max(first, start - AROUND), min(last, end + AROUND)
    before, after = text_of.text[left:start].lstrip(), text_of.text[end:right].rstrip()
    return ("……" if left > first and before else "") + before, after + ("……" if right < last and after else "")


def _edges(text_of: SourceView, start: int, end: int) -> tuple[int, int]:
    """Start of the block that holds ``start`` and end of the block that holds ``end - 1``."""
    touched = [(b[1], b[2]) for b in text_of.blocks if b[1] < end and b[2] > start]
    if not touched:
        return max(0, start - AROUND), min(len(text_of.text), end + AROUND)
    return min(start, touched[0][0]), max(end, touched[-1][1])


def place(view: SpokenView, quote: QuoteView, lang: Lang) -> str:
    """Where it stands: title, last heading of its path, page."""
    parts = [title_of(view, lang)]
    heading = quote.heading.rpartition(" › ")[2].strip()
    if heading and heading != view.source.title:
        parts.append(episode.SECTION(lang, heading=heading))
    if quote.page is not None and view.source.pages:
        parts.append(source.PAGE(lang, n=quote.page))
    if (at := _heard_at(view.source, quote)) is not None:
        parts.append(source.AT_TIME(lang, clock=clock(at)))
    if quote.page in view.source.recognised:
        parts.append(source.RECOGNISED(lang))
    return ("，" if lang == "zh" else ", ").join(parts)


def _heard_at(text_of: SourceView, quote: QuoteView) -> int | None:
    """Millisecond of the cue in which the quote begins; None for a source without times."""
    return next((ms for start, end, ms in text_of.cues if start <= quote.start < end), None)


def title_of(view: SpokenView, lang: Lang) -> str:
    title = view.source.title or view.source.name
    return source.TITLE(lang, title=title) if title else source.PASTED(lang)


def checks(view: SpokenView, sentence: SentenceView, lang: Lang) -> list[str]:
    """The checks that hold, in words. Numbers and negations are equal because every word is (rule EVD-2)."""
    if not sentence.quotes or any(q.text != view.source.text[q.start : q.end] for q in sentence.quotes):
        return []
    said = [episode.CHECK_FOUND(lang)]
    if not verbatim(sentence):
        return said
    numbers = tuple(dict.fromkeys(_NUMBER.findall(sentence.text)))
    listed = episode.CHECK_NUMBERS_LIST(lang, numbers=joined(numbers, lang)) if numbers else episode.CHECK_NUMBERS(lang)
    return [*said, listed, episode.CHECK_NEGATIONS(lang)]


def verbatim(sentence: SentenceView) -> bool:
    """True when the sentence is its quotes word for word; white space and the closing mark aside."""
    said = _bare(sentence.text)
    return bool(said) and said in _bare("".join(q.text for q in sentence.quotes))


def _bare(text: str) -> str:
    return _INVISIBLE.sub("", text).rstrip(_ENDS)
