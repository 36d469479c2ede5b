"""Parser: foreign bytes are read by a child process with limits of its own (rule SEC-3).

A wall clock bounds the child whatever it does; its whole process group is killed on the way out, also when the caller
is cancelled. A password goes through the pipe only: it stands in no argument, environment, log or error.
"""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass

from pipeline.domain.errors import ChildDied
from pipeline.domain.source import Extraction, InputType, ReadHints, SourceLimits
from pipeline.providers import limited_child
from pipeline.providers.parse_frames import read_reply, read_unlocked, request, unlock_request

_NAME = "parse_child"


@dataclass(frozen=True)
class ParseChild:
    """``command`` is for tests: a child that hangs, dies or eats memory in the real one's place."""

    limits: SourceLimits
    command: tuple[str, ...] = (sys.executable, "-m", "pipeline.worker.child")

    async def parse(self, data: bytes, *, name: str, kind: InputType, hints: ReadHints | None = None) -> Extraction:
        """Start a child, hand it ``data``, return what it read.

        Raises:
            InputRejected: the child's word about the input.
            ChildDied: ``timeout | memory | crash``.
        """
        payload = await self._ask(request(data, name=name, kind=kind, limits=self.limits, hints=hints))
        try:
            return read_reply(payload)
        except ValueError as error:
            raise ChildDied(_NAME, "crash", f"unreadable answer: {error}") from error

    async def unlock(self, data: bytes, *, password: str) -> bytes:
        """Return the PDF without its password.

        Raises:
            InputRejected: WRONG_PASSWORD, or BROKEN.
            ChildDied: ``timeout | memory | crash``.
        """
        payload = await self._ask(unlock_request(data, password=password, limits=self.limits))
        try:
            return read_unlocked(payload)
        except ValueError:
            raise ChildDied(_NAME, "crash", "unreadable answer") from None

    async def _ask(self, message: bytes) -> bytes:
        """One child, one request, one reply."""
        process = await limited_child.start(self.command)
        try:
            async with asyncio.timeout(self.limits.parse_time_s):
                payload, errors = await self._talk(process, message)
                code = await process.wait()
        except TimeoutError:
            raise ChildDied(_NAME, "timeout", f"no answer within {self.limits.parse_time_s} s") from None
        finally:
            await limited_child.end(process)
        if payload is None:
            raise limited_child.death(_NAME, code, errors)
        return payload

    async def _talk(self, process: asyncio.subprocess.Process, message: bytes) -> tuple[bytes | None, bytes]:
        """Write, read the reply and the end of the error stream, all at once so that no pipe fills up."""
        stdin, stdout, stderr = limited_child.pipes(process, _NAME)
        _, payload, errors = await asyncio.gather(
            limited_child.write(stdin, message), limited_child.read_frame(stdout), limited_child.tail(stderr)
        )
        return payload, errors
