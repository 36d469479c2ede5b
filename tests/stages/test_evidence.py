"""Chunks, terms and packs (rules CHK-1, CHK-3, CHK-5)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.domain.evidence import IndexedChunk, PackLimits, count_tokens
from pipeline.domain.source import Block, BlockKind, InputType
from pipeline.evidence.chunk import ChunkLimits, split
from pipeline.evidence.retrieve import pack, rrf
from pipeline.evidence.terms import MAX_TERMS, query_terms, search_tokens, simplify
from pipeline.intake.extract import extract
from pipeline.intake.structure import text_blocks

SENTENCE = "湖心站每小时记录一次水位，数据当天送到县里。"


def chunked(text, blocks=None, limits=None):
    drafts = split(text, text_blocks(text) if blocks is None else blocks, limits)
    return drafts, [d for d in drafts if not d.is_section]


@given(st.text(st.sampled_from(list("湖水站。，；\n 一、ab.1😀")), max_size=600), st.booleans())
@settings(max_examples=200, deadline=None)
def test_every_character_is_in_a_child_and_every_child_in_its_section(text, with_blocks):
    """CHK-1."""
    limits = ChunkLimits(aim=20, most=30, least=8, overlap=6, section=80)
    drafts, children = chunked(text, None if with_blocks else (), limits)
    held = set()
    for child in children:
        section = drafts[child.parent]
        assert section.is_section
        assert section.start <= child.start < child.end <= section.end
        assert count_tokens(text[child.start : child.end]) <= 2 * limits.most
        held.update(range(child.start, child.end))
    assert {i for i, c in enumerate(text) if not c.isspace()} <= held


def test_children_are_cut_at_sentence_ends_and_overlap_by_one():
    """CHK-1."""
    text = SENTENCE * 60
    _, children = chunked(text)
    assert len(children) > 3
    for child in children:
        assert text[child.end - 1] == "。"
        assert 200 <= count_tokens(text[child.start : child.end]) <= 400
    for one, other in zip(children, children[1:], strict=False):
        assert one.start < other.start <= one.end
        assert one.end - other.start in (0, len(SENTENCE))


def test_no_child_crosses_a_heading_and_paths_name_the_way():
    """CHK-1."""
    text = f"手册\n\n第一章 总则\n\n{SENTENCE}\n\n一、参观\n\n{SENTENCE}\n\n第二章 附则\n\n{SENTENCE}"
    drafts, children = chunked(text)
    assert [d.heading for d in drafts if d.is_section] == [
        "手册 › 第一章 总则",
        "手册 › 第一章 总则 › 一、参观",
        "手册 › 第二章 附则",
    ]
    assert all(text[c.start : c.end].count(SENTENCE) == 1 for c in children)


def test_tables_and_code_are_children_of_their_own():
    """CHK-1: a table row keeps its column names, code is marked."""
    found = extract(
        f"# 站\n\n{SENTENCE}\n\n| 站名 | 水位 |\n|-|-|\n| 北站 | 3米 |\n\n```\nx = 1\n```\n\n{SENTENCE}".encode(),
        name="a.md",
        kind=InputType.MARKDOWN,
    )
    _, children = chunked(found.text, found.blocks)
    assert [(c.kind, found.text[c.start : c.end]) for c in children] == [
        (BlockKind.PARAGRAPH, f"站\n\n{SENTENCE}"),
        (BlockKind.TABLE, "站名：北站；水位：3米"),
        (BlockKind.CODE, "x = 1"),
        (BlockKind.PARAGRAPH, SENTENCE),
    ]


def test_a_long_section_is_bounded():
    """A hit brings its section; a section of a whole book would bring nothing."""
    text = "\n".join([SENTENCE * 10] * 30)
    drafts, _ = chunked(text)
    sections = [d for d in drafts if d.is_section]
    assert len(sections) > 3
    assert all(count_tokens(text[d.start : d.end]) <= 1_500 for d in sections)


def test_a_page_is_the_one_a_child_starts_on():
    text = SENTENCE * 40
    half = len(SENTENCE) * 20
    blocks = (Block(BlockKind.PARAGRAPH, 0, half, page=4), Block(BlockKind.PARAGRAPH, half, len(text), page=5))
    _, children = chunked(text, blocks)
    assert {c.page for c in children} == {4, 5}
    assert all(c.page == (4 if c.start < half else 5) for c in children)


TOKENS = [
    ("traditional as simplified", "記錄水位", "记录"),
    ("width and case", "ＧＰＴ", "gpt"),
    ("a decimal stays one token", "水深3.5米", "3p5"),
    ("a version stays one token", "v5.4.0", "v5p4p0"),
    ("a name jieba cuts elsewhere", "斑鳍石鲈", "鳍石"),
]


@pytest.mark.parametrize(("text", "token"), [row[1:] for row in TOKENS], ids=[row[0] for row in TOKENS])
def test_index_and_question_fold_alike(text, token):
    """CHK-3."""
    assert token in search_tokens(text).split()
    assert token in query_terms(text)


def test_tokens_are_words_for_postgres():
    """Letters and digits only: PostgreSQL's parser takes each as it stands."""
    tokens = search_tokens("a-b, c'd 湖心站(北)！https://a.cn/x?y=1 10:30 😀 50%").split()
    assert tokens
    assert all(token.isalnum() for token in tokens)


def test_question_words_are_not_searched_for_and_terms_are_bounded():
    """CHK-3."""
    terms = query_terms("请问湖心站是什么时候建成的？")
    assert "湖心" in terms
    assert not {"什么", "时候", "请问", "的"} & set(terms)
    assert (
        len(query_terms("湖水站北岸泵阀季度报告流量测量检修库区降雨上游下泄闸门值守人员巡查情况良好" * 3)) == MAX_TERMS
    )
    assert query_terms("是什么？") == ()


def test_simplifying_keeps_every_offset():
    text = "後裏頭髮發乾幹淨"
    assert len(simplify(text)) == len(text)


FUSIONS = [
    ("both agree", [[1, 2], [1, 2]], [1, 2]),
    ("second in both beats first in one", [[1, 2], [3, 2]], [2, 1, 3]),
    ("ties by id", [[2], [1]], [1, 2]),
    ("a repeated id counts once", [[5, 5, 1], [1]], [1, 5]),
    ("one channel only", [[], [3, 1]], [3, 1]),
    ("nothing", [[], []], []),
]


@pytest.mark.parametrize(("rankings", "expected"), [row[1:] for row in FUSIONS], ids=[row[0] for row in FUSIONS])
def test_ranks_fuse(rankings, expected):
    """CHK-3: k = 60, rank from 1."""
    assert rrf(rankings) == expected


def indexed(text, limits=None):
    drafts = split(text, text_blocks(text), limits)
    return [
        IndexedChunk(
            100 + i,
            1,
            d.start,
            d.end,
            None if d.parent is None else 100 + d.parent,
            d.heading,
            d.page,
            d.is_section,
            d.kind,
        )
        for i, d in enumerate(drafts)
    ]


LONG = "\n\n".join(f"第{n}章 第{n}号泵站\n\n" + f"第{n}号泵站说明。" + SENTENCE * 18 for n in range(1, 41))


def packed(text, question="第7号泵站怎么样？", lexical=(), dense=(), limits=None):
    return pack(
        question,
        text=text,
        chunks=indexed(text),
        lexical=lexical,
        dense=dense,
        index_state="DENSE",
        limits=limits or PackLimits(),
    )


def test_a_text_that_fits_is_given_whole_in_reading_order():
    """CHK-5."""
    text = SENTENCE * 100
    made = packed(text)
    assert made.whole_text
    assert made.tokens == count_tokens(text)
    assert [p.start for p in made.passages] == sorted(p.start for p in made.passages)
    assert made.passages[-1].end == len(text)


def test_a_long_text_gives_the_best_with_their_surroundings_within_the_budget():
    """CHK-3: ≤ 6,000 tokens, passages are substrings, ranks of the fused list."""
    chunks = [c for c in indexed(LONG) if not c.is_section]
    best, other = chunks[20], chunks[30]
    made = packed(LONG, lexical=[best.id, other.id, 999_999], dense=[(best.id, 0.9)])
    assert not made.whole_text
    assert 0 < made.tokens <= 6_000
    ranks = {p.chunk_id: p.rank for p in made.passages}
    assert (ranks[best.id], ranks[other.id]) == (1, 2)
    assert all(p.text == LONG[p.start : p.end] for p in made.passages)
    family = {c.id for c in chunks if c.parent_id == best.parent_id}
    assert family <= set(ranks)
    assert [p.start for p in made.passages] == sorted(p.start for p in made.passages)


def test_each_channel_gives_twelve_and_eight_are_kept():
    """CHK-3."""
    chunks = [c.id for c in indexed(LONG) if not c.is_section]
    made = packed(LONG, lexical=chunks[:30])
    assert max(p.rank for p in made.passages) == 8
    assert max(p.lexical_rank or 0 for p in made.passages) <= 12


def test_a_question_about_the_whole_of_a_long_text_gets_the_openings_of_its_parts():
    """CHK-5."""
    made = packed(LONG, question="讲要点")
    assert made.tokens <= 6_000
    assert made.passages[0].start == 0
    assert made.passages[-1].end == len(LONG)
    assert len({p.heading for p in made.passages}) >= 15


def test_terms_the_text_has_not_are_named():
    """EVD-7: traditional or simplified, the same word."""
    made = packed("湖心站記錄水位。" * 10, question="湖心站的记录与台风")
    assert made.missing_terms == ("台风",)
    assert dict(made.terms)["台风"] > 5
