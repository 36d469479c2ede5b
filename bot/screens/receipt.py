"""The one message of a run, edited in place: what was asked, how far it is, or why it ended (rules CHT-7, CHT-9).

Pure: a ReceiptView and a language in, an Outbound out. The card is what the web lays out; ``text`` says the same for
channels that only know text.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from bot import errors
from bot.channels.port import Outbound
from bot.screens.offers import buttons, failed_stage
from bot.screens.stages import stage_row
from bot.texts import episode, source
from bot.texts.words import Lang, joined, span
from pipeline.domain.run import RevisionState, RunLimits, RunState
from storage.queries.episode.receipt import ReceiptView, StageView

_MARKS = {"done": "✓", "now": "▶", "bad": "✗", "next": "·"}
_SHOWS_STAGES = frozenset({"asking", "waiting", "retrying", "running", "stopping", "tomorrow", "done"})

# Nothing more will happen and nothing is asked of the person.
_ENDED = frozenset({"done", "cancelled", "superseded"})

_SAY = {
    "asking": episode.ASK,
    "waiting": episode.WAITING,
    "stopping": episode.STOPPING,
    "tomorrow": episode.TOMORROW,
    "cancelled": episode.CANCELLED,
    "superseded": episode.SUPERSEDED,
    "held": episode.HELD,
}


def receipt(view: ReceiptView, lang: Lang) -> Outbound:
    state = state_of(view)
    title = named(view, lang)
    stages = [stage_row(s, lang) for s in _shown(view, state)]
    say = _say(view, state, lang)
    foot = [episode.TOOK(lang, span=span(took, lang))] if state == "done" and (took := _took_ms(view)) else []
    if view.outdated:
        foot.append(source.OUTDATED(lang))
    card = {
        "state": state,
        "input": view.input_type,
        "title": title,
        "meta": _meta(view, lang, notes=state in _SHOWS_STAGES),
        "ask": _asked(view, lang),
        "stages": stages,
        "say": say,
        "excerpts": _excerpts(view),
        "foot": foot,
        "goes_on": episode.GOES_ON(lang) if state in ("waiting", "running", "retrying") else "",
        "name": episode.RECEIPT_NAME(lang, title=title, state=episode.STATES[state](lang)),
        "revision": view.revision_id,
    }
    return Outbound(
        kind="receipt", text=_plain(card), card=card, buttons=buttons(view, state, lang), ended=state in _ENDED
    )


def state_of(view: ReceiptView) -> str:
    """Which of the receipt's faces this is: a key of ``episode.STATES``."""
    if view.superseded:
        return "superseded"
    if ended := _ended(view):
        return ended
    if view.cancel_requested:
        return "stopping"
    if view.run_state == RunState.DEFERRED and view.error_reason == "no_room":
        return "tomorrow"
    if view.question is None:
        return "asking"
    if view.run_state == RunState.RETRY_WAIT:
        return "retrying"
    return "running" if view.run_state == RunState.RUNNING else "waiting"


def _ended(view: ReceiptView) -> str | None:
    if view.revision_state == RevisionState.STOPPED:
        return "declined"
    if view.revision_state == RevisionState.HELD:
        return "held"
    return {
        RunState.SUCCEEDED.value: "done",
        RunState.FAILED.value: "failed",
        RunState.CANCELLED.value: "cancelled",
        RunState.WAITING_REVIEW.value: "review",
    }.get(view.run_state or "")


def named(view: ReceiptView, lang: Lang) -> str:
    """The source's title in the language's quotes; its file name, or what it is, before it is read."""
    if view.title:
        return source.TITLE(lang, title=view.title)
    return view.name or shown_address(view.origin) or source.PASTED(lang)


def shown_address(address: str | None) -> str:
    """An address as a person reads it: host and path, at most 60 characters; "" for none."""
    if not address:
        return ""
    bare = address.partition("://")[2].partition("#")[0].partition("?")[0].rstrip("/")
    return bare if len(bare) <= 60 else bare[:59] + "…"


def _meta(view: ReceiptView, lang: Lang, *, notes: bool) -> list[str]:
    kind = source.INPUT_TYPES[view.input_type](lang)
    parts = [source.PDF_PAGES(lang, n=view.pages) if view.pages and view.input_type == "pdf" else kind]
    where = view.name or host_of(view.origin)
    if view.title and where:
        parts.insert(0, where)
    elif not view.title and not view.name and not view.origin:
        parts = []
    read = next((s.facts for s in view.stages if s.stage == "read" and s.status == "done"), {}) if notes else {}
    return parts + [said for note in read.get("notes", ()) if (said := source_note(str(note), lang))]


def host_of(address: str | None) -> str:
    return (urlsplit(address).hostname or "") if address else ""


def source_note(note: str, lang: Lang) -> str:
    """``pages_without_text:3`` in words; "" for a note that has none."""
    key, _, value = note.partition(":")
    if (text := source.NOTES.get(key)) is None:
        return ""
    if not text.placeholders(lang):
        return text(lang)
    return text(lang, n=int(value)) if value.isdecimal() else ""


def _asked(view: ReceiptView, lang: Lang) -> str:
    if view.question is None:
        return ""
    if view.question_by == "points":
        return episode.POINTS(lang)
    if view.question_by == "default":
        return episode.POINTS_BY_DEFAULT(lang)
    return episode.ASKED(lang, question=view.question)


def _shown(view: ReceiptView, state: str) -> tuple[StageView, ...]:
    if state == "failed":
        return tuple(s for s in view.stages if s.status == "bad")[:1]
    stages = tuple(s for s in view.stages if s.stage != "fetch" or s.status != "next" or view.input_type == "link")
    return stages if state in _SHOWS_STAGES else ()


def _say(view: ReceiptView, state: str, lang: Lang) -> str:
    if state == "asking" and view.hint:
        return f"{episode.HINTED(lang, hint=view.hint)}\n{episode.ASK(lang)}"
    if state == "retrying":
        return episode.RETRYING(lang, n=view.attempts, limit=RunLimits().max_attempts)
    if state == "failed":
        return errors.sentence(view.error_reason, view.error_values, lang, stage=failed_stage(view))
    if state == "review":
        values = {"parts": 1, "missing": 1, **view.error_values}
        return episode.REVIEW(lang, parts=int(values["parts"]), missing=int(values["missing"]))
    if state == "declined":
        return _declined(view, lang)
    return said(lang) if (said := _SAY.get(state)) else ""


def _declined(view: ReceiptView, lang: Lang) -> str:
    decline = view.decline or {}
    reason = str(decline.get("reason", "not_covered"))
    if reason == "other_language" and not _excerpts(view):
        return episode.OTHER_LANGUAGE_BARE(lang)
    text = episode.DECLINES.get(reason, episode.DECLINES["not_covered"])
    said = text(lang, question=str(decline.get("question") or view.question or ""))
    missing = [str(term) for term in decline.get("missing_terms", ())]
    if not missing or reason != "not_covered":
        return said
    gap = "" if lang == "zh" else " "
    return f"{said}{gap}{episode.MISSING_TERMS(lang, terms=joined(missing, lang))}"


def _excerpts(view: ReceiptView) -> list[str]:
    """The source's own words that go out as text (rule SEC-6); stored as pairs of words and span."""
    return [str(pair[0]) for pair in (view.decline or {}).get("excerpts", ())]


def _took_ms(view: ReceiptView) -> int:
    if view.started_at is None or view.finished_at is None:
        return 0
    return round((view.finished_at - view.started_at).total_seconds() * 1000)


def _plain(card: dict[str, Any]) -> str:
    head = [card["title"]]
    if card["meta"]:
        head.append("  ".join(card["meta"]))
    if card["ask"]:
        head.append(card["ask"])
    rows = []
    for s in card["stages"]:
        percent = f" {s['percent']}%" if s["percent"] is not None else ""
        rows.append(f"{_MARKS[s['status']]} {s['label']}  {s['fact']}{percent}".rstrip())
    quotes = [f"「{excerpt}」" for excerpt in card["excerpts"]]
    blocks = ["\n".join(head), "\n".join(rows), card["say"], "\n".join(quotes), "  ".join(card["foot"])]
    return "\n\n".join(block for block in blocks if block)
