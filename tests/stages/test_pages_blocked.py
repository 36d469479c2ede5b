"""Which pages are no article, which articles only look like such a page, and which are cut off (rule SRC-5)."""

import pytest

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import InputType, Quality, Reason
from pipeline.intake.extract import extract
from pipeline.intake.page_blocked import sign_of
from tests.support.blocked_cases import ARTICLES, BLOCKED, TEASERS, WHOLE


def read(page):
    return extract(page.encode(), name="a.html", kind=InputType.HTML)


@pytest.mark.parametrize(("page", "what"), [row[1:] for row in BLOCKED], ids=[row[0] for row in BLOCKED])
def test_a_page_that_is_no_article_is_named(page, what):
    """SRC-5: never evidence."""
    with pytest.raises(InputRejected) as refused:
        read(page)
    assert (refused.value.reason, refused.value.values["what"]) == (Reason.BLOCKED_PAGE, what)
    assert refused.value.values["sign"]


@pytest.mark.parametrize(("page", "words"), [row[1:] for row in ARTICLES], ids=[row[0] for row in ARTICLES])
def test_an_article_about_such_pages_is_an_article(page, words):
    found = read(page)
    assert words in found.text
    assert found.quality is Quality.FULL


@pytest.mark.parametrize("page", [row[1] for row in TEASERS], ids=[row[0] for row in TEASERS])
def test_an_article_cut_off_by_a_wall_is_partial_and_says_so(page):
    found = read(page)
    assert (found.quality, found.notes) == (Quality.PARTIAL, ("paywall",))
    assert not any(sign_of(line) for line in found.text.split("\n\n"))


@pytest.mark.parametrize("page", [row[1] for row in WHOLE], ids=[row[0] for row in WHOLE])
def test_an_offer_beside_a_whole_article_cuts_nothing(page):
    found = read(page)
    assert (found.quality, found.notes) == (Quality.FULL, ())
