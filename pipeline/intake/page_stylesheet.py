"""The simple hiding rules of a page's own style sheets (pitfall W12).

Hiding is believed only where it is certain. A rule counts when its selector is one compound (``p.note``, ``#x``), it
stands outside ``@media`` and the like, and no other rule could show the same element again: pages hide a tab until it
is chosen, and the chosen one has a second class.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pipeline.intake.page_styles import Declarations, declarations, letters, unseen, without_comments

_COMPOUND = re.compile(r"([a-z][\w-]*)?((?:[.#][\w-]+)*)$", re.IGNORECASE)
_PART = re.compile(r"[.#][\w-]+")
_PSEUDO = re.compile(r":{1,2}[\w-]+(?:\([^()]*\))?|\[[^\[\]]*\]")
_LETTERS = {"font-size": ("font-size", "font"), "visibility": ("visibility",), "color": ("color", "background-color")}
_MAX_CSS = 4 * 1024 * 1024
_MAX_SELECTORS = 40_000
_MAX_PRELUDE = 20_000
_MAX_NESTED = 64

Compound = frozenset[str]


@dataclass
class Sheet:
    """Rules by one of their names each: ``name → (compound, declarations or None, properties)``."""

    hides: dict[str, list[tuple[Compound, Declarations, frozenset[str]]]] = field(default_factory=dict)
    shows: dict[str, list[tuple[Compound, frozenset[str]]]] = field(default_factory=dict)

    def of(self, names: Compound) -> Declarations:
        """Return the hiding declarations that surely hold for an element; {} for nearly every one.

        Args:
            names: its tag, ``#id`` and ``.class`` names.
        """
        for name in names:
            for compound, found, causes in self.hides.get(name, ()):
                if compound <= names and not self._shown(names, causes):
                    return found
        return {}

    def _shown(self, names: Compound, causes: frozenset[str]) -> bool:
        return any(
            compound <= names and causes & properties
            for name in names
            for compound, properties in self.shows.get(name, ())
        )


def sheet(css: str) -> Sheet:
    """Return what style sheets hide; one pass, whatever the braces do."""
    found = Sheet()
    around: list[str] = []  # preludes of the open blocks
    selectors = 0
    text = ""
    for part in re.split(r"([{}])", without_comments(css[:_MAX_CSS])):
        if part == "{":
            around.append(text.rsplit(";", 1)[-1].strip().lower()[:_MAX_PRELUDE] if len(around) < _MAX_NESTED else "@")
        elif part == "}" and around:
            prelude = around.pop()
            selectors += prelude.count(",") + 1
            if text and selectors < _MAX_SELECTORS:
                _rule(found, prelude, around, declarations(text))
        text = "" if part in "{}" else part
    return found


def _rule(found: Sheet, prelude: str, around: list[str], what: Declarations) -> None:
    if not what or prelude.startswith("@") or any("print" in outer for outer in around):
        return
    causes = unseen(what).union(*(_LETTERS[name] for name, hidden in letters(what).items() if hidden))
    for selector in prelude.split(","):
        selector = selector.strip()
        if not causes:
            if compound := _names(_PSEUDO.sub("", selector).replace(">", " ").rsplit(" ", 1)[-1]):
                found.shows.setdefault(min(compound), []).append((compound, frozenset(what)))
        elif not around and (compound := _names(selector)) and not compound & {"html", "body"}:
            found.hides.setdefault(min(compound), []).append((compound, what, causes))


def _names(selector: str) -> Compound:
    """``p.note#x`` as its parts; empty for anything that is not one compound."""
    match = _COMPOUND.match(selector)
    if not match or not selector:
        return frozenset()
    return frozenset(([match.group(1)] if match.group(1) else []) + _PART.findall(match.group(2)))
