"""How well each sentence answers, and whether anything does (rules CHK-3, EVD-7).

Two equal voices: words of the question weighted by their rarity inside this source, and the meaning of the sentence.
Then a share of what its neighbours have, because an answer often stands beside the words of its question. The weights
are equal by choice, not fitted; only the two numbers of ``Bar`` come from the development set (eval/tasks/answers.py).
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import zhconv
from numpy.typing import NDArray

from pipeline.compose.candidates import Candidate
from pipeline.domain.evidence import EvidencePack
from pipeline.domain.words import content_runs, units

_NEIGHBOUR = 0.25
_HEADING_SHARE = 0.5
_KIND_BONUS = 0.1
_LESS = 0.6  # a heading, a label or a question of the source points at an answer and seldom is one
_ACROSS = 0.5  # pairs of characters count beside words, for names that are cut in different ways
_WINDOW = 3
_COMMON_NATS = 4.0  # words more common than this (a fiftieth of all text) say nothing

_ASKS_NUMBER = re.compile(
    "几|多少|多大|多高|多长|多远|多深|多久|多重|多宽|多快|哪年|哪一年|哪天|哪一天|何时|何年|什么时候|什么时间"
    "|how many|how much|how long|when"
)
_HAS_NUMBER = re.compile("[0-9〇零一二三四五六七八九十百千万两半]")


@dataclass(frozen=True)
class Bar:
    """What the best place of a source must reach to count as an answer; below it the writer declines.

    ``support = coverage + closeness``. Set on eval/cases/answers_dev.jsonl, where the lowest hundredth of answered
    questions has 0.76, the highest hundredth of foreign ones 0.53, the highest twentieth of the same domain 0.56.
    """

    support: float = 0.62
    coverage_alone: float = 0.38  # without vectors


@dataclass(frozen=True)
class Scores:
    total: tuple[float, ...]  # per candidate; 1.0 is the best a sentence can be without its neighbours
    coverage: float  # of the question's words, weighted by rarity, in the best three sentences together
    closeness: float | None  # of the best sentence: 0 is as near as a stranger, 1 the question itself
    supported: bool


@cache
def _simplified() -> dict[int, str]:
    """Traditional → simplified characters, one for one (the same folding as when searching; stages share no code)."""
    pairs = zhconv.zhconv.getdict("zh-hans").items()
    return {ord(one): other for one, other in pairs if len(one) == len(other) == 1 and one != other}


def folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower().translate(_simplified())


def score(
    pack: EvidencePack,
    found: Sequence[Candidate],
    *,
    title: str,
    cosines: NDArray[np.float32] | None,
    strange: float = 0.0,
    bar: Bar | None = None,
) -> Scores:
    """Score ``found`` against the question of ``pack``.

    Args:
        cosines: one value per candidate, or None while there are no vectors.
        strange: cosine at which text that does not answer stands, from the neutral cohort.
    """
    bar = bar or Bar()
    texts = [folded(c.text) for c in found]
    question = folded(pack.question)
    lexical = _lexical(question, tuple(word for word, _ in pack.terms), texts, [folded(c.section) for c in found])
    base = lexical
    if cosines is not None:
        base = (lexical + _spread(cosines)) / 2
    if _ASKS_NUMBER.search(question):
        base = base + _KIND_BONUS * np.array([bool(_HAS_NUMBER.search(t)) for t in texts])
    base = base * np.array([_LESS if c.is_heading or c.is_label or c.is_question else 1.0 for c in found])
    coverage = _coverage(pack.terms, texts, folded(title))
    closeness = None if cosines is None else (float(cosines.max()) - strange) / max(1e-6, 1.0 - strange)
    supported = coverage >= bar.coverage_alone if closeness is None else coverage + closeness >= bar.support
    return Scores(tuple(float(v) for v in _with_neighbours(base)), coverage, closeness, supported)


def _lexical(question: str, words: tuple[str, ...], texts: list[str], sections: list[str]) -> NDArray[np.float64]:
    """Share of the question's words (and pairs) in each sentence, each weighted by its rarity among the sentences."""
    pairs = tuple(u for run in content_runs(question) for u in units(run))
    wanted = tuple(dict.fromkeys((*words, *pairs)))
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(u for u in wanted if u in text)
    share = {u: 1.0 if u in words else _ACROSS for u in wanted}
    weights = {u: share[u] * math.log(1 + len(texts) / counts[u]) for u in wanted if counts[u]}
    whole = sum(weights.values())
    values = []
    for text, section in zip(texts, sections, strict=True):
        value = sum(w * (1.0 if u in text else _HEADING_SHARE if u in section else 0.0) for u, w in weights.items())
        values.append(value / whole if whole else 0.0)
    top = max(values, default=0.0)
    return np.array(values) / top if top > 0 else np.zeros(len(values))


def _spread(cosines: NDArray[np.float32]) -> NDArray[np.float64]:
    """Cosines between the middle sentence (0) and the best one (1)."""
    middle, top = float(np.median(cosines)), float(cosines.max())
    if top - middle < 1e-6:
        return np.ones(len(cosines))
    return np.clip((cosines.astype(np.float64) - middle) / (top - middle), 0.0, 1.0)


def _with_neighbours(base: NDArray[np.float64]) -> NDArray[np.float64]:
    padded = np.concatenate([[0.0], base, [0.0]])
    raised: NDArray[np.float64] = base + _NEIGHBOUR * np.maximum(padded[:-2], padded[2:])
    return raised


def _coverage(terms: tuple[tuple[str, float], ...], texts: list[str], title: str) -> float:
    """Best share of the question's words, weighted by rarity in nats, that three sentences in a row and the title hold.

    A longer word that is missing counts half of the pairs of it that are there: names are cut in different ways.
    """
    weighted = [(word, max(1.0, nats - _COMMON_NATS)) for word, nats in terms]
    whole = sum(weight for _, weight in weighted)
    if not whole:
        return 0.0
    best = 0.0
    for at in range(max(1, len(texts) - _WINDOW + 1)):
        window = "\n".join([title, *texts[at : at + _WINDOW]])
        best = max(best, sum(weight * _present(word, window) for word, weight in weighted) / whole)
    return best


def _present(word: str, window: str) -> float:
    if word in window:
        return 1.0
    if len(word) < 3 or word.isascii():
        return 0.0
    pairs = [word[i : i + 2] for i in range(len(word) - 1)]
    return 0.5 * sum(pair in window for pair in pairs) / len(pairs)
