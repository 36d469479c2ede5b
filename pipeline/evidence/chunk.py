"""A version's text → sections and the small pieces that are searched (rule CHK-1).

Sections are what stands under one heading, bounded, so that a hit can bring its surroundings. Children are cut at
sentence ends inside a section, never across; a table or code block is a child of its own. Sizes count tokens
(rule CHK-3: one per Han character, one per four others), so Latin pieces hold about four times the characters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.domain.evidence import ChunkDraft, count_tokens
from pipeline.domain.sentences import sentences, trimmed
from pipeline.domain.source import Block, BlockKind

_HEADS = (BlockKind.TITLE, BlockKind.HEADING)
_ALONE = (BlockKind.TABLE, BlockKind.CODE)
PATH_SEPARATOR = " › "
_MAX_PATH_TITLE = 80


@dataclass(frozen=True)
class ChunkLimits:
    """Tokens. Chosen on the development set (eval/tasks/answers.py)."""

    aim: int = 280
    most: int = 400
    least: int = 80  # a shorter last piece joins the one before, if both fit
    overlap: int = 60  # sentences up to this size are repeated at the start of the next piece
    section: int = 1_500


def split(text: str, blocks: Sequence[Block], limits: ChunkLimits | None = None) -> tuple[ChunkDraft, ...]:
    """Return sections, each followed by its children; every non-space character of ``text`` is in a child."""
    limits = limits or ChunkLimits()
    drafts: list[ChunkDraft] = []
    for heading, group in _sections(text, _complete(text, blocks), limits):
        section = len(drafts)
        start, end = group[0].start, group[-1].end
        drafts.append(ChunkDraft(group[0].kind, start, end, None, heading, group[0].page, is_section=True))
        drafts += [
            ChunkDraft(kind, low, high, section, heading, _page(group, low))
            for kind, low, high in _children(text, group, limits)
        ]
    return tuple(drafts)


def _complete(text: str, blocks: Sequence[Block]) -> list[Block]:
    """The blocks, and a paragraph for any text that no block holds."""
    whole: list[Block] = []
    at, page = 0, None
    for block in [*blocks, None]:
        start, end = trimmed(text, at, block.start if block else len(text))
        if start < end:
            whole.append(Block(BlockKind.PARAGRAPH, start, end, page=page))
        if block is not None:
            whole.append(block)
            at, page = block.end, block.page
    return whole


def _sections(text: str, blocks: list[Block], limits: ChunkLimits) -> list[tuple[str, list[Block]]]:
    """Group blocks under their headings; a heading without text of its own stays with what follows."""
    groups: list[tuple[str, list[Block]]] = []
    path: list[tuple[int, str]] = []
    open_group: list[Block] = []
    tokens = 0
    for block in blocks:
        size = count_tokens(text[block.start : block.end])
        is_head = block.kind in _HEADS
        only_heads = all(b.kind in _HEADS for b in open_group)
        if open_group and ((is_head and not only_heads) or (tokens + size > limits.section and not only_heads)):
            groups.append((_joined(path), open_group))
            open_group, tokens = [], 0
        if is_head:
            level = 0 if block.kind is BlockKind.TITLE else block.level
            path = [step for step in path if step[0] < level]
            path.append((level, " ".join(text[block.start : block.end].split())[:_MAX_PATH_TITLE]))
        open_group.append(block)
        tokens += size
    if open_group:
        groups.append((_joined(path), open_group))
    return groups


def _joined(path: list[tuple[int, str]]) -> str:
    return PATH_SEPARATOR.join(title for _, title in path)


def _page(group: list[Block], start: int) -> int | None:
    pages = [block.page for block in group if block.start <= start and block.page is not None]
    return pages[-1] if pages else group[0].page


@dataclass(frozen=True)
class _Unit:
    kind: BlockKind
    start: int
    end: int
    tokens: int


def _children(text: str, group: list[Block], limits: ChunkLimits) -> list[tuple[BlockKind, int, int]]:
    found: list[tuple[BlockKind, int, int]] = []
    run: list[_Unit] = []
    for block in group:
        if block.kind in _ALONE:
            found += _pieces(run, limits)
            found += _pieces(_units(text, block, limits), limits, overlapping=False)
            run = []
        else:
            run += _units(text, block, limits)
    return found + _pieces(run, limits)


def _units(text: str, block: Block, limits: ChunkLimits) -> list[_Unit]:
    """Sentences of a block (rows of a table, lines of code), the longest cut to what one piece may hold."""
    if block.kind in _ALONE:
        ranges, at = [], block.start
        for line in text[block.start : block.end].split("\n"):
            start, end = trimmed(text, at, at + len(line))
            at += len(line) + 1
            if start < end:
                ranges.append((start, end))
    else:
        ranges = sentences(text, block.start, block.end)
    units: list[_Unit] = []
    for start, end in ranges:
        while (tokens := count_tokens(text[start:end])) > limits.most:
            cut = start + max(1, (end - start) * limits.most // tokens // 2)
            units.append(_Unit(block.kind, start, cut, count_tokens(text[start:cut])))
            start = cut
        units.append(_Unit(block.kind, start, end, tokens))
    return units


def _pieces(units: list[_Unit], limits: ChunkLimits, *, overlapping: bool = True) -> list[tuple[BlockKind, int, int]]:
    """Fill pieces up to the aim, then start anew with the last sentence again if it is short."""
    filled: list[list[_Unit]] = []
    current: list[_Unit] = []
    for unit in units:
        if current and sum(u.tokens for u in current) + unit.tokens > limits.aim:
            filled.append(current)
            again = current[-1]
            carry = overlapping and len(current) > 1 and again.tokens <= limits.overlap and again.kind not in _HEADS
            current = [again] if carry and again.tokens + unit.tokens <= limits.most else []
        current.append(unit)
    if current:
        filled.append(current)
    if len(filled) > 1:
        fresh = [u for u in filled[-1] if u.start >= filled[-2][-1].end]
        both = sum(u.tokens for u in filled[-2]) + sum(u.tokens for u in fresh)
        if sum(u.tokens for u in fresh) < limits.least and both <= limits.most:
            filled[-2:] = [filled[-2] + fresh]
    return [(_kind(piece), piece[0].start, piece[-1].end) for piece in filled]


def _kind(piece: list[_Unit]) -> BlockKind:
    """The kind of what the piece mostly holds; a heading in front does not count."""
    body = [unit for unit in piece if unit.kind not in _HEADS] or piece
    return max({u.kind for u in body}, key=lambda kind: (sum(u.tokens for u in body if u.kind is kind), kind))
