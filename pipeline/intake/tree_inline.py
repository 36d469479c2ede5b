"""What stands inside a line: white space, raised digits, the marks of notes, and the notes themselves."""

from __future__ import annotations

import re
from typing import Any

_HAN_JOIN = re.compile("(?<=[\u2e80-\u9fff\uff00-\uffef])[ \t\r\f\v]*\n\\s*(?=[\u2e80-\u9fff\uff00-\uffef])")
_RAISED = str.maketrans("0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")
_RAISABLE = re.compile("[0-9+\\-−=()n]{1,6}$")
_MARK = re.compile(
    "[\\[(（〔【]?\\s*([0-9]{1,3}|[a-z*†‡§]|[①-⑳]|注[0-9]{0,3}|note [0-9]{1,3})\\s*[\\])）〕】]?$", re.IGNORECASE
)
_MARK_NAMES = frozenset("footnote-ref footnote-reference footnoteref noteref reference fnref footnote-anchor".split())
_NOTE_NAMES = frozenset("footnote sidenote marginnote".split())
_NOTE_TYPES = frozenset("footnote rearnote endnote".split())
_SECTIONS = frozenset("endnotes footnotes rearnotes".split())
_BACK = frozenset("↩↑^⤴⏎↵⇡⬆")
_BACK_NAMES = frozenset("footnote-backref footnote-back reversefootnote backref".split())
_MAX_MARK = 12


def visible_lines(text: str, line: str) -> list[str]:
    """Return the lines a browser would show of inline text: white space collapsed, none between Han lines."""
    lines = (_HAN_JOIN.sub("", part) for part in text.split(line))
    return [collapsed for part in lines if (collapsed := " ".join(part.split()))]


def raised(text: str) -> str:
    """Digits in a ``<sup>`` as raised digits, since 10² is not 102; anything else as it stands."""
    plain = text.strip()
    return plain.translate(_RAISED) if _RAISABLE.match(plain) else text


def _names(element: Any) -> list[str]:
    return (element.get("class") or "").lower().split()


def _types(element: Any) -> list[str]:
    return (element.get("epub:type") or element.get("role") or "").lower().replace("doc-", "").split()


def is_mark(element: Any) -> bool:
    """Whether a ``<sup>`` or ``<a>`` is the mark of a note: short, and it leads to a place in this document."""
    text = "".join(element.itertext()).strip()
    if len(text) > _MAX_MARK or not _MARK.match(text):
        return False
    if not _MARK_NAMES.isdisjoint(_names(element)) or "noteref" in _types(element):
        return True
    if element.tag == "a":
        return False
    links = [a.get("href") or "" for a in element.iter("a")]
    parent = element.getparent()
    if not links and parent is not None and parent.tag == "a":
        links = [parent.get("href") or ""]
    return len(links) == 1 and "#" in links[0]


def mark_text(element: Any) -> str:
    """The mark in brackets, so that it never grows into a number before it."""
    found = _MARK.match("".join(element.itertext()).strip())
    return f"[{found.group(1)}]" if found else ""


def is_note(element: Any, tag: str) -> bool:
    """Whether this is the text of a note, wherever it stands. Items of a list of notes stay in their list."""
    if tag not in ("aside", "span", "small", "div", "p") or not element.attrib:
        return False
    if not _NOTE_TYPES.isdisjoint(_types(element)) or tag != "p" and not _NOTE_NAMES.isdisjoint(_names(element)):
        return len("".join(element.itertext()).strip()) > _MAX_MARK / 3 and not _inside_notes(element)
    return False


def _inside_notes(element: Any) -> bool:
    """A note in a section of notes at the end of the text is in its place."""
    above = (_types(el) + _names(el) for el in element.iterancestors())
    return any(not _SECTIONS.isdisjoint(names) for names in above)


def is_back_link(element: Any) -> bool:
    """The arrow that leads from a note back to its mark."""
    if "backlink" in _types(element) or not _BACK_NAMES.isdisjoint(_names(element)):
        return True
    text = "".join(element.itertext()).strip("\ufe0e\ufe0f ")
    return 0 < len(text) <= 2 and set(text) <= _BACK and "#" in (element.get("href") or "")
