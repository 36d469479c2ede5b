"""English words inside Mandarin speech → phonemes of Kokoro's vocabulary.

Order: the small list of names below, capitals as letters, misaki's dictionary, its simple inflections, the parts of a
CamelCase name; what is still unknown is spelled by plain letter-to-sound rules, or letter by letter when it has no
vowel. Read straight from misaki's data files: its English front end would need spaCy.
"""

from __future__ import annotations

import importlib.resources
import json
import re
from functools import lru_cache

# Names that no dictionary here has, or reads wrongly. Own transcriptions.
NAMES = {
    "android": "ˈændɹˌYd",
    "anthropic": "ænθɹˈɑpɪk",
    "chatgpt": "ʧˈæt ʤˌipˌitˈi",
    "claude": "klˈɔd",
    "docker": "dˈɑkəɹ",
    "excel": "ɪksˈɛl",
    "github": "ɡˈɪthˌʌb",
    "google": "ɡˈuɡᵊl",
    "huawei": "hwˈɑwˌA",
    "ios": "ˌIˌOˈɛs",
    "ipad": "ˈIpˌæd",
    "iphone": "ˈIfˌOn",
    "json": "ʤˈAsˌɑn",
    "kubernetes": "kˌubəɹnˈɛtiz",
    "latex": "lˈAtˌɛk",
    "linux": "lˈɪnəks",
    "mysql": "mˌIˌɛskjuˈɛl",
    "nginx": "ˈɛnʤənˌɛks",
    "numpy": "nˈʌmpˌI",
    "openai": "ˌOpᵊnˌAˈI",
    "postgres": "pˈOstɡɹɛs",
    "postgresql": "pˈOstɡɹɛs kjuˈɛl",
    "pytorch": "pˈItˌɔɹʧ",
    "qwen": "kwˈɛn",
    "redis": "ɹˈɛdɪs",
    "sqlite": "ˌɛskjuˌɛlˈIt",
    "ubuntu": "ubˈuntu",
    "wechat": "wˈiʧˌæt",
    "wifi": "wˈIfˌI",
    "youtube": "jˈutˌub",
}
# Capitals that are said as a word; all others are said letter by letter.
SAID_AS_WORDS = frozenset({"NASA", "NATO", "UNESCO", "LAN", "RAM", "ROM", "JPEG", "AJAX", "LASER", "OPEC", "COVID"})

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]")
# Longest first; enough to be understood, no more.
_SOUNDS = {
    "tion": "ʃən", "sion": "ʒən", "ough": "O", "igh": "I", "sch": "sk", "tch": "ʧ", "ch": "ʧ", "sh": "ʃ", "th": "θ",
    "ph": "f", "ck": "k", "qu": "kw", "ng": "ŋ", "wh": "w", "ee": "i", "ea": "i", "oo": "u", "ou": "W", "ow": "O",
    "ai": "A", "ay": "A", "oi": "Y", "oy": "Y", "au": "ɔ", "aw": "ɔ", "ar": "ɑɹ", "er": "əɹ", "ir": "ɜɹ", "or": "ɔɹ",
    "ur": "ɜɹ", "a": "æ", "b": "b", "c": "k", "d": "d", "e": "ɛ", "f": "f", "g": "ɡ", "h": "h", "i": "ɪ", "j": "ʤ",
    "k": "k", "l": "l", "m": "m", "n": "n", "o": "O", "p": "p", "q": "k", "r": "ɹ", "s": "s", "t": "t", "u": "u",
    "v": "v", "w": "w", "x": "ks", "y": "i", "z": "z",
}  # fmt: skip
_SPELL = re.compile("|".join(sorted(_SOUNDS, key=len, reverse=True)))
_VOICELESS = ("p", "t", "k", "f", "θ")
_SIBILANT = ("s", "z", "ʃ", "ʒ", "ʧ", "ʤ")


@lru_cache(maxsize=1)
def _dictionary() -> dict[str, str]:
    """Word → phonemes. 180,000 entries, about 40 MB: loaded with the first English word."""
    folder = importlib.resources.files("misaki") / "data"
    words: dict[str, str] = {}
    for name in ("us_silver.json", "us_gold.json"):
        for word, said in json.loads((folder / name).read_text(encoding="utf-8")).items():
            chosen = said if isinstance(said, str) else said.get("DEFAULT")
            if chosen:
                words[word] = chosen
    return words


def letters(word: str) -> str:
    """The names of the letters of ``word``, as one word."""
    return "".join(_dictionary().get(c.upper(), "").replace("ˈ", "ˌ") for c in word)


@lru_cache(maxsize=4096)
def word_phonemes(word: str) -> str:
    """Phonemes of one Latin word, never empty for a word with a letter."""
    word = word.replace("’", "'")
    if word.isupper() and word not in SAID_AS_WORDS and word.lower() not in NAMES:
        return letters(word)
    found = _look_up(word)
    if found is not None:
        return found
    parts = _PARTS.findall(word)
    if len(parts) > 1:
        return " ".join(word_phonemes(part) for part in parts)
    return _spelled(word)


def _look_up(word: str) -> str | None:
    words = _dictionary()
    lower = word.lower()
    for form in (word, lower, lower.capitalize()):
        found = NAMES.get(form) or words.get(form)
        if found is not None:
            return found
    return _inflected(lower)


def _inflected(word: str) -> str | None:
    for ending, stems in (("'s", ("",)), ("es", ("", "e")), ("s", ("",)), ("ed", ("", "e")), ("ing", ("", "e"))):
        if len(word) > len(ending) + 2 and word.endswith(ending):
            for stem in stems:
                said = NAMES.get(word.removesuffix(ending) + stem) or _dictionary().get(
                    word.removesuffix(ending) + stem
                )
                if said is not None:
                    return said + _ending(ending, said)
    return None


def _ending(ending: str, said: str) -> str:
    if ending == "ing":
        return "ɪŋ"
    if ending == "ed":
        return "ᵻd" if said.endswith(("t", "d")) else "t" if said.endswith((*_VOICELESS, *_SIBILANT)) else "d"
    if said.endswith(_SIBILANT):
        return "ᵻz"
    return "s" if said.endswith(_VOICELESS) else "z"


def _spelled(word: str) -> str:
    lower = word.lower()
    if len(lower) < 2 or not re.search("[aeiouy]", lower):
        return letters(word)
    if len(lower) > 3 and lower.endswith("e"):
        lower = lower[:-1]  # a final e is silent
    return "ˈ" + "".join(_SOUNDS[part] for part in _SPELL.findall(lower))
