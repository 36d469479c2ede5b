"""Parser: foreign bytes are read by a child process with limits of its own (rule SEC-3).

A wall clock bounds the child whatever it does; its whole process group is killed on the way out, also when the caller
is cancelled. A death is told apart as timeout, memory or crash.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

from pipeline.domain.errors import ChildDied
from pipeline.domain.source import Extraction, InputType, ReadHints, SourceLimits
from pipeline.providers.parse_frames import (
    MAX_REPLY_BYTES,
    MEMORY_EXIT,
    PREFIX_BYTES,
    frame_size,
    read_reply,
    request,
)

_ROOT = str(Path(__file__).resolve().parents[2])
_NAME = "parse_child"
_ERROR_TAIL = 2_000
_MEMORY_SIGNS = (b"MemoryError", b"bad_alloc", b"Cannot allocate memory", b"out of memory")


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
        # The environment is ours and nearly empty: no secret of the parent's reaches a parser.
        process = await asyncio.create_subprocess_exec(
            *self.command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=_ROOT,
            env={"PYTHONPATH": _ROOT, "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1", "MALLOC_ARENA_MAX": "2"},
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(self.limits.parse_time_s):
                payload, errors = await self._talk(
                    process, request(data, name=name, kind=kind, limits=self.limits, hints=hints)
                )
                code = await process.wait()
        except TimeoutError:
            raise ChildDied(_NAME, "timeout", f"no answer within {self.limits.parse_time_s} s") from None
        finally:
            await _end(process)
        if payload is None:
            raise _death(code, errors)
        try:
            return read_reply(payload)
        except ValueError as error:
            raise ChildDied(_NAME, "crash", f"unreadable answer: {error}") from error

    async def _talk(self, process: asyncio.subprocess.Process, message: bytes) -> tuple[bytes | None, bytes]:
        """Write, read the reply and the end of the error stream, all at once so that no pipe fills up."""
        stdin, stdout, stderr = process.stdin, process.stdout, process.stderr
        if stdin is None or stdout is None or stderr is None:
            raise ChildDied(_NAME, "crash", "started without pipes")
        _, payload, errors = await asyncio.gather(_write(stdin, message), _read_frame(stdout), _tail(stderr))
        return payload, errors


async def _write(stream: asyncio.StreamWriter, message: bytes) -> None:
    try:
        stream.write(message)
        await stream.drain()
        stream.close()
        await stream.wait_closed()
    except (BrokenPipeError, ConnectionResetError):
        return  # the child is dead already; its exit code will say how


async def _read_frame(stream: asyncio.StreamReader) -> bytes | None:
    try:
        size = frame_size(await stream.readexactly(PREFIX_BYTES))
        return await stream.readexactly(size) if size <= MAX_REPLY_BYTES else None
    except asyncio.IncompleteReadError:
        return None


async def _tail(stream: asyncio.StreamReader) -> bytes:
    tail = b""
    while piece := await stream.read(65_536):
        tail = (tail + piece)[-_ERROR_TAIL:]
    return tail


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill the child's whole group, whatever is left of it, and reap it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()


def _death(code: int, errors: bytes) -> ChildDied:
    if code == -signal.SIGXCPU:
        return ChildDied(_NAME, "timeout", "out of CPU time")
    if code in (MEMORY_EXIT, -signal.SIGKILL) or any(sign in errors for sign in _MEMORY_SIGNS):
        return ChildDied(_NAME, "memory", f"exit {code}")
    last = errors.decode("utf-8", "replace").strip().rsplit("\n", 1)[-1]
    return ChildDied(_NAME, "crash", f"exit {code}: {last[:200]}")
