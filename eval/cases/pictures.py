"""Pictures of text, drawn here with their wording known: what a person photographs, scrolls through and sends.

Every sentence is our own. The set is fixed by its seed; it was written before recognition was first run on it.
"""

from __future__ import annotations

import io
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

# Debian's fonts-noto-cjk; without it there is nothing to draw Chinese with.
FONTS = tuple(
    Path("/usr/share/fonts/opentype/noto") / name for name in ("NotoSansCJK-Regular.ttc", "NotoSerifCJK-Regular.ttc")
)
PER_KIND = 3
_CAN_NOT_START = "，。、；：？！）》”%"

_SENTENCES = (
    "湖心站每小时记录一次水位，数据当天送到县里，全年不停。",
    "六月十八日夜里下了大雨，北岸的水泵从二十二点开到次日清晨。",
    "报名截止到2027年3月15日17:30，逾期不予受理。",
    "申请人须提交身份证复印件1份、近期照片2张和体检表原件。",
    "每户补助上限为人民币4,800元，超出部分由本人承担。",
    "管理处设在东门内二层203室，电话是0571-0000-1234。",
    "本次检修涉及三座闸门、两台变压器和约1.6公里的电缆。",
    "会议决定：旧表格用到年底，新表格从一月一日起施行。",
    "小组把样品分成甲、乙两批，各重复测量七次，取中间的值。",
    "他在日记里写道，天亮以前雾最浓，连桥墩都看不见。",
    "如对结果有异议，可在五个工作日内向复核小组书面提出。",
    "The gauge reads 3.27 m at noon and 3.31 m at midnight.",
    "车辆从南门进、西门出，不得在坡道上停留，也不得鸣笛。",
    "第一批名单共有128人，其中41人来自外地，另有6人候补。",
    "孩子们沿着堤岸捡了半天，一共捡回三十多个塑料瓶。",
    "合同编号HX-2026-0417，一式四份，双方各执两份。",
    "请勿使用红色墨水填写；字迹不清的表格一律退回重填。",
    "仓库内温度保持在18℃至22℃之间，湿度不超过60%。",
    "Visitors without a badge must wait at the front desk.",
    "老船工说，看云识天气靠的是记性，不是运气。",
    "水样在四十八小时内送检，途中避光，并保持低温。",
    "缴费标准不变：成人每月35元，学生凭证减半。",
    "未经许可，任何人不得进入配电间，施工人员除外。",
    "这条支线全长八十七公里，设站十一座，隧道占了三成。",
    "附件二列出了各科室的联系人，请以最新版本为准。",
    "秋分以后白天变短，值班时间相应提前半个小时。",
)


@dataclass(frozen=True)
class Picture:
    kind: str
    name: str
    data: bytes  # PNG or JPEG
    text: str  # paragraphs as drawn, one a line


def pictures(*, per_kind: int = PER_KIND) -> Iterator[Picture]:
    """Yield the set, kind after kind.

    Raises:
        FileNotFoundError: the font is not installed.
    """
    for font in FONTS:
        if not font.exists():
            raise FileNotFoundError(font)
    for kind, draw in _KINDS.items():
        for number in range(per_kind):
            chance = random.Random(f"{kind} {number}")
            data, text = draw(chance)
            yield Picture(kind, f"{kind}-{number}", data, text)


def _paragraphs(chance: random.Random, count: int) -> list[str]:
    return ["".join(chance.sample(_SENTENCES, k=chance.randint(2, 4))) for _ in range(count)]


def _wrapped(text: str, font: ImageFont.FreeTypeFont, width: float) -> list[str]:
    """Lines no wider than ``width`` pixels; words stay whole, and no line starts with a closing mark."""
    lines, line = [], ""
    for piece in _pieces(text):
        if line and font.getlength(line + piece.rstrip()) > width and piece not in _CAN_NOT_START:
            lines.append(line.rstrip())
            line = ""
        line += piece if line else piece.lstrip()
    return [*lines, line.rstrip()]


def _pieces(text: str) -> Iterator[str]:
    word = ""
    for character in text:
        if character.isascii() and character != " ":
            word += character
            continue
        if word:
            yield word + (" " if character == " " else "")
            word = ""
        if character != " ":
            yield character
    if word:
        yield word


def _draw(
    paragraphs: list[str],
    *,
    size: int,
    width: int,
    margin: int = 60,
    ink: int = 20,
    paper: int = 255,
    font_path: Path = FONTS[0],
    left: int | None = None,
) -> Image.Image:
    """A page as wide as ``width`` and as high as its text."""
    font = ImageFont.truetype(str(font_path), size)
    rows: list[tuple[str, int]] = []
    for paragraph in paragraphs:
        for index, line in enumerate(_wrapped(paragraph, font, width - 2 * margin)):
            rows.append((line, int(size * (2.0 if rows and index == 0 else 1.5))))
    height = 2 * margin + sum(step for _, step in rows) + size
    page = Image.new("L", (width, height), paper)
    pen = ImageDraw.Draw(page)
    at = margin
    for line, step in rows:
        at += step
        pen.text((margin if left is None else left, at - size), line, font=font, fill=ink)
    return page


def _png(picture: Image.Image) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


def _clean(chance: random.Random) -> tuple[bytes, str]:
    text = _paragraphs(chance, 4)
    return _png(_draw(text, size=32, width=1_100, font_path=chance.choice(FONTS))), "\n".join(text)


def _small(chance: random.Random) -> tuple[bytes, str]:
    text = _paragraphs(chance, 8)
    return _png(_draw(text, size=15, width=900, font_path=chance.choice(FONTS))), "\n".join(text)


def _photo(chance: random.Random) -> tuple[bytes, str]:
    """Paper on a dark desk: leaning 2°, out of focus, noisy, half in the shadow, and a JPEG."""
    text = _paragraphs(chance, 4)
    page = _draw(text, size=44, width=1_600, margin=120, ink=50, paper=235, font_path=chance.choice(FONTS))
    desk = Image.new("L", (page.width + 300, page.height + 300), 60)
    desk.paste(page, (150, 150))
    turned = desk.rotate(chance.choice((-2.0, 2.0)), Image.Resampling.BICUBIC, fillcolor=60)
    pixels = np.asarray(turned.filter(ImageFilter.GaussianBlur(1.4)), dtype=np.float64)
    shadow = np.linspace(1.0, 0.45, pixels.shape[1])[None, :]
    noise = np.random.default_rng(chance.randint(0, 2**32)).normal(0, 9, pixels.shape)
    shot = Image.fromarray(np.clip(pixels * shadow + noise, 0, 255).astype(np.uint8))
    buffer = io.BytesIO()
    shot.save(buffer, "JPEG", quality=70)
    return buffer.getvalue(), "\n".join(text)


def _long(chance: random.Random) -> tuple[bytes, str]:
    """What a phone stitches while one scrolls: 1,080 wide, about 12,000 high."""
    text = _paragraphs(chance, 38)
    return _png(_draw(text, size=42, width=1_080)), "\n".join(text)


def _dark(chance: random.Random) -> tuple[bytes, str]:
    text = _paragraphs(chance, 5)
    return _png(_draw(text, size=36, width=1_080, ink=190, paper=18)), "\n".join(text)


def _columns(chance: random.Random) -> tuple[bytes, str]:
    text = _paragraphs(chance, 6)
    sides = [_draw(text[at : at + 3], size=28, width=760, margin=50) for at in (0, 3)]
    page = Image.new("L", (1_520, max(side.height for side in sides)), 255)
    page.paste(sides[0], (0, 0))
    page.paste(sides[1], (760, 0))
    return _png(page), "\n".join(text)


def _wide(chance: random.Random) -> tuple[bytes, str]:
    """A desktop window: lines of about ninety characters."""
    text = _paragraphs(chance, 6)
    return _png(_draw(text, size=26, width=2_560, margin=100)), "\n".join(text)


def _turned(degrees: int) -> Callable[[random.Random], tuple[bytes, str]]:
    def draw(chance: random.Random) -> tuple[bytes, str]:
        text = _paragraphs(chance, 4)
        page = _draw(text, size=32, width=1_100, font_path=chance.choice(FONTS))
        return _png(page.rotate(degrees, expand=True)), "\n".join(text)

    return draw


_KINDS: dict[str, Callable[[random.Random], tuple[bytes, str]]] = {
    "clean": _clean,
    "small": _small,
    "photo": _photo,
    "long": _long,
    "dark": _dark,
    "columns": _columns,
    "wide": _wide,
    "sideways": _turned(90),
    "head": _turned(180),
}
