"""PDF files made by hand, so that a test says exactly what stands where; every character is its own, through ToUnicode."""

from __future__ import annotations

import zlib
from collections.abc import Callable

_NARROW, _WIDE = 500, 1_000  # thousandths of the size
_PER_FONT = 240


class Printed:
    """Pages of text at given places. Coordinates are points from the bottom left, as PDF counts."""

    def __init__(self, *, width: float = 595, height: float = 842) -> None:
        self.width, self.height = width, height
        self._pages: list[tuple[list[str], int, list[str]]] = []
        self._codes: dict[str, int] = {}
        self._pictures: list[bytes] = []

    def page(self, *, rotate: int = 0) -> Printed:
        self._pages.append(([], rotate, []))
        return self

    def draw(self, operators: str) -> Printed:
        """Add operators to the page's stream as they are."""
        self._pages[-1][0].append(operators)
        return self

    def say(
        self, x: float, y: float, text: str, *, size: float = 11, matrix: str = "1 0 0 1", mode: int = 0
    ) -> Printed:
        return self.glyphs(x, y, list(text), size=size, matrix=matrix, mode=mode)

    def glyphs(
        self, x: float, y: float, glyphs: list[str], *, size: float = 11, matrix: str = "1 0 0 1", mode: int = 0
    ) -> Printed:
        """Print glyphs from a place on; one glyph may stand for several characters, as a ligature does."""
        parts = []
        for glyph in glyphs:
            number = self._codes.setdefault(glyph, len(self._codes))
            parts.append(f"/F{number // _PER_FONT} {size} Tf <{number % _PER_FONT + 1:02x}> Tj")
        return self.draw(f"BT {mode} Tr {matrix} {x} {y} Tm {' '.join(parts)} ET")

    def line(self, x0: float, y0: float, x1: float, y1: float) -> Printed:
        return self.draw(f"0.5 w {x0} {y0} m {x1} {y1} l S")

    def grid(self, xs: list[float], ys: list[float]) -> Printed:
        """Rules of a table: every x over the whole height, every y over the whole width."""
        for x in xs:
            self.line(x, ys[0], x, ys[-1])
        for y in ys:
            self.line(xs[0], y, xs[-1], y)
        return self

    def picture(self, x: float, y: float, width: float, height: float) -> Printed:
        """A grey picture over the given part of the page."""
        return self.draw(f"q {width} 0 0 {height} {x} {y} cm /I1 Do Q")

    def annotate(self, dictionary: str) -> Printed:
        """Add an annotation to the page."""
        self._pages[-1][2].append(dictionary)
        return self

    def bytes(self) -> bytes:
        objects: list[bytes] = []

        def add(body: bytes) -> int:
            objects.append(body)
            return len(objects)

        fonts = self._fonts(add)
        picture = add(
            _stream(
                "/Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray /BitsPerComponent 8",
                b"\x80\x90\x70\x60",
            )
        )
        tree = add(b"")
        kids = []
        for content, rotate, notes in self._pages:
            stream = add(_stream("", "\n".join(content).encode()))
            its = [add(note.encode()) for note in notes]
            annots = f"/Annots [{' '.join(f'{n} 0 R' for n in its)}]" if its else ""
            kids.append(
                add(
                    f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 {self.width} {self.height}] /Rotate {rotate} "
                    f"/Contents {stream} 0 R {annots} /Resources << /Font << {fonts} >> "
                    f"/XObject << /I1 {picture} 0 R >> >> >>".encode()
                )
            )
        objects[tree - 1] = (
            f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(f'{kid} 0 R' for kid in kids)}] >>".encode()
        )
        return assembled(objects, add(f"<< /Type /Catalog /Pages {tree} 0 R >>".encode()))

    def _fonts(self, add: Callable[[bytes], int]) -> str:
        """Type 3 fonts whose every glyph is a box: what a glyph is called is its own matter, and its place is exact."""
        box = {
            width: add(_stream("", f"{width} 0 0 -120 {width} 880 d1 60 -60 {width - 120} 880 re f".encode()))
            for width in (_NARROW, _WIDE)
        }
        glyphs = list(self._codes)
        fonts = []
        for number, start in enumerate(range(0, len(glyphs), _PER_FONT)):
            its = glyphs[start : start + _PER_FONT]
            widths = [_WIDE if glyph[0] >= "\u2e80" else _NARROW for glyph in its]
            procedures = " ".join(f"/g{code} {box[width]} 0 R" for code, width in enumerate(widths, start=1))
            names = " ".join(f"/g{code}" for code in range(1, len(its) + 1))
            pairs = [f"<{code:02x}> <{glyph.encode('utf-16-be').hex()}>" for code, glyph in enumerate(its, start=1)]
            chunks = [pairs[at : at + 100] for at in range(0, len(pairs), 100)]
            maps = "\n".join(f"{len(chunk)} beginbfchar\n" + "\n".join(chunk) + "\nendbfchar" for chunk in chunks)
            cmap = add(
                _stream(
                    "",
                    "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Own def /CMapType 2 def\n"
                    f"1 begincodespacerange <00> <ff> endcodespacerange\n{maps}\nendcmap end end".encode(),
                )
            )
            font = add(
                f"<< /Type /Font /Subtype /Type3 /FontBBox [0 -120 1000 880] /FontMatrix [0.001 0 0 0.001 0 0] "
                f"/CharProcs << {procedures} >> /Encoding << /Type /Encoding /Differences [1 {names}] >> "
                f"/FirstChar 1 /LastChar {len(its)} /Widths [{' '.join(map(str, widths))}] "
                f"/Resources << >> /ToUnicode {cmap} 0 R >>".encode()
            )
            fonts.append(f"/F{number} {font} 0 R")
        return " ".join(fonts)


def _stream(entries: str, data: bytes) -> bytes:
    packed = zlib.compress(data)
    return f"<< {entries} /Length {len(packed)} /Filter /FlateDecode >>\nstream\n".encode() + packed + b"\nendstream"


def assembled(objects: list[bytes], root: int) -> bytes:
    """Objects 1, 2, … and their table as a file."""
    out = bytearray(b"%PDF-1.5\n")
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer << /Size %d /Root %d 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, root, start)
    return bytes(out)
