"""Text for the ear from one script sentence (rule TTS-3).

The sentence as written is never changed; this makes a second text from it. Markup, emoji and code are silent or named,
addresses are not spelled out, numbers are written as they are said, and traditional characters are simplified, because
the voice reads those. The owner's lexicon wins over every other rule.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from pipeline.domain.spoken import ANCHOR, END, SEPARATOR, is_han, pinned
from pipeline.render.number_rules import say_numbers
from pipeline.render.simplified import simplified

VERSION = "speech text 1"  # part of the lexicon's fingerprint: a changed rule is a changed sound

BUILT_IN = {
    "C++": "C加加",
    "C#": "C sharp",
    "F#": "F sharp",
    ".NET": "dot net",
    "Node.js": "Node J S",
    "Vue.js": "Vue J S",
    "Next.js": "Next J S",
    "TCP/IP": "TCP IP",
    "CI/CD": "CI CD",
    "I/O": "I O",
    "和/或": "和或",
    "K8s": "Kubernetes",
    "Wi-Fi": "WiFi",
    "App": "A P P",
    "vs.": "对",
    "e.g.": "例如",
    "i.e.": "也就是",
    "etc.": "等等",
    "No.": "第",
    "NO.": "第",
}
_PINYIN = re.compile(r"[a-zü]+[1-5](?: [a-zü]+[1-5])*")


@dataclass(frozen=True)
class Lexicon:
    """The owner's pronunciations: term → spoken text, or pinyin with tone numbers ("chong2 qing4").

    A longer term wins over a shorter one inside it, and the owner's over the built-in one.
    """

    entries: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, terms: Mapping[str, str]) -> Lexicon:
        """Raises ValueError for an empty term; an empty reading makes the term silent."""
        if any(not term.strip() for term in terms):
            raise ValueError("a lexicon's term may not be empty")
        return cls(tuple(sorted((term.strip(), said.strip()) for term, said in terms.items())))

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the entries, the built-in ones and the version of the rules: part of every audio fingerprint."""
        everything = json.dumps([VERSION, sorted(BUILT_IN.items()), sorted(self.entries)], ensure_ascii=False)
        return hashlib.sha256(everything.encode()).hexdigest()


def normalise(text: str, *, lexicon: Lexicon) -> str:
    """Return what is to be said for ``text``; "" when nothing in it sounds.

    The result holds Han characters, Latin words, letters, punctuation and the lexicon's pinned readings: no digits,
    no markup, no addresses. It ends with a sentence mark.
    """
    text = _without_markup(simplified(_cleaned(text)))
    pattern, said = _terms(lexicon)
    held: list[str] = []

    def hold(found: re.Match[str]) -> str:
        held.append(said[found[0]])
        return chr(_HELD + len(held) - 1) if len(held) <= _HELD_MAX else held[-1]

    text = _symbols(say_numbers(_compounds(pattern.sub(hold, text))))
    text = "".join(held[ord(c) - _HELD] if _HELD <= ord(c) < _HELD + len(held) else c for c in text)
    return _punctuated(text)


_HELD, _HELD_MAX = 0xE000, 6_000  # private-use characters stand for lexicon entries while the other rules run
_FOLDED = {code: code - 0xFEE0 for code in (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))} | {
    ord(wide): narrow
    for wide, narrow in zip("％／～＋－＝＄￥＃＠＆＿＜＞｜＊’‘−‑‐", "%/~+-=$¥#@&_<>|*''---", strict=True)
}
_ROMAN = {
    chr(0x2160 + n): word
    for n, word in enumerate(["一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"])
}
_CIRCLED = {chr(0x2460 + n): f"{n + 1}、" for n in range(20)}
_MARKS = str.maketrans(_ROMAN | _CIRCLED | {"№": "第", "…": "……"})


def _cleaned(text: str) -> str:
    """Half-width, one line, without control, invisible, private or replacement characters."""
    text = re.sub(r"\s+", " ", text.translate(_FOLDED).translate(_MARKS))
    dropped = ("Cc", "Cf", "Cs", "Co", "Cn")
    text = "".join(c for c in text if c != "\ufffd" and unicodedata.category(c) not in dropped)
    return re.sub(r"(?<=\d)．(?=\d)", ".", text)


_MARKUP: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), said)
    for pattern, said in (
        (r"```.*?(?:```|$)", "，代码见文字版，"),
        (r"`([A-Za-z][A-Za-z0-9_ .-]{0,30})`", r" \1 "),
        (r"`[^`]*`", "一段代码"),
        (r"\$[^$]*[\\^_][^$]*\$", "一个公式"),
        (r"!\[[^\]]*\]\([^)]*\)", ""),
        (r"\[([^\]]+)\]\([^)]*\)", r"\1"),
        (r"<(?:https?://|mailto:)[^<>\s]*>", "链接"),
        (r"</?[A-Za-z][^<>一-鿿]{0,200}>", ""),
        (r"(?:https?|ftp)://[!-~]*[A-Za-z0-9/#=]|www\.[!-~]*[A-Za-z0-9/]", "链接"),
        (r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+", "邮箱地址"),
        (r"(?<![A-Za-z0-9.])(?:[A-Za-z0-9-]+\.)+(?:com|cn|org|net|io|edu|gov)/[!-~]*[A-Za-z0-9/]", "链接"),
        (r"链接\s*[:：]?\s*链接", "链接"),
        (r"(?<![A-Za-z0-9.])((?:[A-Za-z0-9-]+\.)+(?:com|cn|org|net|io|edu|gov))(?![A-Za-z0-9])", r" \1 "),
        (r"\[\^?\d{1,3}(?:[-,]\d{1,3})*\]|[¹²³⁰⁴-⁹]+(?![A-Za-z])(?<![mMcCkK][²³])", ""),
        (r"^\s*(?:#{1,6}|[-*+•>]|\d{1,2}[.)])\s+", ""),
        (r"\*{1,3}(?=\S)([^*]*?\S)\*{1,3}", r"\1"),
        (r"(?<![A-Za-z0-9])_{1,2}(?=\S)([^_]+?)_{1,2}(?![A-Za-z0-9])", r"\1"),
        (r"~~([^~]+)~~", r"\1"),
    )
)


def _without_markup(text: str) -> str:
    for pattern, said in _MARKUP:
        text = pattern.sub(said, text)
    return text


@lru_cache(maxsize=16)
def _terms(lexicon: Lexicon) -> tuple[re.Pattern[str], dict[str, str]]:
    """One pattern of all terms, longest first, and what is said for each."""
    said: dict[str, str] = {}
    for term, reading in (*BUILT_IN.items(), *lexicon.entries):
        spoken = pinned(term, reading) if _PINYIN.fullmatch(reading) else reading
        said[term] = said[simplified(term)] = spoken
    bounded = []
    for term in sorted(said, key=len, reverse=True):
        before = r"(?<![A-Za-z])" if term[0].isascii() and term[0].isalnum() else ""
        after = r"(?![A-Za-z])" if term[-1].isascii() and term[-1].isalnum() else ""
        bounded.append(before + re.escape(term) + after)
    return re.compile("|".join(bounded)), said


_PER = r"(?:元|美元|公里|千米|米|千克|公斤|克|毫克|吨|升|毫升|次|人|度|件|台|字|千瓦时|户|辆)"
_COMPOUNDS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), said)
    for pattern, said in (
        (r"(?<=\d)\s*[x×*]\s*(?=\d)", "乘"),
        (r"(?<=\d)\s*\+\s*(?=\d)", "加"),
        (r"(?<=\d)\s*÷\s*(?=\d)", "除以"),
        (r"(?<=[\d)])\s*-\s*(?=\d+(?:\.\d+)?\s*=)", "减"),
        (r"\s*±\s*(?=\d)", "正负"),
        (r"\s*(?:≥|>=)\s*", "大于等于"),
        (r"\s*(?:≤|<=)\s*", "小于等于"),
        (r"\s*≈\s*", "约等于"),
        (r"\s*≠\s*", "不等于"),
        (r"(?<=[\w)])\s*={1,2}\s*(?=[\w(-])", "等于"),
        (r"(?<=[\w)])\s*>\s*(?=\d)", "大于"),
        (r"(?<=[\w)])\s*<\s*(?=\d)", "小于"),
        (r"(?<=[A-Za-z])&(?=[A-Za-z])", " and "),
        (r"\s*&\s*", "和"),
        (rf"({_PER})/kg(?![A-Za-z])", r"\1每千克"),
        (rf"({_PER})/(?:m²|㎡)", r"\1每平方米"),
        (rf"({_PER})/(?=[一-鿿])", r"\1每"),
        (r"(?<=\d)(G|K|T|M)/(?=\d)", r"\1、"),
        (r"(?<=\d)/(?=\d+[A-Za-z])", "、"),
        (r"(?<=\d)\+(?!\d)", "多"),
    )
)


def _compounds(text: str) -> str:
    """Signs that mean something between two other things."""
    for pattern, said in _COMPOUNDS:
        text = pattern.sub(said, text)
    return text


def _symbols(text: str) -> str:
    """Signs that are left become a pause, a space or nothing; no picture is ever read out by its name."""
    text = re.sub(r"(?<=[A-Za-z])\.(?=[A-Za-z])", "点", text)
    text = re.sub(r"(?<=[A-Za-z])['](?=[A-Za-z])", "’", text)
    text = re.sub(r"[—–]+|->|→|⇒|\|+|(?<=[一-鿿])-+(?=[一-鿿])|(?<=[一-鿿])/(?=[一-鿿])", "，", text)
    text = re.sub(r"(?<=[一-鿿])[·・](?=[一-鿿])", "", text)
    return "".join(c if _sounds(c) or c in _KEPT else " " for c in text)


_KEPT = frozenset("，、。！？：；…“”《》（）()「」『』,.!?:;’ ")


def _sounds(c: str) -> bool:
    return is_han(c) or (c.isascii() and c.isalnum()) or _HELD <= ord(c) < _HELD + _HELD_MAX


_TIDIED: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), said)
    for pattern, said in (
        (r"\s+", " "),
        (rf"(?<=[^A-Za-z{ANCHOR}]) | (?=[^A-Za-z{ANCHOR}])", ""),
        (r"[（(「『“《][，、。,.\s]*[）)」』”》]", ""),
        (r"(?:…|\.{3,}|。{2,})+", "…"),
        (r"[，、,；;：:]+(?=[。！？!?…])", ""),
        (r"([，、；：,;:])[，、；：,;:]+", r"\1"),
        (r"([。！？])[。，、；：]+", r"\1"),
        (r"^[，、。！？：；…,.!?:;’]+", ""),
    )
)


def _punctuated(text: str) -> str:
    """Tidy spaces and marks, and end with a sentence mark; "" when no character sounds."""
    # Pinyin in a pin keeps its spaces: only what stands between pins is tidied.
    pins = re.split(f"({ANCHOR}[^{END}]*{END})", text)
    text = "".join(part if part.startswith(ANCHOR) else _tidy(part) for part in pins).strip()
    bare = re.sub(f"{SEPARATOR}[^{END}]*{END}", "", text)
    if not any(_sounds(c) for c in bare):
        return ""
    text = re.sub(r"[，、：；…,:;\s]+$", "", text)
    return text if text[-1] in "。！？.!?”」』》）)" else text + "。"


def _tidy(text: str) -> str:
    for pattern, said in _TIDIED:
        text = pattern.sub(said, text)
    return text
