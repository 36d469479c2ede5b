"""The lives of a stored update and of a message on its way out (rules CHT-1, CHT-2)."""

from __future__ import annotations

from enum import StrEnum

from pipeline.domain.machine import Machine


class InboxState(StrEnum):
    STORED = "stored"
    HANDLED = "handled"
    SET_ASIDE = "set_aside"


class InboxEvent(StrEnum):
    HANDLE = "HANDLE"
    SET_ASIDE = "SET_ASIDE"


INBOX: Machine[InboxState, InboxEvent] = Machine(
    name="inbox",
    initial=InboxState.STORED,
    edges={
        (InboxState.STORED, InboxEvent.HANDLE): InboxState.HANDLED,
        (InboxState.STORED, InboxEvent.SET_ASIDE): InboxState.SET_ASIDE,
    },
)


class FileState(StrEnum):
    """A file of an update that lies at the messenger until it is fetched."""

    WAITING = "waiting"
    KEPT = "kept"
    FAILED = "failed"


class FileEvent(StrEnum):
    KEEP = "KEEP"
    FAIL = "FAIL"


INBOX_FILE: Machine[FileState, FileEvent] = Machine(
    name="inbox_file",
    initial=FileState.WAITING,
    edges={
        (FileState.WAITING, FileEvent.KEEP): FileState.KEPT,
        (FileState.WAITING, FileEvent.FAIL): FileState.FAILED,
    },
)


class OutboxClass(StrEnum):
    """How a message whose sending timed out is treated (rule CHT-2)."""

    ONCE = "once"
    GUARDED = "guarded"
    PROGRESS = "progress"


class OutboxState(StrEnum):
    QUEUED = "queued"
    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"
    UNKNOWN = "unknown"
    SUPERSEDED = "superseded"
    CANCELLED = "cancelled"


class OutboxEvent(StrEnum):
    SEND = "SEND"
    CONFIRM = "CONFIRM"
    FAIL = "FAIL"
    LOSE = "LOSE"
    REQUEUE = "REQUEUE"
    SUPERSEDE = "SUPERSEDE"
    CANCEL = "CANCEL"


_S, _E = OutboxState, OutboxEvent

OUTBOX: Machine[OutboxState, OutboxEvent] = Machine(
    name="outbox",
    initial=_S.QUEUED,
    edges={
        (_S.QUEUED, _E.SEND): _S.SENDING,
        (_S.QUEUED, _E.SUPERSEDE): _S.SUPERSEDED,
        (_S.QUEUED, _E.CANCEL): _S.CANCELLED,
        (_S.SENDING, _E.CONFIRM): _S.SENT,
        (_S.SENDING, _E.FAIL): _S.FAILED,
        (_S.SENDING, _E.LOSE): _S.UNKNOWN,
        (_S.SENDING, _E.REQUEUE): _S.QUEUED,  # 429, or never connected
        (_S.UNKNOWN, _E.CONFIRM): _S.SENT,
        (_S.UNKNOWN, _E.REQUEUE): _S.QUEUED,  # guarded and progress, or a person
        (_S.UNKNOWN, _E.SUPERSEDE): _S.SUPERSEDED,  # a newer state of the same message waits already
        (_S.FAILED, _E.REQUEUE): _S.QUEUED,  # a person
    },
)
