"""Characters of HTML → a tree that is safe to walk: bounded depth, no comments, no zero bytes, nothing fetched."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree, html

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import Reason

MAX_DEPTH = 200  # real pages nest some forty deep; libxml2 gives up at 2,048 and its readers' stacks before that

_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")
_DOCTYPE = re.compile(r"\s*<!DOCTYPE[^<>\[]*+\[", re.IGNORECASE)
_TOO_DEEP = etree.XPath(f"boolean({'/*' * MAX_DEPTH})")
_TAG = re.compile(r"<(/?)([a-zA-Z][\w:-]*+)[^<>]*+>")
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
_IMPLIED = frozenset("p li td th tr dt dd option thead tbody tfoot colgroup".split())  # often never closed
_RAW = ("script", "style", "textarea", "title", "noscript")
_BLOCKS = frozenset(
    "div p section article main aside header footer nav blockquote ul ol dl li dt dd table tr td th pre form center "
    "h1 h2 h3 h4 h5 h6 figure details fieldset".split()
)


def parse(markup: str) -> Any:
    """Return the root of the page.

    Raises:
        InputRejected: BROKEN, when there is not one element in it.
    """
    markup = _without_prologue(markup.replace("\0", ""))
    tree, whole = _tree(markup)
    if not whole or _TOO_DEEP(tree):
        tree, _ = _tree(flatter(markup))
    return tree


def _without_prologue(markup: str) -> str:
    """Without the XML declaration, and the document type when it declares entities: none is ever expanded."""
    if declaration := _DECLARATION.match(markup):
        markup = markup[declaration.end() :]
    if doctype := _DOCTYPE.match(markup):
        end = markup.find("]>", doctype.end())
        return markup[end + 2 :] if end >= 0 else markup
    return markup


def _tree(markup: str) -> tuple[Any, bool]:
    """Return the root, and whether libxml2 read to the end."""
    parser = html.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True, no_network=True)
    try:
        tree = html.document_fromstring(markup.encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, ValueError) as error:
        raise InputRejected(Reason.BROKEN, str(error)) from error
    return tree, not any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log)


def flatter(markup: str) -> str:
    """Return the markup without the tags below a depth; their text stays, and a block that goes leaves a line break.

    One pass over the tags. Elements that authors leave open do not count, or a page of unclosed paragraphs would seem
    deep; the raw text of scripts is stepped over.
    """
    out: list[str] = []
    depth = copied = at = 0
    lowered = markup.lower()
    while match := _TAG.search(markup, at):
        at = match.end()
        closing, name = match.group(1), match.group(2).lower()
        if name in _RAW and not closing:
            at = _after(lowered, name, at)
        if name in _VOID or name in _RAW or name in _IMPLIED:
            continue
        depth = max(0, depth - 1) if closing else depth + 1
        if depth >= MAX_DEPTH // 4 + bool(not closing):
            out += (markup[copied : match.start()], "<br>" if name in _BLOCKS else "")
            copied = match.end()
    out.append(markup[copied:])
    return "".join(out)


def _after(lowered: str, name: str, start: int) -> int:
    """The offset behind the element's end tag; the end of the text when it has none."""
    end = lowered.find(f"</{name}", start)
    return end if end >= 0 else len(lowered)
