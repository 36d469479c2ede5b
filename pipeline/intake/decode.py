"""Bytes → characters, with the codec that reads them cleanly (pitfalls W3, W4; rule SRC-3: the codec is recorded).

Order: byte order mark, strict UTF-8, what the carrier and then the bytes declare, then statistics. What is declared is
believed only if it decodes and what comes out reads like language; GB2312 and GBK are read as GB18030, Big5 with the
Hong Kong supplement.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from charset_normalizer import from_bytes

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import Reason
from pipeline.intake.plausible import plausible

_MAX_LOST = 0.005  # share of characters that may be U+FFFD
_READS_WELL = 0.5
_GARBAGE = 0.1  # of the best reading: it decodes, and is no language

_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_WIDER = {  # what browsers do: the declared codec's superset
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "iso8859-9": "cp1254",
    "utf-16": "utf-16-le",
}
_ESCAPED = {"hz": b"~{", "iso2022_jp": b"\x1b$", "iso2022_kr": b"\x0e"}  # seven bits: they would pass for ASCII
_CHINESE = ("gb18030", "big5hkscs", "cp932", "euc_jp", "cp949")
_META = re.compile(rb"<meta[^>]{1,500}charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_XML = re.compile(rb"\s*<\?xml[^>]{1,200}encoding\s*=\s*[\"']([\w.:-]{1,40})", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_HEAD = 8_192
_SAMPLE = 131_072


@dataclass(frozen=True)
class Decoded:
    """``conflict``: something declared another codec than the one that reads the bytes."""

    text: str
    codec: str
    conflict: bool = False


def decode(data: bytes, *, declared: str | None = None, markup: bool = False) -> tuple[str, str]:
    """Return ``(text, codec)``; see ``decoded``."""
    read = decoded(data, declared=declared, markup=markup)
    return read.text, read.codec


def decoded(data: bytes, *, declared: str | None = None, markup: bool = False) -> Decoded:
    """Return the text and the codec that was chosen.

    Args:
        declared: charset of the carrier (an HTTP header), when there was one.
        markup: also believe a ``<meta charset>`` or XML declaration in the first bytes.

    Raises:
        InputRejected: UNDECODABLE, when more than 0.5 % of every reading is lost.
    """
    named = [codec for name in _declared(data, declared, markup) if (codec := _codec(name))]
    text, codec = _read(data, named)
    conflict = any(name != codec for name in named) and not text.isascii()
    return Decoded(text, codec, conflict)


def _declared(data: bytes, declared: str | None, markup: bool) -> list[str]:
    named = [declared] if declared else []
    if markup:
        head = _COMMENT.sub(b"", data[:_HEAD])
        named += [m.group(1).decode("ascii", "replace") for m in (_META.search(head), _XML.match(head)) if m]
    return named


def _read(data: bytes, named: list[str]) -> tuple[str, str]:
    for bom, codec in _BOMS:
        if data.startswith(bom):
            return _checked(data[len(bom) :].decode(codec, "replace"), codec)
    for codec in named:
        if codec in _ESCAPED and data.isascii() and _ESCAPED[codec] in data:
            return _checked(data.decode(codec, "replace"), codec)
    if (text := _strict_utf8(data)) is not None:
        return text, "utf-8"
    wide = _wide(data)
    if wide:
        return _checked(data.decode(wide, "replace"), wide)
    # A meta tag that could be read as ASCII is not in UTF-16, whatever it says.
    likely = [codec for codec in named if not codec.startswith(("utf-16", "utf-32")) and codec not in _ESCAPED]
    for codec in likely:
        if (score := _score(data, codec)) is not None and score >= _READS_WELL:
            return _checked(data.decode(codec, "replace"), codec)
    return _guessed(data, likely)


def _codec(name: str) -> str | None:
    try:
        known = codecs.lookup(name.strip().strip("'\"")).name
    except (LookupError, ValueError):
        return None
    return _WIDER.get(known, known)


def _strict_utf8(data: bytes) -> str | None:
    """UTF-8 without an error; the end may be cut in the middle of a character, as a broken download is."""
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(data, final=False)
    except UnicodeDecodeError:
        return None
    return text if text.count("\0") < len(text) / 8 and (text or not data) else None


def _wide(data: bytes) -> str | None:
    """UTF-16 without a mark, by its zeros."""
    sample = data[:_SAMPLE]
    if sample.count(0) <= len(sample) / 8:
        return None
    return "utf-16-le" if sample[1::2].count(0) > sample[::2].count(0) else "utf-16-be"


def _score(data: bytes, codec: str) -> float | None:
    """How much the codec's reading looks like language; None when it loses too much."""
    try:
        text = data[:_SAMPLE].decode(codec, "replace")
    except (LookupError, UnicodeError):
        return None  # not a codec of text (base64, rot13), or one that cannot replace
    if text.count("\ufffd") > _MAX_LOST * len(text) + 1:
        return None
    return plausible(text)


def _checked(text: str, codec: str) -> tuple[str, str]:
    if text.count("\ufffd") > _MAX_LOST * max(1, len(text)):
        raise InputRejected(Reason.UNDECODABLE, codec=codec)
    return text, codec


def _guessed(data: bytes, named: list[str]) -> tuple[str, str]:
    """No declaration, or a false one: the codec whose reading looks most like language."""
    scores = [(score, codec) for codec in ("utf-8", *_CHINESE) if (score := _score(data, codec)) is not None]
    best, codec = max(scores, key=lambda pair: pair[0], default=(0.0, ""))
    if best >= _READS_WELL:
        return _checked(data.decode(codec, "replace"), codec)
    match = from_bytes(data[:_SAMPLE]).best()
    guessed = [_codec(match.encoding) or match.encoding] if match else []
    for codec in (*guessed, *named):
        if (score := _score(data, codec)) is not None and score >= min(best, _READS_WELL):
            return _checked(data.decode(codec, "replace"), codec)
    if best < _GARBAGE:
        raise InputRejected(Reason.UNDECODABLE)
    return _checked(data.decode(codec, "replace"), codec)
