"""A few signs for the words of a person in a test: ``**bold**`` and ``[words](address)``."""

from __future__ import annotations

import re
from typing import Any

from eval.simulators.botapi.entities import units

_SIGN = re.compile(r"\*\*(?P<bold>.+?)\*\*|\[(?P<label>[^\]]+)\]\((?P<url>https?://[^)\s]+)\)")


def parsed(marked: str) -> tuple[str, list[dict[str, Any]]]:
    """Return the plain words and their entities, offsets in UTF-16 units."""
    plain, entities, at = "", [], 0
    for sign in _SIGN.finditer(marked):
        plain += marked[at : sign.start()]
        words = sign["bold"] or sign["label"]
        entity: dict[str, Any] = {"offset": units(plain), "length": units(words)}
        entities.append(entity | ({"type": "bold"} if sign["bold"] else {"type": "text_link", "url": sign["url"]}))
        plain, at = plain + words, sign.end()
    return plain + marked[at:], entities
