"""What the pipeline needs from a text-to-speech service, as small as it can be said.

Two steps, because money is spent in the first and bytes arrive in the second: the receipt is
stored before anything is downloaded, and a lost download never means a second synthesis.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol


@dataclass(frozen=True)
class Receipt:
    """The provider's word that it synthesised; worth keeping however late it comes."""

    request_id: str
    locator: str  # where the bytes can be fetched, or a key into the local result
    expires_at: datetime | None  # aware UTC; None = does not expire
    cost_micro: int  # micro-units of the account currency


@dataclass(frozen=True)
class Speech:
    """Mono 16-bit little-endian PCM.

    ``piece_ends`` are the sample offsets at which each piece of the request ends, when the synthesiser knows them
    (it spoke them one by one); empty otherwise.
    """

    pcm: bytes
    sample_rate_hz: int
    piece_ends: tuple[int, ...] = ()


class Synthesizer(Protocol):
    """Adapters declare what they do to the world and how much text one call may carry."""

    effect: Literal["none", "billed"]  # "none": a dead attempt's call may simply be made again
    identity: str  # model, version and parameters that decide the sound; part of every fingerprint
    max_chars: int  # code points per call

    async def submit(self, pieces: tuple[str, ...], *, voice: str, call_id: str) -> Receipt:
        """Ask for ``pieces`` (sentences already normalised for the ear, spoken in order) to be read.

        Raises:
            NeverSent: no connection was made; the call may be repeated.
            Refused: the provider said no for good.
            OutcomeUnknown: it was sent, and no answer says what became of it (only where ``effect`` is "billed").
            ChildDied: the local model host died; nothing was billed.
        """
        ...

    async def fetch(self, receipt: Receipt) -> Speech:
        """Bytes of a receipt. Free of charge, may be repeated until ``expires_at``.

        Raises:
            Expired: the locator is gone.
            NeverSent: the bytes did not come this time; ask again, it costs nothing.
            Refused: they came, and are not what was promised.
        """
        ...
