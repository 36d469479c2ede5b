"""The article as a page describes it to machines (schema.org): for pages that draw their text by script only."""

from __future__ import annotations

import json
import re
from html import escape
from typing import Any

_BODY = re.compile(r'"articleBody"\s*:\s*"')
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_MAX = 2_000_000
_MARKUP = re.compile(r"</?(?:p|br|div|h[1-6]|ul|ol|li|span|strong|em)\b", re.IGNORECASE)


def described_article(tree: Any) -> str:
    """Return the longest ``articleBody`` as HTML, "" when there is none. Call it before scripts leave the tree."""
    found = [_bodies(script.text or "") for script in tree.iterfind(".//script[@type='application/ld+json']")]
    body = max((text for texts in found for text in texts), key=len, default="")
    if not body or _MARKUP.search(body):
        return body
    return "".join(f"<p>{escape(line)}</p>" for line in body.splitlines() if line.strip())


def _bodies(script: str) -> list[str]:
    texts = []
    for match in _BODY.finditer(script[:_MAX]):
        quoted = _STRING.match(script, match.end() - 1, match.end() + _MAX)
        try:
            texts.append(json.loads(quoted.group(), strict=False) if quoted else "")
        except ValueError:
            continue
    return texts
