"""The sentences of a pack that could be read aloud, in reading order, each with the chunk it lies in."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipeline.domain.evidence import EvidencePack, Passage
from pipeline.domain.sentences import sentences, trimmed
from pipeline.domain.source import BlockKind
from pipeline.domain.text import fold

_LETTER = re.compile(r"[^\W\d_]")
_LINK_OR_MARK = re.compile(r"https?://\S+|[\w.+-]+@[\w-]+\.[\w.]+|[^\w\u3400-\u9fff]|_")
_PATH_SEPARATOR = " › "
_ENDED = re.compile("[。！？!?；;：:…．.，,][”’\"'」』）)】]*$")
_MIN_LETTERS = 2


@dataclass(frozen=True)
class Candidate:
    """``text`` is exactly the canonical text at ``[start, end)``; ``order`` counts in reading order without holes."""

    order: int
    start: int
    end: int
    text: str
    chunk_id: int
    version_id: int
    section: str  # the heading path it stands under
    is_heading: bool
    is_row: bool = False  # of a table, with its column names

    @property
    def is_label(self) -> bool:
        """A line that ends without any mark: a caption, a name, a heading that nothing marked as one."""
        return not self.is_row and not _ENDED.search(self.text)

    @property
    def is_question(self) -> bool:
        return self.text.rstrip("”’\"'」』）)").endswith(("？", "?"))


def candidates(pack: EvidencePack, text: str) -> tuple[Candidate, ...]:
    """Return every sentence of the passages once; code is left out, a table gives its rows (rule CHK-1)."""
    found: list[Candidate] = []
    covered = 0
    for passage in sorted(pack.passages, key=lambda p: (p.start, p.end)):
        if passage.kind is BlockKind.CODE:
            covered = max(covered, passage.end)
            continue
        heads = {_key(step) for step in passage.heading.split(_PATH_SEPARATOR) if step}
        for start, end in _ranges(passage, text):
            said = text[start:end]
            if start < covered or not _speakable(said):
                continue
            heading = _key(said)[:60] in {head[:60] for head in heads}
            found.append(
                Candidate(
                    len(found),
                    start,
                    end,
                    said,
                    passage.chunk_id,
                    passage.source_version_id,
                    passage.heading,
                    heading,
                    passage.kind is BlockKind.TABLE,
                )
            )
            covered = end
    return tuple(found)


def _ranges(passage: Passage, text: str) -> list[tuple[int, int]]:
    if passage.kind is not BlockKind.TABLE:
        return sentences(text, passage.start, passage.end)
    rows, at = [], passage.start
    for line in text[passage.start : passage.end].split("\n"):
        rows.append(trimmed(text, at, at + len(line)))
        at += len(line) + 1
    return [(start, end) for start, end in rows if start < end]


def _speakable(said: str) -> bool:
    """Some letters, and more than links and marks: a rule of dashes or a bare address is not read aloud."""
    plain = _LINK_OR_MARK.sub("", said)
    return len(_LETTER.findall(plain)) >= _MIN_LETTERS and len(plain) >= 0.3 * len(said)


def _key(text: str) -> str:
    return re.sub(r"[\W_]+", "", fold(text)[0]).lower()


def alike(one: str, other: str) -> bool:
    """Whether two sentences say the same to the ear: equal without punctuation, or nearly all pairs in common.

    Sentences with different figures are never alike: a list of amounts is no repetition.
    """
    a, b = _key(one), _key(other)
    if re.findall(r"\d+", a) != re.findall(r"\d+", b):
        return False
    if a == b or (min(len(a), len(b)) >= 6 and (a in b or b in a) and min(len(a), len(b)) >= 0.8 * max(len(a), len(b))):
        return True
    pairs_a, pairs_b = ({k[i : i + 2] for i in range(len(k) - 1)} for k in (a, b))
    return len(pairs_a & pairs_b) >= 0.85 * max(1, len(pairs_a | pairs_b))
