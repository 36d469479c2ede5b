"""The model of the episode page and of the self-contained evidence page: what is said, when, and what holds it up.

Pure. The stored text stands in it whole, in pieces whose join is the text itself, so that every quote is an anchor in
the very words that were read (rules EVD-2, SRC-4).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.screens.quotes import Proof, checks, proofs, title_of
from bot.screens.receipt import source_note
from bot.screens.voice import heading_of, is_excerpt
from bot.texts import episode, source, web
from bot.texts.words import Lang, clock, span
from storage.queries.episode.spoken import SentenceView, SpokenView

_UNDERLINES = {"inference": "infer", "teaching_example": "example", "user_context": "example"}


@dataclass(frozen=True)
class Line:
    """One spoken sentence. ``underline`` is a class of tokens.css, "" for what Earmark says itself."""

    index: int
    start_ms: int
    end_ms: int
    clock: str
    text: str
    underline: str
    aside: str  # role or kind, written out
    proofs: tuple[Proof, ...]
    checks: tuple[str, ...]


@dataclass(frozen=True)
class Chapter:
    """A run of sentences from one section of the source."""

    label: str
    clock: str
    start_ms: int
    first: int  # index of its first sentence


@dataclass(frozen=True)
class Piece:
    """A stretch of one block; ``anchors`` are the ids of the quotes that begin here."""

    text: str
    marked: bool
    anchors: tuple[str, ...] = ()


@dataclass(frozen=True)
class TextBlock:
    """``gap`` is the white space before the block: with the pieces it gives the stored text back, to the letter."""

    gap: str
    tag: str
    page: int | None  # set on the first block of a page
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class SpokenPage:
    title: str
    question: str
    facts: tuple[str, ...]
    excerpt: str
    checked: bool  # every quoted sentence was found in the text again
    gap_count: int
    lines: tuple[Line, ...]
    chapters: tuple[Chapter, ...]
    not_said: tuple[str, ...]
    source_title: str
    source_facts: tuple[str, ...]
    source_tags: tuple[tuple[str, str], ...]  # class of .tag, words
    blocks: tuple[TextBlock, ...] = field(repr=False)
    tail: str = ""  # white space after the last block


def spoken_page(view: SpokenView, lang: Lang) -> SpokenPage:
    quoted = [s for s in view.sentences if s.quotes]
    blocks, tail = stored_text(view)
    return SpokenPage(
        title=heading_of(view, lang),
        question=view.question,
        facts=(span(view.duration_ms, lang), episode.OWN_WORDS(lang, n=len(view.sentences), m=len(quoted))),
        excerpt=episode.EXCERPT(lang) if is_excerpt(view) else "",
        checked=bool(quoted) and all(checks(view, s, lang) for s in quoted),
        gap_count=len(view.gaps),
        lines=tuple(_line(view, s, lang) for s in view.sentences),
        chapters=_chapters(view),
        not_said=_not_said(view, lang),
        source_title=title_of(view, lang),
        source_facts=_source_facts(view, lang),
        source_tags=_source_tags(view, lang),
        blocks=blocks,
        tail=tail,
    )


def _line(view: SpokenView, s: SentenceView, lang: Lang) -> Line:
    underline = _UNDERLINES.get(s.claim_kind or "", "fact") if s.quotes else ""
    aside = episode.ROLES["gap"](lang) if s.role == "gap" else ""
    if underline in ("infer", "example") and s.claim_kind:
        aside = episode.CLAIM_KINDS[s.claim_kind](lang)
    return Line(
        index=s.index,
        start_ms=s.start_ms,
        end_ms=s.end_ms,
        clock=clock(s.start_ms),
        text=s.text,
        underline=underline,
        aside=aside,
        proofs=proofs(view, s, lang),
        checks=tuple(checks(view, s, lang)),
    )


def _chapters(view: SpokenView) -> tuple[Chapter, ...]:
    """Sections of the source in the order they are heard; none when everything comes from one."""
    found: list[Chapter] = []
    for s in view.sentences:
        label = s.quotes[0].heading.rpartition(" › ")[2].strip() if s.quotes else ""
        if label and (not found or found[-1].label != label):
            found.append(Chapter(label, clock(s.start_ms), s.start_ms, s.index))
    return tuple(found) if len(found) > 1 else ()


def _not_said(view: SpokenView, lang: Lang) -> tuple[str, ...]:
    said = [episode.GAP(lang, gap=gap) for gap in view.gaps]
    if view.left_out:
        said.append(episode.LEFT_OUT(lang, n=view.left_out))
    return tuple(said)


def _source_facts(view: SpokenView, lang: Lang) -> tuple[str, ...]:
    s = view.source
    kind = source.PDF_PAGES(lang, n=s.pages) if s.pages else source.INPUT_TYPES[s.input_type](lang)
    names = [name for name in (s.name, s.origin) if name and name != s.title]
    return (*names, kind, source.CHARS(lang, n=len(s.text)), web.READ_BY(lang, extractor=s.extractor))


def _source_tags(view: SpokenView, lang: Lang) -> tuple[tuple[str, str], ...]:
    s = view.source
    count = sum(len(x.quotes) for x in view.sentences)
    quality = source.QUALITIES.get(s.quality)
    tags = [("", web.SENT_BY_YOU(lang))]
    if quality:
        tags.append(("ok" if s.quality == "FULL" else "off", quality(lang)))
    if s.outdated:
        tags.append(("off", source.OUTDATED(lang)))
    if s.recognised:
        tags.append(("off", source.RECOGNISED_PAGES(lang, n=len(s.recognised))))
    if s.pictures:
        tags.append(("", source.PICTURES(lang, n=s.pictures)))
    tags += [("off", said) for note in s.notes if (said := source_note(note, lang))]
    return (*tags, ("src", episode.QUOTED(lang, n=count)))


def stored_text(view: SpokenView) -> tuple[tuple[TextBlock, ...], str]:
    """The whole stored text as blocks, and what follows the last one. Their join equals ``view.source.text``."""
    text = view.source.text
    spans = sorted({(q.start, q.end) for s in view.sentences for q in s.quotes})
    blocks, at, page = [], 0, None
    for kind, start, end, level, on in view.source.blocks or ((("paragraph", 0, len(text), 0, None)),):
        start = max(start, at)
        if end <= start:
            continue
        new_page = on if on != page else None
        page = on if on is not None else page
        blocks.append(TextBlock(text[at:start], _tag(kind, level), new_page, _pieces(text, start, end, spans)))
        at = end
    return tuple(blocks), text[at:]


def _tag(kind: str, level: int) -> str:
    if kind == "title":
        return "h3"
    if kind == "heading":
        return f"h{min(6, max(4, level + 2))}"
    return "p"


def _pieces(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> tuple[Piece, ...]:
    """Cut ``[start, end)`` where quotes begin or end. A quote over several blocks has its anchor in the first."""
    inside = [(s, e) for s, e in spans if s < end and e > start]
    cuts = sorted({start, end, *(c for span in inside for c in span if start < c < end)})
    return tuple(
        Piece(
            text[a:b],
            any(s <= a and b <= e for s, e in inside),
            tuple(f"q{s}-{e}" for s, e in inside if s == a),
        )
        for a, b in zip(cuts, cuts[1:], strict=False)
    )
