"""Which subtitle format something is, by its content: cheap, bounded, and the same for routing and for reading.

Routing calls this on the loop that keeps the leases, so only the beginning is looked at and no pattern can go back
over what it has read. Comments that viewers throw at a film (danmaku) and the data of a player are known too: they
are named, so that they can be refused by name.
"""

from __future__ import annotations

import re

SIGN_BYTES = 16_384
SUFFIXES = frozenset("srt vtt ass ssa ttml dfxp scc lrc sbv".split())

TIME = r"(?:\d{1,4}[:：])?\d{1,3}[:：]\d{1,2}(?:[.,:，][ ]?\d{1,9})?"
ARROW = "[ \\t]*-{1,3}>[ \\t]*"

_STARTS = (
    ("vtt", re.compile(r"WEBVTT(?=[\s:]|\Z)")),
    ("scc", re.compile(r"Scenarist_SCC", re.IGNORECASE)),
    ("ass", re.compile(r"(?:;[^\n]{0,500}\n\s*){0,20}\[(?:Script Info|V4\+? Styles)\]", re.IGNORECASE)),
    ("srt", re.compile(rf"(?:\d{{1,7}}[ \t]*\n[ \t]*)?{TIME}{ARROW}\d")),
    ("sbv", re.compile(r"\d{1,3}:\d\d:\d\d\.\d{1,3},\d{1,3}:\d\d:\d\d\.\d{1,3}[ \t]*\n")),
    ("lrc", re.compile(r"\[(?:ti|ar|al|by|offset|length|re|ve):[^\]\n]{0,300}\]|\[\d{1,3}:\d\d[.:]\d{1,3}\]")),
)
_TIMED_LINE = re.compile(r"^[ \t]*\[\d{1,3}:\d\d(?:[.:]\d{1,3})?\]", re.MULTILINE)
# (format, every sign that must be there)
_JSON = tuple(
    (name, tuple(re.compile(sign) for sign in signs))
    for name, signs in (
        ("player", (r'"(?:playabilityStatus|responseContext|captionTracks)"\s*:',)),
        ("bilibili", (r'"body"\s*:\s*\[', r'"from"\s*:\s*\d', r'"to"\s*:\s*\d', r'"content"\s*:\s*"')),
        ("json3", (r'"events"\s*:\s*\[', r'"tStartMs"\s*:\s*\d')),
        ("podcast", (r'"segments"\s*:\s*\[', r'"startTime"\s*:\s*\d', r'"body"\s*:\s*"')),
        ("whisper", (r'"segments"\s*:\s*\[', r'"start"\s*:\s*\d', r'"end"\s*:\s*\d', r'"text"\s*:\s*"')),
        ("list", (r"^\s*\[\s*\{", r'"start"\s*:\s*"?\d', r'"dur(?:ation)?"\s*:\s*"?\d', r'"text"\s*:\s*"')),
    )
)
_XML = (
    ("ttml", re.compile(r"<(?:\w{1,20}:)?tt(?:\s[^<>]{0,4000})?>", re.IGNORECASE)),
    ("timedtext", re.compile(r"<transcript\b[^<>]{0,200}>\s*<text\s[^<>]{0,200}start=|<timedtext\b")),
    ("danmaku", re.compile(r"<chatid>|<chatserver>|<d\s+p=[\"'][\d.]{1,20},\d|<chat\s[^<>]{0,400}\bvpos=[\"']")),
)
_HTML_ROOT = re.compile(r"(?:<\?xml[^<>]{0,200}\?>|<!--.{0,500}?-->|\s)*<(?:!doctype\s+html|html[\s>])", re.I | re.S)


def looks_like_subtitles(head: bytes, suffix: str) -> bool:
    """Whether bytes are subtitles (or what is told apart from them), by their beginning or by the name's ending."""
    text = head[:SIGN_BYTES].replace(b"\0", b"").decode("utf-8", "replace").lstrip("\ufeff\ufffd")
    return bool(subtitle_format(text)) or (suffix in SUFFIXES and not _HTML_ROOT.match(text.lstrip()))


def subtitle_format(text: str) -> str:
    """Return the format's name, ``danmaku`` or ``player`` for what is none, "" when there is no sign of any."""
    text = text[:SIGN_BYTES].replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff \t\n")
    if text.startswith(("{", "[")) and (found := _json_format(text)):
        return found
    if text.startswith("<"):
        return "" if _HTML_ROOT.match(text) else next((n for n, sign in _XML if sign.search(text)), "")
    found = next((name for name, sign in _STARTS if sign.match(text)), "")
    return "" if found == "lrc" and len(_TIMED_LINE.findall(text)) < 2 else found


def _json_format(text: str) -> str:
    return next((name for name, signs in _JSON if all(sign.search(text) for sign in signs)), "")
