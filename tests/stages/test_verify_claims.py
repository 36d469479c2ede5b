"""Program checks of EVD-1 to EVD-3: each breach is named, an honest script has none."""

from dataclasses import replace

import pytest

from pipeline.domain.evidence import Span
from pipeline.domain.script import Claim, ClaimKind, Role, ScriptDoc, Sentence
from pipeline.verify.claims import check, missing_figures

TEXT = "请各部门于8月20日17:00前将清单报送至东楼203室，逾期不予受理。另行安排的，以\n通知为准。"
FIRST = TEXT.index("。") + 1


def script(text, span, *, kind=ClaimKind.EXTERNAL_FACT, said=None):
    claim = Claim("c01", text, kind, True, (span,) if span else ())
    return ScriptDoc(
        "什么时候交？",
        "通知",
        "excerpt 1",
        "zh",
        (Sentence(0, Role.OPENING, "以下是原文。"), Sentence(1, Role.FACT, said or text, ("c01",))),
        (claim,),
    )


def rules(made, *, verbatim=True, allowed=frozenset({1})):
    return [finding.rule for finding in check(made, {1: TEXT, 2: TEXT}, allowed, verbatim=verbatim)]


WHOLE = Span(1, 7, 0, FIRST)
GOOD = script(TEXT[:FIRST], WHOLE)


def test_an_honest_script_has_no_breach():
    """EVD-1, EVD-2."""
    assert rules(GOOD) == []


def test_a_line_break_in_the_source_is_presentation():
    """EVD-2: folding only."""
    said = TEXT[FIRST:].replace("\n", "")
    assert rules(script(said, Span(1, 7, FIRST, len(TEXT)))) == []


BREACHES = [
    ("one character late", script(TEXT[:FIRST], Span(1, 7, 1, FIRST)), ["quote", "quote"]),
    ("one character early", script(TEXT[:FIRST], Span(1, 7, 0, FIRST - 1)), ["quote", "quote"]),
    ("another version", script(TEXT[:FIRST], Span(2, 7, 0, FIRST)), ["version"]),
    ("past the end", script(TEXT[:FIRST], Span(1, 7, 0, len(TEXT) + 1)), ["range"]),
    ("nothing at all", script(TEXT[:FIRST], Span(1, 7, 3, 3)), ["range"]),
    ("no evidence", script(TEXT[:FIRST], None), ["no_span"]),
    ("the sentence differs from its claim", script(TEXT[:FIRST], WHOLE, said="八月交。"), ["quote"]),
    ("two claims of one name", replace(GOOD, claims=GOOD.claims * 2), ["id_twice"]),
    ("a fact without a claim", replace(GOOD, sentences=(Sentence(0, Role.FACT, "甲"),)), ["sentence"]),
    ("an unknown claim", replace(GOOD, sentences=(Sentence(0, Role.FACT, "甲", ("c09",)),)), ["sentence"]),
    ("a frame with a claim", replace(GOOD, sentences=(Sentence(0, Role.OPENING, "甲", ("c01",)),)), ["sentence"]),
    ("a hole in the numbering", replace(GOOD, sentences=(Sentence(1, Role.OPENING, "甲"),)), ["sentence"]),
]


@pytest.mark.parametrize(("made", "expected"), [row[1:] for row in BREACHES], ids=[row[0] for row in BREACHES])
def test_every_breach_is_found(made, expected):
    """EVD-1, EVD-2, EVD-6."""
    assert rules(made) == expected


PARAPHRASES = [
    ("the date", "清单在8月20日17:00前交到东楼203室。", []),
    ("another day", "清单在8月25日17:00前交。", ["figure"]),
    ("part of a number", "清单交到东楼20室。", ["figure"]),
    ("a negation the source has", "逾期不予受理。", []),
    ("a negation it has not", "清单不得邮寄。", ["negation"]),
    ("a word that only looks like one", "这是非常明确的。", []),
]


@pytest.mark.parametrize(("text", "expected"), [row[1:] for row in PARAPHRASES], ids=[row[0] for row in PARAPHRASES])
def test_numbers_and_negations_of_a_paraphrase_occur_in_its_evidence(text, expected):
    """EVD-3."""
    assert rules(script(text, WHOLE), verbatim=False) == expected


FIGURES = [
    ("12元", "共1200元", ("12元",)),
    ("50%", "达到150%", ("50%",)),
    ("3.5kg", "重3.5 kg", ()),
    ("3.5kg", "重3.5g", ("3.5kg",)),
    ("5g", "重5gb", ("5g",)),
    ("五年", "十五年", ("五年",)),
    ("五年", "每五年一次", ()),
    ("２０２６年", "2026年", ()),
    ("17:00", "17:005", ("17:00",)),
    ("2026", "2026.5", ("2026",)),
    ("没有数字", "也没有", ()),
]


@pytest.mark.parametrize(("claim", "evidence", "expected"), FIGURES)
def test_a_figure_stands_whole_or_not_at_all(claim, evidence, expected):
    """EVD-2: digits, dates, amounts and units are equal."""
    assert missing_figures(claim, evidence) == expected
