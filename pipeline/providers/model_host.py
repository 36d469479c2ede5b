"""Client of the model host: one child process that keeps the local models loaded (rule RUN-9).

The child starts with the first call and again with the first call after it died. It ends when ``close`` is called, or
by itself when this process is gone, because its stdin then closes. One call of each kind is on its way at a time, so
a call's time-out measures its own work and not the queue before it.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import sys
from collections import defaultdict, deque
from pathlib import Path

from pipeline.domain.errors import ChildDied, Refused
from pipeline.providers import model_frames
from pipeline.providers.model_frames import Header

_NAME = "model host"
_CLOSE_S = 5.0


def command(cache_dir: Path, *, voices_dir: Path | None = None, threads: int = 2) -> tuple[str, ...]:
    """The real host's command line."""
    voices = () if voices_dir is None else ("--voices", str(voices_dir))
    models = (sys.executable, "-m", "pipeline.worker.models", "--cache", str(cache_dir))
    return (*models, "--threads", str(threads), *voices)


class _Child:
    """One life of the host process."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.waiting: dict[int, asyncio.Future[tuple[Header, bytes]]] = {}
        self.last_words: deque[str] = deque(maxlen=8)
        self.reason, self.alive = "crash", True
        self._tasks = (asyncio.create_task(self._read()), asyncio.create_task(self._listen()))

    async def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        try:
            while True:
                length = model_frames.header_length(await stream.readexactly(model_frames.PREFIX_BYTES))
                header = model_frames.parsed(await stream.readexactly(length))
                body = await stream.readexactly(header["size"])
                answer = self.waiting.pop(header["id"], None)
                if answer is not None and not answer.done():
                    answer.set_result((header, body))
        except asyncio.IncompleteReadError:
            self.alive = False
        code = await self.process.wait()
        await self._tasks[1]
        for answer in self.waiting.values():
            if not answer.done():
                answer.set_exception(ChildDied(_NAME, self.reason, self.obituary(code)))
                answer.exception()  # a caller that was cancelled never looks
        self.waiting.clear()

    async def _listen(self) -> None:
        assert self.process.stderr is not None
        async for line in self.process.stderr:
            self.last_words.append(line.decode("utf-8", "replace").rstrip()[:300])

    def obituary(self, code: int) -> str:
        how = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
        return " | ".join([how, *self.last_words])

    async def stop(self, *, at_once: bool) -> None:
        if at_once and self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self.process.kill()
        elif self.process.stdin is not None:
            self.process.stdin.close()
        done, _ = await asyncio.wait(self._tasks, timeout=_CLOSE_S)
        if len(done) < len(self._tasks):
            with contextlib.suppress(ProcessLookupError):
                self.process.kill()
        await asyncio.gather(*self._tasks)


class ModelHost:
    """Args: ``command`` as from :func:`command`; tests give one of their own."""

    def __init__(self, command: tuple[str, ...]) -> None:
        self._command = command
        self._child: _Child | None = None
        self._starting = asyncio.Lock()
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._ids = itertools.count(1)
        self.starts = 0  # how often a child was started

    @property
    def pid(self) -> int | None:
        """Of the living child, for memory figures; None when there is none."""
        child = self._child
        return child.process.pid if child is not None and child.alive else None

    async def call(self, op: str, header: Header, body: bytes = b"", *, timeout_s: float) -> tuple[Header, bytes]:
        """Send one request and wait for its answer; calls of one ``op`` take turns.

        Raises:
            Refused: the model said no (an unknown voice).
            ChildDied: the host crashed or took longer than ``timeout_s``, which ends it. It may be called again.
        """
        async with self._turns[op]:
            child = await self._living()
            number = next(self._ids)
            answer: asyncio.Future[tuple[Header, bytes]] = asyncio.get_running_loop().create_future()
            child.waiting[number] = answer
            try:
                async with asyncio.timeout(timeout_s):
                    await self._send(child, model_frames.packed(header | {"op": op, "id": number}, body))
                    found, data = await answer
            except TimeoutError:
                child.reason = "timeout"
                await child.stop(at_once=True)
                raise ChildDied(_NAME, "timeout", f"{op} took longer than {timeout_s:g} s") from None
            finally:
                child.waiting.pop(number, None)
        if "refused" in found:
            raise Refused(_NAME, found["refused"])
        return found, data

    async def _send(self, child: _Child, frame: bytes) -> None:
        assert child.process.stdin is not None
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the reader tells how it died
            child.process.stdin.write(frame)
            await child.process.stdin.drain()

    async def _living(self) -> _Child:
        async with self._starting:
            child = self._child
            if child is None or not child.alive or child.process.returncode is not None:
                if child is not None:
                    await child.stop(at_once=True)
                self._child = child = _Child(await self._start())
                self.starts += 1
            return child

    async def _start(self) -> asyncio.subprocess.Process:
        pipe = asyncio.subprocess.PIPE
        try:
            return await asyncio.create_subprocess_exec(*self._command, stdin=pipe, stdout=pipe, stderr=pipe)
        except OSError as error:
            raise ChildDied(_NAME, "crash", f"it does not start: {error}") from error

    async def close(self) -> None:
        """End the child; calls still waiting get ChildDied. Safe to call twice."""
        async with self._starting:
            child, self._child = self._child, None
        if child is not None:
            await child.stop(at_once=False)
