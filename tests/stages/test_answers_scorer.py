"""The answer evaluation scores what it says it scores (rules EVD-7, AUD-3)."""

from eval.scorers.answers import Outcome, breaches, right
from eval.tasks.answers import foreign, own
from pipeline.domain.script import Declined, DeclineReason, Role, ScriptDoc, Sentence


def script(*texts):
    said = tuple(Sentence(i, Role.FACT, text, ("c01",)) for i, text in enumerate(texts))
    return ScriptDoc("问", "题", "excerpt 1", "zh", (Sentence(9, Role.OPENING, "与七月有关。"), *said), ())


def outcome(result, *golds):
    return Outcome("a", "问", golds, result, 0.1)


DECLINED = Declined(DeclineReason.NOT_COVERED, "问")


def test_an_answer_counts_only_inside_a_fact():
    """The opening repeats the question; it must not answer it."""
    assert right(outcome(script("定于８月２０日。"), "8月20日"))
    assert not right(outcome(script("定于8月20日。"), "七月"))
    assert not right(outcome(DECLINED, "8月20日"))
    assert right(outcome(DECLINED))
    assert not right(outcome(script("定于8月20日。")))


def test_a_repetition_and_a_long_script_are_breaches():
    assert breaches(outcome(script("一句。", "一句。"))) == ["一句。"]
    assert breaches(outcome(script("长" * 1_200))) == ["1206 characters"]
    assert breaches(outcome(script("长" * 1_194))) == []


def test_no_question_is_declined_against_its_own_text():
    texts = {f"t{n}": ("题", f"正文{n}") for n in range(7)}
    asked = [(key, "问", ("正",)) for key in texts]
    assert all(case.name != key for case, (key, _, _) in zip(foreign(texts, asked), asked, strict=True))
    assert foreign(texts, asked) == foreign(texts, asked)
    compound = own(texts, asked, 3)
    assert all(texts[key][1] in case.text for case, (key, _, _) in zip(compound, asked, strict=True))
