"""Bytes → characters, with the codec that reads them cleanly (pitfalls W3, W4; rule SRC-3: the codec is recorded).

Order: byte order mark, strict UTF-8, what the bytes or their carrier declare, then statistics. What is declared is
believed only if it decodes; GB2312 and GBK are read as GB18030, Big5 with the Hong Kong supplement.
"""

from __future__ import annotations

import codecs
import re

from charset_normalizer import from_bytes

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import Reason

_MAX_LOST = 0.005  # share of characters that may be U+FFFD

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
    "hz": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "iso8859-9": "cp1254",
    "utf-16": "utf-16-le",
}
_META = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_XML = re.compile(rb"<\?xml[^>]+encoding\s*=\s*[\"']([\w.:-]+)", re.IGNORECASE)
_SAMPLE = 131_072
# The commonest characters of Chinese, both scripts: a wrong codec hardly ever hits them.
_COMMON = re.compile(
    "[的一是了不在有人我他这这這个個们們中来來上大为為和国國地到以说說时時要就出会會可也你对對生能而子]"
)
_HAN = re.compile("[\u3400-\u9fff]")


def decode(data: bytes, *, declared: str | None = None, markup: bool = False) -> tuple[str, str]:
    """Return ``(text, codec)``.

    Args:
        declared: charset of the carrier (an HTTP header), when there was one.
        markup: also believe a ``<meta charset>`` or XML declaration in the first bytes.

    Raises:
        InputRejected: UNDECODABLE, when more than 0.5 % of every reading is lost.
    """
    for bom, codec in _BOMS:
        if data.startswith(bom):
            return _checked(data[len(bom) :].decode(codec, "replace"), codec)
    if (text := _strict(data, "utf-8")) is not None and "\0" not in text:
        return text, "utf-8"
    named = [declared] if declared else []
    if markup:
        named += [m.group(1).decode("ascii") for m in (_META.search(data[:8_192]), _XML.match(data)) if m]
    for name in named:
        known = _codec(name)
        # A meta tag that could be read as ASCII is not in UTF-16, whatever it says.
        if known and not known.startswith(("utf-16", "utf-32")) and (read := _nearly(data, known)):
            return read
    return _guessed(data)


def _codec(name: str) -> str | None:
    try:
        known = codecs.lookup(name.strip().strip("'\"")).name
    except LookupError:
        return None
    return _WIDER.get(known, known)


def _strict(data: bytes, codec: str) -> str | None:
    try:
        return data.decode(codec)
    except (UnicodeDecodeError, UnicodeError):
        return None


def _nearly(data: bytes, codec: str) -> tuple[str, str] | None:
    text = data.decode(codec, "replace")
    lost = text.count("\ufffd") > _MAX_LOST * len(text)
    return None if lost else (text, codec)


def _checked(text: str, codec: str) -> tuple[str, str]:
    if text.count("\ufffd") > _MAX_LOST * max(1, len(text)):
        raise InputRejected(Reason.UNDECODABLE, codec=codec)
    return text, codec


def _guessed(data: bytes) -> tuple[str, str]:
    """No declaration, or a false one: wide codecs by their zeros, Chinese by its common characters, then statistics."""
    zeros = data[:_SAMPLE].count(0)
    if zeros > len(data[:_SAMPLE]) / 8:
        codec = "utf-16-le" if data[1:_SAMPLE:2].count(0) > data[:_SAMPLE:2].count(0) else "utf-16-be"
        return _checked(data.decode(codec, "replace"), codec)
    chinese = [(share, codec) for codec in ("gb18030", "big5hkscs") if (share := _chinese(data, codec)) > 0.04]
    if chinese:
        codec = max(chinese)[1]
        return _checked(data.decode(codec, "replace"), codec)
    if read := _nearly(data, "utf-8"):
        return read
    best = from_bytes(data[:_SAMPLE]).best()
    if best is None:
        raise InputRejected(Reason.UNDECODABLE)
    codec = _codec(best.encoding) or best.encoding
    return _checked(data.decode(codec, "replace"), codec)


def _chinese(data: bytes, codec: str) -> float:
    """Share of the commonest characters among the Han that ``codec`` reads; 0 when it reads badly or reads none."""
    text = data[:_SAMPLE].decode(codec, "replace")
    if text.count("\ufffd") > _MAX_LOST * len(text) + 1:
        return 0.0
    han = len(_HAN.findall(text))
    foreign = len(re.findall("[\ue000-\uf8ff\u3100-\u312f\uff65-\uff9f]", text))
    return 0.0 if han < 4 or foreign > han / 10 else len(_COMMON.findall(text)) / han
