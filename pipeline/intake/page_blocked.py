"""Is this page an article at all? (rule SRC-5, pitfalls W8, W9)

An error, login or challenge page is short, and what it says stands at the beginning of a line. An article about such
pages says the same words inside its sentences, and goes on. So a sign counts only where a title or a short line begins
with it, and only on a page with little prose besides. Marks in the markup count only in small documents.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.domain.evidence import count_tokens
from pipeline.intake.page_signs import CHALLENGE, LOGIN, MARKERS, PAYWALL, STARTS, TITLES, Signs
from pipeline.intake.tree import Piece

_TITLE_CUT = re.compile(r"\s+[-–—|·]\s+|\s*[_｜|]\s*")
_FOR_TALK = re.compile("评论|留言|回复|发表|点赞|收藏|互动|comment|reply|respond|join the conversation", re.IGNORECASE)
_SMALL_DOCUMENT = 100_000  # characters; challenge pages are tiny, and sites load the same scripts on every page
_SHORT_LINE = 80
_LITTLE_TOKENS = 100
_TEASER_TOKENS = 20
_AFTER_WALL_TOKENS = 60


@dataclass(frozen=True)
class Block:
    what: str
    sign: str


def sign_of(line: str, *, only: frozenset[str] = frozenset(), signs: Signs = STARTS) -> Block | None:
    """Return what a short line begins to say, if it is one of the things such pages say."""
    line = line.strip("《》【】[]#* \u3000")
    if len(line) > _SHORT_LINE:
        return None
    for what, pattern in signs:
        if (not only or what in only) and (found := pattern.match(line)):
            return Block(what, found.group().strip()[:_SHORT_LINE])
    return None


def block_of(title: str, whole: Sequence[Piece], kept: Sequence[Piece], markup: str) -> Block | None:
    """Return why the page is no article, or None.

    Args:
        whole: all that can be seen on the page; ``kept``: what was taken for the article.
    """
    signs = [(piece, found) for piece in whole if (found := sign_of(piece.text))]
    said = {id(piece) for piece, _ in signs}
    beside = "\n".join(p.text for p in kept if id(p) not in said and p.prose and p.text.strip() != title)
    little = count_tokens(beside)
    titled = _titled(title)
    if titled and little < 2 * _LITTLE_TOKENS and not _is_teaser(kept, whole):
        return titled
    if little >= _LITTLE_TOKENS or _is_teaser(kept, whole):
        return None
    main = {id(piece) for piece in kept}
    told = [found for piece, found in signs if id(piece) in main or not main or found.what not in (LOGIN, PAYWALL)]
    if told and little < _LITTLE_TOKENS // 2:
        return told[0]
    if len(markup) < _SMALL_DOCUMENT and (mark := MARKERS.search(markup)):
        return Block(CHALLENGE, mark.group())
    if count_tokens("\n".join(p.text for p in kept)) < _LITTLE_TOKENS // 5:
        return signs[0][1] if signs else None
    return None


def _titled(title: str) -> Block | None:
    """A title that is nothing but a sign, alone or before the site's name."""
    for part in (title, _TITLE_CUT.split(title, maxsplit=1)[0]):
        found = sign_of(part, signs=STARTS + TITLES)
        if found and len(found.sign) >= 0.6 * len(part.strip()):
            return found
    return None


def is_wall(line: str) -> bool:
    """Whether a line asks for money or a login before more is shown; a login for comments hides no article."""
    return sign_of(line, only=frozenset({PAYWALL, LOGIN})) is not None and not _FOR_TALK.search(line)


def wall(whole: Sequence[Piece], kept: Sequence[int]) -> int | None:
    """Return the index of the line at which a paywall or login cuts the article off; None when nothing does.

    The line stands behind some prose of the article, inside it or within three pieces after it, and hardly any prose
    of the article follows.
    """
    if not kept:
        return None
    inside = set(kept)
    before = 0
    for index in range(kept[0], min(kept[-1] + 4, len(whole))):
        piece = whole[index]
        if before >= _TEASER_TOKENS and is_wall(piece.text):
            after = [i for i in kept if i > index and whole[i].prose and not sign_of(whole[i].text)]
            if count_tokens("".join(whole[i].text for i in after)) <= _AFTER_WALL_TOKENS:
                return index
        if index in inside and piece.prose:
            before += count_tokens(piece.text)
    return None


def _is_teaser(kept: Sequence[Piece], whole: Sequence[Piece]) -> bool:
    places = {id(piece): index for index, piece in enumerate(whole)}
    return wall(whole, sorted(places[id(piece)] for piece in kept if id(piece) in places)) is not None
