"""Files made to break a reader: the child's limits hold, the parent lives, and the next source is served meanwhile (SEC-3)."""

import asyncio
import contextlib
import struct
import time
import zlib
from dataclasses import replace

import pytest

from pipeline.domain.errors import ChildDied, InputRejected
from pipeline.domain.source import InputType, Quality, SourceLimits
from pipeline.providers.ocr_rapid import RapidRecogniser
from pipeline.providers.parse_child import ParseChild
from tests.support.printed import Printed, assembled

LIMITS = SourceLimits(parse_time_s=8, parse_memory_bytes=1024**3)
SENTENCE = "湖心站每小时记录一次水位，数据当天送到县里，保存十年备查。"
PAGE = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R /Resources << >> >>"


def document(contents=b"", box=b"0 0 595 842", **more):
    stream = b"<< /Length %d >>\nstream\n" % len(contents) + contents + b"\nendstream"
    return [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [" + box + b"] /Contents 4 0 R /Resources << >> >>",
        stream,
    ]


def many_objects():
    return assembled([*document(), *[b"<< /A %d >>" % n for n in range(1_000_000)]], 1)


def endless_page():
    return assembled(document(box=b"0 0 1000000000 1000000000"), 1)


def deep_tree():
    """A page tree of 20,000 levels."""
    levels = 20_000
    nodes = [b"<< /Type /Pages /Count 1 /Parent %d 0 R /Kids [%d 0 R] >>" % (n + 1, n + 3) for n in range(levels)]
    return assembled(
        [b"<< /Type /Catalog /Pages 2 0 R >>", *nodes, PAGE % (levels + 3), b"<< /Length 0 >>\nstream\n\nendstream"], 1
    )


def tree_with_a_loop():
    return assembled([b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Count 9 /Kids [2 0 R 2 0 R] >>"], 1)


def looping_table():
    """A cross-reference table whose previous one is itself."""
    data = assembled(document(), 1)
    start = data.rindex(b"xref\n0")
    return data.replace(b"/Root 1 0 R >>", b"/Root 1 0 R /Prev %d >>" % start)


def looping_stream():
    """An object stream that is stored in itself."""
    return assembled(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /ObjStm /N 1 /First 4 /Extends 2 0 R /Length 8 >>\nstream\n2 0 2 0 \nendstream",
        ],
        1,
    )


def packed_zeros():
    """A page whose content is a gigabyte of nothing."""
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(b" " * 2**20) for _ in range(1_000)) + packer.flush()
    objects = document()
    objects[3] = b"<< /Length %d /Filter /FlateDecode >>\nstream\n" % len(packed) + packed + b"\nendstream"
    return assembled(objects, 1)


def self_drawing_form():
    """A form that draws itself, twice."""
    objects = document(b"/X Do")
    objects[2] = objects[2].replace(b"/Resources << >>", b"/Resources << /XObject << /X 5 0 R >> >>")
    form = b"/X Do /X Do"
    objects.append(
        b"<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 5 0 R >> >> /Length %d >>\nstream\n"
        % len(form)
        + form
        + b"\nendstream"
    )
    return assembled(objects, 1)


def widening_forms():
    """Each form draws the next one ten times: 10^12 in all."""
    objects = document(b"/X Do")
    objects[2] = objects[2].replace(b"/Resources << >>", b"/Resources << /XObject << /X 5 0 R >> >>")
    for level in range(12):
        form = b"/X Do " * 10
        objects.append(
            b"<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X %d 0 R >> >> /Length %d >>\nstream\n"
            % (level + 6, len(form))
            + form
            + b"\nendstream"
        )
    objects.append(b"<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Length 0 >>\nstream\n\nendstream")
    return assembled(objects, 1)


def deep_brackets():
    return assembled(document(b"[" * 2_000_000 + b"] TJ"), 1)


def many_letters():
    """A page of a million letters, each placed by itself."""
    page = Printed().page()
    words = b"".join(b"BT 1 0 0 1 %d %d Tm /F0 9 Tf <01> Tj ET\n" % (n % 595, n % 842) for n in range(1_000_000))
    page.say(60, 700, "水").draw(words.decode())
    return page.bytes()


def many_rules():
    """A page of rules enough for a table of ten thousand rows and columns."""
    page = Printed().page().say(60, 700, SENTENCE)
    page.draw(" ".join(f"0 {n / 20} m 595 {n / 20} l {n / 20} 0 m {n / 20} 842 l" for n in range(12_000)) + " S")
    return page.bytes()


def many_attachments():
    objects = document()
    names = b" ".join(b"(f%d) %d 0 R" % (n, 6 + n) for n in range(20_000))
    objects[0] = b"<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles << /Names [" + names + b"] >> >> >>"
    objects.append(b"<< /Type /EmbeddedFile /Length 3 >>\nstream\nabc\nendstream")
    objects += [b"<< /Type /Filespec /F (f%d) /EF << /F 5 0 R >> >>" % n for n in range(20_000)]
    return assembled(objects, 1)


def bookmarks_with_a_loop():
    objects = document()
    objects[0] = b"<< /Type /Catalog /Pages 2 0 R /Outlines 5 0 R >>"
    objects += [
        b"<< /Type /Outlines /First 6 0 R /Last 6 0 R >>",
        b"<< /Title (a) /Parent 5 0 R /Next 6 0 R /First 6 0 R >>",
    ]
    return assembled(objects, 1)


def big_png(width=50_000, height=50_000):
    """Real pixels, all of one colour, so that they pack into little: 2.5 thousand million of them."""
    packer = zlib.compressobj(9)
    row = b"\0" + b"\xff" * (width // 8 + 1)
    packed = b"".join(packer.compress(row * 100) for _ in range(height // 100)) + packer.flush()
    chunks = (b"IHDR" + struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0), b"IDAT" + packed, b"IEND")
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(c) - 4) + c + struct.pack(">I", zlib.crc32(c)) for c in chunks
    )


BOMBS = {
    "a million objects": many_objects,
    "a page of a billion points": endless_page,
    "a page tree without an end": deep_tree,
    "a page tree in a circle": tree_with_a_loop,
    "a table of objects in a circle": looping_table,
    "a stream of objects in itself": looping_stream,
    "a gigabyte of nothing": packed_zeros,
    "a form that draws itself": self_drawing_form,
    "forms that widen": widening_forms,
    "brackets without an end": deep_brackets,
    "a million letters": many_letters,
    "ten thousand rules": many_rules,
    "twenty thousand attachments": many_attachments,
    "bookmarks in a circle": bookmarks_with_a_loop,
}


async def outcome(parser, data, kind=InputType.PDF):
    """What became of a file: a quality, a reason, or how the child died."""
    try:
        found = await parser.parse(data, name="bomb", kind=kind)
    except InputRejected as refused:
        return str(refused.reason)
    except ChildDied as died:
        return f"died: {died.reason}"
    return str(found.quality)


@pytest.mark.slow
@pytest.mark.parametrize("make", BOMBS.values(), ids=BOMBS.keys())
async def test_a_bomb_ends_in_an_answer_and_the_next_source_is_served_meanwhile(make, children):
    """SEC-3: within the child's limits of time and memory, with no process left behind."""
    data = make()
    good = Printed().page().say(60, 700, SENTENCE).bytes()
    parser = ParseChild(LIMITS)
    started = time.monotonic()
    bomb = asyncio.create_task(outcome(parser, data))
    meanwhile = []
    while not bomb.done() and len(meanwhile) < 3:
        meanwhile.append((await parser.parse(good, name="good", kind=InputType.PDF)).text)
    told = await bomb
    assert told.startswith("died: ") or told in {*Quality, "no_text", "too_short", "broken", "too_many_pages"}
    assert time.monotonic() - started < LIMITS.parse_time_s + 20
    assert set(meanwhile) == {SENTENCE}
    assert (await parser.parse(good, name="good", kind=InputType.PDF)).text == SENTENCE
    assert children.left() == []


@pytest.mark.slow
async def test_a_picture_of_billions_of_pixels_is_refused_in_no_time():
    data = big_png()
    assert len(data) < SourceLimits().max_image_bytes
    started = time.monotonic()
    assert await outcome(ParseChild(LIMITS), data, InputType.IMAGE) == "too_many_pixels"
    with pytest.raises(InputRejected) as refused:
        async for _ in RapidRecogniser(LIMITS).recognise(data, kind=InputType.IMAGE, pages=(1,)):
            pass
    assert refused.value.reason == "too_many_pixels"
    assert time.monotonic() - started < 15


@pytest.mark.slow
@pytest.mark.parametrize("make", [endless_page, widening_forms, packed_zeros], ids=["billion points", "forms", "zeros"])
async def test_a_page_that_cannot_be_drawn_costs_its_recognition_and_nothing_else(make, children):
    """SEC-3: the page's own limit of time ends it."""
    recogniser = RapidRecogniser(replace(LIMITS, ocr_page_time_s=15))
    started = time.monotonic()
    pages = []
    with contextlib.suppress(ChildDied, InputRejected):
        pages += [page async for page in recogniser.recognise(make(), kind=InputType.PDF, pages=(1,))]
    assert [page.lines for page in pages] in ([], [()])
    assert time.monotonic() - started < 60
    assert children.left() == []
