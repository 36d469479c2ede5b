"""The Fetcher port: the same promises for the fake and the guard, and the web that means harm (rules SRC-6, SEC-3)."""

import asyncio
import gzip
import ssl
import tracemalloc
import zlib
from contextlib import asynccontextmanager
from dataclasses import replace

import httpcore
import pytest
import trustme
from hypothesis import given
from hypothesis import strategies as st

from eval.simulators import web as sim
from pipeline.domain.address import FetchLimits
from pipeline.domain.errors import FetchFailed, InputRejected
from pipeline.domain.source import Reason
from pipeline.providers.fetch_fake import FakeFetcher
from pipeline.providers.fetch_guard import GuardedFetcher
from pipeline.providers.fetch_network import SystemResolver
from pipeline.providers.fetch_unpack import Unpacker
from tests.support.addresses import REFUSED

HERE, ELSEWHERE = "93.184.216.34", "8.8.4.4"  # public by number; nothing in these tests leaves loopback
# Patient, so that a busy machine fails no test; QUICK is for those that wait for a time limit.
LIMITS = FetchLimits(
    max_bytes=200_000, total_s=20, connect_s=15, wait_s=20, host_gap_s=0.0, robots_s=15, robots_bytes=2_000
)
QUICK = replace(LIMITS, total_s=0.6, connect_s=0.5, robots_s=0.3)
PACKAGED = httpcore.default_ssl_context()  # what the guard trusts by default; loaded once for all tests
PAGE = "<p>一页正文</p>".encode()


class World:
    """Names, and what was looked up and dialled. Every public address leads to the simulator on loopback."""

    def __init__(self, web, **names):
        self.web, self.looked_up, self.dialled = web, [], []
        self.names = {"site.test": [HERE], "other.test": [ELSEWHERE], **names}

    async def resolve(self, host, port):
        self.looked_up.append(host)
        found = self.names.get(host, [])
        return found.pop(0) if found and isinstance(found[0], list) else list(found)

    async def dial(self, address, port, timeout_s):
        self.dialled.append((address, port))
        return await httpcore.AnyIOBackend().connect_tcp("127.0.0.1", self.web.port, timeout=timeout_s)

    def fetcher(self, limits=LIMITS, **more):
        return GuardedFetcher(limits, **{"resolve": self.resolve, "dial": self.dial, "tls": PACKAGED, **more})


@pytest.fixture
async def web():
    async with sim.simulated_web() as running:
        running.serve("/a", sim.page(PAGE))
        yield running


@pytest.fixture
def world(web):
    return World(web)


@pytest.fixture(params=["fake", "guard"])
def fetcher(request, world):
    if request.param == "guard":
        return world.fetcher()
    return FakeFetcher({"http://site.test/a": PAGE})


# --- both ---------------------------------------------------------------------------------------------------------


async def test_a_page_comes_back_whole(fetcher):
    found = await fetcher.fetch("http://site.test/a", owner_id=1)
    assert (found.address, found.final_address, found.redirects) == ("http://site.test/a", "http://site.test/a", ())
    assert (found.status, found.media_type, found.data) == (200, "text/html", PAGE)


async def test_what_is_not_there_is_a_failure_that_time_does_not_mend(fetcher):
    with pytest.raises(FetchFailed) as failed:
        await fetcher.fetch("http://site.test/nothing", owner_id=1)
    assert (failed.value.host, failed.value.reason, failed.value.status) == ("site.test", "status", 404)
    assert failed.value.again is False


async def test_a_page_over_the_callers_own_limit_is_refused(fetcher):
    with pytest.raises(InputRejected) as refused:
        await fetcher.fetch("http://site.test/a", owner_id=1, max_bytes=5)
    assert refused.value.reason == Reason.FETCH_TOO_LARGE
    assert (await fetcher.fetch("http://site.test/a", owner_id=1, max_bytes=len(PAGE))).data == PAGE


@pytest.mark.parametrize(("url", "why"), REFUSED, ids=[ascii(u)[:50] for u, _ in REFUSED])
async def test_a_refused_address_costs_no_look_up_and_no_connection(fetcher, world, url, why):
    """SRC-6."""
    with pytest.raises(InputRejected) as refused:
        await fetcher.fetch(url, owner_id=1)
    assert (refused.value.reason, refused.value.values["why"]) == (Reason.ADDRESS_REFUSED, why)
    assert (world.looked_up, world.dialled, world.web.requests) == ([], [], [])


async def test_the_fake_counts_every_call_and_fails_on_request():
    fake = FakeFetcher({"http://site.test/a": PAGE, "http://site.test/b": FetchFailed("site.test", "dns")})
    for _ in range(2):
        await fake.fetch("http://site.test/a", owner_id=1)
    with pytest.raises(FetchFailed, match="dns"):
        await fake.fetch("http://site.test/b", owner_id=2)
    assert fake.calls == [("http://site.test/a", 1)] * 2 + [("http://site.test/b", 2)]


# --- the guard: names that lead inside ----------------------------------------------------------------------------

INSIDE = [
    ("loopback", ["127.0.0.1"]),
    ("private", ["10.1.2.3"]),
    ("link-local", ["169.254.10.10"]),
    ("metadata", ["169.254.169.254"]),
    ("metadata by IPv6", ["fd00:ec2::254"]),
    ("carrier NAT", ["100.100.100.200"]),
    ("unspecified", ["0.0.0.0"]),
    ("broadcast", ["255.255.255.255"]),
    ("multicast", ["224.0.0.251"]),
    ("documentation", ["203.0.113.9"]),
    ("IPv6 loopback", ["::1"]),
    ("IPv6 link-local with a zone", ["fe80::1%lo"]),
    ("IPv6 unique local", ["fd12::1"]),
    ("mapped", ["::ffff:127.0.0.1"]),
    ("compatible", ["::127.0.0.1"]),
    ("6to4", ["2002:7f00:1::1"]),
    ("Teredo", ["2001:0:4136:e378:8000:63bf:80ff:fffe"]),
    ("NAT64", ["64:ff9b::7f00:1"]),
    ("one of several, first", ["127.0.0.1", HERE]),
    ("one of several, last", [HERE, "10.0.0.1"]),
]


@pytest.mark.parametrize("addresses", [i[1] for i in INSIDE], ids=[i[0] for i in INSIDE])
async def test_a_name_that_leads_inside_is_refused_and_never_dialled(web, addresses):
    """SRC-6: every address of a name is checked; one bad one condemns them all."""
    world = World(web, **{"inside.test": addresses})
    with pytest.raises(InputRejected) as refused:
        await world.fetcher().fetch("http://inside.test/a", owner_id=1)
    assert refused.value.values == {"why": "private", "host": "inside.test"}
    assert (world.dialled, web.requests) == ([], [])


async def test_a_name_that_changes_after_the_check_gains_nothing(web):
    """SRC-6: looked up once per connection, and the answer that was checked is the one dialled."""
    world = World(web, **{"turn.test": [[HERE], ["127.0.0.1"], ["127.0.0.1"]]})
    found = await world.fetcher(replace(LIMITS, robots_s=0)).fetch("http://turn.test/a", owner_id=1)
    assert found.data == PAGE
    assert world.looked_up[0] == "turn.test"
    assert world.dialled == [(HERE, 80)]


async def test_a_name_that_turns_inside_between_two_hops_is_refused(web):
    web.serve("/again", sim.redirect("/a"))
    world = World(web, **{"turn.test": [[HERE], ["127.0.0.1"]]})
    with pytest.raises(InputRejected) as refused:
        await world.fetcher().fetch("http://turn.test/again", owner_id=1)
    assert refused.value.values["why"] == "private"
    assert (world.dialled, len(web.requests)) == ([(HERE, 80)], 1)


async def test_a_name_that_turns_inside_for_its_robots_costs_only_the_note(web):
    world = World(web, **{"turn.test": [[HERE], ["127.0.0.1"]]})
    found = await world.fetcher().fetch("http://turn.test/a", owner_id=1)
    assert (found.data, found.robots, world.dialled) == (PAGE, "unknown", [(HERE, 80)])


LED_ASTRAY = [
    ("to loopback", "http://127.0.0.1/secret", "private"),
    ("to a decimal host", "http://2130706433/secret", "private"),
    ("to a mapped address", "http://[::ffff:127.0.0.1]/secret", "private"),
    ("to metadata", "//169.254.169.254/latest/meta-data", "private"),
    ("to a name inside", "http://inside.test/secret", "private"),
    ("to localhost", "https://localhost/secret", "private"),
    ("to a file", "file:///etc/hosts", "scheme"),
    ("to another scheme", "gopher://other.test/", "scheme"),
    ("to data", "data:text/html,hello", "scheme"),
    ("to a script", "javascript:alert(1)", "scheme"),
    ("to another port", "http://other.test:8080/", "port"),
    ("with a user", "http://me:secret@other.test/", "userinfo"),
    ("with a trick before the host", "http://other.test\\@127.0.0.1/", "malformed"),
    ("to nothing", "http://", "malformed"),
    ("to no address", "http://[::1", "malformed"),
    ("to a very long address", "/" + "a" * 5_000, "malformed"),
]


@pytest.mark.parametrize(("to", "why"), [c[1:] for c in LED_ASTRAY], ids=[c[0] for c in LED_ASTRAY])
@pytest.mark.parametrize("status", [301, 307])
async def test_a_redirect_is_checked_like_the_first_address(web, to, why, status):
    """SRC-6."""
    web.serve("/away", sim.redirect(to, status=status))
    world = World(web, **{"inside.test": ["10.0.0.1"]})
    with pytest.raises(InputRejected) as refused:
        await world.fetcher().fetch("http://site.test/away", owner_id=1)
    assert (refused.value.reason, refused.value.values["why"]) == (Reason.ADDRESS_REFUSED, why)
    assert len(web.requests) == len(world.dialled) == 1


async def test_ports_are_a_setting(world):
    limits = replace(LIMITS, allowed_ports=frozenset({80, 8080}))
    found = await world.fetcher(limits).fetch("http://site.test:8080/a", owner_id=1)
    assert (found.data, world.dialled[0]) == (PAGE, (HERE, 8080))
    with pytest.raises(InputRejected) as refused:
        await world.fetcher(limits).fetch("https://site.test/a", owner_id=1)
    assert refused.value.values == {"why": "port", "host": "site.test"}


async def test_what_the_owner_configured_is_reached_for_real_and_nothing_beside_it(web):
    """SRC-6, last words. The system's resolver and real connections: only loopback is exempt here."""
    here = f"127.0.0.1:{web.port}"
    web.serve("/inside", sim.redirect("http://127.0.0.2:80/"))
    fetcher = GuardedFetcher(LIMITS, exempt=frozenset({here, f"localhost:{web.port}"}))
    assert (await fetcher.fetch(f"http://{here}/a", owner_id=1)).data == PAGE
    assert (await fetcher.fetch(f"http://localhost:{web.port}/a", owner_id=1)).data == PAGE
    for url in (f"http://127.0.0.2:{web.port}/a", f"http://{here}/inside"):
        with pytest.raises(InputRejected):
            await fetcher.fetch(url, owner_id=1)


async def test_the_system_resolver_knows_this_machine_and_no_such_name():
    assert set(await SystemResolver()("localhost", 80)) <= {"127.0.0.1", "::1"}
    with pytest.raises(FetchFailed) as failed:
        await SystemResolver()("no-such-name.invalid", 80)
    assert failed.value.reason == "dns"


async def test_a_name_without_an_address_is_a_dns_failure(world):
    with pytest.raises(FetchFailed) as failed:
        await world.fetcher().fetch("http://unknown.test/", owner_id=1)
    assert (failed.value.reason, world.dialled) == ("dns", [])


async def test_the_next_address_of_a_name_is_tried_when_one_does_not_answer(web):
    world = World(web, **{"two.test": [ELSEWHERE, HERE]})

    async def dial(address, port, timeout_s):
        if address == ELSEWHERE:
            world.dialled.append((address, port))
            raise httpcore.ConnectError("refused")
        return await world.dial(address, port, timeout_s)

    assert (await world.fetcher(dial=dial).fetch("http://two.test/a", owner_id=1)).data == PAGE
    assert world.dialled[:2] == [(ELSEWHERE, 80), (HERE, 80)]


async def test_proxies_of_the_environment_are_not_asked(world, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert (await world.fetcher().fetch("http://site.test/a", owner_id=1)).data == PAGE


# --- redirects ----------------------------------------------------------------------------------------------------


@asynccontextmanager
async def chain(web, length):
    for n in range(length):
        web.serve(f"/{n}", sim.redirect(f"/{n + 1}"))
    web.serve(f"/{length}", sim.page(PAGE))
    yield


async def test_five_redirects_are_followed_and_told(web, world):
    async with chain(web, 5):
        found = await world.fetcher().fetch("http://site.test/0", owner_id=1)
    assert found.redirects == tuple(f"http://site.test/{n}" for n in range(1, 6))
    assert found.final_address == "http://site.test/5"


async def test_six_redirects_are_too_many(web, world):
    async with chain(web, 6):
        with pytest.raises(InputRejected) as refused:
            await world.fetcher().fetch("http://site.test/0", owner_id=1)
    assert (refused.value.reason, refused.value.values) == (Reason.TOO_MANY_REDIRECTS, {"limit": 5})


async def test_a_loop_ends(web, world):
    web.serve("/loop", sim.redirect("/loop"))
    with pytest.raises(InputRejected) as refused:
        await world.fetcher().fetch("http://site.test/loop", owner_id=1)
    assert refused.value.reason == Reason.TOO_MANY_REDIRECTS
    assert len(web.asked("/loop")) == 6


async def test_a_refresh_is_not_followed(web, world):
    web.serve("/refresh", sim.page(b'<meta http-equiv="refresh" content="0;url=/a">', headers={"Refresh": "0;url=/a"}))
    found = await world.fetcher().fetch("http://site.test/refresh", owner_id=1)
    assert (found.final_address, web.asked("/a")) == ("http://site.test/refresh", [])


async def test_a_redirect_without_a_place_is_a_failure(web, world):
    web.serve("/nowhere", sim.page(status=302))
    with pytest.raises(FetchFailed) as failed:
        await world.fetcher().fetch("http://site.test/nowhere", owner_id=1)
    assert (failed.value.status, failed.value.again) == (302, False)


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


# --- robots -------------------------------------------------------------------------------------------------------

ROBOTS = [
    ("none", None, "none"),
    ("allowed", sim.page(b"User-agent: *\nDisallow: /b\n"), "allowed"),
    ("disallowed", sim.page(b"User-agent: *\nDisallow: /a\n"), "disallowed"),
    ("disallowed to us", sim.page(b"User-agent: earmark\nDisallow: /\n"), "disallowed"),
    ("empty", sim.page(b""), "allowed"),
    ("broken server", sim.page(status=500), "unknown"),
    ("silent", sim.silent(), "unknown"),
    ("too large", sim.page(b"#" * 3_000), "unknown"),
    ("elsewhere", sim.redirect("http://other.test/elsewhere"), "disallowed"),
    ("inside", sim.redirect("http://127.0.0.1/"), "unknown"),
    ("in circles", sim.redirect("/robots.txt"), "unknown"),
]


@pytest.mark.parametrize(("answer", "expected"), [c[1:] for c in ROBOTS], ids=[c[0] for c in ROBOTS])
async def test_robots_are_noted_and_never_in_the_way(web, world, answer, expected):
    web.serve("/elsewhere", sim.page(b"User-agent: *\nDisallow: /\n"), host="other.test")
    if answer is not None:
        web.serve("/robots.txt", answer)
    limits = replace(LIMITS, robots_s=QUICK.robots_s) if expected == "unknown" else LIMITS
    found = await world.fetcher(limits).fetch("http://site.test/a", owner_id=1)
    assert (found.data, found.robots) == (PAGE, expected)


async def test_robots_are_asked_once_for_all_pages_of_a_site(web, world):
    web.serve("/robots.txt", sim.page(b"User-agent: *\nDisallow: /b\n"))
    web.serve("/b", sim.page(PAGE))
    fetcher = world.fetcher()
    notes = [(await fetcher.fetch(f"http://site.test/{p}", owner_id=o)).robots for p, o in (("a", 1), ("b", 2))]
    assert (notes, len(web.asked("/robots.txt"))) == (["allowed", "disallowed"], 1)
    assert "cookie" not in web.asked("/robots.txt")[0].headers


# --- manners ------------------------------------------------------------------------------------------------------


class Hours:
    """A clock that only sleeping moves."""

    def __init__(self):
        self.now, self.slept = 100.0, []

    def __call__(self):
        return self.now

    async def sleep(self, seconds):
        self.slept.append(round(seconds, 3))
        self.now += seconds


async def test_two_pages_of_one_host_start_a_second_apart_and_two_hosts_do_not_wait(web, world):
    hours = Hours()
    fetcher = world.fetcher(replace(LIMITS, host_gap_s=1.0, wait_s=30), clock=hours, sleep=hours.sleep)
    for url in ("http://site.test/a", "http://site.test/a", "http://other.test/a", "http://site.test/a"):
        await fetcher.fetch(url, owner_id=1)
    assert hours.slept == [1.0, 1.0]


async def test_no_more_than_two_pages_of_one_host_at_once(web, world):
    started = asyncio.Semaphore(0)
    go = asyncio.Event()
    inside, most = 0, 0

    async def held(request, writer):
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        started.release()
        await go.wait()
        inside -= 1
        await sim.page(PAGE)(request, writer)

    web.serve("/held", held)
    fetcher = world.fetcher(replace(LIMITS, total_s=5, wait_s=5))
    pages = [asyncio.create_task(fetcher.fetch("http://site.test/held", owner_id=o)) for o in range(5)]
    await started.acquire()
    await started.acquire()
    go.set()
    assert [(await page).data for page in pages] == [PAGE] * 5
    assert most == 2


async def test_who_gets_no_turn_in_time_is_told_to_come_again(web, world):
    web.serve("/slow", sim.silent())
    fetcher = world.fetcher(replace(QUICK, total_s=2, host_at_once=1, wait_s=0.1))
    first = asyncio.create_task(fetcher.fetch("http://site.test/slow", owner_id=1))
    while not web.asked("/slow"):
        await asyncio.sleep(0)
    with pytest.raises(FetchFailed) as failed:
        await fetcher.fetch("http://site.test/a", owner_id=2)
    assert (failed.value.reason, failed.value.again, web.asked("/a")) == ("timeout", True, [])
    with pytest.raises(FetchFailed):
        await first


async def test_a_fetch_that_is_called_off_gives_its_turn_back(web, world):
    web.serve("/slow", sim.silent())
    fetcher = world.fetcher(replace(LIMITS, host_at_once=1, total_s=30, robots_s=0))
    slow = asyncio.create_task(fetcher.fetch("http://site.test/slow", owner_id=1))
    while not web.asked("/slow"):
        await asyncio.sleep(0)
    slow.cancel()
    with pytest.raises(asyncio.CancelledError):
        await slow
    assert (await fetcher.fetch("http://site.test/a", owner_id=1)).data == PAGE


async def test_a_redirect_to_another_host_waits_in_that_hosts_lane(web, world):
    hours = Hours()
    web.serve("/away", sim.redirect("http://other.test/a"))
    fetcher = world.fetcher(replace(LIMITS, host_gap_s=0.25), clock=hours, sleep=hours.sleep)
    await fetcher.fetch("http://other.test/a", owner_id=1)
    assert (await fetcher.fetch("http://site.test/away", owner_id=1)).final_address == "http://other.test/a"
    assert hours.slept == [0.25]


async def test_cookies_come_back_to_their_owner_and_host_only(web, world):
    """SRC-6: cookies per host, never shared between owners."""
    web.serve("/in", sim.redirect("/a", cookies=("session=one; Path=/; HttpOnly", "bad name=x", "late=1; Max-Age=0")))
    fetcher = world.fetcher()
    await fetcher.fetch("http://site.test/in", owner_id=1)
    await fetcher.fetch("http://site.test/a", owner_id=1)
    await fetcher.fetch("http://site.test/a", owner_id=2)
    await fetcher.fetch("http://other.test/a", owner_id=1)
    assert [r.headers.get("cookie") for r in web.asked("/a")] == ["session=one", "session=one", None, None]


COOKIES = [
    ("a path", "a=1; Path=/deep", "/deep/er", "a=1"),
    ("another path", "a=1; Path=/deep", "/deeper", None),
    ("the page's own folder", "a=1", "/set/x", "a=1"),
    ("not above it", "a=1", "/a", None),
    ("secure over plain http", "a=1; Path=/; Secure", "/a", None),
    ("taken back by date", "a=1; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "/a", None),
    ("kept until later", "a=1; Path=/; Expires=Tue, 02 Mar 2027 00:00:00 GMT", "/a", "a=1"),
    ("another domain's", "a=1; Path=/; Domain=other.test", "/a", "a=1"),
    ("too long", f"a={'x' * 5_000}; Path=/", "/a", None),
    ("not ASCII", "a=é; Path=/", "/a", None),
]  # fmt: skip


@pytest.mark.parametrize(("line", "path", "sent"), [c[1:] for c in COOKIES], ids=[c[0] for c in COOKIES])
async def test_which_cookies_are_sent_where(web, world, line, path, sent):
    web.serve("/set/here", sim.page(PAGE, cookies=(line,)))
    web.serve(path, sim.page(PAGE))
    fetcher = world.fetcher()
    await fetcher.fetch("http://site.test/set/here", owner_id=1)
    await fetcher.fetch(f"http://site.test{path}", owner_id=1)
    assert web.asked(path)[-1].headers.get("cookie") == sent


async def test_cookies_are_bounded(web, world):
    web.serve("/many", sim.page(PAGE, cookies=tuple(f"c{n}=1; Path=/" for n in range(100))))
    fetcher = world.fetcher()
    await fetcher.fetch("http://site.test/many", owner_id=1)
    await fetcher.fetch("http://site.test/a", owner_id=1)
    assert web.asked("/a")[0].headers["cookie"].count("=") == 30


# --- TLS ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture
async def tls_web(authority):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("site.test").configure_cert(context)
    async with sim.simulated_web(context) as running:
        running.serve("/a", sim.page(PAGE))
        yield running


@pytest.fixture
def trusting(authority):
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


async def test_a_certificate_is_checked_against_the_name_not_the_address(tls_web, trusting):
    world = World(tls_web)
    found = await world.fetcher(LIMITS, tls=trusting).fetch("https://site.test/a", owner_id=1)
    assert (found.data, world.dialled[0], tls_web.requests[0].host) == (PAGE, (HERE, 443), "site.test")


@pytest.mark.parametrize("case", ["unknown authority", "another name"])
async def test_a_wrong_certificate_ends_the_fetch(tls_web, trusting, case):
    world = World(tls_web)
    tls = PACKAGED if case == "unknown authority" else trusting
    host = "site.test" if case == "unknown authority" else "other.test"
    with pytest.raises(FetchFailed) as failed:
        await world.fetcher(LIMITS, tls=tls).fetch(f"https://{host}/a", owner_id=1)
    assert (failed.value.reason, failed.value.again, tls_web.requests) == ("tls", False, [])


async def test_no_tls_where_tls_is_expected_is_a_tls_failure(web, world):
    async def plain(reader, writer):
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(plain, "127.0.0.1", 0) as server:
        world.web = sim.SimulatedWeb(port=server.sockets[0].getsockname()[1])
        with pytest.raises(FetchFailed) as failed:
            await world.fetcher().fetch("https://site.test/a", owner_id=1)
    assert (failed.value.reason, failed.value.again) == ("tls", False)
