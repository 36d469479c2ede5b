"""What every chat channel is to the rest of the bot: a way to send, to edit, and to be pressed.

A channel turns ``Outbound`` into its own wire format and its own events into ``inbox_update`` payloads. It decides
nothing. ``Outbound`` carries the same screen twice: ``text`` for channels that only know text, ``card`` (plain data,
JSON-able) for those that lay it out themselves, such as the web.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Protocol


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
class Outbound:
    """One message as it shall stand in the chat.

    ``kind`` names the screen: ``receipt | voice | claim | transcript | refresh | note``.
    """

    kind: str
    text: str
    card: dict[str, Any] = field(default_factory=dict)
    buttons: tuple[Button, ...] = ()
    media: Media | None = None


@dataclass(frozen=True)
class Target:
    """Where to send: the chat row and, for an edit, the message that is there already."""

    chat_id: int
    external_id: str
    message_id: int | None = None
    external_ref: str | None = None


@dataclass(frozen=True)
class OutboxItem:
    """The claimed outbox row, as far as a channel needs it."""

    id: int
    kind: str
    subject_id: int | None
    args: dict[str, Any]


class Channel(Protocol):
    """One messenger."""

    name: str
    idempotent: bool  # True: delivering the same outbox row twice leaves one message
    edit_pace_s: float  # least time between two edits of one message

    async def deliver(self, target: Target, item: OutboxItem, outbound: Outbound) -> int:
        """Send, or edit when ``target.message_id`` is set, and return the chat_message id.

        Raises:
            ProviderError: by leaf, as in pipeline/domain/errors.py.
        """
        ...
