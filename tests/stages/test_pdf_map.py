"""The offset map of a PDF: what the canonical text says at a place is what the raw text says there (rule SRC-4)."""

import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.domain.source import InputType
from pipeline.domain.text import fold, raw_span
from pipeline.intake.extract import extract
from tests.support.printed import Printed

WORDS = (
    "the station records level each hour information flow keeper morning valve 湖心站 每小时 记录 水位 数据 当天 送到 县里 "
    "北岸 水泵 检修 12 3.27 ＡＢＣ １２３ ⽔⽂ ⾦⼭ （附） 2026年 infor- mation- well-"
).split()
LIGATURES = {"fl": "ﬂ", "fi": "ﬁ"}
HYPHEN_MARK = "\ufffe"  # pdfium's; a hyphen in the canonical text

lines = st.lists(st.sampled_from(WORDS), min_size=8, max_size=12).map(" ".join)
pages = st.lists(st.tuples(lines, st.sampled_from(["plain", "bold", "ligature", "right"])), min_size=1, max_size=14)


def printed(layout):
    """Pages with lines of four sorts: plain, printed twice, with ligatures as one glyph, and beside the line before."""
    document = Printed()
    for page in layout:
        document.page()
        y = 780
        for text, sort in page:
            y -= 0 if sort == "right" else 18
            glyphs = list(text)
            if sort == "ligature":
                glyphs = [LIGATURES.get(part, part) for part in re.findall("fl|fi|.", text)]
            x = 320 if sort == "right" else 50
            document.glyphs(x, y, glyphs, size=9)
            if sort == "bold":
                document.glyphs(x + 0.4, y, glyphs, size=9)
    return document.bytes()


def squeezed(text):
    return "".join(fold(text.replace(HYPHEN_MARK, "-"))[0].split())


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(pages, min_size=1, max_size=3), st.data())
def test_raw_and_canonical_agree_wherever_one_looks(layout, data):
    """SRC-4: each run that moves in step reads the same on both sides; any span's raw side holds its words."""
    found = extract(printed(layout), name="a.pdf", kind=InputType.PDF)
    assert [f for f in fold(found.text)[0] if "\u2e80" <= f <= "\u2fdf"] == []
    last_raw = last = 0
    for start, end, low, high in found.offsets.runs:
        assert last_raw <= start <= end <= len(found.raw)
        assert last <= low <= high <= len(found.text)
        last_raw, last = end, high
        if end - start == high - low:
            assert squeezed(found.raw[start:end]) == squeezed(found.text[low:high])
    for _ in range(20):
        low = data.draw(st.integers(0, len(found.text) - 1))
        high = data.draw(st.integers(low + 1, len(found.text)))
        words, raw = squeezed(found.text[low:high]), squeezed(found.raw[slice(*raw_span(found.offsets, low, high))])
        assert within(words, raw), (words, raw)


def within(words, raw):
    """Whether ``words`` are ``raw`` with something left out: nothing is in the text that was not printed."""
    rest = iter(raw)
    return all(character in rest or character == "-" for character in words)


def test_every_character_that_is_printed_once_is_read_once():
    """Nothing is lost and nothing doubled on plain pages: the same letters in the same number."""
    layout = [[(f"第{n}行 the station records level {n}.27 each hour", "plain") for n in range(30)] for _ in range(2)]
    found = extract(printed(layout), name="a.pdf", kind=InputType.PDF)
    wanted = "".join(text for page in layout for text, _ in page)
    assert sorted(squeezed(found.text)) == sorted(squeezed(wanted))
