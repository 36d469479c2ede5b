"""Who talks, where, what came in, what goes out."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Text, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field, SQLModel

from pipeline.domain.outbox import InboxState, OutboxClass, OutboxState
from storage.tables.names import big_id, moment, one_of


class Owner(SQLModel, table=True):
    __tablename__ = "owner"
    id: int | None = Field(default=None, sa_column=big_id())
    language: str = Field(default="zh", sa_column=Column(Text, nullable=False, server_default="zh"))  # zh | en
    time_zone: str = Field(
        default="Asia/Shanghai", sa_column=Column(Text, nullable=False, server_default="Asia/Shanghai")
    )
    created_at: datetime = Field(sa_column=moment(default_now=True))


class Chat(SQLModel, table=True):
    """One conversation in one channel. ``seq`` numbers its messages and edits (rule RUN-7)."""

    __tablename__ = "chat"
    __table_args__ = (UniqueConstraint("channel", "external_id"),)
    id: int | None = Field(default=None, sa_column=big_id())
    owner_id: int = Field(sa_column=Column(BigInteger, ForeignKey("owner.id"), nullable=False, index=True))
    channel: str = Field(sa_column=Column(Text, nullable=False))  # web | telegram | terminal
    external_id: str = Field(sa_column=Column(Text, nullable=False))
    seq: int = Field(sa_column=Column(BigInteger, nullable=False, server_default="0"))
    # What the next text of the person is an answer to; may be lost without harm.
    dialogue: dict[str, Any] | None = Field(default=None, sa_column=Column(JSONB))
    created_at: datetime = Field(sa_column=moment(default_now=True))


class ChatMessage(SQLModel, table=True):
    """What stands in a chat. An edit changes the row and gives it a new ``seq``; readers go by seq."""

    __tablename__ = "chat_message"
    __table_args__ = (
        UniqueConstraint("chat_id", "seq"),
        UniqueConstraint("outbox_id"),
        Index("ix_chat_message_subject", "chat_id", "kind", "subject_id"),
    )
    id: int | None = Field(default=None, sa_column=big_id())
    chat_id: int = Field(sa_column=Column(BigInteger, ForeignKey("chat.id"), nullable=False))
    seq: int = Field(sa_column=Column(BigInteger, nullable=False))
    author: str = Field(sa_column=Column(Text, nullable=False))  # person | bot
    kind: str = Field(sa_column=Column(Text, nullable=False))
    subject_id: int | None = Field(default=None, sa_column=Column(BigInteger))
    args: dict[str, Any] = Field(sa_column=Column(JSONB, nullable=False, server_default=text("'{}'")))
    payload: dict[str, Any] = Field(sa_column=Column(JSONB, nullable=False))  # the rendered Outbound
    external_ref: str | None = Field(default=None, sa_column=Column(Text))  # the channel's own message id
    # The outbox row that first made it: a second delivery of that row finds this message.
    outbox_id: int | None = Field(default=None, sa_column=Column(BigInteger))
    created_at: datetime = Field(sa_column=moment(default_now=True))
    edited_at: datetime | None = Field(default=None, sa_column=moment(nullable=True))


class InboxUpdate(SQLModel, table=True):
    """Stored before it is acknowledged (rule CHT-1); ``(channel, external_id)`` makes a second delivery harmless."""

    __tablename__ = "inbox_update"
    __table_args__ = (
        UniqueConstraint("channel", "external_id"),
        one_of("inbox_state", "state", InboxState),
        Index("ix_inbox_update_stored", "chat_id", "id", postgresql_where=text("state = 'stored'")),
    )
    id: int | None = Field(default=None, sa_column=big_id())
    channel: str = Field(sa_column=Column(Text, nullable=False))
    external_id: str = Field(sa_column=Column(Text, nullable=False))
    chat_id: int = Field(sa_column=Column(BigInteger, ForeignKey("chat.id"), nullable=False))
    payload: dict[str, Any] = Field(sa_column=Column(JSONB, nullable=False))
    payload_sha256: str = Field(sa_column=Column(Text, nullable=False))
    state: str = Field(sa_column=Column(Text, nullable=False, server_default="stored"))
    error: str | None = Field(default=None, sa_column=Column(Text))
    received_at: datetime = Field(sa_column=moment(default_now=True))
    handled_at: datetime | None = Field(default=None, sa_column=moment(nullable=True))


class OutboxMessage(SQLModel, table=True):
    """Everything that is sent is a row first (rule CHT-2). Rendered at the time of sending: it holds no wording.

    ``target_id`` is the chat_message to edit; None sends a new one, except that a progress row edits the message its
    subject already has.
    """

    __tablename__ = "outbox_message"
    __table_args__ = (
        one_of("outbox_state", "state", OutboxState),
        one_of("outbox_class", "class", OutboxClass),
        # Newest state wins: while one progress row waits, another for the same subject adds nothing.
        Index(
            "uq_outbox_progress",
            "chat_id",
            "kind",
            "subject_id",
            unique=True,
            postgresql_where=text("state = 'queued' AND class = 'progress'"),
        ),
        Index("ix_outbox_message_due", "due_at", postgresql_where=text("state IN ('queued', 'sending', 'unknown')")),
    )
    id: int | None = Field(default=None, sa_column=big_id())
    chat_id: int = Field(sa_column=Column(BigInteger, ForeignKey("chat.id"), nullable=False))
    class_: str = Field(sa_column=Column("class", Text, nullable=False))
    kind: str = Field(sa_column=Column(Text, nullable=False))
    subject_id: int | None = Field(default=None, sa_column=Column(BigInteger))
    args: dict[str, Any] = Field(sa_column=Column(JSONB, nullable=False, server_default=text("'{}'")))
    target_id: int | None = Field(default=None, sa_column=Column(BigInteger, ForeignKey("chat_message.id")))
    state: str = Field(sa_column=Column(Text, nullable=False, server_default="queued"))
    due_at: datetime = Field(sa_column=moment(default_now=True))
    claimed_at: datetime | None = Field(default=None, sa_column=moment(nullable=True))
    sent_at: datetime | None = Field(default=None, sa_column=moment(nullable=True))
    error: str | None = Field(default=None, sa_column=Column(Text))
    created_at: datetime = Field(sa_column=moment(default_now=True))


class SignInCode(SQLModel, table=True):
    """A one-time address of the web chat (rule SEC-5). Only its hash is kept."""

    __tablename__ = "sign_in_code"
    code_sha256: str = Field(sa_column=Column(Text, primary_key=True))
    owner_id: int = Field(sa_column=Column(BigInteger, ForeignKey("owner.id"), nullable=False))
    expires_at: datetime = Field(sa_column=moment())
    used_at: datetime | None = Field(default=None, sa_column=moment(nullable=True))


class WebSession(SQLModel, table=True):
    __tablename__ = "web_session"
    token_sha256: str = Field(sa_column=Column(Text, primary_key=True))
    owner_id: int = Field(sa_column=Column(BigInteger, ForeignKey("owner.id"), nullable=False))
    created_at: datetime = Field(sa_column=moment(default_now=True))
    expires_at: datetime = Field(sa_column=moment())
