"""Addresses of pages: what may be fetched, what is the same page, and where links stand in a message.

One reading of an address for everything (rules SRC-6, SRC-7): what is checked is what is connected to, so that two
parsers cannot be played against each other. Pure: no name is looked up here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import quote, unquote, urljoin

from pipeline.domain.errors import InputRejected
from pipeline.domain.hosts import Ip, ascii_host, is_local_name, is_public, literal_ip
from pipeline.domain.source import Reason

MAX_ADDRESS = 4_096  # code points
DEFAULT_PORTS = {"http": 80, "https": 443}

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+-]*):(.*)", re.DOTALL)
_AFTER_SCHEME = re.compile(r"//([^/?#]*)([^#]*)(?:#(.*))?", re.DOTALL)
_FORBIDDEN = re.compile("[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff\ufffe]")
_PORT = re.compile(r"(.*?)(?::(\d{0,5}))?", re.DOTALL | re.ASCII)
_ESCAPE = re.compile("%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_KEPT = "%/:?#[]@!$&'()*+,;=~"  # not touched when the rest of a path is escaped

_TRACKING = frozenset(
    "gclid gclsrc dclid gbraid wbraid fbclid msclkid yclid twclid ttclid igshid igsh li_fat_id _hsenc _hsmi mkt_tok"
    " vero_id wickedid oly_anon_id oly_enc_id rb_clickid _openstat _gl spm spm_id_from vd_source share_source"
    " share_medium share_plat share_session_id share_tag hmsr hmpl hmcu hmkw hmci bd_vid qhclickid".split()
)
_TRACKING_PREFIXES = ("utm_", "mc_")
_WECHAT = "mp.weixin.qq.com"
_WECHAT_KEPT = ("__biz", "mid", "idx", "sn")
_DIRECTIVE = ":~:"
_MAX_HINT = 500  # code points

# Han, kana, hangul, full width: Chinese writes no space after a link, so these continue one only where a name begins.
_CJK = (
    "[\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\U00020000-\U0003ffff]"
)
_NEXT_LINK = "(?![,;|]{1,3}https?://)(?!(?<=[A-Za-z0-9])https?://)"  # several links without a space between them
_IN_HOST = rf"(?:(?!{_CJK})[\w.~%:@\[\]!$&*+=-]|(?<=[/.@]){_CJK}+)+"
_IN_PATH = rf"{_NEXT_LINK}(?!{_CJK})[\w.~%!$&'()*+,;=:@?#\[\]|^-]"
_LINK = re.compile(
    rf"(?:https?://|(?<![A-Za-z0-9_@./:-])(?=www\.)){_IN_HOST}"
    rf"(?:/(?:wiki|item)/(?:{_IN_PATH}|/|{_CJK})*"  # encyclopaedias mix both scripts in one name
    rf"|[/?#](?:{_IN_PATH}|(?<=[=_+-]){_CJK}+)*(?:/(?:{_IN_PATH}|(?<=[/=_+-]){_CJK}+)*)*)?",
    re.IGNORECASE,
)
_PAIRS = {")": "(", "]": "["}


@dataclass(frozen=True)
class FetchLimits:
    """Rule SRC-6, for one page. Times in seconds of wall clock, sizes in bytes."""

    max_bytes: int = 25 * 1024 * 1024  # on the wire, and unpacked
    max_redirects: int = 5
    total_s: float = 20.0
    connect_s: float = 8.0
    wait_s: float = 60.0  # for a turn in the host's lane, before the time of the fetch itself begins
    host_gap_s: float = 1.0  # between the starts of two fetches of one host
    host_at_once: int = 2
    robots_s: float = 4.0
    robots_bytes: int = 512 * 1024  # RFC 9309 asks for 500 KiB at least
    allowed_ports: frozenset[int] = frozenset({80, 443})


@dataclass(frozen=True)
class Address:
    """An address taken apart once. ``host`` is as ``ascii_host`` gives it; ``target`` is path and query, ASCII."""

    scheme: str
    host: str
    port: int
    target: str
    fragment: str = field(default="", compare=False)

    @property
    def netloc(self) -> str:
        """Host, and the port where it is not the scheme's own: the Host header."""
        return self.host if self.port == DEFAULT_PORTS[self.scheme] else f"{self.host}:{self.port}"

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.netloc}"

    @property
    def literal(self) -> Ip | None:
        """The IP address, when the host is one."""
        return literal_ip(self.host)

    def __str__(self) -> str:
        return f"{self.origin}{self.target}" + (f"#{self.fragment}" if self.fragment else "")


def check_address(url: str, *, limits: FetchLimits | None = None, exempt: frozenset[str] = frozenset()) -> Address:
    """Take ``url`` apart, if it may be asked for as far as can be seen before its name is looked up.

    Args:
        exempt: ``host:port`` that the owner configured: any port, and private addresses, are allowed there.

    Raises:
        InputRejected: ADDRESS_REFUSED; ``why`` is ``scheme | malformed | userinfo | port | private``.
    """
    address = parse_address(url)
    if f"{address.host}:{address.port}" in exempt:
        return address
    if address.port not in (limits or FetchLimits()).allowed_ports:
        raise refused("port", address.host)
    if is_local_name(address.host) or (address.literal is not None and not is_public(address.literal)):
        raise refused("private", address.host)
    return address


def parse_address(url: str) -> Address:
    """Take ``url`` apart without judging where it leads.

    Raises:
        InputRejected: ADDRESS_REFUSED; ``why`` is ``scheme | malformed | userinfo``.
    """
    url = url.strip(" \t\r\n")
    if not url or len(url) > MAX_ADDRESS or _FORBIDDEN.search(url):
        raise refused("malformed")
    if (spelled := _SCHEME.fullmatch(url)) is None:
        raise refused("malformed")
    if (scheme := spelled[1].lower()) not in DEFAULT_PORTS:
        raise refused("scheme")
    # A backslash before the path is a slash to browsers and part of the host to others: a trick, never a mistake.
    if (rest := _AFTER_SCHEME.fullmatch(spelled[2])) is None or "\\" in rest[1]:
        raise refused("malformed")
    authority, target, fragment = rest.groups()
    if "@" in authority or "\uff20" in authority:
        raise refused("userinfo")
    host, port = _host_and_port(authority, scheme)
    return Address(scheme, host, port, _target(target), fragment or "")


def refused(why: str, host: str = "") -> InputRejected:
    """Return the refusal of an address; the address itself is not repeated: it may hold a password."""
    return InputRejected(Reason.ADDRESS_REFUSED, f"address refused: {why} {host}".rstrip(), why=why, host=host)


def redirected(base: Address, location: str) -> str:
    """Return the address that a ``Location`` leads to from ``base``, still unchecked.

    Servers write spaces and raw letters there; browsers take them, and so does this.

    Raises:
        InputRejected: ADDRESS_REFUSED, ``malformed``.
    """
    location = location.strip(" \t").replace(" ", "%20")
    try:
        joined = location if _SCHEME.match(location) else urljoin(f"{base.origin}{base.target}", location)
    except ValueError:
        raise refused("malformed") from None
    return joined if "#" in joined or not base.fragment else f"{joined}#{base.fragment}"


def canonical_address(url: str) -> str:
    """Return the one spelling of the addresses of one page (rule SRC-7); doing it twice changes nothing.

    Raises:
        InputRejected: ADDRESS_REFUSED, as for ``parse_address``.
    """
    address = parse_address(url)
    path, mark, query = address.target.partition("?")
    fragment = address.fragment.partition(_DIRECTIVE)[0]
    kept = _kept_query(address.host, path, query)
    spa = f"#{_escaped(fragment)}" if fragment.startswith(("/", "!/")) else ""
    return f"{address.origin}{path}{mark if kept else ''}{kept}{spa}"


def text_hint(url: str) -> str | None:
    """Return the words that ``#:~:text=`` points at, decoded, or None: a hint of the question (rule SRC-7).

    A range is given as "start … end", several directives as lines. Prefixes and suffixes only locate and are left out.
    """
    _, _, directives = url.partition("#")[2].partition(_DIRECTIVE)
    found = []
    for directive in directives.split("&"):
        if not directive.startswith("text="):
            continue
        parts = directive.removeprefix("text=").split(",")
        parts = [p for p in parts if not p.endswith("-") and not p.startswith("-")][:2]
        words = [" ".join(_FORBIDDEN.sub(" ", unquote(p)).split()) for p in parts]
        if any(words):
            found.append(" … ".join(w for w in words if w))
    return "\n".join(found)[:_MAX_HINT] or None


def find_links(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return ``(start, end, url)`` of each link in a message, in order; code points, half-open.

    Punctuation and brackets around a link are not part of it, nor is Chinese text that follows without a space. A bare
    ``www.…`` is an https link. Nothing is checked here: what is found may still be refused.
    """
    found = []
    for match in _LINK.finditer(text):
        link = _trimmed(match.group())
        bare = not link.lower().startswith("http")
        if bare and link.partition("/")[0].count(".") < 2:
            continue
        found.append((match.start(), match.start() + len(link), f"https://{link}" if bare else link))
    return tuple(found)


def _trimmed(link: str) -> str:
    """Without the punctuation of the sentence around it; a closing bracket stays if it was opened inside."""
    unopened = {closing: link.count(closing) - link.count(opening) for closing, opening in _PAIRS.items()}
    end = len(link)
    while end and (link[end - 1] in ".,;:!?'*" or unopened.get(link[end - 1], 0) > 0):
        if link[end - 1] in unopened:
            unopened[link[end - 1]] -= 1
        end -= 1
    return link[:end]


def _host_and_port(authority: str, scheme: str) -> tuple[str, int]:
    match = _PORT.fullmatch(authority)
    if match is None:
        raise refused("malformed")
    try:
        host = ascii_host(match[1])
    except ValueError:
        raise refused("malformed") from None
    port = int(match[2]) if match[2] else DEFAULT_PORTS[scheme]
    if not 0 < port < 65_536:
        raise refused("port", host)
    return host, port


def _target(raw: str) -> str:
    """Path and query in ASCII: dots resolved, escapes in one spelling, everything else escaped."""
    path, mark, query = raw.partition("?")
    return _without_dots(_escaped(path)) + (f"?{_escaped(query)}" if mark and query else "")


def _escaped(text: str) -> str:
    def spelled(match: re.Match[str]) -> str:
        c = chr(int(match[1], 16))
        return c if c in _UNRESERVED else f"%{match[1].upper()}"

    stray = re.sub("%(?![0-9A-Fa-f]{2})", "%25", text)
    return quote(_ESCAPE.sub(spelled, stray), safe=_KEPT)


def _without_dots(path: str) -> str:
    """RFC 3986, 5.2.4. Doubled slashes stay: some sites give them a meaning."""
    out: list[str] = []
    segments = path.split("/")[1:]
    for at, segment in enumerate(segments):
        if segment == "..":
            out = out[:-1]
        elif segment != ".":
            out.append(segment)
        if segment in (".", "..") and at == len(segments) - 1:
            out.append("")
    return "/" + "/".join(out)


def _kept_query(host: str, path: str, query: str) -> str:
    pairs = [pair for pair in query.split("&") if pair]
    names = [pair.partition("=")[0].removeprefix("amp;") for pair in pairs]
    if host == _WECHAT and path.startswith("/s/"):
        return ""  # the short form names the article in its path
    if host == _WECHAT and path == "/s" and {"__biz", "mid", "sn"} <= set(names):
        values = {name: pair.partition("=")[2] for name, pair in zip(names, pairs, strict=True)}
        return "&".join(f"{name}={values[name]}" for name in _WECHAT_KEPT if name in values)
    return "&".join(pair for name, pair in zip(names, pairs, strict=True) if not _tracks(name.lower()))


def _tracks(name: str) -> bool:
    return name in _TRACKING or name.startswith(_TRACKING_PREFIXES)
