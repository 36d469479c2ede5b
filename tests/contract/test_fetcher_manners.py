"""How the guard behaves towards a site: robots, turns, cookies, certificates (rules SRC-6, SEC-3)."""

import asyncio
import ssl
from dataclasses import replace

import pytest
import trustme

from eval.simulators import web as sim
from pipeline.domain.errors import FetchFailed
from tests.support.guarded import HERE, LIMITS, PACKAGED, PAGE, QUICK, World

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
