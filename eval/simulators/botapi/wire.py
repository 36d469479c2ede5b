"""The way to the control address, and its errors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import httpx


class Refused(Exception):
    """The simulator did not do what the test asked of it."""


@dataclass(frozen=True)
class Wire:
    """HTTP to one simulator at ``base``."""

    base: str
    # verify=False: there is no TLS on loopback, and reading the certificates of the world takes 30 ms per client.
    client: httpx.AsyncClient = field(
        default_factory=lambda: httpx.AsyncClient(timeout=30, trust_env=False, verify=False)
    )

    async def do(self, act: str, **args: Any) -> Any:
        """Ask for one act of ``control``.

        Raises:
            Refused: it cannot be done; says why.
        """
        answer = (await self.client.post(f"{self.base}/control/{act}", json=args)).json()
        if "error" in answer:
            raise Refused(f"{act}: {answer['error']}")
        return answer["result"]
