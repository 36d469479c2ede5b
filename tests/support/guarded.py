"""The fetch guard in a world of names that all lead to one simulated web on loopback."""

from __future__ import annotations

from dataclasses import replace

import httpcore

from pipeline.domain.address import FetchLimits
from pipeline.providers.fetch_guard import GuardedFetcher

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
