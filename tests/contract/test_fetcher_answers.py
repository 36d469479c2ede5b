"""What a server sends: too much, in pieces, broken, slow, or with a word about itself (rules SRC-6, SEC-3)."""

import asyncio
import gzip
import tracemalloc
import zlib
from dataclasses import replace

import httpcore
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.simulators import web as sim
from pipeline.domain.errors import FetchFailed, InputRejected
from pipeline.domain.source import Reason
from pipeline.providers.fetch_unpack import Unpacker
from tests.support.guarded import LIMITS, PAGE, QUICK

# --- pages that do harm -------------------------------------------------------------------------------------------

LARGE = [
    ("a gzip bomb", sim.bomb(50_000_000)),
    ("a bomb in a bomb", sim.bomb(50_000_000, layers=2)),
    ("three layers", sim.bomb(5_000_000, layers=3)),
    ("a deflate bomb", sim.packed(bytes(5_000_000), coding="deflate")),
    ("a bomb after an honest member", sim.page(gzip.compress(b"a") + gzip.compress(bytes(5_000_000)), headers={"Content-Encoding": "gzip"})),
    ("much that unpacks to nothing", sim.raw(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(b"") * 15_000)),
    ("an endless chunked stream", sim.endless()),
    ("an endless stream without a length", sim.endless(chunked=False)),
    ("a length over the limit", sim.lying(b"a", length="200001")),
    ("an absurd length", sim.lying(b"a", length="9" * 19)),
    ("one byte too many", sim.page(bytes(200_001))),
    ("spaces without end", sim.page(b" " * 10_000_000)),
]  # fmt: skip


@pytest.mark.parametrize("answer", [c[1] for c in LARGE], ids=[c[0] for c in LARGE])
async def test_what_is_too_large_is_refused_while_it_comes(web, world, answer):
    """SRC-6."""
    web.serve("/big", answer)
    with pytest.raises(InputRejected) as refused:
        await world.fetcher().fetch("http://site.test/big", owner_id=1)
    assert refused.value.reason == Reason.FETCH_TOO_LARGE


BROKEN = [
    ("slow headers", sim.drip(head=True, every_s=0.02), "timeout", True),
    ("a slow body", sim.drip(head=False, every_s=0.02), "timeout", True),
    ("silence", sim.silent(), "timeout", True),
    ("a hang-up", sim.raw(b""), "broken", True),
    ("less than announced", sim.lying(b"short", length="5000"), "broken", True),
    ("a reset in the body", sim.reset(b"begin", announced=5_000), "broken", True),
    ("a chunk cut short", sim.raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nabc"), "broken", True),
    ("no HTTP", sim.raw(b"SSH-2.0-OpenSSH_9.2\r\n\r\n"), "broken", False),
    ("a negative length", sim.lying(b"a", length="-1"), "broken", False),
    ("two lengths", sim.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na"), "broken", False),
    ("an endless header", sim.big_headers(3_000_000), "broken", False),
    ("endless header lines", sim.big_headers(3_000_000, lines=30_000), "broken", False),
    ("no gzip", sim.page(PAGE, headers={"Content-Encoding": "gzip"}), "broken", False),
    ("gzip cut short", sim.packed(PAGE * 50, coding="gzip", cut=20), "broken", False),
    ("an encoding never offered", sim.page(PAGE, headers={"Content-Encoding": "br"}), "broken", False),
    ("ten layers", sim.packed(PAGE, coding=", ".join(["gzip"] * 10)), "broken", False),
    ("a part that nobody asked for", sim.page(PAGE, status=206), "status", False),
    ("a change of protocol", sim.raw(b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"), "broken", False),
    ("not changed", sim.page(status=304), "status", False),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "reason", "again"), [c[1:] for c in BROKEN], ids=[c[0] for c in BROKEN])
async def test_what_does_not_arrive_whole_is_a_failure_with_its_reason(web, world, answer, reason, again):
    """SRC-6; MDL-1: only what another attempt may mend is tried again."""
    web.serve("/broken", answer)
    before = asyncio.get_running_loop().time()
    with pytest.raises(FetchFailed) as failed:
        await world.fetcher(QUICK if reason == "timeout" else LIMITS).fetch("http://site.test/broken", owner_id=1)
    assert (failed.value.reason, failed.value.again) == (reason, again)
    assert asyncio.get_running_loop().time() - before < LIMITS.total_s


WHOLE = [
    ("more than announced", sim.lying(PAGE + b"tail", length=str(len(PAGE))), PAGE),
    ("gzip", sim.packed(PAGE, coding="gzip"), PAGE),
    ("deflate", sim.packed(PAGE, coding="deflate"), PAGE),
    ("deflate without its header", sim.packed(PAGE, coding="raw-deflate"), PAGE),
    ("two layers", sim.packed(PAGE, coding="deflate, gzip"), PAGE),
    ("x-gzip", sim.page(gzip.compress(PAGE), headers={"Content-Encoding": "x-gzip"}), PAGE),
    ("identity", sim.page(PAGE, headers={"Content-Encoding": "identity"}), PAGE),
    ("two gzip members", sim.page(gzip.compress(b"ab") + gzip.compress(b"c"), headers={"Content-Encoding": "gzip"}), b"abc"),
    ("padding after gzip", sim.page(gzip.compress(b"ab") + bytes(9), headers={"Content-Encoding": "gzip"}), b"ab"),
    ("an empty gzip", sim.page(b"", headers={"Content-Encoding": "gzip"}), b""),
    ("no content", sim.page(status=204), b""),
    ("an empty page", sim.page(b""), b""),
    ("at the limit", sim.page(bytes(200_000)), bytes(200_000)),
    ("HTTP/1.0 until it closes", sim.raw(b"HTTP/1.0 200 OK\r\n\r\n" + PAGE), PAGE),
    ("a hint before the answer", sim.raw(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"), b"a"),
    ("headers of 50 KB", sim.big_headers(50_000, lines=10), b"<p>short</p>"),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "data"), [c[1:] for c in WHOLE], ids=[c[0] for c in WHOLE])
async def test_odd_but_whole_answers_are_read(web, world, answer, data):
    web.serve("/odd", answer)
    assert (await world.fetcher().fetch("http://site.test/odd", owner_id=1)).data == data


def test_a_bomb_is_never_held_in_memory():
    bomb = gzip.compress(bytes(100_000_000))
    tracemalloc.start()
    try:
        with pytest.raises(InputRejected):
            Unpacker("gzip", 100_000).feed(bomb)
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


@given(st.binary(max_size=300), st.integers(1, 7), st.sampled_from(["gzip", "deflate", "gzip, gzip", "deflate, gzip"]))
def test_unpacking_does_not_depend_on_where_the_pieces_end(data, size, coding):
    packed = data
    for name in coding.split(", "):
        packed = gzip.compress(packed) if name == "gzip" else zlib.compress(packed)
    unpacker = Unpacker(coding, 300)
    pieces = [unpacker.feed(packed[at : at + size]) for at in range(0, len(packed), size)]
    unpacker.finish()
    assert b"".join(pieces) == data
    with pytest.raises(ValueError):  # noqa: PT011 — any end that is missing
        cut = Unpacker(coding, 300)
        cut.feed(packed[:-1])
        cut.finish()


async def test_a_slow_page_holds_up_no_other(web, world):
    """SRC-6: the time is of the whole fetch, and another owner's page comes meanwhile."""
    web.serve("/slow", sim.drip(head=False, every_s=0.02))
    fetcher = world.fetcher(replace(LIMITS, total_s=4))
    slow = asyncio.create_task(fetcher.fetch("http://site.test/slow", owner_id=1))
    found = await fetcher.fetch("http://other.test/a", owner_id=2)
    assert (found.data, slow.done()) == (PAGE, False)
    with pytest.raises(FetchFailed, match="timeout"):
        await slow


STATUSES = [
    (401, {}, False, None),
    (403, {}, False, None),
    (404, {}, False, None),
    (410, {}, False, None),
    (451, {}, False, None),
    (418, {}, False, None),
    (429, {"Retry-After": "7"}, True, 7.0),
    (429, {}, True, None),
    (429, {"Retry-After": "soon"}, True, None),
    (429, {"Retry-After": "999999999"}, True, 86_400.0),
    (503, {"Retry-After": "Mon, 02 Mar 2026 08:00:30 GMT"}, True, 30.0),
    (503, {"Retry-After": "Mon, 02 Mar 2026 07:00:00 GMT"}, True, 0.0),
    (500, {}, True, None),
    (502, {}, True, None),
]


@pytest.mark.parametrize(("status", "headers", "again", "retry_after_s"), STATUSES)
async def test_a_status_says_whether_to_ask_again(web, world, status, headers, again, retry_after_s):
    web.serve("/no", sim.page(b"no", status=status, headers=headers))
    with pytest.raises(FetchFailed) as failed:
        await world.fetcher().fetch("http://site.test/no", owner_id=1)
    error = failed.value
    assert (error.reason, error.status, error.again, error.retry_after_s) == ("status", status, again, retry_after_s)
    assert len(web.asked("/no")) == 1  # the run's ledger asks again, the fetcher never


async def test_nobody_listening_is_a_failure_to_connect(world):
    async def dial(address, port, timeout_s):
        raise httpcore.ConnectError("refused")

    with pytest.raises(FetchFailed) as failed:
        await world.fetcher(dial=dial).fetch("http://site.test/", owner_id=1)
    assert (failed.value.reason, failed.value.again) == ("connect", True)


# --- what a page says of itself -----------------------------------------------------------------------------------

KINDS = [
    ("text/html; charset=utf-8", "text/html", "utf-8"),
    ("TEXT/HTML;Charset=GB2312", "text/html", "gb2312"),
    ('text/html; charset="gbk"', "text/html", "gbk"),
    ("text/html; boundary=x; charset='big5'", "text/html", "big5"),
    ("application/pdf", "application/pdf", None),
    ("text/html; charset=", "text/html", None),
    ("", "", None),
]


@pytest.mark.parametrize(("header", "media_type", "charset"), KINDS)
async def test_the_kind_and_the_charset_of_the_header(web, world, header, media_type, charset):
    web.serve("/kind", sim.page(PAGE, media_type=header))
    found = await world.fetcher().fetch("http://site.test/kind", owner_id=1)
    assert (found.media_type, found.charset) == (media_type, charset)


async def test_what_tells_a_change_is_kept(web, world):
    dated = {"Last-Modified": "Sun, 01 Mar 2026 00:00:00 GMT", "ETag": '"v1"'}
    web.serve("/dated", sim.page(PAGE, headers=dated))
    found = await world.fetcher().fetch("http://site.test/dated", owner_id=1)
    assert (found.etag, found.last_modified) == ('"v1"', "Sun, 01 Mar 2026 00:00:00 GMT")
    plain = await world.fetcher().fetch("http://site.test/a", owner_id=1)
    assert (plain.etag, plain.last_modified) == (None, None)


async def test_we_say_who_we_are_and_leave_nothing_else(web, world):
    await world.fetcher(version="1.2").fetch("http://site.test/a?b=1#c", owner_id=1)
    (request,) = web.asked("/a")
    assert "Earmark/1.2" in request.headers["user-agent"]
    assert (request.method, request.target, request.host) == ("GET", "/a?b=1", "site.test")
    assert set(request.headers) == {"host", "user-agent", "accept", "accept-language", "accept-encoding"}
