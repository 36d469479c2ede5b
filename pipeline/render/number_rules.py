"""Which number is read how: an ordered table of patterns (rule TTS-3).

A rule sees what the rules before it left over, so the narrow ones come first: a date before a decimal, a version
before both. Text is simplified, half-width and free of markup by now. Numbers that are names (phones, years, rooms)
go digit by digit, quantities go as numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from pipeline.render.numerals import digits, integer, money, number

Match: TypeAlias = "re.Match[str]"
Rule: TypeAlias = "tuple[re.Pattern[str], Callable[[Match], str]]"

NUM = r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
TO = r"\s*(?:-|–|—+|~|至|到)\s*"
_CURRENCY = {"¥": "元", "￥": "元", "RMB": "元", "CNY": "元", "$": "美元", "US$": "美元", "USD": "美元", "HK$": "港元",
             "€": "欧元", "£": "英镑"}  # fmt: skip
_UNITS = {
    "km/h": "公里每小时", "m/s": "米每秒", "km²": "平方公里", "m²": "平方米", "㎡": "平方米", "m³": "立方米",
    "m2": "平方米", "m3": "立方米", "cm²": "平方厘米", "km": "公里", "cm": "厘米", "mm": "毫米",
    "μm": "微米", "µm": "微米", "nm": "纳米",
    "m": "米", "kg": "千克", "mg": "毫克", "μg": "微克", "g": "克", "t": "吨", "mL": "毫升", "ml": "毫升", "L": "升",
    "mg/L": "毫克每升", "g/L": "克每升", "μg/m³": "微克每立方米", "mg/kg": "毫克每千克",
    "℃": "摄氏度", "°C": "摄氏度", "℉": "华氏度", "°": "度", "kWh": "千瓦时",
    "kW": "千瓦", "MW": "兆瓦", "W": "瓦",
    "kV": "千伏", "V": "伏", "mAh": "毫安时", "kHz": "千赫", "MHz": "兆赫", "GHz": "吉赫", "Hz": "赫兹", "dB": "分贝",
    "kPa": "千帕", "MPa": "兆帕", "Pa": "帕", "ms": "毫秒", "s": "秒", "min": "分钟", "h": "小时", "Mbps": "兆比特每秒",
    "Gbps": "吉比特每秒", "kcal": "千卡", "ppm": "百万分之一",
}  # fmt: skip
_UNIT = "|".join(re.escape(unit) for unit in sorted(_UNITS, key=len, reverse=True))
# What is counted in pairs as 两; ordinals and names (2月, 2号楼, 2班) keep 二.
_MEASURES = (
    "个|位|名|人|只|条|张|本|台|部|家|件|种|类|次|天|年|周|小时|分钟|秒|倍|份|篇|段|句|项|套|块|斤|公里|米|吨|点|岁|字|"
    "章|节课|轮|组|门|颗|棵|杯|瓶|千|万|亿|美元|元钱|成|届|场|批|步|半"
)
_HANDED = r"(?:电话|手机|热线|致电|拨打|传真|联系方式|号码|客服|报警|急救|火警)"
_NAMED = r"(?:编号|账号|帐号|学号|工号|卡号|证号|单号|订单号|邮编|QQ|群号|房号|密码|验证码|代码|尾号|车牌)"


def _date(found: Match) -> str:
    y, m, d = found["y"], found["m"], found["d"]
    if not (1 <= int(m) <= 12 and 1 <= int(d) <= 31):
        return _dotted(found[0])
    return f"{digits(y)}年{integer(str(int(m)))}月{integer(str(int(d)))}日"


def _year_month(found: Match) -> str:
    return f"{digits(found['y'])}年{integer(str(int(found['m'])))}月"


def _year(found: Match) -> str:
    end = found.end()
    after = found.string[end : end + 3]
    value = int(found["y"])
    span = bool(re.match("前(?!后)|来|以上|多|的?历史|时间", after))
    named = 1900 <= value <= 2100 or (1000 <= value < 1900 and not span) or found["y"][0] == "0"
    return (digits if named else integer)(found["y"]) + "年"


def _time(found: Match) -> str:
    hour, minute, second = int(found["h"]), int(found["min"]), found["sec"]
    if hour > 24 or minute > 59:
        return f"{integer(found['h'])}比{integer(str(minute))}"
    out = "两点" if hour == 2 else f"{integer(str(hour))}点"
    if minute or second:
        out += ("零" if 0 < minute < 10 else "") + integer(str(minute)) + "分"
    return out + (f"{integer(str(int(second)))}秒" if second else "")


def _phone(found: Match) -> str:
    return "，".join(digits(part) for part in re.split(r"[-\s()]+", found["n"]) if part)


def _dotted(text: str) -> str:
    """A version or an address: each part by itself, a part of three figures or more digit by digit."""
    lead = "V" if text[0] in "vV" else ""
    return lead + "点".join(integer(p) if len(p) < 3 else digits(p) for p in re.split(r"[./-]", text.lstrip("vV")))


def _percent(found: Match) -> str:
    whole = {"%": "百分之", "‰": "千分之"}[found["sign"]]
    sign = "负" if found["minus"] else ""
    if found["to"]:
        return f"{sign}{whole}{number(found['a'])}到{whole}{number(found['to'])}"
    return f"{sign}{whole}{number(found['a'])}"


def _currency(found: Match) -> str:
    unit, amount, scale = _CURRENCY[found["sign"]], found["a"], found["scale"] or ""
    if found["to"]:
        return f"{number(amount)}到{number(found['to'])}{scale}{unit}"
    if unit == "元" and not scale and re.fullmatch(r"[\d,]+\.\d\d", amount):
        return money(amount)
    return number(amount) + scale + unit


def _fraction(found: Match) -> str:
    top, bottom = found["a"], found["b"]
    if int(top) < int(bottom):
        return f"{integer(bottom)}分之{integer(top)}"
    return f"{integer(top)}，{integer(bottom)}"


def _range(found: Match) -> str:
    """1-3 is a range only when it rises; 3-2 without a word for it is read as it is written."""
    first, last, unit = found["a"], found["b"], _UNITS.get(found["unit"] or "", found["unit"] or "")
    th = "第" if found["th"] else ""
    if "-" not in found["to"] or _value(first) < _value(last):
        years = all(re.fullmatch("(?:19|20)\\d\\d", n) for n in (first, last))
        say = digits if years else number
        return f"{th}{say(first)}{unit}到{th}{say(last)}"
    return f"{th}{number(first)}{unit}杠{number(last)}"


def _value(text: str) -> float:
    return float(text.replace(",", ""))


def _unit(found: Match) -> str:
    minus = "负" if found["minus"] else ""
    amount = "两" if found["a"] == "2" and found["unit"] not in "℃°" else number(found["a"])
    return minus + amount + _UNITS[found["unit"]]


def _model(found: Match) -> str:
    """A number that belongs to a name: GPT-4o, H100, COVID-19. No minus, and long ones digit by digit."""
    parts = []
    for figures in found["n"].split("-"):
        named = "." not in figures and len(figures) > 2 and not figures.endswith("00")
        parts.append(digits(figures) if named else number(figures))
    return "杠".join(parts)


def _plain(found: Match) -> str:
    text = found[0]
    bare = text.replace(",", "")
    if bare.isdigit() and len(bare) > 8 and not bare.endswith("0000"):
        return digits(bare)
    return number(text)


def _rule(pattern: str, say: Callable[[Match], str]) -> Rule:
    return re.compile(pattern), say


_EDGE, _END = r"(?<![\d.])", r"(?![\d])(?!\.\d)"
_Y = r"(?P<y>(?:19|20)\d\d)"
RULES: tuple[Rule, ...] = (
    _rule(rf"(?P<lead>{_HANDED}[是为]?[:：]?\s*)(?P<n>\+?\d[\d\s()-]{{1,20}}\d)", lambda f: f["lead"] + _phone(f)),
    _rule(rf"{_EDGE}(?<!-)(?P<n>\(?0\d{{2,3}}\)?-\d{{7,8}}(?:-\d{{1,5}})?|1[3-9]\d{{9}}|[48]00-?\d{{3}}-?\d{{4}}){_END}",
          _phone),
    _rule(rf"{_EDGE}(?P<n>\d{{3,5}})(?=\s*(?:热线|电话))", lambda f: digits(f["n"])),
    _rule(rf"(?P<lead>{_NAMED}[是为]?[:：]?\s*)(?P<n>\d+)", lambda f: f["lead"] + digits(f["n"])),
    _rule(rf"{_EDGE}(?P<n>\d{{3,4}})(?=(?:室|房|教室|会议室|航班))", lambda f: digits(f["n"])),
    _rule(r"(?<![\d.,])[1-9]\d{0,2}(?: \d{3})+(?=[一-鿿%。，])", lambda f: f[0].replace(" ", "")),
    _rule(rf"{_EDGE}{_Y}(?P<s>[-/.])(?P<m>\d{{1,2}})(?P=s)(?P<d>\d{{1,2}}){_END}", _date),
    _rule(rf"{_EDGE}{_Y}-(?P<m>0[1-9]|1[0-2])(?![\d-])", _year_month),
    _rule(rf"{_EDGE}(?P<a>\d{{4}})(?:年)?{TO}(?P<b>\d{{4}})年", lambda f: f"{digits(f['a'])}到{digits(f['b'])}年"),
    _rule(rf"{_EDGE}(?P<y>\d{{4}}|0\d)\s*年", _year),
    _rule(rf"{_EDGE}(?P<a>(?:19|20)\d\d)/(?P<b>(?:19|20)?\d\d)(?=学年|年|赛季|财年)",
          lambda f: f"{digits(f['a'])}到{digits(f['b'])}"),
    _rule(r"(?P<lead>(?:比分|大比分|总分|战成|战平|比例|比为|胜|负|平)[为是:：]?\s*)(?P<a>\d+)\s*[-–—:：]\s*(?P<b>\d+)",
          lambda f: f"{f['lead']}{integer(f['a'])}比{integer(f['b'])}"),
    _rule(rf"{_EDGE}(?P<a>\d{{1,3}})[-:：](?P<b>\d{{1,3}})(?=(?:战胜|击败|获胜|取胜|领先|落后|负于))",
          lambda f: f"{integer(f['a'])}比{integer(f['b'])}"),
    _rule(r"(?<=\d[:：]\d\d)\s*[-–—~]+\s*(?=\d{1,2}[:：]\d\d)", lambda f: "到"),
    _rule(r"(?<![\d:.])(?P<h>\d{1,2})[:：](?P<min>\d\d)(?:[:：](?P<sec>\d\d))?(?![\d:])", _time),
    _rule(r"(?<![\d.])(?P<a>\d+)\s?[:：]\s?(?P<b>\d+)(?![\d:])", lambda f: f"{integer(f['a'])}比{integer(f['b'])}"),
    _rule(r"(?<![\d.])(?<![A-Za-z])[vV]\d+(?:\.\d+)*(?![\d])", lambda f: _dotted(f[0])),
    _rule(r"(?<![\d.])\d+(?:\.\d+){2,}(?!\d)", lambda f: _dotted(f[0])),
    _rule(rf"(?P<sign>US\$|HK\$|[¥￥$€£]|(?<![A-Za-z])(?:RMB|CNY|USD))\s?(?P<a>{NUM})(?:{TO}[¥￥$€£]?(?P<to>{NUM}))?"
          r"\s?(?P<scale>万亿|百万|千万|[万亿千])?元?", _currency),
    _rule(rf"(?P<minus>(?<![\dA-Za-z%])[-−])?(?<![\d.])(?P<a>{NUM})\s?[%‰]?(?:{TO}(?P<to>{NUM}))?\s?(?P<sign>[%‰])",
          _percent),
    _rule(rf"(?P<th>第)?(?<![\d.A-Za-z-])(?<![A-Za-z] )(?P<a>{NUM})\s?(?P<unit>{_UNIT}|[月日号时点年章节条页课天岁元])?"
          rf"(?P<to>{TO})第?(?P<b>{NUM})(?![\d-])(?!\.\d)", _range),
    _rule(rf"(?P<minus>(?<![\dA-Za-z])[-−])?(?<![\d.A-Za-z])(?<![A-Za-z][ -])(?P<a>{NUM})\s?(?P<unit>{_UNIT})"
          r"(?![A-Za-z0-9²³])", _unit),
    _rule(r"(?<![\d/A-Za-z])(?P<a>\d{1,3})/(?P<b>\d{1,4})(?![\d/A-Za-z])", _fraction),
    _rule(r"(?<=[A-Za-z])-?(?P<n>\d+(?:\.\d+)?(?:-\d+)?)", _model),
    _rule(r"(?<=[A-Za-z])\s(?P<n>\d+(?:\.\d+)?(?:-(?:19|20)\d\d)?)(?![\d,])", lambda f: " " + _model(f)),
    _rule(r"(?<![\dA-Za-z一-鿿])[-−](?=\d)|(?<=[为是到达约至低降温])[-−](?=\d)", lambda f: "负"),
    _rule(rf"(?<![\d.第,])2(?=(?:{_MEASURES}))(?!年代)", lambda f: "两"),
    _rule(NUM, _plain),
)  # fmt: skip


def say_numbers(text: str) -> str:
    """Write out every number in ``text``."""
    for pattern, say in RULES:
        text = pattern.sub(say, text)
    return text
