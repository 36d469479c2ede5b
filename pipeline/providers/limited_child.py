"""Processes that read foreign bytes: started without our environment, ended with their whole group (rule SEC-3).

A death is told apart as timeout, memory or crash; what a child said last is kept for the log, and nothing it was given.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from pathlib import Path

from pipeline.domain.errors import ChildDied
from pipeline.providers.parse_frames import MAX_REPLY_BYTES, MEMORY_EXIT, PREFIX_BYTES, frame_size

_ROOT = str(Path(__file__).resolve().parents[2])
_ERROR_TAIL = 2_000
_MEMORY_SIGNS = (
    b"MemoryError",
    b"bad_alloc",
    b"Cannot allocate memory",
    b"out of memory",
    b"failed to map segment",  # a library that no longer fits when it is loaded
    b"can't start new thread",
    b"Failed to allocate memory",  # onnxruntime
    b"bad allocation",
    b"Insufficient memory",  # OpenCV
)


async def start(command: tuple[str, ...]) -> asyncio.subprocess.Process:
    """Start a child in a group of its own, with pipes; its environment is ours, so no secret reaches it."""
    return await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=_ROOT,
        env={"PYTHONPATH": _ROOT, "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1", "MALLOC_ARENA_MAX": "2"},
        start_new_session=True,
    )


def pipes(
    process: asyncio.subprocess.Process, name: str
) -> tuple[asyncio.StreamWriter, asyncio.StreamReader, asyncio.StreamReader]:
    """Return stdin, stdout and stderr of a started child."""
    stdin, stdout, stderr = process.stdin, process.stdout, process.stderr
    if stdin is None or stdout is None or stderr is None:
        raise ChildDied(name, "crash", "started without pipes")
    return stdin, stdout, stderr


async def write(stream: asyncio.StreamWriter, message: bytes) -> None:
    """Write everything and close; a child that is dead already says so by its exit code."""
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        stream.write(message)
        await stream.drain()
        stream.close()
        await stream.wait_closed()


async def read_frame(stream: asyncio.StreamReader) -> bytes | None:
    """Return one frame's payload; None when the stream ends before it does, or when it is past every bound."""
    try:
        size = frame_size(await stream.readexactly(PREFIX_BYTES))
        return await stream.readexactly(size) if size <= MAX_REPLY_BYTES else None
    except asyncio.IncompleteReadError:
        return None


async def tail(stream: asyncio.StreamReader) -> bytes:
    """Return the end of what the child printed."""
    end = b""
    while piece := await stream.read(65_536):
        end = (end + piece)[-_ERROR_TAIL:]
    return end


async def end(process: asyncio.subprocess.Process) -> None:
    """Kill the child's whole group, whatever is left of it, and reap it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()


def death(name: str, code: int, errors: bytes) -> ChildDied:
    """Tell how a child died from its exit code and its last words."""
    if code == -signal.SIGXCPU:
        return ChildDied(name, "timeout", "out of CPU time")
    if code in (MEMORY_EXIT, -signal.SIGKILL) or any(sign in errors for sign in _MEMORY_SIGNS):
        return ChildDied(name, "memory", f"exit {code}")
    last = errors.decode("utf-8", "replace").strip().rsplit("\n", 1)[-1]
    return ChildDied(name, "crash", f"exit {code}: {last[:200]}")
