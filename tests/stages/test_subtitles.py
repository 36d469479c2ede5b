"""Subtitles in, a readable text and exact cues out (pitfalls S1 to S13; rules SRC-3, SRC-4, SRC-8)."""

import json
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import InputType, Reason
from pipeline.domain.text import raw_span
from pipeline.intake.route import route
from tests.support.subtitled import LIMITS, clock, cues, read, spoken

SRT = "1\n00:00:01,000 --> 00:00:02,500\n第一句话。\n\n2\n00:00:02,500 --> 00:00:04,000\n第二句话。\n"
BOTH = [(1_000, 2_500, "第一句话。"), (2_500, 4_000, "第二句话。")]
ASS = """[Script Info]
Title: A talk
[V4+ Styles]
Format: Name, Fontname
Style: Default,Sans
[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
"""
BILI = {
    "type": "AIsubtitle",
    "lang": "zh",
    "body": [
        {"from": 1.0, "to": 2.5, "sid": 1, "content": "第一句话。"},
        {"from": 2.5, "to": 4.0, "content": "第二句话。"},
    ],
}
TTML = '<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter"{0}><head><layout/></head><body>{1}</body></tt>'
TWO_P = '<div><p begin="{}" end="{}">第一句话。</p><p begin="{}" end="{}">第二句话。</p></div>'

# (what it is, name, content): each says the same two cues.
FORMATS = [
    ("SubRip", "a.srt", SRT),
    ("SubRip without numbers", "a.srt", SRT.replace("1\n00", "00", 1).replace("\n2\n", "\n", 1)),
    ("SubRip with CRLF", "a.srt", SRT.replace("\n", "\r\n")),
    ("SubRip with a byte order mark", "a.srt", b"\xef\xbb\xbf" + SRT.encode()),
    ("SubRip in UTF-16", "a.srt", SRT.encode("utf-16")),
    ("SubRip in GB18030", "a.srt", (SRT * 3).encode("gb18030")),
    ("SubRip without milliseconds", "a.srt", "1\n00:00:01 --> 00:00:02,500\n第一句话。\n\n2\n00:00:02.5 --> 00:00:04\n第二句话。"),
    ("SubRip with short fields", "a.srt", "1\n0:0:1,0 --> 0:0:2,5\n第一句话。\n\n2\n0:0:2,5 --> 0:0:4,0\n第二句话。"),
    ("SubRip with full-width marks", "a.srt", "1\n00：00：01，000 --> 00：00：02，500\n第一句话。\n\n2\n00：00：02，500 --> 00：00：04，000\n第二句话。"),
    ("SubRip with places", "a.srt", SRT.replace("500\n第一", "500 X1:10 X2:20\n第一")),
    ("WebVTT", "a.vtt", "WEBVTT - a talk\nKind: captions\nLanguage: zh\n\n00:01.000 --> 00:02.500\n第一句话。\n\n00:02.500 --> 00:04.000 align:start position:0%\n第二句话。\n"),
    ("WebVTT with names, notes and styles", "a.vtt", "WEBVTT\n\nSTYLE\n::cue { color: red }\n\nREGION\nid:one\n\nNOTE a note --\nof two lines\n\nintro\n00:01.000 --> 00:02.500\n第一句话。\n\nNOTE\nanother\n\nlast part\n00:02.500 --> 00:04.000\n第二句话。\n"),
    ("WebVTT whose words begin after a blank line", "a.vtt", "WEBVTT\n\n00:01.000 --> 00:02.500\n \n第一句话。\n\n00:02.500 --> 00:04.000\n\n第二句话。\n"),
    ("SubViewer", "a.sbv", "0:00:01.000,0:00:02.500\n第一句话。\n\n0:00:02.500,0:00:04.000\n第二句话。\n"),
    ("LRC", "a.lrc", "[ti:一首歌]\n[offset:0]\n[00:01.00]第一句话。\n[00:02.50]第二句话。\n[00:04.00]\n"),
    ("LRC with an offset", "a.lrc", "[offset:+500]\n[00:01.50]第一句话。\n[00:03.00]第二句话。\n[00:04.50]\n"),
    ("ASS", "a.ass", ASS + "Dialogue: 0,0:00:01.00,0:00:02.50,Default,,0,0,0,,{\\i1}第一句话。\nDialogue: 0,0:00:02.50,0:00:04.00,Default,,0,0,0,,第二句话。\nComment: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,不给人看\n"),
    ("ASS out of order, with a drawing", "a.ass", ASS + "Dialogue: 0,0:00:02.50,0:00:04.00,Default,,0,0,0,,第二句话。\nDialogue: 0,0:00:01.00,0:00:02.50,Default,,0,0,0,,第一句话。\nDialogue: 0,0:00:01.00,0:00:02.50,Default,,0,0,0,,{\\p1}m 0 0 l 9 9{\\p0}\n"),
    ("ASS with fields in another order", "a.ass", "[Script Info]\n[Events]\nFormat: Start, End, Text\nDialogue: 0:00:01.00,0:00:02.50,第一句话。\nDialogue: 0:00:02.50,0:00:04.00,第二句话。\n"),
    ("ASS with broken styles", "a.ass", ASS.replace("Style: Default,Sans", "Style: Default,Sans,big,&Hzz,,,,,x,,,") + "Dialogue: x,0:00:01.00,0:00:02.50,Default,,l,0,0,,第一句话。\nDialogue: 0,0:00:02.50,0:00:04.00,Default,,0,0,0,,第二句话。\n"),
    ("SSA", "a.ssa", "[Script Info]\nScriptType: v4.00\n[V4 Styles]\n[Events]\nFormat: Marked, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\nDialogue: Marked=0,0:00:01.00,0:00:02.50,Default,,0,0,0,,第一句话。\nDialogue: Marked=0,0:00:02.50,0:00:04.00,Default,,0,0,0,,第二句话。\n"),
    ("bilibili", "a.json", json.dumps(BILI, ensure_ascii=False)),
    ("bilibili in escapes", "a.json", json.dumps(BILI)),
    ("podcast", "a.json", json.dumps({"version": "1.0.0", "segments": [{"startTime": 1, "endTime": 2.5, "body": "第一句话。"}, {"startTime": 2.5, "endTime": 4, "body": "第二句话。"}]})),
    ("Whisper", "a.json", json.dumps({"text": "", "segments": [{"id": 0, "start": 1.0, "end": 2.5, "text": " 第一句话。"}, {"id": 1, "start": 2.5, "end": 4.0, "text": " 第二句话。"}]})),
    ("YouTube json3", "a.json", json.dumps({"wireMagic": "pb3", "events": [{"tStartMs": 0, "dDurationMs": 9, "id": 1}, {"tStartMs": 1000, "dDurationMs": 1500, "segs": [{"utf8": "第一"}, {"utf8": "句话。"}]}, {"tStartMs": 2000, "aAppend": 1, "segs": [{"utf8": "\n"}]}, {"tStartMs": 2500, "dDurationMs": 1500, "segs": [{"utf8": "第二句话。"}]}]})),
    ("a list of texts", "a.json", json.dumps([{"text": "第一句话。", "start": 1.0, "duration": 1.5}, {"text": "第二句话。", "start": 2.5, "duration": 1.5}])),
    ("YouTube timedtext", "a.xml", '<?xml version="1.0" encoding="utf-8" ?><transcript><text start="1" dur="1.5">第一句话。</text><text start="2.5" dur="1.5">第二句话。</text></transcript>'),
    ("YouTube timedtext, format 3", "a.xml", '<?xml version="1.0" encoding="utf-8" ?><timedtext format="3"><head><pen id="1"/></head><body><p t="1000" d="1500"><s>第一</s><s t="240">句话。</s></p><p t="2500" a="1">\n</p><p t="2500" d="1500">第二句话。</p></body></timedtext>'),
    ("TTML, clock", "a.ttml", TTML.format("", TWO_P.format("00:00:01.000", "00:00:02.500", "00:00:02.5", "00:00:04"))),
    ("TTML, offsets", "a.xml", TTML.format("", TWO_P.format("1s", "2500ms", "2.5s", "4"))),
    ("TTML, frames", "a.dfxp", TTML.format(' ttp:frameRate="24"', TWO_P.format("00:00:01:00", "00:00:02:12", "60f", "00:00:04:00"))),
    ("TTML, ticks", "a.xml", TTML.format(' ttp:tickRate="10000000"', TWO_P.format("10000000t", "25000000t", "25000000t", "40000000t"))),
    ("TTML, relative to its section", "a.ttml", TTML.format("", '<div begin="1s">' + TWO_P.format("0s", "1.5s", "1.5s", "3s")[5:])),
    ("TTML, absolute in its section", "a.ttml", TTML.format("", '<div begin="1" end="4.000">' + TWO_P.format("1", "2.500", "2.500", "4.000")[5:])),
    ("TTML with durations and lengths", "a.ttml", TTML.format("", '<div><p begin="1s" dur="1.5s">第一句话。</p><p begin="2.5s" dur="1.5s">第二句话。</p></div>')),
    ("TTML timed by its spans", "a.ttml", TTML.format("", '<div><p><span begin="1s" end="2s">第一</span><span begin="2s" end="2.5s">句话。</span></p><p begin="2.5s" end="4s">第二句话。</p></div>')),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content"), [f[1:] for f in FORMATS], ids=[f[0] for f in FORMATS])
def test_a_format_is_found_by_its_content_and_read_exactly(name, content):
    """SRC-4: the words of each cue are at its span."""
    data = content if isinstance(content, bytes) else content.encode()
    for called in (name, "download", "a.txt"):  # the bytes decide, the name only where they cannot
        assert route(data, name=called, limits=LIMITS) is InputType.SUBTITLE
    found = read(data, name="download")
    assert [c for c in cues(found) if c in BOTH][:2] == BOTH
    if "GB18030" not in name:
        assert len(found.cues) == 2 or data.count("第一".encode("gb18030")) == 3
    assert "不给人看" not in found.text


# (what, file, expected cues)
DIRTY = [
    ("tags", "1\n00:00:01,000 --> 00:00:02,000\n<i>Well</i>, <font color=\"#fff\">said</font> <B>it</B> {\\an8}here{y:i}\n", [(1000, 2000, "Well, said it here")]),
    ("words that look like tags", "1\n00:00:01,000 --> 00:00:02,000\na List<String> and x < y > z\n", [(1000, 2000, "a List<String> and x < y > z")]),
    ("every tag of WebVTT", "WEBVTT\n\n00:01.000 --> 00:02.000\n<c.yellow.bg>One</c> <lang en>two</lang> <ruby>漢<rt>kan</rt></ruby> <00:01.500>three<1:00:01.700>\n", [(1000, 2000, "One two 漢kan three")]),
    ("entities", "WEBVTT\n\n00:01.000 --> 00:02.000\nfish &amp; chips &lt;3 &#39;now&#39; &nbsp;&lrm;end\n", [(1000, 2000, "fish & chips <3 'now' end")]),
    ("entities twice over", "1\n00:00:01,000 --> 00:00:02,000\n&amp;quot;so&amp;quot; &amp;amp; &lt;i&gt;on&lt;/i&gt;\n", [(1000, 2000, '"so" & on')]),
    ("no entity", "1\n00:00:01,000 --> 00:00:02,000\nAT&T and R&D; a&b\n", [(1000, 2000, "AT&T and R&D; a&b")]),
    ("two lines", "1\n00:00:01,000 --> 00:00:02,000\none line\nand another\n", [(1000, 2000, "one line and another")]),
    ("two Han lines", "1\n00:00:01,000 --> 00:00:02,000\n一行，\n又一行。\n", [(1000, 2000, "一行，又一行。")]),
    ("two speakers", "1\n00:00:01,000 --> 00:00:02,000\n- Yes?\n- No.\n", [(1000, 2000, "- Yes?\n- No.")]),
    ("a name left alone", "1\n00:00:01,000 --> 00:00:02,000\nANNA: I see.\n", [(1000, 2000, "ANNA: I see.")]),
    ("an arrow in the words", "1\n00:00:01,000 --> 00:00:02,000\nfrom a --> b it goes\n", [(1000, 2000, "from a --> b it goes")]),
    ("a number in the words", "1\n00:00:01,000 --> 00:00:02,000\nThe answer is\n42\n\n2\n00:00:03,000 --> 00:00:04,000\nReally.\n", [(1000, 2000, "The answer is 42"), (3000, 4000, "Really.")]),
    ("blank lines inside", "1\n00:00:01,000 --> 00:00:02,000\none\n\n\ntwo\n\n2\n00:00:03,000 --> 00:00:04,000\nthree\n", [(1000, 2000, "one two"), (3000, 4000, "three")]),
    ("an empty cue", "1\n00:00:01,000 --> 00:00:02,000\n\n2\n00:00:03,000 --> 00:00:04,000\nthree\n", [(3000, 4000, "three")]),
    ("out of order", "1\n00:00:03,000 --> 00:00:04,000\nlater\n\n2\n00:00:01,000 --> 00:00:02,000\nearlier\n", [(1000, 2000, "earlier"), (3000, 4000, "later")]),
    ("end before start", "1\n00:00:05,000 --> 00:00:02,000\none.\n\n2\n00:00:07,000 --> 00:00:08,000\ntwo.\n", [(5000, 7000, "one."), (7000, 8000, "two.")]),
    ("end before start, long before the next", "1\n00:00:05,000 --> 00:00:02,000\none.\n\n2\n00:01:07,000 --> 00:01:08,000\ntwo.\n", [(5000, 15000, "one."), (67000, 68000, "two.")]),
    ("a broken time keeps its words", "WEBVTT\n\n00:01.000 --> 00:02.000\none.\n\n00:02.000 --> 00:0x.000\ntwo.\n\n00:03.000 --> 00:04.000\nthree.\n", [(1000, 2000, "one."), (3000, 4000, "three.")]),
    ("more than a day", "1\n100:00:01,000 --> 100:00:02,000\nlate\n", [(360_001_000, 360_002_000, "late")]),
    ("invisible characters", "1\n00:00:01,000 --> 00:00:02,000\nze\u200bro\u202e width\n", [(1000, 2000, "zero width")]),
]  # fmt: skip


@pytest.mark.parametrize(("content", "expected"), [d[1:] for d in DIRTY], ids=[d[0] for d in DIRTY])
def test_what_files_of_the_field_hold(content, expected):
    """Pitfalls S2 to S7."""
    assert cues(read(content)) == expected


LEDGER = [
    ("end before start", DIRTY[15][1], "repaired", "00:00:05,000 --> 00:00:02,000", "cues_repaired:1"),
    ("a broken time", DIRTY[17][1], "repaired", "00:02.000 --> 00:0x.000", "cues_repaired:1"),
    ("a note", FORMATS[11][2], "hidden", "a note --\nof two lines", None),
    ("a comment of ASS", FORMATS[16][2], "hidden", "不给人看", None),
]


@pytest.mark.parametrize(("content", "why", "text", "note"), [x[1:] for x in LEDGER], ids=[x[0] for x in LEDGER])
def test_what_is_repaired_or_hidden_is_in_the_ledger(content, why, text, note):
    """SRC-8; pitfall S7."""
    found = read(content)
    assert (why, text) in [(r.why, r.text) for r in found.removed]
    assert text not in found.text
    assert note is None or note in found.notes


def test_words_with_a_broken_time_are_read_and_given_no_time():
    found = read(DIRTY[17][1])
    assert "two." in found.text
    assert [found.text[c.start : c.end] for c in found.cues] == ["one.", "three."]


def test_layers_of_one_picture_are_one_cue():
    line = "Dialogue: {},0:00:01.00,0:00:02.50,Default,,0,0,0,,同一句话说一次。\n"
    assert cues(read(ASS + line.format(0) + line.format(1))) == [(1_000, 2_500, "同一句话说一次。")]


# --- reading ------------------------------------------------------------------------------------------------------


def paragraphs(found):
    return [found.text[b.start : b.end] for b in found.blocks]


def test_a_sentence_that_runs_over_cues_is_whole():
    found = read(spoken(["It took us three years", "to build, and one day", "to lose. That was", "the whole story."]))
    assert paragraphs(found) == ["It took us three years to build, and one day to lose. That was the whole story."]


def test_chinese_with_punctuation_runs_on_without_spaces():
    found = read(spoken(["报名从周一开始，", "周五截止。", "逾期不予受理，", "请大家留意。"]))
    assert paragraphs(found) == ["报名从周一开始，周五截止。逾期不予受理，请大家留意。"]


def test_chinese_without_punctuation_keeps_its_pauses():
    found = read(spoken(["先把水烧开", "再放面条", "大约八分钟", "就可以出锅"]))
    assert paragraphs(found) == ["先把水烧开 再放面条 大约八分钟 就可以出锅"]


def test_without_punctuation_a_paragraph_has_an_end_all_the_same():
    found = read(spoken([f"and so it went on for the {n} time" for n in range(40)]))
    assert max(map(len, paragraphs(found))) <= 160
    assert len(found.cues) == 40


def test_a_long_silence_and_another_speaker_begin_a_paragraph():
    found = read(spoken(["One thing.", "Another thing.", "A third."], gaps={1: 5_000}))
    assert paragraphs(found) == ["One thing.", "Another thing. A third."]
    talk = "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Anna Berg>Is it true?\n\n00:02.000 --> 00:03.000\n<v.loud Bo>It is.</v>\n\n00:03.000 --> 00:04.000\n<v Bo>I saw it.\n"
    found = read(talk)
    assert [(c.speaker, found.text[c.start : c.end]) for c in found.cues] == [
        ("Anna Berg", "Is it true?"),
        ("Bo", "It is."),
        ("Bo", "I saw it."),
    ]
    assert paragraphs(found) == ["Is it true?", "It is. I saw it."]


SPEAKERS = [
    ("podcast", json.dumps({"version": "1", "segments": [{"speaker": "Anna", "startTime": 1, "endTime": 2, "body": "Good morning to you all."}]}), "Anna"),
    ("ASS", ASS + "Dialogue: 0,0:00:01.00,0:00:02.00,Default,Anna,0,0,0,,Good morning to you all.\n", "Anna"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "speaker"), [s[1:] for s in SPEAKERS], ids=[s[0] for s in SPEAKERS])
def test_who_speaks_is_kept_beside_the_words(content, speaker):
    found = read(content)
    assert [(c.speaker, found.text[c.start : c.end]) for c in found.cues] == [(speaker, "Good morning to you all.")]


TWO = [
    ("先说一件事", "First of all, one thing"),
    ("然后再说第二件", "Then the second thing"),
    ("最后是第三件", "And the third at last"),
]
TWO_LANGUAGES = [
    ("two lines", spoken([f"{zh}\n{en}" for zh, en in TWO])),
    ("two cues of one time", "".join(f"{n}\n{clock(n * 1000)} --> {clock(n * 1000 + 900)}\n{t}\n\n" for n, pair in enumerate(TWO) for t in pair)),
    ("ASS", ASS + "".join(f"Dialogue: 0,0:00:0{n}.00,0:00:0{n}.90,Default,,0,0,0,,{zh}\\N{en}\n" for n, (zh, en) in enumerate(TWO))),
]  # fmt: skip


@pytest.mark.parametrize("content", [t[1] for t in TWO_LANGUAGES], ids=[t[0] for t in TWO_LANGUAGES])
def test_two_languages_are_both_kept_line_by_line_and_said(content):
    found = read(content)
    assert paragraphs(found) == [line for pair in TWO for line in pair]
    assert "bilingual" in found.notes


def test_one_language_with_foreign_words_is_one_language():
    assert read(spoken(["今天讲 Python", "还有 asyncio 这个库", "和 pytest 怎么用"])).notes == ()


def test_what_a_machine_wrote_is_said():
    """Pitfall S9."""
    assert "subtitles_by_machine" in read(json.dumps(BILI), name="a.json").notes
    assert read(json.dumps({**BILI, "type": "CC"}), name="a.json").notes == ()


TITLES = [("a name", SRT, "talk"), ("ASS", FORMATS[16][2], "A talk"), ("LRC", FORMATS[14][2], "一首歌"), ("nobody's title", FORMATS[16][2].replace("A talk", "Default Aegisub file"), "talk")]  # fmt: skip


@pytest.mark.parametrize(("content", "title"), [t[1:] for t in TITLES], ids=[t[0] for t in TITLES])
def test_the_title_is_the_files_own_or_its_name(content, title):
    assert read(content).title == title


def test_the_codec_and_the_reader_are_recorded():
    """SRC-3."""
    found = read((SRT * 3).encode("gb18030"))
    assert (found.codec, found.extractor) == ("gb18030", "subtitle lines 1")
    assert read(FORMATS[16][2]).extractor.startswith("pysubs2 ")


def test_the_map_leads_back_to_what_was_read():
    """SRC-4."""
    found = read("1\n00:00:01,000 --> 00:00:02,000\nze\u200bro width\n\n2\n00:00:03,000 --> 00:00:04,000\nand more\n")
    second = found.cues[1]
    low, high = raw_span(found.offsets, second.start, second.end)
    assert found.raw[low:high] == "and more"


# --- SCC ----------------------------------------------------------------------------------------------------------


def scc(text):
    """Characters with odd parity, in pairs, as Scenarist writes them."""
    coded = [ord(c) | (0x80 if bin(ord(c)).count("1") % 2 == 0 else 0) for c in text]
    coded += [0x80] * (len(coded) % 2)
    return " ".join(f"{a:02x}{b:02x}" for a, b in zip(coded[::2], coded[1::2], strict=True))


def test_closed_captions_are_words_and_not_numbers():
    content = f"Scenarist_SCC V1.0\n\n00:00:01:00\t94ae 94ae 9420 9420 9470 9470 {scc('a caption that is closed')} 942f 942f\n\n00:00:03:00\t942c 942c\n"
    found = read(content, name="a.scc")
    assert [t for _, _, t in cues(found)] == ["a caption that is closed"]
    assert 900 <= found.cues[0].start_ms <= 2_500
    assert found.extractor.startswith("pycaption ")


# --- what is none -------------------------------------------------------------------------------------------------

REFUSED = [
    ("bilibili danmaku", "a.xml", '<?xml version="1.0" encoding="UTF-8"?><i><chatserver>c</chatserver><chatid>1</chatid><d p="1.5,1,25,16777215,1,0,ab,1">前排</d></i>', "wrong_kind", {"kind": "danmaku"}),
    ("danmaku with raw marks", "a.xml", '<i><d p="1.5,1,25,16777215,1,0,ab,1">a & b < c\x0b</d></i><i></i>', "wrong_kind", {"kind": "danmaku"}),
    ("niconico comments", "a.xml", '<packet><thread thread="1"/><chat thread="1" no="1" vpos="76" date="1">w</chat></packet>', "wrong_kind", {"kind": "danmaku"}),
    ("danmaku made into ASS", "a.ass", ASS + "".join(f"Dialogue: 0,0:00:{n:02}.00,0:00:{n + 8:02}.00,R,,0,0,0,,{{\\move(560,{n},-50,{n})}}弹幕\n" for n in range(30)), "wrong_kind", {"kind": "danmaku"}),
    ("a player's answer", "a.json", json.dumps({"responseContext": {}, "playabilityStatus": {"status": "OK"}, "captions": {"captionTracks": []}}), "wrong_kind", {"kind": "player data"}),
    ("only a header", "a.vtt", "WEBVTT\n\n", "empty_file", {}),
    ("only a note", "a.vtt", "WEBVTT\n\nNOTE nothing here\n", "empty_file", {}),
    ("cues without words", "a.srt", "1\n00:00:01,000 --> 00:00:02,000\n\n2\n00:00:02,000 --> 00:00:03,000\n<i></i>\n", "empty_file", {}),
    ("no event", "a.ass", ASS, "empty_file", {}),
    ("an empty list", "a.json", '{"body": [], "x": {"from": 1, "to": 2, "content": ""}}', "empty_file", {}),
    ("words under a false name", "a.srt", "Nothing here has a time, whatever the name says.\n", "broken", {}),
    ("JSON cut short", "a.json", json.dumps(BILI)[:-3], "broken", {}),
    ("JSON of another shape", "a.json", '{"body": ["from", "to"], "x": {"from": 1, "to": 2, "content": ""}, "body": [1]}', "empty_file", {}),
    ("SCC that is none", "a.scc", "Scenarist_SCC V1.0\n\n00:00:01:00\tzzzz yyyy\n", "broken", {}),
    ("nothing of XML", "a.ttml", "no element here", "broken", {}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "reason", "values"), [r[1:] for r in REFUSED], ids=[r[0] for r in REFUSED])
def test_what_is_no_transcript_is_refused_by_its_name(name, content, reason, values):
    """SRC-5; pitfall S6: never an empty result in silence."""
    assert route(content.encode(), name=name, limits=LIMITS) is InputType.SUBTITLE
    with pytest.raises(InputRejected) as refused:
        read(content, name=name)
    assert (refused.value.reason, refused.value.values) == (Reason(reason), values)


OTHERS = [
    ("ordinary JSON", "a.json", '{"name": "x", "items": [{"start": 1, "text": "y"}]}', InputType.TEXT),
    ("annotations", "a.json", '[{"start": 0, "end": 5, "text": "hello", "label": "A"}]', InputType.TEXT),
    ("a package file", "package.json", '{"name": "a", "version": "1.0.0", "body": "b", "from": "c"}', InputType.TEXT),
    ("ordinary XML", "a.xml", '<?xml version="1.0"?><note><to>Anna</to><words>Hello</words></note>', InputType.TEXT),
    ("a page", "a.html", "<!doctype html><html><head></head><body><p>WEBVTT</p></body></html>", InputType.HTML),
    ("a page under a false name", "a.srt", "<!DOCTYPE html><html><body><p>Sign in</p></body></html>", InputType.HTML),
    ("a text about subtitles", "a.txt", "A time line looks like this:\n00:00:01,000 --> 00:00:02,000\nand words follow.\n", InputType.TEXT),
    ("a text that begins with a time", "a.txt", "[12:30] The meeting began.\nAnd it ended.\n", InputType.TEXT),
    ("a chat log", "a.txt", "[12:30] Anna: hello\n[12:31] Bo: hello\n[12:32] Anna: well\n", InputType.TEXT),
    ("a list of numbers", "a.txt", "1\n2\n3\n", InputType.TEXT),
    ("Markdown", "a.md", "# WEBVTT\n\nA format.\n", InputType.MARKDOWN),
    ("a word that begins alike", "a.txt", "WEBVTTs are files.\n", InputType.TEXT),
    ("an ini file", "a.txt", "[Settings]\nkey=value\n", InputType.TEXT),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "kind"), [o[1:] for o in OTHERS], ids=[o[0] for o in OTHERS])
def test_other_texts_stay_what_they_are(name, content, kind):
    assert route(content.encode(), name=name, limits=LIMITS) is kind


# --- harm ---------------------------------------------------------------------------------------------------------

BOMB = '<?xml version="1.0"?><!DOCTYPE tt [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY f SYSTEM "file:///etc/hostname">]>'


def test_entities_of_a_document_are_never_resolved():
    """SEC-3."""
    found = read(BOMB + TTML.format("", '<div><p begin="1s" end="2s">said &c; and &f; done</p></div>'), name="a.ttml")
    assert "aaaa" not in found.text
    assert found.text.split() == ["said", "and", "done"]


HEAVY = [
    ("cues", "".join(f"{n}\n{clock(n * 100)} --> {clock(n * 100 + 90)}\nword {n}\n\n" for n in range(30_000))),
    ("arrows", "WEBVTT\n\n" + "-->" * 200_000),
    ("dashes", "1\n00:00:01,000 --> 00:00:02,000\n" + "-" * 400_000),
    ("brackets", "1\n00:00:01,000 --> 00:00:02,000\n" + "<" * 400_000),
    ("ampersands", "1\n00:00:01,000 --> 00:00:02,000\n" + "&amp;" * 80_000),
    ("digits", "1\n00:00:01,000 --> 00:00:02,000\n" + "1:" * 200_000),
    ("lines", "1\n00:00:01,000 --> 00:00:02,000\n" + "a\n" * 100_000),
]


@pytest.mark.parametrize("content", [h[1] for h in HEAVY], ids=[h[0] for h in HEAVY])
def test_a_large_file_takes_no_longer_than_its_length(content):
    started = time.process_time()
    route(content.encode(), name="a", limits=LIMITS)
    assert time.process_time() - started < 0.2
    with suppress(InputRejected):
        read(content)
    assert time.process_time() - started < 4


@given(st.text(alphabet="0123456789:.,-> <>c/&;\n{}[]aWEBVTNOé一\"'", max_size=400))
def test_any_text_is_read_or_refused_with_a_reason(text):
    """Pitfall S6; every span lies in the text and in order."""
    for start in (
        "WEBVTT\n\n00:01.000 --> 00:02.000\n",
        "1\n00:00:01,000 --> 00:00:02,000\n",
        "[ti:a]\n[00:01.00]",
        "",
    ):
        try:
            found = read(start + text)
        except InputRejected:
            continue
        last = 0
        for cue in found.cues:
            assert last <= cue.start < cue.end <= len(found.text)
            assert cue.start_ms <= cue.end_ms
            last = cue.end
        assert found.text.strip()
