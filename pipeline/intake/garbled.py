"""Is a page's text layer text at all, and is it any good? Measured, page by page (pitfalls P1, P2).

Two questions. *Garbled*: the characters are not what is printed (no mapping, a wrong one, bytes of another codec).
*Doubtful*: the page is a scan and its layer is someone else's OCR with the marks of bad OCR: letters in the place of
digits, strewn symbols. A garbled page is no text; a doubtful one is read anew when it can be.
"""

from __future__ import annotations

import re

GARBLED = re.compile("[\ufffd\ue000-\uf8ff\U000f0000-\U0010ffff]|\\(cid:\\d+\\)")
_CONTROL = re.compile("[\x01-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
_ODD = re.compile(f"{GARBLED.pattern}|{_CONTROL.pattern}")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_KANA_HANGUL = re.compile("[\u3040-\u30ff\uac00-\ud7a3]")
_HIGH_LATIN = re.compile("[\u00a1-\u00bf\u00c0-\u00ff]")
_ASCII_LETTER = re.compile("[A-Za-z]")
_LEADER = re.compile(r"[._\-–—…·•*=~\s]+")
_WORD_CHARACTER = re.compile(r"\w")

_MAX_LOST = 0.2  # share of characters without a meaning
_MAX_CONTROL = 0.1
_LEAST_COMMON = 0.7  # real Chinese and Japanese: over 0.97; Han drawn at random: under 0.4
_MAX_HIGH_LATIN = 0.4  # the most accented languages stay under 0.2
_LEAST_WORDS = 0.25
_SAMPLE = 200  # characters
_LEAST_CHARS = 20  # fewer say nothing about a page

# Digits with a letter among them that looks like one, years with a hole, symbols that no sentence has in a row.
_NUMBER = re.compile(r"(?<![A-Za-z0-9])[0-9OoIlZzSBq|]*\d[0-9OoIlZzSBqt|]*(?![A-Za-z0-9])")
_DIGIT = re.compile("[0-9]")
_MISREAD = re.compile(r"[OoIlZzSBqt|]")
_HOLED_YEAR = re.compile("(?:1[89]|20)[\u4e00-\u9fff](?:\\d)?年")
_STREWN = re.compile(r"[\"'`´^~|\\<>{}@#*■□;:：；,，。]{3,}|(?<=\s)[\"'`´^~|\\<>{}@](?=\s)")
_MAX_MISREAD = 0.03
_MAX_STREWN = 0.01


def is_garbled(text: str) -> bool:
    """Whether what a page gives as text cannot be its text."""
    letters = "".join(text.split())
    size = len(letters)
    if not letters or letters.isascii() and letters.isprintable() and "(cid:" not in letters:
        return size >= _LEAST_CHARS and _is_symbols(text, letters)
    if _ODD.search(letters):
        lost = sum(len(found.group()) for found in GARBLED.finditer(letters))
        if lost > _MAX_LOST * size or sum(1 for _ in _CONTROL.finditer(letters)) > _MAX_CONTROL * size:
            return True
    if size < _LEAST_CHARS:
        return False
    sample = letters[:: 1 + size // _SAMPLE]  # shares are the same, and every page is asked
    return _is_rare_han(sample) or _is_wrong_codec(sample) or _is_symbols(text, sample)


def _is_rare_han(sample: str) -> bool:
    han = _HAN.findall(sample)
    if len(han) < _LEAST_CHARS or len(_KANA_HANGUL.findall(sample)) > 0.1 * len(sample):
        return False
    return sum(map(_is_common, han)) < _LEAST_COMMON * len(han)


def _is_common(character: str) -> bool:
    """Of the first plane of the mainland, Taiwan or Japan: the characters that running text is made of."""
    for codec, low, high in (("gb2312", 0xB0, 0xD7), ("big5", 0xA4, 0xC6), ("shift_jis", 0x88, 0x97)):
        try:
            first = character.encode(codec)[0]
        except UnicodeEncodeError:
            continue
        if low <= first <= high:
            return True
    return False


def _is_wrong_codec(sample: str) -> bool:
    """GBK or UTF-8 bytes shown as Latin-1: accented letters and symbols by the dozen, hardly a plain one."""
    high, plain = len(_HIGH_LATIN.findall(sample)), len(_ASCII_LETTER.findall(sample))
    return high > _MAX_HIGH_LATIN * len(sample) and high > plain


def _is_symbols(text: str, sample: str) -> bool:
    """A font with an encoding of its own: nearly everything is punctuation. Dots that lead to a number do not count."""
    if len(_WORD_CHARACTER.findall(sample)) >= _LEAST_WORDS * len(sample):
        return False
    rest = _LEADER.sub("", text)
    return len(rest) >= 2 * _LEAST_CHARS and len(_WORD_CHARACTER.findall(rest)) < _LEAST_WORDS * len(rest)


def is_doubtful(text: str) -> bool:
    """Whether the text layer of a scanned page bears the marks of bad OCR."""
    letters = len("".join(text.split()))
    if letters < _LEAST_CHARS:
        return True  # a scan with hardly a word on it: the layer saw next to nothing
    # Two digits at least: O2 and A1 are names.
    numbers = [found.group() for found in _NUMBER.finditer(text) if len(_DIGIT.findall(found.group())) > 1]
    misread = sum(1 for number in numbers if _MISREAD.search(number)) + len(_HOLED_YEAR.findall(text))
    strewn = sum(len(found.group()) for found in _STREWN.finditer(text))
    return (misread >= 2 and misread > _MAX_MISREAD * len(numbers)) or strewn > _MAX_STREWN * letters
