"""Paid speech of the cloud: qwen3-tts-flash, not realtime (rules TTS-1, TTS-2).

``POST …/multimodal-generation/generation`` with ``model`` and ``input.{text,voice,language_type}``; the answer holds
``request_id``, ``output.audio.{url,expires_at}`` and ``usage.characters``; the url serves one WAV for 24 hours.

Money is spent by the request. So every way in which it can fail is one of three: nothing was sent (``NeverSent``), the
service said no (``Refused``), or nobody knows (``OutcomeUnknown``), and whatever is not surely one of the first two is
the third. The host is the owner's own setting and so exempt from the fetch guard (rule SRC-6); redirects are not
followed, and the key goes to this host only, never to the url of a result.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any, Literal

import httpx
from pydantic import BaseModel, SecretStr, ValidationError

from pipeline.domain.errors import Expired, NeverSent, OutcomeUnknown, ProviderError, Refused
from pipeline.domain.spoken import plain
from pipeline.ports.tts import Receipt, Speech
from pipeline.providers.wave_file import CutShort, NotAsDocumented, pcm_of

PATH = "/api/v1/services/aigc/multimodal-generation/generation"
MODEL, LANGUAGE, SAMPLE_RATE_HZ = "qwen3-tts-flash", "Chinese", 24_000
_NAME = "dashscope"
_MAX_ANSWER = 1 << 20
_MAX_WAV = 64 << 20  # 600 characters are some 13 MB
_CONNECT_S = 10.0
_MOVED = frozenset({301, 302, 307, 308})
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_NO_ADDRESS = (httpx.UnsupportedProtocol, httpx.InvalidURL)


class _Audio(BaseModel):
    url: str
    expires_at: int | None = None


class _Output(BaseModel):
    audio: _Audio


class _Usage(BaseModel):
    characters: int | None = None


class _Answer(BaseModel):
    """What of the documented answer is used; the rest may change."""

    request_id: str
    output: _Output
    usage: _Usage = _Usage()


class DashscopeSynthesizer:
    """One recording per call: the ends of its pieces are not told, so ``piece_ends`` is empty.

    Args:
        url: scheme and host of the account's endpoint.
        timeout_s: silence after which an answer, or a piece of one, is no longer waited for.
        micro_per_char: price of a character in micro-units of the account's currency.
        now: the clock of expiry dates, aware UTC.
    """

    effect: Literal["none", "billed"] = "billed"
    identity = f"{MODEL}/{LANGUAGE}"
    max_chars = 600

    def __init__(
        self, *, key: SecretStr, url: str, timeout_s: float, micro_per_char: int, now: Callable[[], datetime]
    ) -> None:
        self._key, self._url = key, url.rstrip("/") + PATH
        self._micro_per_char, self._now = micro_per_char, now
        # No kept connection: one that the server closed meanwhile would make an unknown outcome out of nothing.
        self._client = httpx.AsyncClient(
            timeout=httpx.Timeout(timeout_s, connect=min(_CONNECT_S, timeout_s)),
            limits=httpx.Limits(max_keepalive_connections=0),
            trust_env=False,
        )

    async def close(self) -> None:
        await self._client.aclose()

    async def submit(self, pieces: tuple[str, ...], *, voice: str, call_id: str) -> Receipt:
        text = "".join(plain(piece) for piece in pieces)
        if not text.strip():  # nothing to say is no call
            return Receipt(request_id=call_id, locator="", expires_at=None, cost_micro=0)
        if len(text) > self.max_chars:
            raise Refused(_NAME, f"{len(text)} characters, at most {self.max_chars}")
        status, headers, body = await self._asked(
            {"model": MODEL, "input": {"text": text, "voice": voice, "language_type": LANGUAGE}}
        )
        if status != 200:
            raise self._no(status, headers, body)
        try:
            answer = _Answer.model_validate_json(body)
        except ValidationError:
            raise OutcomeUnknown(_NAME, "an answer that is not as documented") from None
        characters = answer.usage.characters
        return Receipt(
            request_id=answer.request_id,
            locator=answer.output.audio.url,
            expires_at=_moment(answer.output.audio.expires_at),
            cost_micro=(len(text) if characters is None else characters) * self._micro_per_char,
        )

    async def _asked(self, body: dict[str, Any]) -> tuple[int, httpx.Headers, bytes]:
        headers = {"Authorization": f"Bearer {self._key.get_secret_value()}"}
        try:
            async with self._client.stream("POST", self._url, json=body, headers=headers) as answer:
                return answer.status_code, answer.headers, await _bounded(answer, _MAX_ANSWER)
        except _NOT_SENT as error:
            raise NeverSent(_NAME, f"no connection: {type(error).__name__}") from None
        except _NO_ADDRESS:
            raise Refused(_NAME, "TTS_DASHSCOPE_URL is no address") from None
        except (httpx.RequestError, _TooLong) as error:
            raise OutcomeUnknown(_NAME, f"sent, and no answer: {type(error).__name__}") from None

    def _no(self, status: int, headers: httpx.Headers, body: bytes) -> ProviderError:
        said = f"{status} {self._code(body)}".rstrip()
        if status == 429:
            return NeverSent(_NAME, said, retry_after_s=_seconds(headers.get("retry-after")))
        if status in _MOVED:
            return Refused(_NAME, f"{said}: moved; set TTS_DASHSCOPE_URL to where it is now")
        if 400 <= status < 500:
            return Refused(_NAME, said)
        return OutcomeUnknown(_NAME, said)

    def _code(self, body: bytes) -> str:
        """The service's own code of its error; its message is left out, because it may repeat the key or the text."""
        found = re.search(rb'"code"\s*:\s*"([A-Za-z0-9_.]{1,60})"', body)
        code = found[1].decode() if found else ""
        return "" if self._key.get_secret_value() in code else code

    async def fetch(self, receipt: Receipt) -> Speech:
        if not receipt.locator:
            return Speech(b"", SAMPLE_RATE_HZ)
        if receipt.expires_at is not None and receipt.expires_at <= self._now():
            raise Expired(_NAME, f"request {receipt.request_id}: over since {receipt.expires_at:%Y-%m-%d %H:%M} UTC")
        async with _download():
            async with self._client.stream("GET", receipt.locator) as answer:
                if answer.status_code in (403, 404):
                    raise Expired(_NAME, f"request {receipt.request_id}: its url answers {answer.status_code}")
                if answer.status_code != 200:
                    raise NeverSent(_NAME, f"download: status {answer.status_code}")
                data = await _bounded(answer, _MAX_WAV)
            return Speech(pcm_of(data, sample_rate_hz=SAMPLE_RATE_HZ), SAMPLE_RATE_HZ)


class _TooLong(Exception):
    """More bytes than anything documented has."""


@asynccontextmanager
async def _download() -> AsyncIterator[None]:
    """A download is free: whatever broke it, it may be done again; only what came whole and is wrong may not."""
    try:
        yield
    except _NO_ADDRESS:
        raise Refused(_NAME, "the url of the result is no address") from None
    except (httpx.RequestError, CutShort) as error:
        raise NeverSent(_NAME, f"download: {type(error).__name__}") from None
    except (_TooLong, NotAsDocumented) as error:
        raise Refused(_NAME, f"the sound is not as documented: {error}") from None


async def _bounded(answer: httpx.Response, most: int) -> bytes:
    data = bytearray()
    async for block in answer.aiter_bytes():
        data += block
        if len(data) > most:
            raise _TooLong(f"more than {most} bytes")
    return bytes(data)


def _moment(seconds: int | None) -> datetime | None:
    """Unix seconds; None for what is none, and then the url itself tells when it is over."""
    try:
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return None


def _seconds(value: str | None) -> float | None:
    return float(value) if value and value.isascii() and value.isdigit() else None
