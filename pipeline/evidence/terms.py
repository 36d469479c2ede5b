"""Words to search by (rule CHK-3): jieba's cut in search mode, for PostgreSQL's ``simple`` configuration.

Both sides of a search pass through the same folding: NFKC, lower case, traditional characters as simplified ones (one
for one; for searching only). Tokens are letters and digits and nothing else, so that PostgreSQL's parser takes each
as one word; a decimal point or hyphen inside a token becomes ``p``.
"""

from __future__ import annotations

import logging
import math
import re
import unicodedata
from functools import cache

import jieba
import zhconv

from pipeline.domain.words import FUNCTION_WORDS, QUESTION_WORDS, content_runs

jieba.setLogLevel(logging.WARNING)

MAX_TERMS = 24
_HAN = re.compile("[\u3400-\u9fff\U00020000-\U0003ffff]+")
_OTHER = "(?:(?![\u3400-\u9fff\U00020000-\U0003ffff])[^\\W_])+"
_WORD = re.compile(f"{_HAN.pattern}|{_OTHER}(?:[.\\-'’_]{_OTHER})*")
_INNER = re.compile("[.\\-'’_]")
_LONGEST = 40
_LATIN_RARITY = 12.0  # nats, as a Han word seen a few hundred times in jieba's sixty million


@cache
def _simplified() -> dict[int, str]:
    """Traditional → simplified, single characters only, so that offsets and lengths stay."""
    pairs = zhconv.zhconv.getdict("zh-hans").items()
    return {ord(one): other for one, other in pairs if len(one) == len(other) == 1 and one != other}


def simplify(text: str) -> str:
    """Return ``text`` with each traditional character as its simplified one; same length."""
    return text.translate(_simplified())


def folded(text: str) -> str:
    """Return the form in which text and question are compared when searching."""
    return simplify(unicodedata.normalize("NFKC", text).lower())


def search_tokens(text: str) -> str:
    """Return the tokens of ``text``, space-separated, for ``to_tsvector('simple', …)``.

    Han runs give jieba's words and their inner words, and each pair of neighbouring characters besides: a name that
    jieba cuts differently in question and text is still found. On the development set (100 questions, 117 pieces) the
    right piece is first for 74, among 3 for 87, among 8 for 100; by words alone 71, 84, 98, with a third fewer tokens.
    """
    tokens: list[str] = []
    for word in _WORD.findall(folded(text)):
        if _HAN.match(word):
            words = [w for w in jieba.cut_for_search(word) if w not in FUNCTION_WORDS]
            tokens += words
            known = set(words)
            tokens += [pair for pair in _pairs(word) if pair not in known]
        else:
            tokens.append(_flat(word))
    return " ".join(tokens)


def query_terms(question: str) -> tuple[str, ...]:
    """Return the content terms of a question as tokens of the same kind, rarest first, at most 24."""
    terms: dict[str, float] = {}
    for run in content_runs(folded(question)):
        if _HAN.match(run):
            for word in jieba.cut_for_search(run):
                if word not in FUNCTION_WORDS and not QUESTION_WORDS.fullmatch(word):
                    terms.setdefault(word, _rarity(word))
            for pair in _pairs(run):
                terms.setdefault(pair, 1.0)
        else:
            terms.setdefault(_flat(run), _LATIN_RARITY)
    ordered = sorted(terms, key=lambda term: -terms[term])
    return tuple(ordered[:MAX_TERMS])


def weighted_words(question: str) -> tuple[tuple[str, float], ...]:
    """Return the content words of a question with their rarity in general Chinese (nats; Latin words count as rare)."""
    return tuple((word, _rarity(word) if _HAN.match(word) else _LATIN_RARITY) for word in content_words(question))


def content_words(question: str) -> tuple[str, ...]:
    """Return the whole content words of a question, in its order: what a person would call its terms."""
    words: list[str] = []
    for run in content_runs(folded(question)):
        cut = jieba.cut(run) if _HAN.match(run) else [run]
        words += [w for w in cut if w not in FUNCTION_WORDS and not QUESTION_WORDS.fullmatch(w)]
    return tuple(dict.fromkeys(words))


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)]


def _flat(word: str) -> str:
    return _INNER.sub("p", word)[:_LONGEST]


def _rarity(word: str) -> float:
    """How rare a word is in general Chinese, in nats; a word jieba does not know counts as seen once."""
    jieba.initialize()
    return math.log(float(jieba.dt.total) / max(1, jieba.dt.FREQ.get(word, 0) or 1))
