"""Any span of a page's text leads back to the same words of what the page gave (rule SRC-4)."""

from html import escape

from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.domain.source import InputType
from pipeline.domain.text import new_span, raw_span, same_words
from pipeline.intake.extract import extract
from tests.support.page_cases import LINE, MORE, page

# What moves offsets or looks alike: zero-width, bidi, soft hyphens, variation selectors, full width, ligatures, radicals,
# compatibility forms, letters beyond the first plane, line ends of every kind, and lines broken in the source.
PIECES = st.sampled_from(
    [
        *"水位站每小时记录一次，。；：（）「」“”",
        *"abc XYZ 09.,-'\"&<>",
        *("\u200b", "\u2060", "\u202e", "\u202c", "\u00ad", "\ufe0f", "\ufeff", "\U000e0041", "\u0000"),
        *"ＡＢ１２％，．ﬁﬂﬃ⼈⽔①㎡½㍿ｶﾞ한글é\u0301",
        *("𠮷", "👩‍👧", "😀", "\U0001f3f4"),
        *("\n", "\r\n", "\r", "\u2028", "\u2029", "\u0085", "\t", "\u3000", "\u00a0", "\n      "),
        *(
            "<br>",
            "<b>",
            "</b>",
            "<sup>2</sup>",
            "<a href='#'>链接</a>",
            "<span style='display:none'>藏</span>",
            "<del>旧</del>",
        ),
    ]
)
PARAGRAPH = st.lists(PIECES, min_size=1, max_size=40).map(
    lambda parts: "".join(part if part.startswith("<") and len(part) > 1 else escape(part) for part in parts)
)
BLOCKS = st.lists(
    st.tuples(st.sampled_from(["p", "li", "h2", "pre", "blockquote", "td"]), PARAGRAPH), min_size=1, max_size=8
)


def markup(blocks):
    table = "<table><tr><th>站<th>值</tr><tr><td>北站<td>{}</tr></table>"
    inside = "".join(table.format(text) if tag == "td" else f"<{tag}>{text}</{tag}>" for tag, text in blocks)
    return page(inside.replace("<li>", "<ol><li>").replace("</li>", "</li></ol>"))


@settings(max_examples=150, deadline=None)
@given(BLOCKS, st.lists(st.tuples(st.floats(0, 1), st.integers(0, 60)), min_size=12, max_size=12))
def test_a_span_and_its_raw_span_say_the_same(blocks, spans):
    found = extract(markup(blocks).encode("utf-8"), name="a.html", kind=InputType.HTML)
    assert LINE in found.text
    assert MORE in found.text
    for place, length in spans:
        start = int(place * len(found.text))
        end = min(start + length, len(found.text))
        raw_start, raw_end = raw_span(found.offsets, start, end)
        assert 0 <= raw_start <= raw_end <= len(found.raw)
        assert same_words(found.raw[raw_start:raw_end], found.text[start:end])
        back = new_span(found.offsets, raw_start, raw_end)
        assert found.text[back[0] : back[1]] == found.text[start:end] or start == end


@settings(max_examples=50, deadline=None)
@given(BLOCKS)
def test_blocks_are_ordered_disjoint_and_hold_every_word(blocks):
    found = extract(markup(blocks).encode("utf-8"), name="a.html", kind=InputType.HTML)
    at = 0
    between = []
    for block in found.blocks:
        assert at <= block.start < block.end <= len(found.text)
        between.append(found.text[at : block.start])
        at = block.end
    between.append(found.text[at:])
    assert "".join(between).strip() == ""
