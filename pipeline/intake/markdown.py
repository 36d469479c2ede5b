"""Markdown → the text a reader sees, with its blocks; markup leaves, code stays and is marked as code."""

from __future__ import annotations

import re
from importlib.metadata import version

from markdown_it import MarkdownIt
from markdown_it.token import Token

from pipeline.domain.source import BlockKind, Extraction, InputType, Quality, ReadHints, SourceLimits
from pipeline.intake.decode import decode
from pipeline.intake.structure import Draft, table_lines

_FRONT_MATTER = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_TITLE = re.compile(r"^title[ \t]*:[ \t]*(.+?)[ \t]*$", re.MULTILINE | re.IGNORECASE)
_TAG = re.compile(r"<!--.*?-->|<[/!?]?[a-zA-Z][^<>]*>", re.DOTALL)
_NEVER_TEXT = re.compile(r"<(script|style)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_BREAK_TAG = re.compile(r"<br\b", re.IGNORECASE)
_HAN_BREAK = re.compile("(?<=[\u2e80-\u9fff\uff00-\uffef])\n(?=[\u2e80-\u9fff\uff00-\uffef])")


def extract_markdown(data: bytes, *, name: str, kind: InputType, limits: SourceLimits, hints: ReadHints) -> Extraction:
    """Read a Markdown file.

    Raises:
        InputRejected: UNDECODABLE.
    """
    source, codec = decode(data, declared=hints.charset)
    title = ""
    if front := _FRONT_MATTER.match(source):
        if named := _TITLE.search(front.group(1)):
            title = named.group(1).strip("\"'")
        source = source[front.end() :]
    draft = Draft()
    _walk(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(source), draft)
    raw, text, offsets, blocks = draft.build()
    if not title:
        headings = [b for b in blocks if b.kind is BlockKind.HEADING]
        title = text[headings[0].start : headings[0].end] if headings else name.rsplit(".", 1)[0]
    return Extraction(
        title=title,
        text=text,
        raw=raw,
        offsets=offsets,
        blocks=blocks,
        quality=Quality.FULL,
        extractor=f"markdown-it-py {version('markdown-it-py')}",
        codec=codec,
    )


def _walk(tokens: list[Token], draft: Draft) -> None:
    """One pass: container tokens set the kind of the inline tokens inside them; tables are gathered whole."""
    kinds: list[BlockKind] = [BlockKind.PARAGRAPH]
    level = 0
    rows: list[list[str]] | None = None
    containers = {
        "blockquote_open": BlockKind.QUOTE,
        "list_item_open": BlockKind.LIST_ITEM,
        "heading_open": BlockKind.HEADING,
    }
    for token in tokens:
        if token.type in containers:
            kinds.append(containers[token.type])
            level = int(token.tag[1]) if token.type == "heading_open" else 0
        elif token.type.replace("_close", "_open") in containers:
            kinds.pop()
            level = 0
        elif token.type == "table_open":
            rows = []
        elif token.type == "table_close" and rows is not None:
            draft.add(BlockKind.TABLE, "\n".join(table_lines(rows, header=True)))
            rows = None
        elif token.type == "tr_open" and rows is not None:
            rows.append([])
        else:
            _leaf(token, draft, kinds[-1], level, rows)


def _leaf(token: Token, draft: Draft, kind: BlockKind, level: int, rows: list[list[str]] | None) -> None:
    if token.type == "inline":
        text = _inline(token.children or [])
        if rows is not None and rows:
            rows[-1].append(text)
        else:
            draft.add(kind, text, level)
    elif token.type in ("fence", "code_block"):
        draft.add(BlockKind.CODE, token.content)
    elif token.type == "html_block":
        draft.add(BlockKind.PARAGRAPH, _TAG.sub("", _NEVER_TEXT.sub("", token.content)))


def _inline(children: list[Token]) -> str:
    """The visible text of a line: no markup, no image descriptions, no struck-out words (rule SRC-8)."""
    parts: list[str] = []
    struck = 0
    for child in children:
        struck += {"s_open": 1, "s_close": -1}.get(child.type, 0)
        if struck:
            continue
        if child.type in ("text", "code_inline"):
            parts.append(child.content)
        elif child.type in ("softbreak", "hardbreak") or _BREAK_TAG.match(child.content):
            parts.append("\n")
    return _HAN_BREAK.sub("", "".join(parts)).replace("\n", " ")
