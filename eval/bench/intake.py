"""``python -m eval.bench.intake [--data DIR]``: pages per second beside bare trafilatura, PDFs beside bare pdfium.

Makes its pages itself (news with a menu, a sidebar, a table and hidden parts; an English post; a WeChat article), so
that the ratio can be measured anywhere; ``--data DIR`` takes the pages of DIR/html and the PDFs of DIR/pdf instead.
Both sides take turns in one run, best of N, and every ratio is ours over theirs: 2.0 means twice as long. What ours
does besides (hidden text, tables, pictures, blocked pages, the map) is in its time.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pypdfium2
import trafilatura

from eval.bench.extract import bare, fastest, make_pdf
from pipeline.domain.errors import InputRejected
from pipeline.domain.source import InputType, SourceLimits
from pipeline.intake.extract import extract
from pipeline.intake.page_markup import parse
from pipeline.intake.page_unseen import remove_unseen
from pipeline.intake.tree import walked
from pipeline.providers.parse_child import ParseChild

_HAN = "水位站每小时记录一次北岸泵阀季度报告流量测量检修库区降雨上游下泄闸门值守人员巡查情况良好数据完整需要补测"
_WORDS = "water level station records each hour the north bank pump valve quarterly report measured flow season".split()


def make_pages(count: int, *, seed: int = 7) -> list[bytes]:
    chance = random.Random(seed)
    kinds = (_news, _post, _wechat)
    return [kinds[number % len(kinds)](chance, number).encode() for number in range(count)]


def _han(chance: random.Random) -> str:
    return "，".join("".join(chance.choices(_HAN, k=chance.randint(8, 26))) for _ in range(4)) + "。"


def _latin(chance: random.Random) -> str:
    return " ".join(chance.choices(_WORDS, k=chance.randint(12, 40))).capitalize() + "."


def _news(chance: random.Random, number: int) -> str:
    menu = "".join(f"<li><a href='/{n}'>{''.join(chance.choices(_HAN, k=4))}</a></li>" for n in range(60))
    side = "".join(f"<li><a href='/p{n}'>{''.join(chance.choices(_HAN, k=18))}</a></li>" for n in range(40))
    rows = "".join(f"<tr><td>站{n}</td><td>{n}.2</td><td>{n * 7}</td></tr>" for n in range(12))
    body = "".join(f"<p>{_han(chance)}</p>" for _ in range(18))
    return (
        "<!DOCTYPE html><html><head><meta charset=utf-8><style>.ad{display:none}</style>"
        f"<title>第{number}号水情</title></head><body><nav><ul>{menu}</ul></nav>"
        f"<div id=main><h1>第{number}号水情</h1>{body}<div class=ad>{_han(chance)}</div>"
        f"<table><tr><th>站名<th>水位<th>流量</tr>{rows}</table><p>{_han(chance)}<img data-src=/{number}.jpg></p>"
        f"</div><aside><ul>{side}</ul></aside><footer><p>版权所有</p></footer></body></html>"
    )


def _post(chance: random.Random, number: int) -> str:
    body = "".join(f"<h2>Part {n}</h2><p>{_latin(chance)}</p><p>{_latin(chance)}</p>" for n in range(12))
    side = "".join(f"<div class=card><a href='/{n}'>{_latin(chance)}</a></div>" for n in range(20))
    return (
        f"<!DOCTYPE html><html><head><title>Report {number}</title></head><body><header><a href=/>Home</a></header>"
        f"<main><article><h1>Report {number}</h1>{body}</article></main><aside>{side}</aside></body></html>"
    )


def _wechat(chance: random.Random, number: int) -> str:
    style = "margin: 0px; padding: 0px; outline: 0px; max-width: 100%; box-sizing: border-box !important;"
    body = "".join(f"<section style='{style}'><span style='{style}'>{_han(chance)}</span></section>" for _ in range(40))
    script = "".join(f"function f{n}(a){{return a+{n};}}\n" for n in range(4_000))
    return (
        "<html><head><meta property='og:site_name' content='微信公众平台'></head><body>"
        f"<h1 id=activity-name>第{number}篇</h1><div id=js_content style='visibility:hidden'>{body}</div>"
        f"<script>{script}</script></body></html>"
    )


def read(pages: Sequence[bytes]) -> int:
    """Our reading of each page; the characters that came out."""
    chars = 0
    for data in pages:
        try:
            chars += len(extract(data, name="bench.html", kind=InputType.HTML).text)
        except InputRejected:
            continue
    return chars


def read_bare(pages: Sequence[bytes]) -> int:
    return sum(len(trafilatura.extract(data) or "") for data in pages)


def walk_only(pages: Sequence[bytes]) -> int:
    """What our own passes cost without trafilatura: the tree, what is hidden, the pieces."""
    count = 0
    for data in pages:
        tree = parse(data.decode("utf-8", "replace"))
        remove_unseen(tree)
        count += len(walked(tree).pieces)
    return count


def read_pdfs(pdfs: Sequence[bytes]) -> int:
    chars = 0
    for data in pdfs:
        try:
            chars += len(extract(data, name="bench.pdf", kind=InputType.PDF).text)
        except InputRejected:
            continue
    return chars


async def child_seconds(data: bytes) -> float:
    started = time.perf_counter()
    await ParseChild(SourceLimits()).parse(data, name="bench.html", kind=InputType.HTML)
    return time.perf_counter() - started


def measure(pages: Sequence[bytes], pdfs: Sequence[bytes], times: int) -> dict[str, Any]:
    read(pages[:3]), read_bare(pages[:3])  # both sides load their rules once
    ours_s, bare_s, walk_s = fastest(times, lambda: read(pages), lambda: read_bare(pages), lambda: walk_only(pages))
    pdf_s, pdfium_s = fastest(times, lambda: read_pdfs(pdfs), lambda: sum(map(bare, pdfs)))
    return {
        "pages": len(pages),
        "page_bytes": sum(map(len, pages)),
        "our_pages_per_s": round(len(pages) / ours_s, 1),
        "trafilatura_pages_per_s": round(len(pages) / bare_s, 1),
        "page_ratio": round(ours_s / bare_s, 2),
        "of_it_our_own_passes": round(walk_s / ours_s, 2),
        "page_in_a_child_s": round(asyncio.run(child_seconds(pages[0])), 2),
        "pdfs": len(pdfs),
        "pdf_s": round(pdf_s, 3),
        "bare_pdfium_s": round(pdfium_s, 3),
        "pdf_ratio": round(pdf_s / pdfium_s, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--pages", type=int, default=60)
    parser.add_argument("--times", type=int, default=3)
    chosen = parser.parse_args()
    if chosen.data:
        pages = [path.read_bytes() for path in sorted((chosen.data / "html").glob("*.html"))]
        pdfs = [data for path in sorted((chosen.data / "pdf").glob("*.pdf")) if opens(data := path.read_bytes())]
    else:
        pages, pdfs = make_pages(chosen.pages), [make_pdf(40, seed=seed) for seed in (1, 2)]
    print(json.dumps(measure(pages, pdfs, chosen.times), indent=1))


def opens(data: bytes) -> bool:
    """Whether both sides can read a PDF: the locked and the broken ones are left out."""
    try:
        bare(data)
        return bool(extract(data, name="bench.pdf", kind=InputType.PDF))
    except (InputRejected, pypdfium2.PdfiumError):
        return False


if __name__ == "__main__":
    main()
