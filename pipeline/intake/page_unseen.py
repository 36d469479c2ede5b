"""What a reader of the page does not see leaves the tree, and is kept for the ledger (rule SRC-8, pitfalls W12, W13).

The one exception is WeChat's own container, which its scripts make visible: ``visibility`` and ``opacity`` do not hide
it, ``display:none`` does. Words the author struck out are visible and yet no statement: they leave as ``deleted``.
"""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

from pipeline.domain.source import Removed
from pipeline.intake.page_styles import SIGHT, Declarations, declarations, letters, struck, unseen
from pipeline.intake.page_stylesheet import Sheet, sheet

WECHAT = "js_content"
NEVER_SHOWN = (
    "script style noscript template iframe object embed applet svg canvas audio video map select datalist textarea"
    " button annotation annotation-xml"
).split()
_STRUCK = ("del", "s", "strike")
_READERS_ONLY = frozenset(
    "sr-only visually-hidden visuallyhidden screen-reader-text screen-reader-only screenreader-only a11y-hidden"
    " katex-mathml mjx-assistive-mml".split()
)
_INLINE = frozenset("a abbr b bdi big cite code em font i img label mark q small span strong sub sup tt u".split())
_STYLED = etree.XPath(
    "//*[@hidden or @aria-hidden or @popover or contains(@class, 'sr-only') or contains(@class, 'isually')"
    " or contains(@class, 'creen') or contains(@class, 'a11y') or contains(@class, 'mathml') or contains(@class, 'mml')"
    " or self::del or self::s or self::strike or self::dialog or @style]"
)
_NAMED = etree.XPath("//*[@class or @id]")
_WORD = re.compile(r"\w")
_TAGS = re.compile("(?<!\U0001f3f4)[\U000e0020-\U000e007e]{2,}")
_MAX_REMOVED, _MAX_REMOVED_CHARS = 200, 2_000


class Ledger:
    """What was taken out, bounded: the first 200 texts of up to 2,000 characters."""

    def __init__(self) -> None:
        self.removed: list[Removed] = []

    def add(self, why: str, text: str) -> None:
        text = " ".join(text.split())
        if len(text) > 1 and len(self.removed) < _MAX_REMOVED:
            self.removed.append(Removed(why, text[:_MAX_REMOVED_CHARS]))


def remove_unseen(tree: Any) -> list[Removed]:
    """Take out of the tree what cannot be seen, and what is struck out; return its text."""
    rules = sheet("\n".join(style.text or "" for style in tree.iter("style")))
    etree.strip_elements(tree, etree.Comment, etree.ProcessingInstruction, *NEVER_SHOWN, with_tail=False)
    ledger = Ledger()
    faint: list[tuple[Any, Declarations]] = []
    gone: set[Any] = set()
    for element, found in _suspects(tree, rules):
        if gone and any(above in gone for above in element.iterancestors()):
            continue
        why = "deleted" if element.tag in _STRUCK or struck(found) else _hidden(element, found, tree)
        if why:
            ledger.add(why, "".join(element.itertext()))
            gone.add(element)
        elif any(letters(found).values()):
            faint.append((element, found))
    for element in gone:
        element.drop_tree()
    for element, found in faint:
        _take_letters(element, found, ledger)
    return ledger.removed


def _suspects(tree: Any, rules: Sheet) -> list[tuple[Any, Declarations]]:
    """Elements that something might hide, in order, with the declarations that count for them; never the page."""
    found: dict[Any, Declarations] = {}
    for element in _STYLED(tree):
        found[element] = declarations(element.get("style", ""))
    if rules.hides:
        for element in _NAMED(tree):
            names = [f".{name}" for name in element.get("class", "").lower().split()]
            told = rules.of(frozenset((element.tag, f"#{element.get('id', '').lower()}", *names)))
            if told:
                found[element] = {**told, **found.get(element, {})}
    return [(el, told) for el, told in found.items() if el.tag not in ("html", "body") and el.getparent() is not None]


def _hidden(element: Any, found: Declarations, tree: Any) -> str:
    """``hidden`` when the element and all in it cannot be seen, else ``""``."""
    causes = unseen(found)
    if element.get("id") == WECHAT:
        return "hidden" if "display" in causes else ""
    by_mark = (
        element.get("hidden", "until-found") != "until-found"
        or "popover" in element.attrib
        or element.tag == "dialog"
        and "open" not in element.attrib
        or not _READERS_ONLY.isdisjoint(element.get("class", "").split())
    )
    return "hidden" if causes or by_mark or _set_aside(element, tree) else ""


def _set_aside(element: Any, tree: Any) -> bool:
    """Whether ``aria-hidden`` hides: it speaks to screen readers, and is also put on what is not shown just now.

    On a word it marks a decoration, which can be seen: only a sign without letters goes. On a block it marks a closed
    dialog, a menu, another slide; but the block that holds most of the page is the page, behind an open dialog.
    """
    if element.get("aria-hidden", "").lower() != "true":
        return False
    text = "".join(element.itertext())
    if element.tag in _INLINE:
        return not _WORD.search(text)
    return 2 * len(text.strip()) < len("".join(tree.itertext()).strip())


def _take_letters(root: Any, found: Declarations, ledger: Ledger) -> None:
    """Remove the text below ``root`` whose letters vanish, and leave what a child makes visible again."""
    taken: list[str] = []
    state: list[dict[str, bool]] = []
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if event == "start":
            own = letters(found if element is root else declarations(element.get("style", "")))
            if element.get("id") == WECHAT:
                own.pop(SIGHT, None)
            state.append({**state[-1], **own} if state else own)
            if any(state[-1].values()) and element.text:
                taken.append(element.text)
                element.text = None
        else:
            state.pop()
            if state and any(state[-1].values()) and element.tail:
                taken.append(element.tail)
                element.tail = None
    ledger.add("hidden", " ".join(taken))


def invisible_words(text: str) -> list[Removed]:
    """Return what letters of Unicode's tag block say; canonical text never holds them (pitfall W13)."""
    words = ["".join(chr(ord(c) - 0xE0000) for c in match.group()) for match in _TAGS.finditer(text)]
    return [Removed("invisible", word[:_MAX_REMOVED_CHARS]) for word in words[:_MAX_REMOVED]]
