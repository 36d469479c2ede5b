"""Worker processes made to be killed: each belongs to the crew until it is reaped, whatever happens to who kills it."""

from __future__ import annotations

import asyncio
import contextlib
import signal


class Crew:
    """``workers`` are those that have not been reaped, oldest first: living, frozen, or being killed."""

    def __init__(self) -> None:
        self.workers: list[asyncio.subprocess.Process] = []

    async def start(self, command: list[str]) -> asyncio.subprocess.Process:
        quiet = asyncio.subprocess.DEVNULL
        worker = await asyncio.create_subprocess_exec(*command, stdout=quiet, stderr=quiet)
        self.workers.append(worker)
        return worker

    def freeze(self, worker: asyncio.subprocess.Process) -> None:
        self._signal(worker, signal.SIGSTOP)

    def wake(self, worker: asyncio.subprocess.Process) -> None:
        self._signal(worker, signal.SIGCONT)

    async def kill(self, worker: asyncio.subprocess.Process) -> None:
        self._signal(worker, signal.SIGKILL)
        await worker.wait()
        # Only now: a caller that is cancelled on its way here leaves the worker to end().
        self.workers.remove(worker)

    async def end(self) -> None:
        """Kill and reap everybody. May be called twice."""
        while self.workers:
            await self.kill(self.workers[-1])

    @staticmethod
    def _signal(worker: asyncio.subprocess.Process, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            worker.send_signal(number)
