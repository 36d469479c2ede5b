"""Error → a sentence with a way out, in the person's language. Not here: any decision about retrying.

A failed run keeps only a reason and its values (``error_reason``, ``error_values``); an error caught at the border of a
handler or a page still has its class. Both come down to one key here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.texts import chat, command, episode, source
from bot.texts.words import Lang, Text
from pipeline.domain.errors import (
    AudioRejected,
    ChildDied,
    Contention,
    FetchFailed,
    InputRejected,
    MissingRow,
    NotYours,
    ProductError,
    RequestConflict,
    RuleViolation,
)
from pipeline.domain.source import Reason

_SPOKEN = frozenset({"speak", "publish"})
# The same bytes fail the same way again: offering a retry would be a promise that cannot be kept.
PERMANENT = frozenset(Reason) - {Reason.PARSER_DIED}


def reason_of(error: ProductError) -> tuple[str, dict[str, Any]]:
    """The key of the sentence for ``error`` and what fills it."""
    match error:
        case InputRejected():
            return error.reason, dict(error.values)
        case FetchFailed():
            return f"fetch.{error.reason}", error.values
        case AudioRejected():
            return f"audio.{error.reason}", {}
        case ChildDied():
            return f"child.{error.reason}", {}
        case NotYours():
            return "foreign_press", {}
        case RequestConflict():
            return "request_conflict", {}
        case RuleViolation():
            return "stale_press", {}
        case Contention():
            return "busy", {}
        case MissingRow():
            return "missing", {}
        case _:
            return "generic", {}


def sentence(reason: str | None, values: Mapping[str, Any], lang: Lang, *, stage: str | None = None) -> str:
    """What happened and what to do. ``stage`` is where a run stopped.

    An unknown reason, or one whose values are missing, gives the general sentence: never a key, never a gap.
    """
    text = _text(reason or "", values, stage)
    filled = {**values, "kind": _kind(values.get("kind"), lang)} if "kind" in text.placeholders(lang) else values
    if text.placeholders(lang) <= filled.keys():
        return text(lang, **filled)
    return chat.NOTES["generic"](lang)


def permanent(reason: str | None, stage: str | None) -> bool:
    """True when trying the same source again cannot help, and only other input can."""
    return reason in PERMANENT and stage not in _SPOKEN


def _text(reason: str, values: Mapping[str, Any], stage: str | None) -> Text:
    group, _, bare = reason.rpartition(".")
    if bare in episode.AUDIO and (group == "audio" or stage in _SPOKEN):
        return episode.AUDIO[bare]
    if bare == Reason.PARSER_DIED or (bare in source.PARSER_DIED and stage == "read"):
        return source.PARSER_DIED.get(str(values.get("how", bare)), source.REASONS[Reason.PARSER_DIED])
    if group == "fetch":
        return source.FETCH.get(_answered(values), source.FETCH["status"]) if bare == "status" else source.FETCH[bare]
    if bare == Reason.BLOCKED_PAGE:
        return source.BLOCKED.get(str(values.get("what", "")), source.REASONS[bare])
    if bare == Reason.ADDRESS_REFUSED:
        return source.ADDRESSES.get(str(values.get("why", "")), source.REASONS[bare])
    if bare in episode.CHILD_DIED:
        return episode.CHILD_DIED[bare]
    if bare in source.REASONS:
        return source.REASONS[bare]
    return episode.RUN_REASONS.get(bare) or command.NOTES.get(bare) or chat.NOTES.get(bare, chat.NOTES["generic"])


def _answered(values: Mapping[str, Any]) -> str:
    """An HTTP status as what it means for a person."""
    status = int(values.get("status") or 0)
    if status in (401, 402, 403, 407, 451):
        return "refused"
    if status in (404, 410):
        return "gone"
    return "busy" if status == 429 else "status"


def _kind(kind: object, lang: Lang) -> str:
    return source.KINDS.get(str(kind), source.KINDS["binary"])(lang)
