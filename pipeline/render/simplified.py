"""Traditional characters as simplified ones, one for one, for the voice and for what is heard back."""

from __future__ import annotations

import importlib.resources
import re
from functools import lru_cache

import zhconv

# 著 is the particle 着 in traditional text, except in the words where it keeps its sound.
_ZHU = re.compile(r"(?<![显原名巨专编论译合土卓昭遗拙所])著(?![名作称述书者录于])")


@lru_cache(maxsize=1024)
def simplified(text: str) -> str:
    """As long as ``text``: words are not exchanged for those of another region."""
    _load()
    whole = str(zhconv.convert(text, "zh-hans"))
    if len(whole) != len(text):
        whole = "".join(str(zhconv.convert(c, "zh-hans"))[:1] for c in text)
    return _ZHU.sub("着", whole)


@lru_cache(maxsize=1)
def _load() -> None:
    """Given a path, zhconv closes its dictionary's file; left to itself it does not."""
    with importlib.resources.as_file(importlib.resources.files("zhconv") / "zhcdict.json") as path:
        zhconv.loaddict(str(path))
