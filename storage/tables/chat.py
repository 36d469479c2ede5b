"""Who talks, where, what came in, what goes out."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    SmallInteger,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field, SQLModel

from pipeline.domain.outbox import FileState, InboxState, OutboxClass, OutboxState
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
    """One conversation in one channel. ``seq`` numbers its messages and edits (rule RUN-7).

    A chat without an owner is a stranger's: nothing of it is kept but when it was told so (rule SEC-1).
    """

    __tablename__ = "chat"
    __table_args__ = (UniqueConstraint("channel", "external_id"),)
    id: int | None = Field(default=None, sa_column=big_id())
    owner_id: int | None = Field(default=None, sa_column=Column(BigInteger, ForeignKey("owner.id"), index=True))
    channel: str = Field(sa_column=Column(Text, nullable=False))  # web | telegram | terminal
    external_id: str = Field(sa_column=Column(Text, nullable=False))
    seq: int = Field(sa_column=Column(BigInteger, nullable=False, server_default="0"))
    # What the next text of the person is an answer to; may be lost without harm.
    dialogue: dict[str, Any] | None = Field(default=None, sa_column=Column(JSONB))
    grouped: bool = Field(default=False, sa_column=Column(Boolean, nullable=False, server_default=text("false")))
    next_at: datetime | None = Field(default=None, sa_column=moment(nullable=True))  # the pace: not before (CHT-3)
    blocked_until: datetime | None = Field(default=None, sa_column=moment(nullable=True))  # a 429 of this chat
    voice_forbidden: bool = Field(
        default=False, sa_column=Column(Boolean, nullable=False, server_default=text("false"))
    )
    deactivated_at: datetime | None = Field(default=None, sa_column=moment(nullable=True))  # 403: nothing is sent
    refused_at: datetime | None = Field(default=None, sa_column=moment(nullable=True))  # when a stranger was told so
    created_at: datetime = Field(sa_column=moment(default_now=True))


class GatewayLease(SQLModel, table=True):
    """Who sends for one token, and until when nobody may (rule CHT-3). The lease is the database clock's."""

    __tablename__ = "gateway"
    name: str = Field(sa_column=Column(Text, primary_key=True))  # channel, and a fingerprint of its token
    fence: int = Field(sa_column=Column(BigInteger, nullable=False))
    lease_until: datetime = Field(sa_column=moment())
    blocked_until: datetime | None = Field(default=None, sa_column=moment(nullable=True))  # a 429 of the token
    next_at: datetime | None = Field(default=None, sa_column=moment(nullable=True))


class ChatMessage(SQLModel, table=True):
    """What stands in a chat. An edit changes the row and gives it a new ``seq``; readers go by seq."""

    __tablename__ = "chat_message"
    __table_args__ = (
        UniqueConstraint("chat_id", "seq"),
        UniqueConstraint("outbox_id"),
        Index("ix_chat_message_subject", "chat_id", "kind", "subject_id"),
        Index("ix_chat_message_ref", "chat_id", "external_ref", postgresql_where=text("external_ref IS NOT NULL")),
        Index("ix_chat_message_head", "head_id", "part", postgresql_where=text("head_id IS NOT NULL")),
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
    head_id: int | None = Field(default=None, sa_column=Column(BigInteger, ForeignKey("chat_message.id")))
    part: int = Field(
        default=1, sa_column=Column(SmallInteger, nullable=False, server_default="1")
    )  # 2…: of ``head_id``
    gone_at: datetime | None = Field(default=None, sa_column=moment(nullable=True))  # the messenger has it no more
    created_at: datetime = Field(sa_column=moment(default_now=True))
    edited_at: datetime | None = Field(default=None, sa_column=moment(nullable=True))


class InboxUpdate(SQLModel, table=True):
    """Stored before it is acknowledged (rule CHT-1); ``(channel, external_id)`` makes a second delivery harmless.

    An update that cannot be read may have no chat; it is set aside.
    """

    __tablename__ = "inbox_update"
    __table_args__ = (
        UniqueConstraint("channel", "external_id"),
        one_of("inbox_state", "state", InboxState),
        CheckConstraint("chat_id IS NOT NULL OR state = 'set_aside'", name="inbox_chat"),
        Index("ix_inbox_update_stored", "chat_id", "id", postgresql_where=text("state = 'stored'")),
        Index("ix_inbox_update_message", "chat_id", "message_ref", postgresql_where=text("message_ref IS NOT NULL")),
    )
    id: int | None = Field(default=None, sa_column=big_id())
    channel: str = Field(sa_column=Column(Text, nullable=False))
    external_id: str = Field(sa_column=Column(Text, nullable=False))
    chat_id: int | None = Field(default=None, sa_column=Column(BigInteger, ForeignKey("chat.id")))
    message_ref: str | None = Field(default=None, sa_column=Column(Text))  # the messenger's id of this message
    album: str | None = Field(default=None, sa_column=Column(Text))  # updates of one album are handled together
    due_at: datetime | None = Field(default=None, sa_column=moment(nullable=True))  # not before; None: at once
    revision_id: int | None = Field(default=None, sa_column=Column(BigInteger))  # what it asked, once handled
    payload: dict[str, Any] = Field(sa_column=Column(JSONB, nullable=False))
    payload_sha256: str = Field(sa_column=Column(Text, nullable=False))
    state: str = Field(sa_column=Column(Text, nullable=False, server_default="stored"))
    error: str | None = Field(default=None, sa_column=Column(Text))
    received_at: datetime = Field(sa_column=moment(default_now=True))
    handled_at: datetime | None = Field(default=None, sa_column=moment(nullable=True))


class InboxFile(SQLModel, table=True):
    """A file of an update that is fetched from the messenger before the update is handled (rule CHT-1)."""

    __tablename__ = "inbox_file"
    __table_args__ = (
        UniqueConstraint("update_id", "number"),
        one_of("inbox_file_state", "state", FileState),
        CheckConstraint("(state = 'kept') = (blob_key IS NOT NULL)", name="inbox_file_bytes"),
        Index("ix_inbox_file_waiting", "due_at", postgresql_where=text("state = 'waiting'")),
    )
    id: int | None = Field(default=None, sa_column=big_id())
    update_id: int = Field(sa_column=Column(BigInteger, ForeignKey("inbox_update.id"), nullable=False))
    number: int = Field(sa_column=Column(SmallInteger, nullable=False))
    name: str = Field(sa_column=Column(Text, nullable=False))
    remote: str | None = Field(default=None, sa_column=Column(Text))  # the messenger's id of its bytes
    size_bytes: int | None = Field(default=None, sa_column=Column(BigInteger))
    state: str = Field(sa_column=Column(Text, nullable=False, server_default="waiting"))
    tries: int = Field(default=0, sa_column=Column(Integer, nullable=False, server_default="0"))
    due_at: datetime = Field(sa_column=moment(default_now=True))
    blob_key: str | None = Field(default=None, sa_column=Column(Text, index=True))
    sha256: str | None = Field(default=None, sa_column=Column(Text))
    reason: str | None = Field(default=None, sa_column=Column(Text))  # key of the sentence, once failed


class OutboxMessage(SQLModel, table=True):
    """Everything that is sent is a row first (rule CHT-2). Rendered at the time of sending: it holds no wording.

    Except parts: a message too long for one is frozen into parts that fit together, each a row with a life of its own.

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
        Index("ix_outbox_message_parts", "parent_id", "part", postgresql_where=text("parent_id IS NOT NULL")),
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
    rank: int = Field(sa_column=Column(SmallInteger, nullable=False, server_default="1"))  # sending.Rank, 0 first
    fence: int | None = Field(default=None, sa_column=Column(BigInteger))  # of the gateway that claimed it last
    tries: int = Field(default=0, sa_column=Column(Integer, nullable=False, server_default="0"))
    parent_id: int | None = Field(default=None, sa_column=Column(BigInteger, ForeignKey("outbox_message.id")))
    part: int = Field(default=1, sa_column=Column(SmallInteger, nullable=False, server_default="1"))
    parts: int = Field(default=1, sa_column=Column(SmallInteger, nullable=False, server_default="1"))
    payload: dict[str, Any] | None = Field(default=None, sa_column=Column(JSONB))  # of a part: its frozen screen
    message_id: int | None = Field(default=None, sa_column=Column(BigInteger))  # chat_message that it made or edited
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
