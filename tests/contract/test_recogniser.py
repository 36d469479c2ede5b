"""The Recogniser port: the same promises for the fake and for the real child (rules SEC-3, RUN-9, SRC-5)."""

import asyncio
import contextlib
import io
import os
import sys
from dataclasses import replace

import pytest
from PIL import Image, ImageDraw, ImageFont

from pipeline.domain.errors import ChildDied, InputRejected
from pipeline.domain.source import InputType, Reason, SourceLimits
from pipeline.providers.ocr_fake import FakeRecogniser
from pipeline.providers.ocr_rapid import RapidRecogniser
from tests.support.printed import Printed

LIMITS = SourceLimits(ocr_page_time_s=60)
WORDS = "The gauge reads 3.27 m at noon"


# Pillow brings a font for Latin letters; no other is needed.
def picture(*lines, width=900, turn=0):
    shown = Image.new("RGB", (width, 60 + 60 * len(lines)), "white")
    pen = ImageDraw.Draw(shown)
    for row, line in enumerate(lines):
        pen.text((40, 30 + 60 * row), line, font=ImageFont.load_default(size=36), fill="black")
    buffer = io.BytesIO()
    shown.rotate(turn, expand=True).save(buffer, "PNG")
    return buffer.getvalue()


def drawn(*pages):
    """A PDF whose pages are pictures of their lines."""
    sheets = [Image.open(io.BytesIO(picture(*lines))).convert("RGB") for lines in pages]
    buffer = io.BytesIO()
    sheets[0].save(buffer, "PDF", save_all=True, append_images=sheets[1:])
    return buffer.getvalue()


PICTURE = picture(WORDS)


@pytest.fixture(params=["fake", pytest.param("rapid", marks=pytest.mark.slow)])
def recogniser(request):
    return FakeRecogniser(pages={1: (WORDS,)}) if request.param == "fake" else RapidRecogniser(LIMITS)


async def read(recogniser, data=PICTURE, kind=InputType.IMAGE, pages=(1,)):
    return [page async for page in recogniser.recognise(data, kind=kind, pages=pages)]


async def test_a_picture_gives_its_lines_with_boxes_inside_it(recogniser):
    """SRC-5."""
    (page,) = await read(recogniser)
    assert [line.text for line in page.lines] == [WORDS]
    assert page.page == 1
    assert page.engine
    for line in page.lines:
        x0, y0, x1, y1 = line.box
        assert 0 <= x0 < x1 <= page.width
        assert 0 <= y0 < y1 <= page.height
        assert 0.5 < line.score <= 1


async def test_two_calls_read_twice_and_agree(recogniser):
    assert await read(recogniser) == await read(recogniser)


async def test_no_pages_are_no_work(recogniser, children):
    assert await read(recogniser, pages=()) == []
    assert children.left() == []


async def test_what_is_no_picture_is_refused(recogniser):
    data = b"" if isinstance(recogniser, FakeRecogniser) else b"\x89PNG\r\n\x1a\n0000"
    with pytest.raises(InputRejected) as refused:
        await read(recogniser, data)
    assert refused.value.reason == Reason.BROKEN


def test_identities_name_the_engine():
    """MDL-7: a result made by another version is another result."""
    assert "rapidocr" in RapidRecogniser(LIMITS).identity
    assert "onnxruntime" in RapidRecogniser(LIMITS).identity
    assert FakeRecogniser().identity != RapidRecogniser(LIMITS).identity


@pytest.mark.parametrize("how", ["timeout", "memory", "crash"])
async def test_the_fake_dies_at_the_page_it_is_told(how):
    fake = FakeRecogniser(pages={1: ("a",), 2: ("b",)}, dies={2: how})
    got = []
    with pytest.raises(ChildDied) as died:
        async for page in fake.recognise(b"x", kind=InputType.PDF, pages=(1, 2)):
            got.append(page.page)
    assert (died.value.reason, got, fake.calls) == (how, [1], [(InputType.PDF, (1, 2), 1)])


@pytest.mark.slow
async def test_pages_of_a_pdf_come_one_by_one_as_asked():
    """SRC-5: a page without words is seen, and empty; one that is not there too."""
    data = drawn(["First page here"], [], ["Third page here"])
    found = await read(RapidRecogniser(LIMITS), data, InputType.PDF, (3, 1, 2, 9))
    assert [(page.page, [line.text for line in page.lines]) for page in found] == [
        (3, ["Third page here"]),
        (1, ["First page here"]),
        (2, []),
        (9, []),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("turn", [90, 180, 270])
async def test_a_picture_on_its_side_or_head_is_set_upright(turn):
    lines = (
        "The gauge reads 3.27 m at noon",
        "and 3.31 m at midnight, as before",
        "Visitors wait at the front desk",
        "until they are called by name",
    )
    (page,) = await read(RapidRecogniser(LIMITS), picture(*lines, turn=turn))
    assert [line.text.replace(" ", "") for line in sorted(page.lines, key=lambda line: line.box[1])] == [
        line.replace(" ", "") for line in lines
    ]
    assert page.width > page.height


@pytest.mark.slow
async def test_a_long_screenshot_is_read_in_strips_without_doubles():
    """Every line once, in its place, none lost at a cut."""
    lines = [f"Line number {n} of the log" for n in range(90)]
    (page,) = await read(RapidRecogniser(LIMITS), picture(*lines))
    assert page.height > 5_000
    found = [line.text.replace(" ", "") for line in sorted(page.lines, key=lambda line: line.box[1])]
    assert found == [line.replace(" ", "") for line in lines]


@pytest.mark.slow
async def test_leaving_early_ends_the_child(children):
    """SEC-3: with its whole group."""
    stream = RapidRecogniser(LIMITS).recognise(drawn(["First page"], ["Second"]), kind=InputType.PDF, pages=(1, 2))
    async with contextlib.aclosing(stream) as pages:
        async for page in pages:
            assert page.page == 1
            break
    assert children.left() == []


@pytest.mark.slow
async def test_the_real_child_ends_at_its_memory_limit(children):
    """SEC-3: the models alone need more."""
    with pytest.raises(ChildDied) as died:
        await read(RapidRecogniser(replace(LIMITS, ocr_memory_bytes=900 * 1024 * 1024)))
    assert died.value.reason == "memory"
    assert children.left() == []


def child(code, **limits):
    return RapidRecogniser(replace(LIMITS, **limits), command=(sys.executable, "-c", code))


FRAME = (
    "import json,struct,sys,time\n"
    "def say(m):\n p=json.dumps(m).encode(); sys.stdout.buffer.write(struct.pack('>I',len(p))+p); sys.stdout.buffer.flush()\n"
)
PAGE = "say({'page':{'page':1,'width':9,'height':9,'lines':[],'engine':'e'}})\n"
BOUND = "from pipeline.worker.child import bound\n"
DEATHS = [
    ("never gets ready", child("import time; time.sleep(60)", ocr_page_time_s=1), "timeout", 0),
    (
        "hangs after a page",
        child(FRAME + "say({'ready':'e'})\n" + PAGE + "time.sleep(60)", ocr_page_time_s=1),
        "timeout",
        1,
    ),
    ("burns its CPU time", child(BOUND + "bound(memory_bytes=2**30, cpu_s=1)\nwhile True: pass"), "timeout", 0),
    (
        "eats memory",
        child(BOUND + "bound(memory_bytes=300*2**20, cpu_s=60)\nx=[]\nwhile True: x.append(bytearray(10**7))"),
        "memory",
        0,
    ),
    (
        "the engine cannot allocate",
        child("raise SystemExit('RuntimeException: Failed to allocate memory for 12 bytes')"),
        "memory",
        0,
    ),
    ("crashes after a page", child(FRAME + PAGE + "import os; os.abort()"), "crash", 1),
    ("ends before it is done", child(FRAME + PAGE), "crash", 1),
    ("answers nonsense", child(FRAME + "say({'who': 'knows'})"), "crash", 0),
    ("answers half a page", child(FRAME + "say({'page': {'page': 1}})"), "crash", 0),
]


@pytest.mark.parametrize(("recogniser", "reason", "pages"), [row[1:] for row in DEATHS], ids=[row[0] for row in DEATHS])
async def test_a_dying_child_costs_one_named_error_and_keeps_what_was_read(recogniser, reason, pages, children):
    """SEC-3: and no process of it is left."""
    got = []
    with pytest.raises(ChildDied) as died:
        async for page in recogniser.recognise(b"x" * 500_000, kind=InputType.PDF, pages=(1, 2)):
            got.append(page)
    assert (died.value.reason, len(got)) == (reason, pages)
    assert children.left() == []


async def test_a_cancelled_caller_leaves_no_child(tmp_path, children):
    fifo = tmp_path / "started"
    os.mkfifo(fifo)
    task = asyncio.create_task(read(child(f"import time; open({str(fifo)!r}, 'w').close(); time.sleep(60)")))
    await asyncio.to_thread(fifo.read_bytes)  # returns when the child has opened the other end
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert children.left() == []


async def test_what_the_child_refuses_is_refused_before_the_models_are_loaded():
    """A password is asked for before, and a bomb of pixels never decoded."""
    data = Printed().page().say(60, 700, "a").bytes()[:200]
    with pytest.raises(InputRejected) as refused:
        await read(RapidRecogniser(LIMITS), data, InputType.PDF)
    assert refused.value.reason == Reason.BROKEN
