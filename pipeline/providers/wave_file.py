"""A WAV file of speech, read strictly: what is not as documented is not guessed at."""

from __future__ import annotations

import struct

_PCM = 1
_STREAMED = 0x7FFFFF00  # sizes from here on are what a writer puts who does not know the size


class NotAsDocumented(Exception):
    """It came whole and is something else: no WAV, or another format."""


class CutShort(Exception):
    """Fewer bytes than the file says it has."""


def pcm_of(data: bytes, *, sample_rate_hz: int) -> bytes:
    """Samples of a mono 16-bit little-endian WAV of exactly this rate.

    Raises:
        NotAsDocumented, CutShort.
    """
    if len(data) < 12:
        raise CutShort(f"{len(data)} bytes")
    if data[:4] != b"RIFF" or data[8:12] != b"WAVE":
        raise NotAsDocumented("no WAV file")
    at, checked = 12, False
    while at + 8 <= len(data):
        name, size = data[at : at + 4], struct.unpack_from("<I", data, at + 4)[0]
        body = data[at + 8 : at + 8 + size]
        if size >= _STREAMED:
            raise NotAsDocumented("a WAV file without its size")
        if len(body) < size:
            raise CutShort(f"{len(body)} of {size} bytes")
        if name == b"fmt ":
            _check(body, sample_rate_hz)
            checked = True
        elif name == b"data":
            return _samples(body, checked)
        at += 8 + size + size % 2
    raise CutShort("no samples")


def _check(body: bytes, sample_rate_hz: int) -> None:
    if len(body) < 16:
        raise NotAsDocumented("a format of less than 16 bytes")
    kind, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", body)
    if (kind, channels, rate, bits) != (_PCM, 1, sample_rate_hz, 16):
        raise NotAsDocumented(f"format {kind}, {channels} channels, {rate} Hz, {bits} bits")


def _samples(body: bytes, checked: bool) -> bytes:
    if not checked:
        raise NotAsDocumented("samples before their format")
    if not body or len(body) % 2:
        raise NotAsDocumented(f"{len(body)} bytes of samples")
    return body
