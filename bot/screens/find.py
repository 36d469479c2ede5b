"""What ``/find`` found: passages of the owner's own sources, word for word, each with the way to ask its source."""

from __future__ import annotations

import re

from bot.channels.port import Button, Mark, Outbound
from bot.texts import command, episode, source
from bot.texts.words import Lang
from pipeline.evidence.terms import folded
from storage.queries.source.library import FoundView

QUOTE_CHARS = 160  # of one passage: five of them are one screen of a phone, and one message of any messenger
_LEAD = 40  # of them before the first word that was found
_TITLE_CHARS = 60
_CUT = "……"
_ENDS = re.compile(r"[。！？!?；;\n]")


def find(words: str, terms: tuple[str, ...], passages: tuple[FoundView, ...], lang: Lang) -> Outbound:
    if not passages:
        said = command.FOUND_NOTHING(lang, words=words)
        return Outbound(kind="find", text=said, card={"say": said, "name": said})
    head = command.FOUND(lang, words=words, n=len(passages))
    text, marks = head, []
    for number, passage in enumerate(passages, start=1):
        text += f"\n\n{number}. {_place(passage, lang)}\n"
        start, end = excerpt(passage.words, terms)
        text += _CUT if start > 0 else ""
        marks.append(Mark(len(text), len(text) + end - start, "quote"))
        text += passage.words[start:end] + (_CUT if end < len(passage.words) else "")
    card = {"say": text, "name": head}
    return Outbound(kind="find", text=text, card=card, buttons=_buttons(passages, lang), marks=tuple(marks))


def excerpt(words: str, terms: tuple[str, ...]) -> tuple[int, int]:
    """``[start, end)`` of at most QUOTE_CHARS code points around the rarest term that stands in ``words``.

    It begins with a sentence where one begins near enough, and never inside white space.
    """
    shown = folded(words)
    # Folding may change lengths (NFKC): then places do not carry over, and the passage is shown from its start.
    at = next((i for t in terms if (i := shown.find(t)) >= 0), 0) if len(shown) == len(words) else 0
    start = max(0, min(at - _LEAD, len(words) - QUOTE_CHARS))
    begins = [m.end() for m in _ENDS.finditer(words, start, at)]
    start = begins[0] if start > 0 and begins else start
    end = min(len(words), start + QUOTE_CHARS)
    while start < end and words[start].isspace():
        start += 1
    while end > start and words[end - 1].isspace():
        end -= 1
    return start, end


def _place(passage: FoundView, lang: Lang) -> str:
    title = passage.title or passage.name
    title = title if len(title) <= _TITLE_CHARS else title[: _TITLE_CHARS - 1] + "…"
    parts = [source.TITLE(lang, title=title) if title else source.PASTED(lang)]
    heading = passage.heading.rpartition(" › ")[2].strip()
    if heading and heading != passage.title:
        parts.append(episode.SECTION(lang, heading=heading[:_TITLE_CHARS]))
    if passage.page is not None:
        parts.append(source.PAGE(lang, n=passage.page))
    if passage.recognised:
        parts.append(source.RECOGNISED(lang))
    return ("，" if lang == "zh" else ", ").join(parts)


def _buttons(passages: tuple[FoundView, ...], lang: Lang) -> tuple[Button, ...]:
    """One for each source, by the number of its first passage."""
    first: dict[int, int] = {}
    for number, passage in enumerate(passages, start=1):
        first.setdefault(passage.revision_id, number)
    if len(first) == 1:
        return tuple(Button(command.ASK_THIS(lang), "reask", {"revision": revision}) for revision in first)
    return tuple(
        Button(command.ASK_THIS_OF(lang, n=number), "reask", {"revision": revision})
        for revision, number in first.items()
    )
