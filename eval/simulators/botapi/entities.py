"""Text and its entities: lengths and offsets in UTF-16 units, validated as TDLib does, and found as its server does."""

from __future__ import annotations

import json
import re
from typing import Any

from eval.simulators.botapi.errors import refused
from eval.simulators.botapi.limits import Limits

Entity = dict[str, Any]

KINDS = frozenset(
    "mention hashtag cashtag bot_command url email phone_number bold italic underline strikethrough spoiler blockquote"
    " expandable_blockquote code pre text_link text_mention custom_emoji date_time".split()
)
_FOUND = (
    ("url", re.compile(r"https?://[^\s<>\"，。；、！？）》」]+[^\s<>\"，。；、！？）》」.,;:!?)]")),
    ("bot_command", re.compile(r"(?<![\w/])/[A-Za-z0-9_]{1,64}(?:@\w+)?")),
    ("mention", re.compile(r"(?<!\w)@[A-Za-z][A-Za-z0-9_]{3,31}")),
    ("hashtag", re.compile(r"(?<!\w)#\w{2,}")),
)


def units(text: str) -> int:
    """Length in UTF-16 units."""
    return len(text.encode("utf-16-le")) // 2


def cut(text: str, offset: int, length: int) -> str:
    """Return the part of a text that an entity names."""
    return text.encode("utf-16-le")[2 * offset : 2 * (offset + length)].decode("utf-16-le")


def formatted(text: str, entities: object, *, limits: Limits, caption: bool = False) -> tuple[str, list[Entity]]:
    """Return the text as it is shown: without space at its ends, with valid entities and those that are found in it.

    Raises:
        ApiError: 400 for a text that is too long or not there, or an entity that does not fit it.
    """
    if len(text.encode()) > limits.raw_bytes:
        raise refused("text is too long")
    given = _given(entities)
    _fit(text, given)
    shown, given = _stripped(text, given)
    most = limits.caption_units if caption else limits.text_units
    if units(shown) > most:
        raise refused("message caption is too long" if caption else "message is too long")
    if not shown and not caption:
        raise refused("message text is empty")
    return shown, (given + found(shown, given))[: limits.entities]


def found(text: str, given: list[Entity]) -> list[Entity]:
    """Links, commands, mentions and hashtags that no given entity touches."""
    taken = [(e["offset"], e["offset"] + e["length"]) for e in given]
    more: list[Entity] = []
    for kind, pattern in _FOUND:
        for match in pattern.finditer(text):
            begin, length = units(text[: match.start()]), units(match.group())
            if all(begin + length <= b or begin >= e for b, e in taken):
                more.append({"type": kind, "offset": begin, "length": length})
                taken.append((begin, begin + length))
    return sorted(more, key=lambda e: int(e["offset"]))


def _given(entities: object) -> list[Entity]:
    if entities in (None, ""):
        return []
    try:
        read = json.loads(entities) if isinstance(entities, str) else entities
        if not isinstance(read, list):
            raise refused("can't parse entities: array expected")
        kept = [{**e, "offset": int(e["offset"]), "length": int(e["length"])} for e in read]
        unknown = [e["type"] for e in kept if e["type"] not in KINDS]
    except (ValueError, TypeError, KeyError):
        raise refused("can't parse entities") from None
    if unknown:
        raise refused(f"can't parse entities: unsupported type {unknown[0]!r}")
    for entity in kept:
        if entity["type"] == "text_link" and not str(entity.get("url", "")).startswith(
            ("http://", "https://", "tg://")
        ):
            raise refused("can't parse entities: wrong HTTP URL specified")
    return sorted((e for e in kept if e["length"]), key=lambda e: (e["offset"], -e["length"]))


def _fit(text: str, entities: list[Entity]) -> None:
    """Source of the wording: fix_formatted_text in TDLib's MessageEntity.cpp."""
    starts, at = set(), 0
    for char in text:
        starts.add(at)
        at += units(char)
    starts.add(at)
    for entity in entities:
        begin, end = entity["offset"], entity["offset"] + entity["length"]
        if begin < 0:
            raise refused(f"receive an entity with incorrect offset {begin}")
        if entity["length"] < 0:
            raise refused(f"receive an entity with incorrect length {entity['length']}")
        if begin >= at:
            raise refused(f"entity begins after the end of the text at UTF-16 offset {begin}")
        if end > at:
            raise refused(
                f"entity beginning at UTF-16 offset {begin} ends after the end of the text at UTF-16 offset {end}"
            )
        if begin not in starts:
            raise refused(f"entity begins in a middle of a UTF-16 symbol at UTF-16 offset {begin}")
        if end not in starts:
            raise refused(
                f"entity beginning at UTF-16 offset {begin} ends in a middle of a UTF-16 symbol at UTF-16 offset {end}"
            )


def _stripped(text: str, entities: list[Entity]) -> tuple[str, list[Entity]]:
    shown = text.strip()
    gone = units(text[: len(text) - len(text.lstrip())])
    end = units(shown)
    moved: list[Entity] = []
    for entity in entities:
        begin, stop = max(0, entity["offset"] - gone), min(end, entity["offset"] + entity["length"] - gone)
        if stop > begin:
            moved.append({**entity, "offset": begin, "length": stop - begin})
    return shown, moved
