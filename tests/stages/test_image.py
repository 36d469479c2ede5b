"""A picture of text: decoded within bounds, read by OCR, its lines put in order with their places (SRC-5, SEC-3)."""

import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import BlockKind, InputType, OcrLine, OcrPage, Quality, ReadHints, Reason, SourceLimits
from pipeline.intake.extract import extract
from pipeline.intake.picture import measured, upright

LIMITS = SourceLimits()
WIDTH, HEIGHT, LINE = 1_000, 1_400, 36


def encoded(picture, kind="PNG", **more):
    buffer = io.BytesIO()
    picture.save(buffer, kind, **more)
    return buffer.getvalue()


PICTURE = encoded(Image.new("RGB", (40, 30), "white"))


def seen(*lines):
    """``(text, x, y[, score])`` of each line, 36 pixels high; Han are 36 wide, others 18."""
    rows = []
    for text, x, y, *score in lines:
        width = sum(36 if c >= "\u2e80" else 18 for c in text)
        rows.append(OcrLine(text, (x, y, x + width, y + LINE), score[0] if score else 0.99))
    return OcrPage(1, WIDTH, HEIGHT, tuple(rows), "engine 1")


def read(*lines, data=PICTURE):
    return extract(data, name="截图.png", kind=InputType.IMAGE, hints=ReadHints(recognised=(seen(*lines),)))


def said(found):
    return [found.text[b.start : b.end] for b in found.blocks]


PARAGRAPH = [
    ("湖心站每小时记录一次水位，数据当天送到县里保存，", 60, 100),
    ("全年不停。逾期的数据一律作废，不再补录，由各站自行", 60, 154),
    ("承担后果。", 60, 208),
]


def test_at_first_a_picture_asks_for_ocr():
    found = extract(PICTURE, name="截图.png", kind=InputType.IMAGE)
    assert (found.text, found.unread, found.quality, found.title) == ("", (1,), Quality.EMPTY, "截图")


def test_lines_become_a_paragraph_with_the_place_of_each():
    found = read(*PARAGRAPH)
    assert said(found) == ["".join(text for text, _, _ in PARAGRAPH)]
    assert (found.recognised, found.quality, found.extractor) == ((1,), Quality.FULL, "engine 1")
    assert [found.text[b.start : b.end] for b in found.boxes] == [text for text, _, _ in PARAGRAPH]
    assert (found.boxes[1].x0, found.boxes[1].y0) == (0.06, 0.11)
    assert {b.page for b in found.blocks} == {None}


def test_an_indent_and_a_wide_gap_begin_paragraphs():
    indented = read(*PARAGRAPH[:2], ("第二段从缩进处开始写起，写得不算太短，为止。", 132, 208))
    assert len(said(indented)) == 2
    spaced = read(*PARAGRAPH, ("另起一段。", 60, 330))
    assert said(spaced)[-1] == "另起一段。"


def test_the_engine_s_order_does_not_matter():
    assert read(*reversed(PARAGRAPH)).text == read(*PARAGRAPH).text


def test_columns_of_text_are_read_one_after_the_other():
    lines = []
    for row in range(6):
        lines += [
            (f"左栏第{row}行写到这里才算满了", 20, 100 + 54 * row),
            (f"右栏第{row}行也写到这里为止", 540, 100 + 54 * row),
        ]
    text = read(*lines).text
    assert text.index("左栏第5行") < text.index("右栏第0行")


def test_cells_side_by_side_are_read_row_by_row():
    lines = []
    for row in range(6):
        lines += [(f"第{row}项", 60, 100 + 54 * row), (f"数值{row}", 600, 100 + 54 * row)]
    assert said(read(*lines)) == [f"第{row}项 数值{row}" for row in range(6)]


def test_a_heading_with_a_number_is_a_heading_and_a_large_line_is_none():
    found = read(("一、水位的记录", 60, 40), *PARAGRAPH)
    assert [b.kind for b in found.blocks] == [BlockKind.HEADING, BlockKind.PARAGRAPH]


def test_uncertain_lines_are_counted_and_many_make_it_partial():
    one = read(*PARAGRAPH, ("看不太清的一行字也写在这里。", 60, 300, 0.7), ("又一行。", 60, 400), ("再一行。", 60, 500))
    assert (one.quality, one.notes) == (Quality.FULL, ("ocr_uncertain:1",))
    many = read(*((text, x, y, 0.75) for text, x, y in PARAGRAPH))
    assert (many.quality, many.notes) == (Quality.PARTIAL, ("ocr_uncertain:3",))


@pytest.mark.parametrize("lines", [(), (("@#", 10, 10, 0.5), ("水", 90, 90, 0.5))], ids=["nothing", "noise"])
def test_a_picture_without_words_is_refused(lines):
    with pytest.raises(InputRejected) as refused:
        read(*lines)
    assert refused.value.reason == Reason.NO_TEXT


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n0000", PICTURE[:60], b"\xff\xd8\xff\xe0abc", b"BM" + b"\0" * 60])
def test_what_does_not_decode_is_broken(data):
    """Before OCR is started."""
    with pytest.raises(InputRejected) as refused:
        extract(data, name="a.png", kind=InputType.IMAGE)
    assert refused.value.reason == Reason.BROKEN


def declared(width, height):
    """A PNG that says it is as large, and has no such pixels."""
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = b"IDAT" + zlib.compress(b"\0" * 100)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
        for chunk in (header, body, b"IEND")
    )


@pytest.mark.parametrize(("width", "height"), [(50_000, 50_000), (20_000, 20_000), (7_746, 7_746)])
def test_too_many_pixels_are_refused_before_any_is_decoded(width, height):
    """SEC-3: a decompression bomb costs nothing."""
    with pytest.raises(InputRejected) as refused:
        measured(declared(width, height), limits=LIMITS)
    assert (refused.value.reason, refused.value.values["limit"]) == (Reason.TOO_MANY_PIXELS, 60)
    assert refused.value.values["megapixels"] > 60


def test_as_many_pixels_as_allowed_pass():
    assert measured(declared(7_745, 7_745), limits=LIMITS) == (7_745, 7_745)


def test_the_camera_s_word_about_up_is_taken():
    picture = Image.new("RGB", (40, 20), "white")
    picture.putpixel((0, 0), (255, 0, 0))
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned a quarter to the right
    turned = upright(encoded(picture, "PNG", exif=exif), limits=LIMITS)
    assert (turned.size, turned.getpixel((19, 0))) == ((20, 40), (255, 0, 0))


def test_what_is_transparent_lies_on_white():
    """Black letters on nothing would be black on black."""
    picture = Image.new("RGBA", (4, 4), (0, 0, 0, 0))
    picture.putpixel((1, 1), (0, 0, 0, 255))
    shown = upright(encoded(picture), limits=LIMITS)
    assert (shown.getpixel((0, 0)), shown.getpixel((1, 1))) == ((255, 255, 255), (0, 0, 0))


def test_a_palette_with_a_clear_colour_lies_on_white_too():
    picture = Image.new("P", (4, 4), 0)
    picture.putpalette([0, 0, 0, 200, 0, 0])
    picture.putpixel((1, 1), 1)
    shown = upright(encoded(picture, "PNG", transparency=0), limits=LIMITS)
    assert (shown.getpixel((0, 0)), shown.getpixel((1, 1))) == ((255, 255, 255), (200, 0, 0))


def test_sixteen_bits_are_scaled_and_not_clipped():
    picture = Image.fromarray(np.arange(64, dtype=np.uint16).reshape(8, 8) * 1_000)
    shown = np.asarray(upright(encoded(picture), limits=LIMITS))[:, :, 0]
    assert (shown.min(), shown.max()) == (0, 255)
    assert len(np.unique(shown)) > 50


@pytest.mark.parametrize(
    ("mode", "kind"),
    [
        ("CMYK", "JPEG"),
        ("L", "PNG"),
        ("1", "PNG"),
        ("LA", "PNG"),
        ("RGB", "WEBP"),
        ("RGB", "TIFF"),
        ("RGB", "BMP"),
        ("I", "TIFF"),
    ],
)
def test_every_kind_of_pixels_becomes_rgb(mode, kind):
    assert upright(encoded(Image.new(mode, (8, 6)), kind), limits=LIMITS).mode == "RGB"


def test_of_a_moving_picture_the_first_frame_is_read():
    frames = [Image.new("RGB", (8, 6), colour) for colour in ("red", "blue")]
    buffer = io.BytesIO()
    frames[0].save(buffer, "GIF", save_all=True, append_images=frames[1:])
    assert upright(buffer.getvalue(), limits=LIMITS).getpixel((2, 2)) == (255, 0, 0)
