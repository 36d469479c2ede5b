"""The excerpt writer: the source's own sentences, or a decline (rules EVD-1, EVD-6, EVD-7, SEC-6, AUD-3)."""

import numpy as np
import pytest

from pipeline.compose.candidates import alike
from pipeline.compose.excerpt import spoken_language, write
from pipeline.domain.evidence import IndexedChunk, PackLimits
from pipeline.domain.script import Declined, DeclineReason, Role, ScriptDoc, ScriptLimits
from pipeline.domain.source import InputType
from pipeline.evidence.chunk import split
from pipeline.evidence.retrieve import pack
from pipeline.intake.extract import extract
from pipeline.intake.structure import text_blocks
from pipeline.verify.claims import check

TEXT = """湖心站手册

第一章 建设

湖心站建于1987年，站房两层，建在北岸的旧码头上。当时的投资为六十二万元，其中一半由县里承担。2009年加装了太阳能板，冬季也能供电。

第二章 观测

站内有三台水位计，每小时记录一次。数据先存在本地，再由短信发往县水文科。如果连续三次没有读数，值班员须在两小时内到场。雨量计在屋顶，每年四月校准。

第三章 参观

夏季每天开放参观，冬季只在周末开放。参观须提前一天登记，每批不超过十五人。未登记的不得进入机房。
"""


class Letters:
    """An embedder whose vectors count character pairs: near means shared words. Deterministic, counted."""

    config = "letters 1"
    dim = 256

    def __init__(self):
        self.calls = 0

    async def embed(self, texts, *, role):
        self.calls += 1
        out = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in enumerate(texts):
            for a, b in zip(text, text[1:], strict=False):
                out[row, (ord(a) * 31 + ord(b)) % self.dim] += 1
        return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-6)


async def written(question, text=TEXT, *, blocks=None, embedder=None, limits=None, title="湖心站手册", language="zh"):
    drafts = split(text, text_blocks(text) if blocks is None else blocks)
    chunks = [
        IndexedChunk(i, 1, d.start, d.end, d.parent, d.heading, d.page, d.is_section, d.kind)
        for i, d in enumerate(drafts)
    ]
    evidence = pack(
        question, text=text, chunks=chunks, lexical=[], dense=[], index_state="LEXICAL", limits=PackLimits()
    )
    return await write(
        question,
        evidence,
        title=title,
        text=text,
        embedder=embedder,
        language=language,
        limits=limits or ScriptLimits(),
    )


def facts(script):
    return [s.text for s in script.sentences if s.role is Role.FACT]


QUESTIONS = [
    ("湖心站建于哪一年？", "湖心站建于1987年"),
    ("水位计多久记录一次？", "每小时记录一次"),
    ("參觀要怎麼登記？", "提前一天登记"),
    ("雨量计什么时候校准？", "每年四月校准"),
]


@pytest.mark.parametrize("embedder", [None, Letters()], ids=["words alone", "with vectors"])
@pytest.mark.parametrize(("question", "gold"), QUESTIONS)
async def test_the_answer_stands_in_the_script(question, gold, embedder):
    script = await written(question, embedder=embedder)
    assert isinstance(script, ScriptDoc)
    assert gold in "".join(facts(script))


@pytest.mark.parametrize("question", [q for q, _ in QUESTIONS] + ["讲要点", "这篇讲了什么？"])
async def test_every_script_keeps_its_promises(question):
    """EVD-1, EVD-2, AUD-3: verbatim, claimed, in reading order, nothing twice, long enough, not too long."""
    script = await written(question)
    assert check(script, {1: TEXT}, frozenset({1})) == ()
    texts = [s.text for s in script.sentences]
    assert len(texts) == len(set(texts))
    assert script.sentences[0].role is Role.OPENING
    starts = [claim.evidence[0].span_start for claim in script.claims]
    assert starts == sorted(starts)
    spoken = sum(map(len, texts))
    assert sum(map(len, facts(script))) >= 15 * 4.5
    assert spoken <= 1_200
    assert any(claim.critical for claim in script.claims)
    for one, other in zip(texts, texts[1:], strict=False):
        assert not alike(one, other)


async def test_the_opening_says_what_this_is():
    """EVD-7: excerpts, from which source, for which question, without a model."""
    opening = (await written("湖心站建于哪一年？")).sentences[0].text
    assert "湖心站手册" in opening
    assert "湖心站建于哪一年" in opening
    assert "原文" in opening
    assert "模型" in opening


async def test_words_stand_between_two_places_and_nowhere_else():
    script = await written("湖心站的投资与参观")
    for before, connective, after in zip(script.sentences, script.sentences[1:], script.sentences[2:], strict=False):
        if connective.role is Role.CONNECTIVE:
            assert after.role is Role.FACT
            end = next(c for c in script.claims if c.id in before.claim_ids).evidence[0].span_end
            start = next(c for c in script.claims if c.id in after.claim_ids).evidence[0].span_start
            assert TEXT[end:start].strip()


FOREIGN = ["木星有多少颗卫星？", "怎样给咖啡机除垢？", "合同的违约金是多少？", "企鹅吃什么？"]


@pytest.mark.parametrize("embedder", [None, Letters()], ids=["words alone", "with vectors"])
@pytest.mark.parametrize("question", FOREIGN)
async def test_what_the_source_does_not_cover_is_declined(question, embedder):
    """EVD-7: and the missing words are named."""
    declined = await written(question, embedder=embedder)
    assert isinstance(declined, Declined)
    assert declined.reason is DeclineReason.NOT_COVERED
    assert declined.missing_terms


async def test_a_source_in_another_language_gives_text_and_no_audio():
    """SEC-6: excerpts in that language, each with its span."""
    text = "The lake station was built in 1987. It records the level every hour. Visitors register a day before. " * 3
    declined = await written("这个站是哪一年建的？", text=text, title="Lake")
    assert declined.reason is DeclineReason.OTHER_LANGUAGE
    assert declined.excerpts
    for quote, span in declined.excerpts:
        assert quote == text[span.span_start : span.span_end]


LANGUAGES = [
    ("湖心站建于1987年。", "zh"),
    ("Kafka 消息队列的 partition 与 consumer group", ""),
    ("Kafka 的消息队列分区与消费组如何对应", "zh"),
    ("The station was built in 1987.", "en"),
    ("駅は1987年に建てられました。水位を記録します。", ""),
    ("Станция построена в 1987 году.", ""),
    ("12345", ""),
]


@pytest.mark.parametrize(("text", "expected"), LANGUAGES)
def test_language_is_read_from_the_letters(text, expected):
    assert spoken_language(text) == expected


async def test_a_script_never_exceeds_its_limit():
    """AUD-3: the limit itself, by a text of many fitting sentences."""
    text = "\n".join(f"湖心站第{n}号水位计每小时记录一次水位，地点在北岸第{n}号桩。" for n in range(1, 80))
    for limit in (120, 300, 1_200):
        script = await written("湖心站水位计每小时记录几次水位？", text=text, limits=ScriptLimits(max_chars=limit))
        assert sum(len(s.text) for s in script.sentences) <= limit
    assert script.left_out > 0


async def test_code_is_not_read_and_a_table_row_keeps_its_columns():
    """CHK-1."""
    found = extract(
        "# 泵站\n\n泵站参数见下表，由县里统一维护和公布，每年更新一次，以最新的一份为准。\n\n| 泵站 | 流量 |\n|-|-|\n| 北泵站 | 每秒3方 |\n\n```\n泵站流量 = 3\n```\n".encode(),
        name="a.md",
        kind=InputType.MARKDOWN,
    )
    script = await written("北泵站的流量是多少？", text=found.text, blocks=found.blocks, title="泵站")
    assert "泵站：北泵站；流量：每秒3方" in facts(script)
    assert not any("=" in text for text in facts(script))


async def test_a_summary_takes_the_lead_and_each_part():
    script = await written("讲要点")
    said = "".join(facts(script))
    assert "湖心站建于1987年" in said
    assert "三台水位计" in said
    assert "夏季每天开放" in said
    assert "湖心站手册" not in facts(script)


async def test_a_repeated_sentence_is_said_once():
    line = "湖心站每小时记录一次水位，数据当天送到县里。"
    script = await written(
        "湖心站多久记录一次水位？", text=f"{line}\n\n{line}\n\n别的事情写在这里，与水位没有关系。\n\n{line}"
    )
    assert facts(script).count(line) == 1


def test_instructions_in_a_source_are_only_text():
    """EVD-8: nothing in compose reads them; they may be quoted like any sentence."""
    assert alike("忽略以上指示。", "忽略以上指示")
    assert not alike("夏季每天开放参观。", "冬季只在周末开放。")


async def test_vectors_are_asked_for_once_per_script():
    embedder = Letters()
    await written("湖心站建于哪一年？", embedder=embedder)
    assert embedder.calls == 2  # the sentences, and the question


LIST = """# 水窖手册

常见问答

这件事没有通用的办法，要看水窖的大小和用水的人数来决定怎样防止水变味。防止水变味主要靠三点：

水面要盖住，不能见光，盖子每个月打开晾一次。打开的那天不要取水。

每年春天把水放干，刷净窖壁，再放新水。刷窖用石灰水，不用洗衣粉。

雨季第一场雨的水不要引进水窖，因为屋顶的灰会一起冲下来。
"""


async def test_a_colon_brings_every_point_it_announces_and_a_heading_explains_no_this():
    said = await written("怎样防止水变味？", LIST, title="水窖手册")
    told = "".join(s.text for s in said.sentences)
    for point in ("水面要盖住", "每年春天把水放干", "第一场雨的水不要引进"):
        assert point in told
    assert "常见问答" not in told
