"""robots.txt as RFC 9309 reads it."""

import pytest

from pipeline.domain.robots import robots_allow, robots_rules

OURS = "User-agent: Earmark\nDisallow: /ours\n\nUser-agent: *\nDisallow: /all\n"

CASES = [
    ("nothing said", "", "/a", True),
    ("a path closed", "User-agent: *\nDisallow: /a", "/a/b", False),
    ("another path", "User-agent: *\nDisallow: /a", "/b", True),
    ("everything closed", "User-agent: *\nDisallow: /", "/", False),
    ("an empty rule closes nothing", "User-agent: *\nDisallow:", "/a", True),
    ("the longest wins", "User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),
    ("whatever the order", "User-agent: *\nAllow: /a/b\nDisallow: /a", "/a/c", False),
    ("a draw is kind", "User-agent: *\nDisallow: /a\nAllow: /a", "/a", True),
    ("a star in the middle", "User-agent: *\nDisallow: /*/print", "/x/y/print?z", False),
    ("a star and a query", "User-agent: *\nDisallow: /*?", "/a?b", False),
    ("a star and no query", "User-agent: *\nDisallow: /*?", "/a", True),
    ("an end", "User-agent: *\nDisallow: /*.pdf$", "/a.pdf", False),
    ("an end not reached", "User-agent: *\nDisallow: /*.pdf$", "/a.pdf?x", True),
    ("an end without a star", "User-agent: *\nDisallow: /a$", "/ab", True),
    ("end exactly", "User-agent: *\nDisallow: /a$", "/a", False),
    ("the same letters do not count twice", "User-agent: *\nDisallow: /aba*ba$", "/aba", True),
    ("ours before everybody's", OURS, "/all", True),
    ("ours", OURS, "/ours", False),
    ("any case", "USER-AGENT: EARMARK\nDISALLOW: /a", "/a", False),
    ("a longer name is another", "User-agent: earmarking\nDisallow: /a", "/a", True),
    ("two names, one group", "User-agent: x\nUser-agent: earmark\nDisallow: /a", "/a", False),
    ("two groups of ours", "User-agent: earmark\nDisallow: /a\n\nUser-agent: earmark\nDisallow: /b", "/b", False),
    ("comments", "User-agent: * # all\nDisallow: /a # secret", "/a", False),
    ("not robots at all", "<html><body>Not found</body></html>", "/a", True),
    ("an unknown line between", "User-agent: *\nCrawl-delay: 5\nDisallow: /a", "/a", False),
]


@pytest.mark.parametrize(("text", "target", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_robots(text, target, expected):
    assert robots_allow(robots_rules(text, "earmark"), target) is expected
