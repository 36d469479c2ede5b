"""The Fetcher port: the same promises for the fake and the guard, and the web that means harm (rules SRC-6, SEC-3)."""

from contextlib import asynccontextmanager
from dataclasses import replace

import httpcore
import pytest

from eval.simulators import web as sim
from pipeline.domain.errors import FetchFailed, InputRejected
from pipeline.domain.source import Reason
from pipeline.providers.fetch_fake import FakeFetcher
from pipeline.providers.fetch_guard import GuardedFetcher
from pipeline.providers.fetch_network import SystemResolver
from tests.support.addresses import REFUSED
from tests.support.guarded import ELSEWHERE, HERE, LIMITS, PAGE, World


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
