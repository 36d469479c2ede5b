"""What declarations of CSS take from a reader's sight (rule SRC-8, pitfall W12).

Some ways of hiding cannot be undone below the element; others only make its letters vanish (size 0, invisible,
the colour of the ground), and a child that sets the same property shows its own again.
"""

from __future__ import annotations

import re

Declarations = dict[str, str]

SIZE, SIGHT, COLOUR = "font-size", "visibility", "color"  # the letters vanish; a child may show its own again

_HINT = re.compile(
    r"none|display|hidden|opacity|font|color|-\s*\d{2}|clip|scale|translate|transparent|through|height|width|background|visib|[\\/]",
    re.IGNORECASE,
)
_ESCAPE = re.compile(r"\\([0-9a-fA-F]{1,6})\s?")
_ZERO = re.compile(r"[+-]?(?:0+(?:\.0*)?|\.0+)(?:px|pt|pc|em|ex|ch|rem|vw|vh|vmin|vmax|mm|cm|in|%)?$")
_TINY = re.compile(r"(?:[01](?:\.\d+)?|0?\.\d+)(?:px)?$")
_ABSOLUTE_SIZE = re.compile(r"(?:\d*\.)?\d+(?:px|pt|pc|rem|vw|vh|mm|cm|in)$|(?:x{1,2}-)?(?:small|large)$|medium$")
_FAR = re.compile(r"-(?:\d{4,}|[5-9]\d\d)(?:\.\d+)?px|-\d{2,}(?:\.\d+)?r?em|-[1-9]\d{2,}(?:\.\d+)?(?:v[wh]|%)")
_CLIPPED = re.compile(
    r"rect\(\s*(?:[01](?:px)?[\s,]*){4}\)|inset\(\s*(?:[5-9]\d|100)%|circle\(\s*0|polygon\(\s*(?:0[\s,]*)+\)"
)
_SHRUNK = re.compile(r"scale[xy3d]*\(\s*0(?:\.0+)?\s*[,)]|matrix\(\s*0\s*,\s*0\s*,\s*0\s*,\s*0")
_OFFSETS = ("left", "right", "top", "bottom", "margin-left", "margin-top", "text-indent", "inset-inline-start")
_REVEALED = ("transform", "transition", "animation", "animation-name", "will-change")


def without_comments(css: str) -> str:
    """Return ``css`` without its comments; one that never ends takes the rest with it, as in a browser."""
    parts: list[str] = []
    at = 0
    while (start := css.find("/*", at)) >= 0:
        parts.append(css[at:start])
        end = css.find("*/", start + 2)
        if end < 0:
            return "".join(parts)
        at = end + 2
    parts.append(css[at:])
    return "".join(parts)


def declarations(style: str) -> Declarations:
    """Return property → value, lower case; the later of two wins, and ``!important`` is left off."""
    if not _HINT.search(style):
        return {}
    if "/" in style:
        style = without_comments(style)
    if "\\" in style:
        style = _ESCAPE.sub(lambda m: chr(int(m.group(1), 16)) if int(m.group(1), 16) < 0x110000 else "", style)
    found: Declarations = {}
    for part in style.lower().split(";"):
        name, colon, value = part.partition(":")
        if colon:
            found[name.strip()] = value.split("!", 1)[0].strip()
    return found


def unseen(found: Declarations) -> frozenset[str]:
    """Return the properties by which the element and everything in it cannot be seen; empty when it can be."""
    causes = {"display"} if found.get("display") == "none" else set()
    if found.get("content-visibility") == "hidden":
        causes.add("content-visibility")
    if _faded(found):
        causes |= {"opacity", "filter"}
    if _outside(found):
        causes |= {"transform", *_OFFSETS}
    if _cut_off(found):
        causes |= {"clip", "clip-path", "transform", "height", "width", "overflow"}
    return frozenset(causes)


def _faded(found: Declarations) -> bool:
    """Opacity 0, unless the same style prepares a movement: then the page fades it in when it is scrolled to."""
    clear = _ZERO.match(found.get("opacity", "1")) or "opacity(0" in found.get("filter", "").replace(" ", "")
    return bool(clear) and not any(name in found for name in _REVEALED)


def _outside(found: Declarations) -> bool:
    return any(_FAR.match(found[name]) for name in _OFFSETS if name in found) or bool(
        _FAR.search(found.get("transform", "")) and "translate" in found["transform"]
    )


def _cut_off(found: Declarations) -> bool:
    if _CLIPPED.match(found.get("clip", "")) or _CLIPPED.match(found.get("clip-path", "")):
        return True
    if _SHRUNK.search(found.get("transform", "")):
        return True
    if "padding-bottom" in found or "padding-top" in found:
        return False  # a box of no height that keeps the shape of a picture
    cut = any(found.get(name, "") in ("hidden", "clip") for name in ("overflow", "overflow-x", "overflow-y"))
    return cut and any(_TINY.match(found[name]) for name in ("height", "width") if name in found)


def letters(found: Declarations) -> dict[str, bool]:
    """Return SIZE, SIGHT, COLOUR → whether this style hides (True) or shows (False) the letters in that way."""
    told: dict[str, bool] = {}
    size = found.get("font-size") or _size_of_font(found.get("font", ""))
    if _ZERO.match(size or "1"):
        told[SIZE] = True
    elif size and _ABSOLUTE_SIZE.match(size):
        told[SIZE] = False
    if sight := found.get("visibility"):
        told[SIGHT] = sight in ("hidden", "collapse")
    if colour := found.get("color"):
        told[COLOUR] = _same_colour(colour, found)
    return told


def _size_of_font(font: str) -> str:
    return next((part.split("/")[0] for part in font.split() if part[0].isdigit()), "") if font else ""


def _same_colour(colour: str, found: Declarations) -> bool:
    """Transparent letters (unless a background shines through them), or letters of their own background's colour."""
    if "text" in (found.get("background-clip"), found.get("-webkit-background-clip")):
        return False
    ground = _colour(found.get("background-color") or found.get("background", ""))
    return _colour(colour) in ("transparent", ground or "transparent")


def _colour(value: str) -> str:
    """One spelling for the usual spellings of a colour; anything else as it stands."""
    plain = re.sub(r"\s*([,()])\s*", r"\1", value).split(" ", 1)[0]
    if rgb := re.fullmatch(r"rgba?\((\d+),(\d+),(\d+)(?:,1)?\)", plain):
        return "#" + "".join(f"{min(int(part[:3]), 255):02x}" for part in rgb.groups())
    if re.fullmatch(r"#[0-9a-f]{3}", plain):
        return "#" + "".join(digit * 2 for digit in plain[1:])
    return {"white": "#ffffff", "black": "#000000"}.get(plain, plain)


def struck(found: Declarations) -> bool:
    return "line-through" in found.get("text-decoration", "") + found.get("text-decoration-line", "")
