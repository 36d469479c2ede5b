"""``python -m eval.bench.extract``: what reading a long PDF costs beside bare pdfium, in one run.

Makes a PDF of 350 text pages itself (Latin words in Helvetica and Chinese through an unembedded GB font, headers,
page numbers), then times, best of N: pdfium alone (text of each page), our extraction with its map, chunking, index
tokens; and once the parser child with the same bytes and with a one-line text, so that its start stands apart.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pypdfium2

from pipeline.domain.source import InputType, SourceLimits
from pipeline.evidence.chunk import split
from pipeline.evidence.terms import search_tokens
from pipeline.intake.extract import extract
from pipeline.providers.parse_child import ParseChild

_WORDS = (
    "water level station records each hour the north bank pump valve quarterly report measured flow season repair"
).split()
_HAN = "水位站每小时记录一次北岸泵阀季度报告流量测量检修库区降雨上游下泄闸门值守人员巡查情况良好数据完整需要补测"


def make_pdf(pages: int, *, seed: int = 7) -> bytes:
    """A valid PDF: one Latin and one Chinese half per page, 46 lines, a running header and a page number."""
    chance = random.Random(seed)
    objects: list[bytes] = []

    def add(body: bytes) -> int:
        objects.append(body)
        return len(objects)

    latin = add(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    cid = add(
        b"<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /CIDSystemInfo "
        b"<< /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> /FontDescriptor << /Type /FontDescriptor "
        b"/FontName /STSong-Light /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 880 /Descent -120 "
        b"/CapHeight 700 /StemV 80 >> /DW 1000 >>"
    )
    han = add(
        f"<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H "
        f"/DescendantFonts [{cid} 0 R] >>".encode()
    )
    tree = add(b"")  # filled in below, when the pages are known
    kids = []
    for number in range(1, pages + 1):
        content = zlib.compress(_page(chance, number))
        stream = add(b"<< /Length %d /Filter /FlateDecode >>\nstream\n" % len(content) + content + b"\nendstream")
        kids.append(
            add(
                f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 595 842] /Contents {stream} 0 R "
                f"/Resources << /Font << /F1 {latin} 0 R /F2 {han} 0 R >> >> >>".encode()
            )
        )
    objects[tree - 1] = f"<< /Type /Pages /Count {pages} /Kids [{' '.join(f'{k} 0 R' for k in kids)}] >>".encode()
    root = add(f"<< /Type /Catalog /Pages {tree} 0 R >>".encode())
    return _file(objects, root)


def _page(chance: random.Random, number: int) -> bytes:
    lines = [f"/F1 9 Tf 1 0 0 1 60 810 Tm (Station handbook) Tj 1 0 0 1 290 20 Tm ({number}) Tj"]
    at = 780
    for row in range(46):
        if row % 2:
            text = "".join(chance.choices(_HAN, k=34)) + ("。" if row % 7 == 0 else "，")
            lines.append(f"/F2 12 Tf 1 0 0 1 60 {at} Tm <{text.encode('utf-16-be').hex()}> Tj")
        else:
            words = " ".join(chance.choices(_WORDS, k=13))
            lines.append(f"/F1 11 Tf 1 0 0 1 60 {at} Tm ({words}{'.' if row % 6 == 0 else ''}) Tj")
        at -= 16
    return ("BT\n" + "\n".join(lines) + "\nET").encode()


def _file(objects: list[bytes], root: int) -> bytes:
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


def bare(data: bytes) -> int:
    """What pdfium alone does: the text of every page, and nothing with it."""
    document = pypdfium2.PdfDocument(data)
    chars = 0
    for page in document:
        textpage = page.get_textpage()
        chars += len(textpage.get_text_range())
        textpage.close()
        page.close()
    document.close()
    return chars


def fastest(times: int, *works: Callable[[], object]) -> list[float]:
    """Seconds of the fastest run of each work; they take turns, so that a busy machine is busy for all of them."""
    seconds = [float("inf")] * len(works)
    for _ in range(times):
        for index, work in enumerate(works):
            started = time.perf_counter()
            work()
            seconds[index] = min(seconds[index], time.perf_counter() - started)
    return seconds


async def child_seconds(data: bytes, kind: InputType) -> float:
    started = time.perf_counter()
    await ParseChild(SourceLimits()).parse(data, name="bench", kind=kind)
    return time.perf_counter() - started


def measure(pages: int, times: int) -> dict[str, Any]:
    data = make_pdf(pages)
    chars = bare(data)
    found = extract(data, name="bench.pdf", kind=InputType.PDF)
    children = [d for d in split(found.text, found.blocks) if not d.is_section]
    search_tokens("预热")  # jieba reads its dictionary once per process
    bare_s, ours_s = fastest(times, lambda: bare(data), lambda: extract(data, name="bench.pdf", kind=InputType.PDF))
    (chunk_s,) = fastest(1, lambda: split(found.text, found.blocks))
    (token_s,) = fastest(1, lambda: [search_tokens(found.text[d.start : d.end]) for d in children])
    line = "一行文字，足够长，可以算作一份很短很短的资料。".encode()
    return {
        "pages": pages,
        "pdf_bytes": len(data),
        "bare_chars": chars,
        "canonical_chars": len(found.text),
        "map_runs": len(found.offsets.runs),
        "bare_pdfium_s": round(bare_s, 3),
        "extract_and_map_s": round(ours_s, 3),
        "ratio": round(ours_s / bare_s, 2),
        "chunking_s": round(chunk_s, 3),
        "chunks": len(children),
        "index_tokens_s": round(token_s, 3),
        "child_start_s": round(asyncio.run(child_seconds(line, InputType.TEXT)), 3),
        "child_pdf_s": round(asyncio.run(child_seconds(data, InputType.PDF)), 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=350)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--pdf", type=Path, help="also write the PDF here")
    chosen = parser.parse_args()
    if chosen.pdf:
        chosen.pdf.write_bytes(make_pdf(chosen.pages))
    print(json.dumps(measure(chosen.pages, chosen.times), indent=1))


if __name__ == "__main__":
    main()
