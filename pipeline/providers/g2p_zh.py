"""Mandarin text, with English in it, → phonemes of Kokoro's vocabulary.

jieba cuts words, pypinyin reads them, tone sandhi is applied here over the whole run of Han characters, and misaki's
table turns each syllable into its phonemes. Traditional characters must already be simplified and numbers written out
(pipeline/render/speech_text.py). A digit that is left over is read by itself rather than dropped.
"""

from __future__ import annotations

import logging
import re
from functools import lru_cache
from pathlib import Path

import jieba
from misaki.transcription import pinyin_to_ipa
from pypinyin import Style, lazy_pinyin

from pipeline.domain.spoken import is_han, runs
from pipeline.providers.g2p_en import word_phonemes

VERSION = "g2p 1"

# Words whose reading pypinyin gets wrong when jieba hands them over alone.
READINGS = {
    "得": "de5",  # alone it is nearly always the particle; 得到, 觉得, 得去 are words of their own or pinned
    "给予": "ji3 yu3",
    "女儿": "nv3 er2",
    "供给": "gong1 ji3",
    "朝阳区": "chao2 yang2 qu1",
    "率先": "shuai4 xian1",
    "教务处": "jiao4 wu4 chu4",
    "咯": "lo5",
}
_TOKENS = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)*|[0-9]|\s+|.", re.DOTALL)
_PUNCTUATION = {
    "，": ", ", "、": ", ", "。": ". ", "．": ". ", "！": "! ", "？": "? ", "：": ": ", "；": "; ", "…": "… ",
    "—": "— ", "“": "“", "”": "”", "「": "“", "」": "”", "《": "“", "》": "”", "（": " (", "）": ") ", "(": " (",
    ")": ") ", ",": ", ", ".": ". ", "!": "! ", "?": "? ", ":": ": ", ";": "; ",
}  # fmt: skip
_DIGITS = dict(zip("0123456789", "零一二三四五六七八九", strict=True))
_NUMERALS = frozenset("零一二三四五六七八九十百千万亿两点")
_TONES = (("˧˩˧", "↓"), ("˧˥", "↗"), ("˥˩", "↘"), ("˥", "→"))

_words = jieba.Tokenizer()
jieba.setLogLevel(logging.WARNING)


def keep_cache_in(folder: Path) -> None:
    """Jieba keeps its parsed dictionary in ``folder`` instead of the system's temporary folder."""
    _words.tmp_dir = str(folder)


def phonemes(spoken: str) -> str:
    """Phonemes of spoken text; words are separated by spaces, punctuation keeps its place."""
    out: list[str] = []
    for text, reading in runs(spoken):
        out.append(" " + " ".join(_syllable(p) for p in reading.split()) + " " if reading else _text(text))
    return re.sub(r"\s+", " ", "".join(out)).strip()


def _text(text: str) -> str:
    out: list[str] = []
    han: list[str] = []
    for token in _TOKENS.findall(text):
        token = _DIGITS.get(token, token)
        if is_han(token[0]):
            han.append(token)
            continue
        if han:
            out.append(" " + _han("".join(han)) + " ")
            han = []
        if token[0].isascii() and token[0].isalpha():
            out.append(" " + word_phonemes(token) + " ")
        else:
            out.append(_PUNCTUATION.get(token, " " if token.isspace() else ""))
    if han:
        out.append(" " + _han("".join(han)) + " ")
    return re.sub(r"\s+([,.!?:;…)”])", r"\1", "".join(out))


def _han(text: str) -> str:
    words = list(_words.cut(text))
    syllables = sandhi(text, [p for word in words for p in _pinyin(word)], [len(word) for word in words])
    out: list[str] = []
    at = 0
    for word in words:
        out.append("".join(_syllable(p) for p in syllables[at : at + len(word)]))
        at += len(word)
    return " ".join(out)


@lru_cache(maxsize=8192)
def _pinyin(word: str) -> tuple[str, ...]:
    """One tone-numbered syllable per character."""
    if word in READINGS:
        return tuple(READINGS[word].split())
    read = lazy_pinyin(word, style=Style.TONE3, neutral_tone_with_five=True)
    if re.fullmatch("[^不]得.", word):
        return read[0], "de5", read[2]  # 跑得快, 来得及
    # A rare character without a reading comes back as itself, and a run of them as one item.
    return tuple(read) if len(read) == len(word) else tuple(lazy_pinyin(c, style=Style.TONE3)[0] for c in word)


def sandhi(text: str, syllables: list[str], word_lengths: list[int]) -> list[str]:
    """Apply the tone changes of 一, 不 and the third tone.

    Args:
        text: Han characters only.
        syllables: one per character, tone last, e.g. ``ni3``; "" where the reading is unknown.
        word_lengths: lengths of the words of ``text``, in order; they sum to its length.
    """
    out = list(syllables)
    for i, character in enumerate(text):
        following = out[i + 1][-1:] if i + 1 < len(out) else ""
        if character == "不" and out[i] == "bu4" and following == "4":
            out[i] = "bu2"
        elif character == "一" and out[i] == "yi1":
            out[i] = _yi(text, i, following)
    _third_tones(out, word_lengths)
    return out


def _yi(text: str, i: int, following: str) -> str:
    before, after = text[i - 1 : i], text[i + 1 : i + 2]
    counted = before in _NUMERALS or before == "第" or (after in _NUMERALS and after not in "百千万亿")
    if not following or (before and before in "第初") or (counted and after not in ("百", "千", "万", "亿")):
        return "yi1"  # ordinals and digits said one by one keep the first tone
    return "yi2" if following in "45" else "yi4"


def _third_tones(out: list[str], word_lengths: list[int]) -> None:
    """3 + 3 becomes 2 + 3: inside a word from the left, and from a one-syllable word into the next word."""
    start = 0
    for length in word_lengths:
        end = start + length
        for i in range(start, end):
            inside = i + 1 < end
            joins = not inside and length == 1 and i + 1 < len(out)
            if (inside or joins) and out[i].endswith("3") and out[i + 1].endswith("3"):
                out[i] = out[i][:-1] + "2"
        start = end


@lru_cache(maxsize=2048)
def _syllable(pinyin: str) -> str:
    """Phonemes of one syllable in misaki's spelling; "" when the table has no such syllable."""
    try:
        said = "".join(pinyin_to_ipa(pinyin)[0])
    except (ValueError, KeyError, AssertionError):
        return ""
    for mark, arrow in _TONES:
        said = said.replace(mark, arrow)
    # The two syllabic fricatives of zi and zhi are one vowel to the model; the non-syllabic sign is not in its set.
    return said.replace("\u027b\u0329", "ɨ").replace("\u0279\u0329", "ɨ").replace("\u032f", "")
