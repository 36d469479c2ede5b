"""The life of a run, of a provider call and of a revision: three tables (architecture: state machines).

The README draws them, the database repeats them as CHECK constraints, and tests hold the three together.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pipeline.domain.machine import Machine


class RunKind(StrEnum):
    INTAKE = "INTAKE"  # read and split a source nobody has asked about yet
    GENERATE = "GENERATE"  # one revision from its source to its audio; at most one per revision
    REFRESH = "REFRESH"  # fetch the address of a source again and see whether its text changed


class RunState(StrEnum):
    DEFERRED = "DEFERRED"  # kept, not queued, no model called: here, waiting for its question
    QUEUED = "QUEUED"
    RUNNING = "RUNNING"
    RETRY_WAIT = "RETRY_WAIT"  # a retryable error; due again at next_due_at
    WAITING_REVIEW = "WAITING_REVIEW"  # an outcome is unknown; a person decides
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


class RunEvent(StrEnum):
    ENQUEUE = "ENQUEUE"
    DEFER = "DEFER"
    CLAIM = "CLAIM"
    RETRY = "RETRY"
    REVIEW = "REVIEW"
    SUCCEED = "SUCCEED"
    FAIL = "FAIL"
    CANCEL = "CANCEL"
    RESUME = "RESUME"  # a person's decision or press


_S, _E = RunState, RunEvent

RUN: Machine[RunState, RunEvent] = Machine(
    name="run",
    initial=_S.QUEUED,
    edges={
        (_S.DEFERRED, _E.ENQUEUE): _S.QUEUED,
        (_S.DEFERRED, _E.CANCEL): _S.CANCELLED,
        (_S.QUEUED, _E.CLAIM): _S.RUNNING,
        (_S.QUEUED, _E.DEFER): _S.DEFERRED,
        (_S.QUEUED, _E.CANCEL): _S.CANCELLED,
        (_S.RUNNING, _E.CLAIM): _S.RUNNING,  # takeover of a lapsed lease
        (_S.RUNNING, _E.RETRY): _S.RETRY_WAIT,
        (_S.RUNNING, _E.REVIEW): _S.WAITING_REVIEW,
        (_S.RUNNING, _E.DEFER): _S.DEFERRED,
        (_S.RUNNING, _E.SUCCEED): _S.SUCCEEDED,
        (_S.RUNNING, _E.FAIL): _S.FAILED,
        (_S.RUNNING, _E.CANCEL): _S.CANCELLED,
        (_S.RETRY_WAIT, _E.CLAIM): _S.RUNNING,
        (_S.RETRY_WAIT, _E.FAIL): _S.FAILED,
        (_S.RETRY_WAIT, _E.CANCEL): _S.CANCELLED,
        (_S.WAITING_REVIEW, _E.RESUME): _S.QUEUED,
        (_S.WAITING_REVIEW, _E.CANCEL): _S.CANCELLED,
        (_S.FAILED, _E.RESUME): _S.QUEUED,  # a person's retry: same run, budgets kept
    },
)


class CallState(StrEnum):
    INTENT = "INTENT"
    RECEIPT = "RECEIPT"
    STORED = "STORED"
    EXPIRED = "EXPIRED"
    FAILED = "FAILED"
    UNKNOWN = "UNKNOWN"


class CallEvent(StrEnum):
    RECEIVE = "RECEIVE"
    STORE = "STORE"
    EXPIRE = "EXPIRE"
    FAIL = "FAIL"
    LOSE = "LOSE"


CALL: Machine[CallState, CallEvent] = Machine(
    name="provider_call",
    initial=CallState.INTENT,
    edges={
        (CallState.INTENT, CallEvent.RECEIVE): CallState.RECEIPT,
        (CallState.INTENT, CallEvent.FAIL): CallState.FAILED,
        (CallState.INTENT, CallEvent.LOSE): CallState.UNKNOWN,
        (CallState.RECEIPT, CallEvent.STORE): CallState.STORED,
        (CallState.RECEIPT, CallEvent.EXPIRE): CallState.EXPIRED,
        (CallState.UNKNOWN, CallEvent.RECEIVE): CallState.RECEIPT,  # late, and still a fact
        (CallState.UNKNOWN, CallEvent.FAIL): CallState.FAILED,  # a person
    },
)


class RevisionState(StrEnum):
    DRAFT = "DRAFT"
    SCRIPT_READY = "SCRIPT_READY"
    STOPPED = "STOPPED"  # the evidence does not carry an answer; a sentence went out instead
    AUDIO_READY = "AUDIO_READY"
    HELD = "HELD"  # too long after the one shortening; kept as a draft for the person
    DROPPED = "DROPPED"


class RevisionEvent(StrEnum):
    SCRIPT = "SCRIPT"
    STOP = "STOP"
    AUDIO = "AUDIO"
    HOLD = "HOLD"
    REWRITE = "REWRITE"
    DROP = "DROP"


REVISION: Machine[RevisionState, RevisionEvent] = Machine(
    name="revision",
    initial=RevisionState.DRAFT,
    edges={
        (RevisionState.DRAFT, RevisionEvent.SCRIPT): RevisionState.SCRIPT_READY,
        (RevisionState.DRAFT, RevisionEvent.STOP): RevisionState.STOPPED,
        (RevisionState.SCRIPT_READY, RevisionEvent.AUDIO): RevisionState.AUDIO_READY,
        (RevisionState.SCRIPT_READY, RevisionEvent.HOLD): RevisionState.HELD,
        (RevisionState.HELD, RevisionEvent.REWRITE): RevisionState.SCRIPT_READY,
        (RevisionState.HELD, RevisionEvent.DROP): RevisionState.DROPPED,
        (RevisionState.AUDIO_READY, RevisionEvent.DROP): RevisionState.DROPPED,
    },
)


class EpisodeState(StrEnum):
    OPEN = "OPEN"
    PUBLISHED = "PUBLISHED"
    ABANDONED = "ABANDONED"
    SUPERSEDED = "SUPERSEDED"
    WITHDRAWN = "WITHDRAWN"


class EpisodeEvent(StrEnum):
    PUBLISH = "PUBLISH"
    ABANDON = "ABANDON"
    SUPERSEDE = "SUPERSEDE"
    WITHDRAW = "WITHDRAW"


EPISODE: Machine[EpisodeState, EpisodeEvent] = Machine(
    name="episode",
    initial=EpisodeState.OPEN,
    edges={
        (EpisodeState.OPEN, EpisodeEvent.PUBLISH): EpisodeState.PUBLISHED,
        (EpisodeState.OPEN, EpisodeEvent.ABANDON): EpisodeState.ABANDONED,
        (EpisodeState.PUBLISHED, EpisodeEvent.SUPERSEDE): EpisodeState.SUPERSEDED,
        (EpisodeState.PUBLISHED, EpisodeEvent.WITHDRAW): EpisodeState.WITHDRAWN,
        (EpisodeState.SUPERSEDED, EpisodeEvent.WITHDRAW): EpisodeState.WITHDRAWN,
    },
)


class Stage(StrEnum):
    """The rows of the receipt, in order."""

    FETCH = "fetch"
    READ = "read"
    SPLIT = "split"
    FIND = "find"
    WRITE = "write"
    CHECK = "check"
    SPEAK = "speak"
    PUBLISH = "publish"


@dataclass(frozen=True)
class RunLimits:
    """Rule RUN-4."""

    max_attempts: int = 4  # the first and at most three retries; a lapsed lease counts
    lease_s: float = 60.0
    heartbeat_s: float = 15.0
    retry_base_s: float = 5.0
    delivery_s: float = 10.0  # how long an announced run is left to whoever was told of it (rule RUN-3)
    max_calls: int = 60  # provider calls of one run, over all its attempts (rule MDL-4)


def retry_delay_s(attempt: int, *, limits: RunLimits, jitter: float) -> float:
    """Seconds to wait after failed attempt number ``attempt`` (from 1); ``jitter`` is a random number in [0, 1)."""
    return float(limits.retry_base_s * 2 ** (attempt - 1) * (0.5 + jitter))
