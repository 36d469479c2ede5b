"""What the host part of an address means, and whether the machine behind it may be asked at all (rule SRC-6).

Pure: names are spelled, numbers are read, nothing is looked up. Not here: the rest of an address (address.py).
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata

Ip = ipaddress.IPv4Address | ipaddress.IPv6Address

_DOTS = re.compile("[\u3002\uff0e\uff61]")  # what an input method gives for a full stop; browsers read them as one
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_MAX_NAME = 253

# Source: the IANA special-purpose address registries, and the well-known metadata services of cloud hosts.
_CLOSED_4 = tuple(
    ipaddress.IPv4Network(n)
    for n in (
        "0.0.0.0/8",  # this network, unspecified
        "10.0.0.0/8",
        "100.64.0.0/10",  # carrier-grade NAT; metadata of one cloud
        "127.0.0.0/8",
        "168.63.129.16/32",  # metadata of one cloud, inside public space
        "169.254.0.0/16",  # link-local; metadata of most clouds
        "172.16.0.0/12",
        "192.0.0.0/24",  # protocol assignments; metadata of one cloud
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112, answers nobody
        "192.52.193.0/24",  # multicast tunnels
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
    )
)
_OPEN_6 = ipaddress.IPv6Network("2000::/3")  # all that is globally routed today; the rest is closed
_CLOSED_6 = tuple(
    ipaddress.IPv6Network(n)
    for n in (
        "2001::/23",  # protocol assignments: Teredo, ORCHID, benchmarks
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4: an IPv4 address of anybody's choice inside, and no server behind it any more
        "2620:4f:8000::/48",  # AS112
        "3fff::/20",  # documentation
    )
)
_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")  # NAT64: how an IPv6-only network reaches the rest
_LOW_32 = 0xFFFF_FFFF


def is_public(ip: Ip) -> bool:
    """Whether an address is globally routed, so that asking it tells nothing about this machine's own network.

    An IPv6 address that carries an IPv4 one (mapped, NAT64) is as public as that one is; further ways of carrying
    one (compatible, 6to4, Teredo) are closed, whatever they carry.
    """
    if isinstance(ip, ipaddress.IPv4Address):
        return not any(ip in network for network in _CLOSED_4)
    inner = ip.ipv4_mapped or (ipaddress.IPv4Address(int(ip) & _LOW_32) if ip in _TRANSLATED else None)
    if inner is not None:
        return is_public(inner)
    return ip.scope_id is None and ip in _OPEN_6 and not any(ip in network for network in _CLOSED_6)


def ascii_host(host: str) -> str:
    """Return ``host`` as the network spells it: lower case, half width, IDNA, numbers as dotted quads, no last dot.

    An IPv6 address stands in brackets before and after.

    Raises:
        ValueError: no host that could be asked for.
    """
    if host.startswith("["):
        return f"[{_ipv6(host)}]"
    plain = unicodedata.normalize("NFKC", _DOTS.sub(".", host)).lower()
    labels = _DOTS.sub(".", plain).removesuffix(".").split(".")
    if _NUMBER.fullmatch(labels[-1]):
        return str(_number(labels))
    name = ".".join(map(_label, labels))
    if len(name) > _MAX_NAME:
        raise ValueError("host is too long")
    return name


def literal_ip(host: str) -> Ip | None:
    """Return the address that an ``ascii_host`` is, or None for a name."""
    try:
        return ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return None


def is_local_name(host: str) -> bool:
    """Whether a name means this machine by definition (RFC 6761), whatever a resolver says."""
    return host == "localhost" or host.endswith(".localhost")


def _ipv6(host: str) -> ipaddress.IPv6Address:
    if not host.endswith("]") or "%" in host:
        raise ValueError("not an IPv6 address, or one with a zone")
    return ipaddress.IPv6Address(host[1:-1])


def _number(labels: list[str]) -> ipaddress.IPv4Address:
    """Read a host that ends in a number as every browser does: 1 to 4 parts, each decimal, octal or hexadecimal."""
    if len(labels) > 4:
        raise ValueError("too many parts for an IPv4 address")
    parts = [_part(label) for label in labels]
    *front, last = parts
    if any(part > 255 for part in front) or last >= 256 ** (5 - len(parts)):
        raise ValueError("no IPv4 address")
    return ipaddress.IPv4Address(last + sum(part << (24 - 8 * at) for at, part in enumerate(front)))


def _part(label: str) -> int:
    if not _NUMBER.fullmatch(label) or len(label) > 24:
        raise ValueError("not a number")
    if label.startswith("0x"):
        return int(label[2:] or "0", 16)
    return int(label, 8) if len(label) > 1 and label.startswith("0") else int(label)


def _label(label: str) -> str:
    """IDNA without tables: what NFKC and lower case leave, in Punycode; homographs are not judged."""
    if not label.isascii():
        if any(unicodedata.category(c)[0] in "CZ" for c in label) or any(c.isascii() and not _plain(c) for c in label):
            raise ValueError("character that no host has")
        label = "xn--" + label.encode("punycode").decode("ascii")
    if not _LABEL.fullmatch(label):
        raise ValueError("no host label")
    return label


def _plain(c: str) -> bool:
    return c.isalnum() or c in "-_"
