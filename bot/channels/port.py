"""What every chat channel is to the rest of the bot: a way to send, to edit, and to be pressed.

A channel turns ``Outbound`` into its own wire format and its own events into ``inbox_update`` payloads. It decides
nothing. ``Outbound`` carries the same screen twice: ``text`` for channels that only know text, ``card`` (plain data,
JSON-able) for those that lay it out themselves, such as the web.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Protocol

from pipeline.domain.sending import Fate, Pace


@dataclass(frozen=True)
class Button:
    """``verb`` and ``args`` come back in the press; the label is wording only."""

    label: str
    verb: str
    args: dict[str, Any] = field(default_factory=dict)
    style: Literal["plain", "main", "quiet"] = "plain"
    disabled: bool = False


@dataclass(frozen=True)
class Media:
    """A finished file in the blob store."""

    blob_key: str
    mime: str
    file_name: str
    duration_ms: int | None = None


@dataclass(frozen=True)
class Mark:
    """How ``text[start:end]`` looks, in code points; channels translate it, nobody writes markup (rule CHT-4)."""

    start: int
    end: int
    style: Literal["bold", "italic", "code", "quote", "link"]
    href: str = ""  # of a link


@dataclass(frozen=True)
class Outbound:
    """One message as it shall stand in the chat.

    ``kind`` names the screen: ``receipt | voice | claim | transcript | refresh | queue | settings | find |
    note | lost | answer``.
    ``ended``: nothing more will happen here, so it is not worth a new message where the old one was deleted.
    ``fallback``: the same sound as a file, where voice notes are not taken.
    """

    kind: str
    text: str
    card: dict[str, Any] = field(default_factory=dict)
    buttons: tuple[Button, ...] = ()
    media: Media | None = None
    marks: tuple[Mark, ...] = ()
    ended: bool = False
    fallback: Media | None = None


def as_payload(outbound: Outbound) -> dict[str, Any]:
    """``Outbound`` as plain JSON data: what ``chat_message.payload`` holds and the templates read."""
    return asdict(outbound)


def as_outbound(payload: dict[str, Any]) -> Outbound:
    """The reverse of ``as_payload``."""
    media, fallback = payload.get("media"), payload.get("fallback")
    return Outbound(
        kind=payload["kind"],
        text=payload["text"],
        card=payload.get("card") or {},
        buttons=tuple(Button(**button) for button in payload.get("buttons", ())),
        media=Media(**media) if media else None,
        marks=tuple(Mark(**mark) for mark in payload.get("marks", ())),
        ended=bool(payload.get("ended")),
        fallback=Media(**fallback) if fallback else None,
    )


@dataclass(frozen=True)
class Target:
    """Where to send: the chat row and, for an edit, the message that is there already.

    ``external_id`` is the messenger's id of the chat, ``external_ref`` of the message to edit, ``head_ref`` of the
    first part when this is a later one.
    """

    chat_id: int
    external_id: str
    message_id: int | None = None
    external_ref: str | None = None
    head_ref: str | None = None
    voice_forbidden: bool = False


@dataclass(frozen=True)
class OutboxItem:
    """The claimed outbox row, as far as a channel needs it."""

    id: int
    kind: str
    subject_id: int | None
    args: dict[str, Any]


@dataclass(frozen=True)
class Delivery:
    """What one request came to.

    ``ref`` is the messenger's id of a new message; ``retry_after_s`` what a 429 asked for, of the whole token where
    ``token`` is set; ``moved_to`` the new address of a chat; ``what`` says it for the ledger, without any secret.
    """

    fate: Fate
    ref: str | None = None
    what: str = ""
    retry_after_s: float = 0.0
    token: bool = False
    moved_to: str | None = None


class Channel(Protocol):
    """One messenger, or one token of it."""

    name: str  # of its chats
    sender: str  # of its gateway's row: the name, and a fingerprint of the token where there is one
    idempotent: bool  # True: delivering the same outbox row twice leaves one message
    pace: Pace

    def parts(self, outbound: Outbound) -> tuple[Outbound, ...]:
        """Cut at its own blocks what is too long for one message; what fits comes back as it is."""
        ...

    def shown(self, outbound: Outbound) -> dict[str, Any]:
        """What a person sees of it here, as JSON data: two that are equal need no edit."""
        ...

    async def deliver(self, target: Target, item: OutboxItem, outbound: Outbound) -> Delivery:
        """One request: send, or edit when ``target.external_ref`` is set. It never raises for what a messenger says."""
        ...
