"""Numbers in Han characters, as they are said."""

from __future__ import annotations

_DIGITS = "零一二三四五六七八九"
_SMALL = ("", "十", "百", "千")
_LARGE = ("", "万", "亿", "万亿")
MAX_DIGITS = 16


def digits(text: str) -> str:
    """Digit by digit: ``"010"`` → 零一零. Characters that are no digits are dropped."""
    return "".join(_DIGITS[int(c)] for c in text if c in "0123456789")


def integer(text: str) -> str:
    """``"1234"`` → 一千二百三十四. A leading zero, or more than 16 digits, is read digit by digit."""
    if (len(text) > 1 and text[0] == "0") or len(text) > MAX_DIGITS:
        return digits(text)
    value = int(text)
    if value == 0:
        return "零"
    groups: list[int] = []
    while value:
        value, low = divmod(value, 10_000)
        groups.append(low)
    out = ""
    for power in range(len(groups) - 1, -1, -1):
        group = groups[power]
        if group == 0:
            out += "零" if out and not out.endswith("零") else ""
            continue
        if out and group < 1000 and not out.endswith("零"):
            out += "零"
        said = _group(group, leading=not out)
        if said == "二" and power:
            said = "两"
        out += said + _LARGE[power]
    return out.rstrip("零")


def _group(value: int, *, leading: bool) -> str:
    """1–9999. ``leading``: 十二 instead of 一十二 when nothing is said before it."""
    out = ""
    for power in range(3, -1, -1):
        figure = value // 10**power % 10
        if figure:
            said = "两" if figure == 2 and power == 3 else _DIGITS[figure]
            out += said + _SMALL[power]
        elif out and not out.endswith("零"):
            out += "零"
    out = out.rstrip("零")
    return out[1:] if leading and out.startswith("一十") else out


def number(text: str) -> str:
    """``"1,234.50"`` → 一千二百三十四点五零; the decimals are read one by one."""
    whole, _, decimals = text.replace(",", "").partition(".")
    return integer(whole or "0") + ("点" + digits(decimals) if decimals else "")


def year(text: str) -> str:
    return digits(text)


def money(text: str) -> str:
    """An amount of yuan with two decimals: ``"1,234.50"`` → 一千二百三十四元五角."""
    whole, _, decimals = text.replace(",", "").partition(".")
    jiao, fen = int(decimals[0]), int(decimals[1])
    out = integer(whole or "0") + "元"
    if jiao:
        out += _DIGITS[jiao] + "角"
    if fen:
        out += ("" if jiao else "零") + _DIGITS[fen] + "分"
    return out
