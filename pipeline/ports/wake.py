"""How a waiting worker learns that there may be work. A lost wake-up costs one scan interval, never a run."""

from __future__ import annotations

from typing import Protocol


class Wake(Protocol):
    async def wait(self, timeout_s: float) -> None:
        """Return when something was announced, or after ``timeout_s``."""
        ...

    async def announce(self, run_ids: tuple[int, ...]) -> None:
        """Tell whoever waits that these runs are due. May be lost, may arrive twice: the claim decides (rule RUN-3)."""
        ...

    def release(self) -> None:
        """For stopping: whoever waits goes on at once, and no wait lasts from now on."""
        ...
