"""A cloud speech service on loopback, as documented for qwen3-tts-flash: counts what it bills, fails on purpose.

It lives in the process that starts it, so its counts survive every client that is killed: ``speech.billed`` against
what should have been paid for is the proof that nothing was paid for twice. It never deduplicates.
"""

from __future__ import annotations

import asyncio
import io
import json
import wave
import zlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from eval.simulators.web import Request, page, reset
from pipeline.domain.spoken import beats

PATH = "/api/v1/services/aigc/multimodal-generation/generation"
MODEL, MAX_CHARS, RATE_HZ = "qwen3-tts-flash", 600, 24_000
FAR = 4_102_444_800  # 2100-01-01 in Unix seconds: the server has no clock
_MAX_BODY = 64 * 1024


@dataclass(frozen=True)
class Fate:
    """What happens to one request.

    ``answer``: as it should be · ``lost``: done, and the connection is dropped before the answer · ``status``: this
    status instead · ``garbled``: done, and an answer nobody can read · ``cut``: half the bytes and a reset ·
    ``hold``: done, and the answer waits for ``release``.
    """

    kind: Literal["answer", "lost", "status", "garbled", "cut", "hold"] = "answer"
    status: int = 200
    retry_after_s: int | None = None
    billed: bool = True  # of a status: whether the speech was made all the same
    release: asyncio.Event = field(default_factory=asyncio.Event)


LOST, GARBLED, CUT = Fate("lost"), Fate("garbled"), Fate("cut")


def status(code: int, *, retry_after_s: int | None = None, billed: bool = False) -> Fate:
    return Fate("status", code, retry_after_s, billed)


def hold() -> Fate:
    return Fate("hold")


@dataclass(frozen=True)
class Synthesis:
    """One request for speech as it came."""

    text: str
    voice: str
    billed: bool


@dataclass
class SimulatedSpeech:
    """``start`` gives the address. ``on_synthesis[n]`` and ``on_download[n]`` are the fates of the nth, from 1."""

    key: str = "sk-simulated"
    voices: frozenset[str] = frozenset({"Cherry"})
    expires_at: int = FAR
    s_per_beat: float = 0.2
    on_synthesis: dict[int, Fate] = field(default_factory=dict)
    on_download: dict[int, Fate] = field(default_factory=dict)
    syntheses: list[Synthesis] = field(default_factory=list)
    downloads: list[str] = field(default_factory=list)  # paths, whatever became of them
    authorised_downloads: int = 0  # that carried a key, which no download should
    port: int = 0
    _made: dict[str, bytes] = field(default_factory=dict)
    _server: asyncio.Server | None = None
    _open: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def billed(self) -> list[str]:
        """Texts that were paid for, in order."""
        return [s.text for s in self.syntheses if s.billed]

    def next_synthesis(self, fate: Fate, *, skip: int = 0) -> Fate:
        """Give ``fate`` to the next request for speech, after ``skip`` good ones."""
        self.on_synthesis[len(self.syntheses) + 1 + skip] = fate
        return fate

    def next_download(self, fate: Fate, *, skip: int = 0) -> Fate:
        self.on_download[len(self.downloads) + 1 + skip] = fate
        return fate

    async def start(self) -> str:
        """Accept connections, on the same port as before; counts and speeches are kept."""
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self.address

    async def stop(self) -> None:
        """Refuse connections from now on, and end those that stand."""
        if self._server is not None:
            self._server.close()
            self._server = None
        for task in list(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._open.add(task)
            task.add_done_callback(self._open.discard)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                request, body = await _request(reader)
                if request.method == "POST" and request.target == PATH:
                    await self._synthesis(request, body, writer)
                else:
                    await self._download(request, writer)
                await writer.drain()
        finally:
            writer.close()
            with suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _synthesis(self, request: Request, body: bytes, writer: asyncio.StreamWriter) -> None:
        wrong = self._wrong(request, body)
        fate = self.on_synthesis.get(len(self.syntheses) + 1, Fate())
        given = {} if wrong else json.loads(body)["input"]
        text, voice = str(given.get("text", "")), str(given.get("voice", ""))
        billed = wrong is None and (fate.kind != "status" or fate.billed)
        self.syntheses.append(Synthesis(text, voice, billed))
        number = len(self.syntheses)
        if wrong is not None:
            await _json(request, writer, {"request_id": f"req-{number}", "code": wrong[1], "message": "no"}, wrong[0])
            return
        if billed:
            self._made[f"/result/{number}.wav"] = await self._wav(text)
        if fate.kind == "status":
            extra = {} if fate.retry_after_s is None else {"Retry-After": str(fate.retry_after_s)}
            answer = {"request_id": f"req-{number}", "code": f"Simulated{fate.status}", "message": "as asked"}
            await _json(request, writer, answer, fate.status, extra)
            return
        if fate.kind == "hold":
            await fate.release.wait()
        if fate.kind == "lost":
            return
        if fate.kind == "garbled":
            await page(b'{"output": {"audio"', media_type="application/json")(request, writer)
            return
        await _json(request, writer, self._answer(number, text))

    def _wrong(self, request: Request, body: bytes) -> tuple[int, str] | None:
        """Status and code of a request that is not as documented."""
        if request.headers.get("authorization") != f"Bearer {self.key}":
            return 401, "InvalidApiKey"
        try:
            asked = json.loads(body)
            model, given = asked["model"], asked["input"]
            text, voice, language = given["text"], given["voice"], given["language_type"]
        except (ValueError, KeyError, TypeError):
            return 400, "InvalidParameter"
        fits = isinstance(text, str) and 0 < len(text) <= MAX_CHARS
        return (
            None
            if fits and model == MODEL and voice in self.voices and language == "Chinese"
            else (
                400,
                "InvalidParameter",
            )
        )

    def _answer(self, number: int, text: str) -> dict[str, Any]:
        url = f"{self.address}/result/{number}.wav?Signature=s{number}"
        audio = {"data": "", "url": url, "id": f"audio-{number}", "expires_at": self.expires_at}
        return {
            "request_id": f"req-{number}",
            "output": {"finish_reason": "stop", "audio": audio},
            "usage": {"characters": len(text)},
        }

    async def _wav(self, text: str) -> bytes:
        return await asyncio.to_thread(wav, _tone(text, self.s_per_beat))

    async def _download(self, request: Request, writer: asyncio.StreamWriter) -> None:
        path = request.target.partition("?")[0]
        self.downloads.append(path)
        self.authorised_downloads += "authorization" in request.headers
        fate = self.on_download.get(len(self.downloads), Fate())
        data = self._made.get(path)
        if fate.kind == "hold":
            await fate.release.wait()
        if data is None or fate.kind == "status":
            await page(status=fate.status if data is not None else 404)(request, writer)
        elif fate.kind == "cut":
            await reset(data[: len(data) // 2], announced=len(data))(request, writer)
        elif fate.kind == "garbled":
            await page(b"RIFF" + bytes(40), media_type="audio/wav")(request, writer)
        elif fate.kind != "lost":
            await page(data, media_type="audio/wav")(request, writer)


def _tone(text: str, s_per_beat: float) -> bytes:
    """A tone as long as ``text`` takes to say, of a pitch of its own: two texts are never the same sound."""
    time = np.arange(round(beats(text) * s_per_beat * RATE_HZ)) / RATE_HZ
    hertz = 160 + zlib.crc32(text.encode()) % 100_000 / 1_000
    swells = 0.6 + 0.4 * np.sin(2 * np.pi * 4.0 * time)  # as syllables do: loudness gates take it for speech
    return (np.sin(2 * np.pi * hertz * time) * swells * 0.2 * 32767).astype("<i2").tobytes()


def wav(pcm: bytes, *, rate_hz: int = RATE_HZ, channels: int = 1, width: int = 2) -> bytes:
    """PCM as a WAV file."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(width)
        file.setframerate(rate_hz)
        file.writeframes(pcm)
    return out.getvalue()


async def _request(reader: asyncio.StreamReader) -> tuple[Request, bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").rstrip("\r\n").split("\r\n")
    method, target, _ = head[0].split(" ", 2)
    headers = {k.strip().lower(): v.strip() for k, _, v in (line.partition(":") for line in head[1:])}
    size = min(int(headers.get("content-length", "0")), _MAX_BODY)
    return Request(method, target, headers.get("host", ""), headers), await reader.readexactly(size)


async def _json(
    request: Request,
    writer: asyncio.StreamWriter,
    body: Mapping[str, Any],
    code: int = 200,
    headers: Mapping[str, str] | None = None,
) -> None:
    data = json.dumps(body).encode()
    await page(data, status=code, media_type="application/json", headers=headers)(request, writer)


@asynccontextmanager
async def simulated_speech() -> AsyncIterator[SimulatedSpeech]:
    speech = SimulatedSpeech()
    await speech.start()
    try:
        yield speech
    finally:
        await speech.stop()
