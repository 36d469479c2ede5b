"""What a page calls itself. A site's name leaves the title only where the page says that it is the site's name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_MAX_TITLE, _MAX_RAW = 300, 5_000
_MAX_JSON = 512 * 1024
_PARTS = re.compile(r"\s+[-–—|·»•:]\s+|\s*[_｜|]\s*|\s*-{1,2}\s*(?=[^-]*$)|\s*[–—]{1,2}\s*")
_LITERAL_BREAK = re.compile(r"(?:\\n|\\x0a|\s)+")
_HEADLINE = re.compile(r'"headline"\s*:\s*("(?:[^"\\]|\\.){1,400}")')


def page_title(tree: Any) -> str:
    """Return the title, "" when the page has none. Call it before anything leaves the tree.

    WeChat's own heading, then og:title, then the page's single ``<h1>`` where ``<title>`` agrees with it, then
    ``<title>``. Two that agree beat one that stands first: some sites give every page one og:title.
    """
    own = _text(tree, "//*[@id='activity-name']")
    if own:
        return own
    named = [_clean(value) for value in _metas(tree, "og:title", "twitter:title")]
    window = _text(tree, "//head//title | /html/body/title")
    headings = [_clean("".join(h1.itertext())) for h1 in tree.xpath("//h1")]
    headings = [heading for heading in dict.fromkeys(headings) if heading]
    sites = [*_metas(tree, "og:site_name", "application-name")]
    told = [*named[:1], *_headlines(tree)]
    single = headings if len(headings) == 1 else []
    agreed = [c for c in (*told, *single) if len(c) > 1 and _squeezed(c) in _squeezed(window)]
    if _squeezed(window) in map(_squeezed, sites):
        window = ""
    best = next(iter((*agreed, *told, window, *single)), "") or next(iter(single), "")
    return _without_site(best, sites)[:_MAX_TITLE]


def _metas(tree: Any, *names: str) -> list[str]:
    found = []
    for name in names:
        found += tree.xpath("//meta[@property=$name or @name=$name]/@content", name=name)
    return [str(value) for value in found if value.strip()]


def _text(tree: Any, way: str) -> str:
    return next((text for hit in tree.xpath(way) if (text := _clean("".join(hit.itertext())))), "")


def _headlines(tree: Any) -> Iterator[str]:
    """The headline of schema.org's description of an article."""
    for script in tree.iterfind(".//script[@type='application/ld+json']"):
        if found := _HEADLINE.search((script.text or "")[:_MAX_JSON]):
            try:
                yield _clean(json.loads(found.group(1), strict=False))
            except ValueError:
                continue


def _clean(text: str) -> str:
    return " ".join(_LITERAL_BREAK.sub(" ", text[:_MAX_RAW]).split())


def _squeezed(text: str) -> str:
    return "".join(text.split()).lower()


def _without_site(title: str, names: list[str]) -> str:
    """Cut a last (or first) part that is the site's name, to the letter."""
    known = {_squeezed(name) for name in names}
    cuts = list(_PARTS.finditer(title))
    for cut in reversed(cuts):
        if _squeezed(title[cut.end() :]) in known and cut.start():
            return title[: cut.start()].strip()
    if cuts and _squeezed(title[: cuts[0].start()]) in known:
        return title[cuts[0].end() :].strip()
    return title
