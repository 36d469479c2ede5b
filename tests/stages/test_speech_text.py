"""Text for the ear (rule TTS-3; pitfalls T1 to T5)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.domain.spoken import ANCHOR, END, pinned, plain
from pipeline.render.speech_text import Lexicon, normalise

EMPTY = Lexicon()

READINGS = [
    # The worked examples of the field.
    ("model and version", "GPT-4o比v5.4.0快100倍", "GPT四o比V五点四点零快一百倍。"),
    ("phone", "电话010-12345678", "电话零一零，一二三四五六七八。"),
    ("score", "比分3-2", "比分三比二。"),
    ("currency", "¥1,234.50", "一千二百三十四元五角。"),
    ("ordinal range", "第1-3章", "第一到第三章。"),
    ("percent and fraction", "增长12.5%，约1/3", "增长百分之十二点五，约三分之一。"),
    ("address", "详见https://a.cn/b?x=1。", "详见链接。"),
    ("emoji and bold", "好😀**重点**", "好重点。"),
    ("slash, plus, version", "A/B测试，C++，iOS 18.2", "A B测试，C加加，iOS十八点二。"),
    # Dates and times.
    ("date and time", "2026年8月20日17:00前", "二零二六年八月二十日十七点前。"),
    ("iso date", "截至2026-08-20", "截至二零二六年八月二十日。"),
    ("dotted date", "2026.8.20发布", "二零二六年八月二十日发布。"),
    ("month without day", "2026-08", "二零二六年八月。"),
    ("days from to", "8月18日—20日", "八月十八日到二十日。"),
    ("years from to", "2019—2021年", "二零一九到二零二一年。"),
    ("school year", "2024/2025学年", "二零二四到二零二五学年。"),
    ("a span of years", "1500年前", "一千五百年前。"),
    ("a span of years, long", "3000年历史", "三千年历史。"),
    ("short year", "08年", "零八年。"),
    ("minutes with a nought", "9:05开始", "九点零五分开始。"),
    ("half past two", "2:30", "两点三十分。"),
    ("hours from to", "9:00-11:30", "九点到十一点三十分。"),
    ("end of the day", "24:00", "二十四点。"),
    ("aspect, not a time", "16:9", "十六比九。"),
    # Quantities.
    ("thousands", "一共1,234,567人", "一共一百二十三万四千五百六十七人。"),
    ("thin thousands", "1 000元", "一千元。"),
    ("inner noughts", "10001和1010", "一万零一和一千零一十。"),
    ("hundred million", "1200000000人", "十二亿人。"),
    ("pair", "2个人走了2公里，第2次", "两个人走了两公里，第二次。"),
    ("months and numbers stay", "2月2日2号楼", "二月二日二号楼。"),
    ("decimal", "3.14159", "三点一四一五九。"),
    ("below zero", "气温-5℃到3℃", "气温负五摄氏度到三摄氏度。"),
    ("percent from to", "10-20%", "百分之十到百分之二十。"),
    ("permille", "3‰", "千分之三。"),
    ("speed and area", "120km/h，50m²", "一百二十公里每小时，五十平方米。"),
    ("falling pair", "3-2", "三杠二。"),
    ("price per month", "5元/月", "五元每月。"),
    ("dollars", "$20和€3.5", "二十美元和三点五欧元。"),
    ("scaled currency", "¥3.5亿", "三点五亿元。"),
    ("money from to", "500-1000元", "五百到一千元。"),
    ("sums", "1+1=2，5-3=2", "一加一等于二，五减三等于二。"),
    ("compare", "≥60分", "大于等于六十分。"),
    # Names with numbers.
    ("mobile", "电话：13812345678", "电话：一三八一二三四五六七八。"),
    ("short number", "报警110", "报警一一零。"),
    ("order number", "订单号20260820001", "订单号二零二六零八二零零零一。"),
    ("room", "203室", "二零三室。"),
    ("no minus in a name", "COVID-19与MP3", "COVID十九与MP三。"),
    ("generation", "4/5G网络", "四、五G网络。"),
    ("standard", "GB/T 7714-2015", "GB T七七一四杠二零一五。"),
    ("address of a machine", "192.168.1.1", "一九二点一六八点一点一。"),
    # Markup and signs.
    ("identifier in code", "运行`git status`看看", "运行git status看看。"),
    ("code is named, not read", "运行`rm -rf $HOME/*`会删光", "运行一段代码会删光。"),
    ("snake and sharp survive", "用snake_case写C#", "用snake case写C sharp。"),
    ("heading", "## 第一节", "第一节。"),
    ("link with words", "见[说明](https://a.cn/x)。", "见说明。"),
    ("link, named twice", "链接：https://a.cn/b", "链接。"),
    ("mail", "写信到user@example.com", "写信到邮箱地址。"),
    ("domain", "example.com很好", "example点com很好。"),
    ("citation mark", "结论成立[12]。", "结论成立。"),
    ("table row", "| 甲 | 乙 |", "甲，乙。"),
    ("box drawing", "┌──┐甲", "甲。"),
    ("tick", "✅完成", "完成。"),
    ("dash", "他来了——又走了", "他来了，又走了。"),
    ("angle brackets that are no tag", "若a<b而c>d", "若a b而c d。"),
    ("middle dot of a name", "某某·某某", "某某某某。"),
    ("full width", "ＡＢＣ１２３", "ABC一二三。"),
    ("traditional", "後來著名的軟體跟著乾隆", "后来著名的软体跟着乾隆。"),
    # Nothing that sounds.
    ("only dots", "......", ""),
    ("only emoji", "😀🎉", ""),
    ("only marks", "——", ""),
    ("empty", "", ""),
]


@pytest.mark.parametrize(("written", "said"), [row[1:] for row in READINGS], ids=[row[0] for row in READINGS])
def test_a_sentence_is_written_as_it_is_said(written: str, said: str) -> None:
    """TTS-3."""
    assert normalise(written, lexicon=EMPTY) == said


@settings(deadline=None)  # the first example loads a dictionary
@given(st.text(max_size=60) | st.text(alphabet="0123456789.-:/%年月日第元vV¥~kmAB *`[]()", max_size=40))
def test_whatever_is_written_no_digit_or_sign_reaches_the_voice(written: str) -> None:
    """TTS-3: signs a voice might read by name ("＊", "#", emoji) and bare digits never arrive."""
    said = normalise(written, lexicon=EMPTY)
    assert not set(said) & set("0123456789#*_`|/\\@<>=+%$¥~^{}[]")
    assert said == "" or said[-1] in "。！？.!?”」』》）)"


def test_a_number_is_never_lost() -> None:
    """TTS-3: the digits of any plain integer can be told from its reading."""
    seen = {normalise(f"共{n}件", lexicon=EMPTY) for n in (*range(0, 3000), 10**4, 10**5, 10**8, 10**12)}
    assert len(seen) == 3004


def test_the_owners_word_wins_over_every_rule() -> None:
    """TTS-3: the lexicon comes first, and a longer term before a shorter one inside it."""
    lexicon = Lexicon.of({"GPT-4o": "极皮提四欧", "GPT": "极皮提", "C++": "西加加", "v1.0": "第一版"})
    assert normalise("GPT-4o、GPT和C++的v1.0", lexicon=lexicon) == "极皮提四欧、极皮提和西加加的第一版。"


def test_a_latin_term_is_not_found_inside_a_word() -> None:
    assert normalise("API和APIs", lexicon=Lexicon.of({"API": "接口"})) == "接口和APIs。"


def test_a_pinned_reading_travels_with_its_word() -> None:
    """T1: a polyphone the owner knows better."""
    lexicon = Lexicon.of({"行长": "hang2 zhang3", "得去": "dei3 qu4"})
    said = normalise("行長得去。", lexicon=lexicon)
    assert said == pinned("行长", "hang2 zhang3") + pinned("得去", "dei3 qu4") + "。"
    assert plain(said) == "行长得去。"
    assert said.count(ANCHOR) == said.count(END) == 2


def test_an_empty_reading_silences_and_an_empty_term_is_refused() -> None:
    assert normalise("嗯嗯好的", lexicon=Lexicon.of({"嗯嗯": ""})) == "好的。"
    with pytest.raises(ValueError, match="term"):
        Lexicon.of({" ": "x"})


def test_the_fingerprint_tells_lexicons_apart_and_not_their_order() -> None:
    """RUN-8: another lexicon is another artefact."""
    one, two = Lexicon.of({"甲": "乙", "丙": "丁"}), Lexicon.of({"丙": "丁", "甲": "乙"})
    assert one.fingerprint == two.fingerprint != EMPTY.fingerprint
    assert Lexicon.of({"甲": "丙"}).fingerprint != Lexicon.of({"甲": "丁"}).fingerprint


def test_forged_pins_in_a_source_are_dropped() -> None:
    """What a page brings cannot steer the voice."""
    assert normalise(pinned("好", "huai4"), lexicon=EMPTY).startswith("好")
    assert ANCHOR not in normalise(pinned("好", "huai4"), lexicon=EMPTY)
