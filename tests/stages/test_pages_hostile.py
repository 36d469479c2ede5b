"""Pages made to fool or to hang a reader come out as they must, within the child's limits (rules SRC-8, SEC-3, EVD-8)."""

import pytest

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import InputType, ReadHints, SourceLimits
from pipeline.domain.text import raw_span, same_words
from pipeline.intake.extract import extract
from pipeline.providers.parse_child import ParseChild
from tests.support.page_cases import CHARSETS, HEAVY, HIDDEN, LINE, MALFORMED

QUICK = HIDDEN + CHARSETS + MALFORMED


def judge(case, found):
    assert [words for words in case.holds if words not in found.text] == []
    assert [words for words in case.lacks if words in found.text] == []
    for why, words in case.removed:
        assert any(gone.why == why and words in gone.text for gone in found.removed), (why, words)
    if case.codec:
        assert found.codec == case.codec


@pytest.mark.parametrize("case", QUICK, ids=[case.name for case in QUICK])
def test_a_hostile_page_gives_what_its_readers_see(case):
    """SRC-8, EVD-8: an order on the page is text like any other; one that nobody sees is not there."""
    hints = ReadHints(charset=case.charset, address=case.address)
    if case.reason:
        with pytest.raises(InputRejected) as refused:
            extract(case.data(), name="a.html", kind=InputType.HTML, hints=hints)
        assert (refused.value.reason, refused.value.values.get("what", "")) == (case.reason, case.what)
        return
    found = extract(case.data(), name="a.html", kind=InputType.HTML, hints=hints)
    judge(case, found)
    for block in found.blocks:
        start, end = raw_span(found.offsets, block.start, block.end)
        assert same_words(found.raw[start:end], found.text[block.start : block.end])


@pytest.mark.slow
@pytest.mark.parametrize("case", HEAVY, ids=[case.name for case in HEAVY])
async def test_a_heavy_page_stays_within_the_limits_of_the_child(case):
    """SEC-3: the real child, with its real memory and time."""
    judge(case, await ParseChild(SourceLimits()).parse(case.data(), name="a.html", kind=InputType.HTML))


def test_the_ledger_of_what_was_hidden_is_bounded():
    page = f"<p>{LINE}</p>" + f"<p hidden>{'藏' * 5_000}</p>" * 1_000
    found = extract(page.encode(), name="a.html", kind=InputType.HTML)
    assert len(found.removed) == 200
    assert {len(gone.text) for gone in found.removed} == {2_000}


def test_a_conflict_of_charsets_is_noted():
    """Pitfall W4: for the ledger; no sentence of it is shown to anyone."""
    page = "<meta charset=big5><p>湖心站每小时记录一次水位，数据当天送到县里。</p>"
    found = extract(page.encode("gbk"), name="a.html", kind=InputType.HTML, hints=ReadHints(charset="gbk"))
    assert (found.codec, found.notes) == ("gb18030", ("charset_conflict",))
    agreed = extract(page.replace("big5", "gbk").encode("gbk"), name="a.html", kind=InputType.HTML)
    assert agreed.notes == ()
