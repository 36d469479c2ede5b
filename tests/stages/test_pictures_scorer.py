"""The figures of OCR count what they say: edits, paragraph ends, and pictures whose wording is known."""

import pytest

from eval.cases.pictures import FONTS, pictures
from eval.scorers.pdf import Scored as PdfScored
from eval.scorers.pdf import totals
from eval.scorers.pictures import distance, score, table
from pipeline.domain.source import InputType, OcrLine, OcrPage, ReadHints
from pipeline.intake.extract import extract

needs_fonts = pytest.mark.skipif(
    not all(font.exists() for font in FONTS), reason="Debian's fonts-noto-cjk is not there"
)


@pytest.mark.parametrize(
    ("one", "two", "edits"),
    [
        ("", "", 0),
        ("", "abc", 3),
        ("abc", "", 3),
        ("abc", "abc", 0),
        ("kitten", "sitting", 3),
        ("水位", "水泵位", 1),
        ("ab", "ba", 2),
    ],
)
def test_distance_counts_characters_put_in_left_out_and_changed(one, two, edits):
    assert distance(one, two) == edits == distance(two, one)


@needs_fonts
def test_a_perfect_reading_scores_nothing_and_a_lost_line_its_length():
    picture = next(iter(pictures(per_kind=1)))
    paragraphs = picture.text.split("\n")

    def read(lines):
        rows = tuple(
            OcrLine(text, (10, 10 + 100 * row, 10 + 20 * len(text), 40 + 100 * row), 0.99)
            for row, text in enumerate(lines)
        )
        hints = ReadHints(recognised=(OcrPage(1, 2_000, 2_000, rows, "e"),))
        return extract(picture.data, name="a", kind=InputType.IMAGE, hints=hints)

    perfect = score(picture, read(paragraphs), 10)
    assert (perfect.edits, perfect.joined, perfect.broken) == (0, 0, 0)
    lost = score(picture, read(paragraphs[1:]), 10)
    assert lost.edits >= len("".join(paragraphs[0].split())) - 2
    assert score(picture, None, 10).edits == perfect.characters
    assert table([perfect, lost])[-1]["cer"] == round(lost.edits / (2 * perfect.characters), 4)


@needs_fonts
def test_the_set_is_the_same_each_time_it_is_drawn():
    first, second = ([(p.name, p.data, p.text) for p in pictures(per_kind=1)] for _ in range(2))
    assert first == second


def test_totals_tell_what_was_read_refused_and_what_died():
    def row(name, outcome, characters=None):
        return PdfScored(name, outcome, "text", "1/1", characters, None, 0, 0, "-", 0, 0, "-", "", 7, 0)

    found = totals([row("a", "FULL", 0.9), row("b", "broken"), row("c", "child died: memory"), row("d", "EMPTY")])
    assert (found["files"], found["read"], found["refused"], found["died"]) == (4, 2, 1, 1)
