"""One stage of a run as a row of the receipt: what it gave, in numbers and words."""

from __future__ import annotations

from typing import Any

from bot.texts import episode, source
from bot.texts.words import Lang, clock, size
from storage.queries.episode.receipt import StageView


def stage_row(stage: StageView, lang: Lang) -> dict[str, Any]:
    """``stage, status, label, fact, percent``; a percentage only where parts are counted."""
    percent = min(100, stage.part * 100 // stage.parts) if stage.part is not None and stage.parts else None
    fact = ""
    if stage.status == "now" and stage.part is not None and stage.parts:
        fact = episode.PARTS_OF.get(stage.stage, episode.PARTS)(lang, part=stage.part, parts=stage.parts)
    elif stage.status == "done":
        fact = _fact(stage, lang)
    return {
        "stage": stage.stage,
        "status": stage.status,
        "label": episode.STAGES[stage.stage](lang),
        "fact": fact,
        "percent": percent,
    }


def _fact(stage: StageView, lang: Lang) -> str:
    facts, said = stage.facts, _FACTS[stage.stage](stage.facts, lang)
    if facts.get("reused"):
        said.append(episode.REUSED(lang))
    return ("，" if lang == "zh" else ", ").join(said)


def _read(facts: dict[str, Any], lang: Lang) -> list[str]:
    said = [source.CHARS(lang, n=facts["chars"])] if "chars" in facts else []
    quality = source.QUALITIES.get(str(facts.get("quality")))
    return [*said, quality(lang)] if quality else said


def _fetched(facts: dict[str, Any], lang: Lang) -> list[str]:
    said = [str(facts["host"])] if facts.get("host") else []
    return [*said, size(facts["bytes"])] if "bytes" in facts else said


def _found(facts: dict[str, Any], lang: Lang) -> list[str]:
    said = [episode.FOUND(lang, n=facts["passages"])] if "passages" in facts else []
    if facts.get("whole_text"):
        return [*said, episode.WHOLE_TEXT(lang)]
    return [*said, episode.FROM_SECTIONS(lang, n=facts["sections"])] if facts.get("sections") else said


def _written(facts: dict[str, Any], lang: Lang) -> list[str]:
    return [episode.SENTENCES(lang, n=facts["sentences"])] if "sentences" in facts else []


def _checked(facts: dict[str, Any], lang: Lang) -> list[str]:
    said = [episode.SUPPORTED(lang, n=facts["supported"])] if "supported" in facts else []
    return [*said, episode.DROPPED(lang, n=facts["dropped"])] if facts.get("dropped") else said


def _published(facts: dict[str, Any], lang: Lang) -> list[str]:
    if "duration_ms" not in facts or facts.get("lufs") is None:
        return []
    lufs = f"{float(facts['lufs']):.0f}".replace("-", "−")
    return [episode.PUBLISHED(lang, clock=clock(facts["duration_ms"]), lufs=lufs)]


_FACTS = {
    "fetch": _fetched,
    "read": _read,
    "split": lambda facts, lang: [episode.SPLIT(lang, n=facts["chunks"])] if "chunks" in facts else [],
    "find": _found,
    "write": _written,
    "check": _checked,
    "speak": lambda facts, lang: [episode.SEGMENTS(lang, n=facts["segments"])] if "segments" in facts else [],
    "publish": _published,
}
