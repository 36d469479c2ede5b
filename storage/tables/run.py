"""The ledger: runs, their events, the calls they made, the artefacts they left, the episodes they serve."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    Text,
    UniqueConstraint,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlmodel import Field, SQLModel

from pipeline.domain.audio import MAX_DURATION_MS
from pipeline.domain.run import CallState, EpisodeState, RevisionState, RunKind, RunState
from storage.tables.names import big_id, moment, one_of


class Episode(SQLModel, table=True):
    __tablename__ = "episode"
    __table_args__ = (one_of("episode_state", "state", EpisodeState), UniqueConstraint("guid"))
    id: int | None = Field(default=None, sa_column=big_id())
    owner_id: int = Field(sa_column=Column(BigInteger, ForeignKey("owner.id"), nullable=False))
    source_id: int = Field(sa_column=Column(BigInteger, ForeignKey("source.id"), nullable=False))
    guid: UUID = Field(sa_column=Column(Uuid, nullable=False, server_default=text("gen_random_uuid()")))
    state: str = Field(sa_column=Column(Text, nullable=False, server_default="OPEN"))
    # No foreign key back: the revision names its episode, and this is set once (rule PUB-2).
    published_revision_id: int | None = Field(default=None, sa_column=Column(BigInteger))
    created_at: datetime = Field(sa_column=moment(default_now=True))


class EpisodeRevision(SQLModel, table=True):
    """One question put to one source; names its one evidence, script and audio artefact (rule RUN-8)."""

    __tablename__ = "episode_revision"
    __table_args__ = (
        UniqueConstraint("episode_id", "number"),
        one_of("episode_revision_state", "state", RevisionState),
        CheckConstraint(f"duration_ms > 0 AND duration_ms <= {MAX_DURATION_MS}", name="episode_revision_duration"),
        CheckConstraint(
            "state <> 'AUDIO_READY' OR (script_artifact_id IS NOT NULL AND audio_artifact_id IS NOT NULL"
            " AND duration_ms IS NOT NULL)",
            name="episode_revision_audio_ready",
        ),
    )
    id: int | None = Field(default=None, sa_column=big_id())
    episode_id: int = Field(sa_column=Column(BigInteger, ForeignKey("episode.id"), nullable=False))
    owner_id: int = Field(sa_column=Column(BigInteger, ForeignKey("owner.id"), nullable=False))
    chat_id: int = Field(sa_column=Column(BigInteger, ForeignKey("chat.id"), nullable=False))
    number: int = Field(sa_column=Column(Integer, nullable=False))
    question: str | None = Field(default=None, sa_column=Column(Text))  # NULL: asked for, not yet given
    question_by: str | None = Field(default=None, sa_column=Column(Text))  # person | points | default
    ask_until: datetime | None = Field(default=None, sa_column=moment(nullable=True))
    state: str = Field(sa_column=Column(Text, nullable=False, server_default="DRAFT"))
    source_version_id: int | None = Field(default=None, sa_column=Column(BigInteger, ForeignKey("source_version.id")))
    evidence_artifact_id: int | None = Field(
        default=None, sa_column=Column(BigInteger, ForeignKey("stage_artifact.id"))
    )
    script_artifact_id: int | None = Field(default=None, sa_column=Column(BigInteger, ForeignKey("stage_artifact.id")))
    audio_artifact_id: int | None = Field(default=None, sa_column=Column(BigInteger, ForeignKey("stage_artifact.id")))
    duration_ms: int | None = Field(default=None, sa_column=Column(Integer))
    decline: dict[str, Any] | None = Field(default=None, sa_column=Column(JSONB))  # a Declined, when STOPPED
    created_at: datetime = Field(sa_column=moment(default_now=True))


class GenerationRun(SQLModel, table=True):
    """Ledger and outbox of work at once (rule RUN-1)."""

    __tablename__ = "generation_run"
    __table_args__ = (
        UniqueConstraint("owner_id", "kind", "request_key"),
        Index("uq_generate_revision", "revision_id", unique=True, postgresql_where=text("kind = 'GENERATE'")),
        # One index per question that is asked all the time, in the order of its answer: what is due, whose lease is
        # over, what waits for its day or its question. Finished runs are in none of them.
        Index("ix_generation_run_due", "next_due_at", "id", postgresql_where=text("state IN ('QUEUED', 'RETRY_WAIT')")),
        Index("ix_generation_run_lapsed", "expires_at", "id", postgresql_where=text("state = 'RUNNING'")),
        Index("ix_generation_run_deferred", "next_due_at", "id", postgresql_where=text("state = 'DEFERRED'")),
        Index("ix_generation_run_revision", "revision_id"),
        one_of("run_state", "state", RunState),
        one_of("run_kind", "kind", RunKind),
        CheckConstraint(
            "(finished_at IS NOT NULL) = (state IN ('SUCCEEDED', 'FAILED', 'CANCELLED'))", name="run_finished_at"
        ),
        CheckConstraint("(state = 'RUNNING') = (expires_at IS NOT NULL)", name="run_lease"),
    )
    id: int | None = Field(default=None, sa_column=big_id())
    owner_id: int = Field(sa_column=Column(BigInteger, ForeignKey("owner.id"), nullable=False))
    kind: str = Field(sa_column=Column(Text, nullable=False))
    request_key: str = Field(sa_column=Column(Text, nullable=False))
    source_id: int = Field(sa_column=Column(BigInteger, ForeignKey("source.id"), nullable=False))
    revision_id: int = Field(sa_column=Column(BigInteger, ForeignKey("episode_revision.id"), nullable=False))
    state: str = Field(sa_column=Column(Text, nullable=False, server_default="QUEUED"))
    cancel_requested: bool = Field(sa_column=Column(Boolean, nullable=False, server_default=text("false")))
    attempts: int = Field(sa_column=Column(Integer, nullable=False, server_default="0"))
    attempt_id: UUID | None = Field(default=None, sa_column=Column(Uuid))
    fence: int = Field(sa_column=Column(BigInteger, nullable=False, server_default="0"))
    holder: str | None = Field(default=None, sa_column=Column(Text))
    expires_at: datetime | None = Field(default=None, sa_column=moment(nullable=True))
    next_due_at: datetime = Field(sa_column=moment())
    delivered_until: datetime | None = Field(default=None, sa_column=moment(nullable=True))  # rule RUN-3
    calls_used: int = Field(sa_column=Column(Integer, nullable=False, server_default="0"))  # kept over attempts
    calls_limit: int = Field(sa_column=Column(Integer, nullable=False, server_default="60"))
    event_seq: int = Field(sa_column=Column(Integer, nullable=False, server_default="0"))
    settings: dict[str, Any] = Field(sa_column=Column(JSONB, nullable=False, server_default=text("'{}'")))  # rule MDL-7
    error_reason: str | None = Field(default=None, sa_column=Column(Text))
    error_values: dict[str, Any] | None = Field(default=None, sa_column=Column(JSONB))
    created_at: datetime = Field(sa_column=moment(default_now=True))
    started_at: datetime | None = Field(default=None, sa_column=moment(nullable=True))
    finished_at: datetime | None = Field(default=None, sa_column=moment(nullable=True))


class RunEventRow(SQLModel, table=True):
    """Facts for people, numbered under the run's row lock (rule RUN-7)."""

    __tablename__ = "run_event"
    run_id: int = Field(sa_column=Column(BigInteger, ForeignKey("generation_run.id"), primary_key=True))
    seq: int = Field(sa_column=Column(Integer, primary_key=True))
    at: datetime = Field(sa_column=moment(default_now=True))
    fence: int = Field(sa_column=Column(BigInteger, nullable=False))
    kind: str = Field(sa_column=Column(Text, nullable=False))
    stage: str | None = Field(default=None, sa_column=Column(Text))
    data: dict[str, Any] = Field(sa_column=Column(JSONB, nullable=False, server_default=text("'{}'")))


class ProviderCall(SQLModel, table=True):
    """A physical call: a row first, then the request (rule TTS-1)."""

    __tablename__ = "provider_call"
    __table_args__ = (
        UniqueConstraint("run_id", "fingerprint", "call_seq"),
        one_of("provider_call_state", "state", CallState),
        CheckConstraint("effect IN ('none', 'billed', 'outside')", name="provider_call_effect"),
    )
    id: int | None = Field(default=None, sa_column=big_id())
    run_id: int = Field(sa_column=Column(BigInteger, ForeignKey("generation_run.id"), nullable=False))
    fence: int = Field(sa_column=Column(BigInteger, nullable=False))
    ability: str = Field(sa_column=Column(Text, nullable=False))
    provider: str = Field(sa_column=Column(Text, nullable=False))
    effect: str = Field(sa_column=Column(Text, nullable=False))
    fingerprint: str = Field(sa_column=Column(Text, nullable=False))
    call_seq: int = Field(sa_column=Column(Integer, nullable=False))
    state: str = Field(sa_column=Column(Text, nullable=False, server_default="INTENT"))
    request_id: str | None = Field(default=None, sa_column=Column(Text))
    locator: str | None = Field(default=None, sa_column=Column(Text))
    expires_at: datetime | None = Field(default=None, sa_column=moment(nullable=True))
    cost_micro: int | None = Field(default=None, sa_column=Column(BigInteger))
    error: str | None = Field(default=None, sa_column=Column(Text))
    created_at: datetime = Field(sa_column=moment(default_now=True))
    settled_at: datetime | None = Field(default=None, sa_column=moment(nullable=True))


class StageArtifact(SQLModel, table=True):
    """What a stage made, once for its inputs; content never changes (rule RUN-8)."""

    __tablename__ = "stage_artifact"
    __table_args__ = (
        UniqueConstraint("owner_id", "kind", "input_fingerprint"),
        Index("ix_stage_artifact_blob_keys", "blob_keys", postgresql_using="gin"),
    )
    id: int | None = Field(default=None, sa_column=big_id())
    owner_id: int = Field(sa_column=Column(BigInteger, ForeignKey("owner.id"), nullable=False))
    kind: str = Field(sa_column=Column(Text, nullable=False))  # evidence | script | speech | audio
    input_fingerprint: str = Field(sa_column=Column(Text, nullable=False))
    content: dict[str, Any] = Field(sa_column=Column(JSONB, nullable=False))
    content_sha256: str = Field(sa_column=Column(Text, nullable=False))
    blob_keys: list[str] = Field(
        sa_column=Column(ARRAY(Text), nullable=False, server_default=text("'{}'"))
    )  # in content
    # Who made it; no foreign key, because revisions name artefacts and runs name revisions.
    run_id: int | None = Field(default=None, sa_column=Column(BigInteger))
    created_at: datetime = Field(sa_column=moment(default_now=True))
