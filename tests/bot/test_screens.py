"""Screens are tables: a view in, what stands in the chat out."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from markupsafe import escape

from bot.channels.port import as_payload
from bot.screens.claim import claim, claims_of
from bot.screens.note import note
from bot.screens.quotes import checks, surroundings
from bot.screens.receipt import receipt
from bot.screens.spoken_page import spoken_page, stored_text
from bot.screens.voice import transcript, voice
from bot.web.markup import words as broken
from storage.queries.episode.receipt import ReceiptView, StageView, stages_of
from storage.queries.episode.spoken import QuoteView
from tests.support.spoken import PARAGRAPHS, QUESTION, SAID, TITLE, spoken_view

START = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
READ = StageView("read", "done", {"chars": 61930, "quality": "FULL", "pages": 46, "notes": ["pages_without_text:2"]})
SPLIT = StageView("split", "done", {"chunks": 204})
FIND = StageView("find", "done", {"passages": 8, "sections": 4, "whole_text": False})
NEXT = tuple(StageView(s, "next") for s in ("read", "split", "find", "write", "check", "speak", "publish"))


def view(**changes) -> ReceiptView:
    base = ReceiptView(
        revision_id=12, number=1, source_id=5, input_type="pdf", name="路灯.pdf", origin=None, hint=None, size_bytes=3_200_000,
        title=TITLE, pages=46, question=QUESTION, question_by="person", ask_until=None, revision_state="DRAFT",
        run_id=7, run_state="RUNNING", attempts=1, cancel_requested=False, error_reason=None, error_values={},
        decline=None, superseded=False, outdated=False, stages=(READ, SPLIT, FIND, *NEXT[3:]), started_at=START, finished_at=None,
        duration_ms=None,
    )  # fmt: skip
    return replace(base, **changes)


DECLINED = {"reason": "not_covered", "question": QUESTION, "missing_terms": ["月球"], "excerpts": []}
FOREIGN = {
    "reason": "other_language",
    "question": "Why?",
    "missing_terms": [],
    "excerpts": [["Lamps were dimmed.", {}]],
}
LINK = {"run_state": "FAILED", "origin": "https://example.org/a?b=1", "input_type": "link", "name": ""}
WAYS = ["retry", "paste_body", "upload_pdf", "upload_page"]
FAILED = (READ, StageView("split", "bad"), *NEXT[2:])

# (id, changes, state, verbs offered, what the sentence must contain)
STATES = [
    ("asking", {"question": None, "question_by": None, "run_state": "DEFERRED"}, "asking", ["points", "cancel"], "两分钟"),
    ("in the queue", {"run_state": "QUEUED", "stages": NEXT}, "waiting", ["cancel", "reask"], "排队"),
    ("running", {}, "running", ["cancel", "reask"], ""),
    ("will retry", {"run_state": "RETRY_WAIT", "attempts": 2}, "retrying", ["cancel", "reask"], "已试 2 次，最多 4 次"),
    ("stopping", {"cancel_requested": True}, "stopping", [], "正在停下"),
    ("cancelled", {"run_state": "CANCELLED"}, "cancelled", ["retry", "reask"], "已取消"),
    ("failed later on", {"run_state": "FAILED", "error_reason": "child.crash", "stages": FAILED}, "failed", ["retry", "reask"], "意外停了"),
    ("cancelled before a question", {"run_state": "CANCELLED", "question": None}, "cancelled", ["reask", "points"], "已取消"),
    ("crashed for good", {"run_state": "FAILED", "error_reason": "crashed", "stages": FAILED}, "failed", ["retry", "reask"], "试了四次"),
    ("no calls left", {"run_state": "FAILED", "error_reason": "budget_spent", "stages": FAILED}, "failed", ["reask", "points"], "调用次数"),
    ("our own fault", {"run_state": "FAILED", "error_reason": "defect", "stages": FAILED}, "failed", ["retry", "reask"], "runs show"),
    ("the parser died", {"run_state": "FAILED", "error_reason": "parser_died", "error_values": {"how": "timeout"}, "stages": (StageView("read", "bad"), *NEXT[1:])}, "failed", ["retry", "paste_body", "upload_pdf"], "太久"),
    ("declined", {"revision_state": "STOPPED", "run_state": "SUCCEEDED", "decline": DECLINED}, "declined", ["reask", "points"], "没有出现：月球"),
    ("another language", {"revision_state": "STOPPED", "run_state": "SUCCEEDED", "decline": FOREIGN}, "declined", ["reask", "points"], "没有接入模型"),
    ("outcome unknown", {"run_state": "WAITING_REVIEW", "error_values": {"missing": 2, "parts": 5}}, "review", ["retry", "cancel"], "5 段里还缺 2 段"),
    ("no room today", {"run_state": "DEFERRED", "error_reason": "no_room", "revision_state": "AUDIO_READY"}, "tomorrow", ["cancel", "reask"], "明天自动发给你"),
    ("a link that was marked", {"question": None, "question_by": None, "run_state": "DEFERRED", "hint": "冰层厚三十厘米", "origin": "https://example.org/a"}, "asking", ["hint", "points", "cancel"], "「冰层厚三十厘米」"),
    ("a page that asks for a login", {**LINK, "error_reason": "blocked_page", "error_values": {"what": "login", "sign": "请登录"}, "stages": (StageView("fetch", "done"), StageView("read", "bad"), *NEXT[1:])}, "failed", WAYS, "要求登录"),
    ("a site that refuses", {**LINK, "error_reason": "fetch.status", "error_values": {"host": "example.org", "status": 403}, "stages": (StageView("fetch", "bad"), *NEXT)}, "failed", WAYS, "example.org 不让我取"),
    ("a private address", {**LINK, "error_reason": "address_refused", "error_values": {"why": "private", "host": "10.0.0.8"}, "stages": (StageView("fetch", "bad"), *NEXT)}, "failed", WAYS, "10.0.0.8 不在公开"),
    ("a locked PDF", {"run_state": "FAILED", "error_reason": "encrypted", "stages": (StageView("read", "bad"), *NEXT[1:])}, "failed", ["password", "paste_body"], "密码"),
    ("a done link", {"run_state": "SUCCEEDED", "revision_state": "AUDIO_READY", "origin": "https://example.org/a"}, "done", ["refetch"], ""),
    ("a done link whose page has changed", {"run_state": "SUCCEEDED", "revision_state": "AUDIO_READY", "origin": "https://example.org/a", "outdated": True}, "done", ["again", "reask"], ""),
    ("too long", {"revision_state": "HELD", "run_state": "SUCCEEDED"}, "held", ["reask", "points"], "超过五分钟"),
    ("replaced", {"superseded": True}, "superseded", [], "改了问题"),
    ("done", {"run_state": "SUCCEEDED", "revision_state": "AUDIO_READY", "finished_at": START + timedelta(seconds=161)}, "done", [], ""),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "state", "verbs", "part"), [s[1:] for s in STATES], ids=[s[0] for s in STATES])
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_state_of_a_receipt(changes, state, verbs, part, lang):
    """Rules CHT-7, CHT-9: the receipt says where it stands, and each failure has a way out."""
    out = receipt(view(**changes), lang)
    assert out.card["state"] == state
    assert [b.verb for b in out.buttons] == verbs
    assert all(b.args == {"revision": 12} for b in out.buttons)
    assert len([b for b in out.buttons if b.style == "main"]) <= 1
    if lang == "zh":
        assert part in out.card["say"]
        assert part in out.text
    assert TITLE in out.text
    json.dumps(as_payload(out))


def test_the_two_minute_default_is_stated_with_the_question():
    """Rule CHT-9."""
    out = receipt(view(question=None, question_by=None, run_state="DEFERRED"), "en")
    assert "two minutes" in out.text
    assert out.buttons[0].style == "main"
    assert out.buttons[0].verb == "points"


def test_stages_carry_their_facts():
    rows = {s["stage"]: s for s in receipt(view(), "zh").card["stages"]}
    assert rows["read"]["fact"] == "61,930 字，完整"
    assert rows["find"]["fact"] == "8 段，来自 4 个章节"
    assert rows["write"] == {"stage": "write", "status": "next", "label": "写讲稿", "fact": "", "percent": None}
    assert receipt(view(), "zh").card["meta"] == ["路灯.pdf", "PDF，46 页", "2 页上没有文字"]


FACTS = [
    ("whole text", StageView("find", "done", {"passages": 3, "sections": 0, "whole_text": True}), "3 passages, the whole text"),
    ("all proved", StageView("check", "done", {"supported": 9, "dropped": 0}), "9 sentences proved"),
    ("some dropped", StageView("check", "done", {"supported": 1, "dropped": 2}), "1 sentence proved, 2 dropped"),
    ("speech reused", StageView("speak", "done", {"segments": 4, "seconds": 30.0, "reused": True}), "4 parts, already there"),
    ("published", StageView("publish", "done", {"duration_ms": 252_000, "lufs": -16.04, "bytes": 9}), "4:12, −16 LUFS"),
    ("no facts at all", StageView("publish", "done", {}), ""),
]  # fmt: skip


@pytest.mark.parametrize(("stage", "said"), [f[1:] for f in FACTS], ids=[f[0] for f in FACTS])
def test_facts_in_words(stage, said):
    rows = receipt(view(stages=(stage,)), "en").card["stages"]
    assert rows[0]["fact"] == said


@pytest.mark.parametrize(
    ("part", "parts", "percent"), [(0, 5, 0), (3, 5, 60), (5, 5, 100), (None, None, None), (1, 0, None)]
)
def test_a_percentage_only_where_one_is_known(part, parts, percent):
    """Rule CHT-3's progress message: 60% is three parts of five finished."""
    row = receipt(view(stages=(StageView("speak", "now", part=part, parts=parts),)), "zh").card["stages"][0]
    assert row["percent"] == percent
    assert bool(row["fact"]) == (percent is not None)


def test_a_failed_receipt_shows_only_what_failed():
    out = receipt(view(run_state="FAILED", error_reason="child.memory", stages=FAILED), "zh")
    assert [s["stage"] for s in out.card["stages"]] == ["split"]


@pytest.mark.parametrize("reason", ["empty_file", "no_text", "wrong_kind", "undecodable"])
def test_no_retry_is_offered_where_the_same_bytes_must_fail_again(reason):
    """SRC-5: a promise that cannot be kept is not made: other input is the way out, and it continues this source."""
    out = receipt(view(run_state="FAILED", error_reason=reason, stages=(StageView("read", "bad"), *NEXT[1:])), "zh")
    assert [b.verb for b in out.buttons] == ["paste_body", "upload_pdf"]


def test_a_decision_about_money_says_what_it_decides():
    """TTS-1."""
    out = receipt(view(run_state="WAITING_REVIEW", error_values={"missing": 2, "parts": 5}), "zh")
    assert [b.label for b in out.buttons] == ["重试缺失的 2 段", "放弃"]


def test_a_link_is_called_by_its_address_until_its_title_is_known():
    unread = view(title="", name="", input_type="link", origin="https://example.org/a/b?c=1#d", run_state="QUEUED")
    assert receipt(unread, "zh").card["title"] == "example.org/a/b"
    assert receipt(replace(unread, title=TITLE), "zh").card["meta"][0] == "example.org"


def test_the_fetch_is_a_stage_of_links_only():
    stages = (StageView("fetch", "next"), *NEXT)
    assert [s["stage"] for s in receipt(view(stages=stages), "zh").card["stages"]][0] == "read"
    link = receipt(view(stages=stages, input_type="link", origin="https://example.org"), "zh")
    assert link.card["stages"][0]["label"] == "抓取网页"
    done = StageView("fetch", "done", {"bytes": 2_048, "host": "example.org", "moved": False, "robots": "allowed"})
    fact = receipt(view(stages=(done, *NEXT), input_type="html"), "zh").card["stages"][0]["fact"]
    assert fact == "example.org，2 KB"


def test_a_done_receipt_says_how_long_it_took():
    out = receipt(view(run_state="SUCCEEDED", finished_at=START + timedelta(seconds=161)), "zh")
    assert out.card["foot"] == ["用时 2 分 41 秒"]


def test_foreign_excerpts_go_out_as_text():
    """Rule SEC-6."""
    out = receipt(view(revision_state="STOPPED", decline=FOREIGN), "en")
    assert out.card["excerpts"] == ["Lamps were dimmed."]
    assert "Lamps were dimmed." in out.text


def test_an_untitled_source_is_called_by_its_name_or_kind():
    assert receipt(view(title=""), "zh").card["title"] == "路灯.pdf"
    assert receipt(view(title="", name="", input_type="paste"), "en").card["title"] == "Pasted text"


def test_a_retry_brings_a_failed_stage_back():
    events = [
        {"stage": "read", "kind": "stage_failed", "data": {}},
        {"stage": "read", "kind": "stage_started", "data": {}},
    ]
    assert stages_of(events, failed=False)[1].status == "now"


# ── the voice note ──────────────────────────────────────────────────────────
def test_a_voice_note_says_its_length_its_sources_and_its_limits():
    """Rules EVD-7, EVD-9; product: any limit is in the caption."""
    out = voice(spoken_view(), "zh")
    assert out.card["title"] == QUESTION
    assert out.card["meta"] == ["7 句", "3 处原文"]
    assert out.card["gaps"] == ["资料未说明：换成别的亮度会怎样"]
    assert "2 段" in out.card["left_out"]
    assert out.card["excerpt"] == "未接入模型：以下为原文摘读"
    for part in (QUESTION, "28 秒", "3 处原文", "换成别的亮度会怎样", "未接入模型：以下为原文摘读"):
        assert part in out.text
    assert [(b.verb, b.args) for b in out.buttons] == [
        ("claim", {"revision": 12, "index": 0}),
        ("transcript", {"revision": 12}),
        ("open", {"href": "/e/12"}),
        ("reask", {"revision": 12}),
    ]
    assert out.media is not None
    assert out.media.blob_key == "o/1/ogg"
    assert out.media.duration_ms == 28_000
    json.dumps(as_payload(out))


def test_a_note_of_main_points_is_called_by_its_source():
    out = voice(spoken_view(question="讲要点", question_by="default"), "zh")
    assert out.card["title"] == f"《{TITLE}》"
    assert out.card["source"] == ""


def test_a_model_s_script_is_not_called_an_excerpt():
    assert voice(spoken_view(writer="qwen"), "zh").card["excerpt"] == ""


def test_file_names_keep_no_path():
    media = voice(spoken_view(question='a/b\\c:"d"?'), "zh").media
    assert media is not None
    assert not set(media.file_name) & set('/\\:"?')


def test_the_text_version_has_every_sentence_with_its_time():
    """Rule CHT-11."""
    out = transcript(spoken_view(), "zh")
    for n, (_, words, _) in enumerate(SAID):
        assert words in out.text
        assert out.card["rows"][n]["clock"] == f"0:{n * 4:02d}"


# ── evidence ────────────────────────────────────────────────────────────────
def test_a_claim_stands_in_its_surroundings():
    out = claim(spoken_view(), 1, "zh")
    proof = out.card["proofs"][0]
    assert proof["quote"] == "调暗期间记录到事故 9 起，前一年同期是 11 起。"
    assert proof["before"] == ""
    assert proof["after"].startswith("作者说")
    assert proof["place"] == f"《{TITLE}》，「二、结果」一节，第 2 页"
    assert out.card["pager"] == "2 / 3"
    assert out.card["checks"] == ["原文存在", "数字一致：9、11", "否定词一致"]
    assert proof["quote"] in out.text


@pytest.mark.parametrize(
    ("index", "shown", "left", "right"),
    [(-1, 0, True, False), (0, 0, True, False), (1, 1, False, False), (2, 2, False, True), (9, 2, False, True)],
)
def test_the_pager_stops_at_its_ends(index, shown, left, right):
    out = claim(spoken_view(), index, "zh")
    assert out.card["index"] == shown
    assert [b.disabled for b in out.buttons if b.verb == "claim"] == [left, right]


def test_nothing_quoted_is_said_so():
    out = claim(spoken_view(said=(SAID[0],)), 0, "en")
    assert out.kind == "note"
    assert "no evidence" in out.text
    assert voice(spoken_view(said=(SAID[0],)), "en").buttons[0].disabled


def test_surroundings_stop_at_the_paragraph():
    v = spoken_view()
    quote = claims_of(v)[0].quotes[0]
    before, after = surroundings(v.source, quote.start, quote.end)
    assert before == ""
    assert after == "每天 23:00 以后，路灯的亮度降到原来的 40%，清晨五点恢复。"


def test_long_surroundings_are_cut_and_say_so():
    v = spoken_view(
        said=(("fact", "中间的话", ""),), paragraphs=(("paragraph", 0, "甲" * 200 + "中间的话" + "乙" * 200),)
    )
    quote = v.sentences[0].quotes[0]
    before, after = surroundings(v.source, quote.start, quote.end)
    assert before == "……" + "甲" * 70
    assert after == "乙" * 70 + "……"


def test_only_checks_that_hold_are_shown():
    """Rule EVD-2: a quote that is not the stored text proves nothing; a reworded sentence proves no equality."""
    v = spoken_view()
    sentence = claims_of(v)[0]
    assert len(checks(v, sentence, "zh")) == 3
    reworded = replace(sentence, text="试验在三条街上做了 15 个月。")
    assert checks(v, reworded, "zh") == ["原文存在"]
    quote = sentence.quotes[0]
    moved = replace(sentence, quotes=(replace(quote, start=quote.start + 1),))
    assert checks(v, moved, "zh") == []


# ── the page ────────────────────────────────────────────────────────────────
def test_the_stored_text_is_whole_to_the_letter():
    """Rule SRC-4: gaps and pieces join to the text, so every offset still holds in what is shown."""
    v = spoken_view()
    blocks, tail = stored_text(v)
    assert "".join(b.gap + "".join(p.text for p in b.pieces) for b in blocks) + tail == v.source.text


def test_every_quote_is_an_anchor_in_it_once():
    v = spoken_view()
    blocks, _ = stored_text(v)
    anchors = [a for b in blocks for p in b.pieces for a in p.anchors]
    assert sorted(anchors) == sorted(f"q{q.start}-{q.end}" for s in v.sentences for q in s.quotes)
    marked = "".join(p.text for b in blocks for p in b.pieces if p.marked)
    assert marked == "".join(q.text for s in v.sentences for q in s.quotes)


def test_overlapping_quotes_and_quotes_over_two_blocks_keep_the_text_whole():
    v = spoken_view()
    a = v.source.text.index("期间没有")
    b = v.source.text.index("调暗期间")
    over = QuoteView(3, a, b + 4, v.source.text[a : b + 4], "", 1)
    inner = QuoteView(3, a + 2, a + 6, v.source.text[a + 2 : a + 6], "", 1)
    v = replace(v, sentences=(replace(v.sentences[1], quotes=(over, inner)),))
    blocks, tail = stored_text(v)
    assert "".join(x.gap + "".join(p.text for p in x.pieces) for x in blocks) + tail == v.source.text
    anchors = [y for x in blocks for p in x.pieces for y in p.anchors]
    assert anchors == [f"q{over.start}-{over.end}", f"q{inner.start}-{inner.end}"]


def test_a_text_without_blocks_is_still_shown():
    v = spoken_view(paragraphs=PARAGRAPHS[2:3])
    v = replace(v, source=replace(v.source, blocks=()))
    assert "".join(p.text for p in stored_text(v)[0][0].pieces) == v.source.text


def test_chapters_are_the_sections_heard():
    assert [(c.label, c.first) for c in spoken_page(spoken_view(), "zh").chapters] == [("一、做法", 1), ("二、结果", 3)]
    assert spoken_page(spoken_view(said=SAID[:2]), "zh").chapters == ()


def test_the_page_counts_what_was_left_out():
    page = spoken_page(spoken_view(), "zh")
    assert page.checked
    assert page.gap_count == 1
    assert len(page.not_said) == 2
    assert spoken_page(spoken_view(gaps=(), left_out=0), "zh").not_said == ()


def test_a_note_with_an_unknown_key_is_the_general_sentence():
    assert note("nonsense", {}, "en").text.startswith("Something went wrong")
    assert note("encrypted", {}, "zh", file="a.pdf").text.startswith("「a.pdf」：这份 PDF 有密码")
    assert "200 MB" in note("message_too_large", {"limit_mb": 200}, "en").text


TITLES = ["怎样避免把同一封邮件发两遍", "《路灯》，之后", "水深.txt", "a <b> & c", "「甲」和（乙）"]


@pytest.mark.parametrize("title", TITLES)
def test_titles_break_between_words_only(title):
    """DESIGN.md 2: no break before closing or after opening marks; the words themselves are escaped, never changed."""
    marked = str(broken(title))
    assert marked.replace("<wbr>", "") == str(escape(title))
    assert not re.search(r"<wbr>[》，.]|《<wbr>|\.<wbr>", marked)


# ── where words come from ───────────────────────────────────────────────────
def test_text_out_of_a_picture_says_so_wherever_it_is_quoted():
    """SRC-5: OCR is marked, on the card of a claim and on the page."""
    view = spoken_view()
    quote = next(s for s in view.sentences if s.quotes).quotes[0]
    source = replace(view.source, recognised=frozenset({quote.page}), pages=46)
    said = claim(replace(view, source=source), 0, "zh")
    assert "识别自图片" in said.card["proofs"][0]["place"]
    assert "识别自图片" not in claim(view, 0, "zh").card["proofs"][0]["place"]
    assert ("off", "1 页识别自图片") in spoken_page(replace(view, source=source), "zh").source_tags


def test_words_of_a_subtitle_have_their_time_and_a_changed_page_is_named():
    view = spoken_view()
    quote = next(s for s in view.sentences if s.quotes).quotes[0]
    source = replace(view.source, cues=((quote.start, quote.end, 192_400),), outdated=True, pictures=3)
    changed = replace(view, source=source)
    assert "3:12 处" in claim(changed, 0, "zh").card["proofs"][0]["place"]
    tags = [words for _, words in spoken_page(changed, "en").source_tags]
    assert "The page has changed since; this tells its old version" in tags
    assert "3 pictures saved" in tags
