"""What was handed in, what was read out of it, and how it is searched."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Computed,
    ForeignKey,
    Index,
    Integer,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB, TSVECTOR
from sqlmodel import Field, SQLModel

from pipeline.domain.source import AssetState, IndexState, InputType, Quality
from storage.tables.names import big_id, moment, one_of


class Source(SQLModel, table=True):
    """A submission, not a page: the same file twice is two sources, perhaps two questions (rule SRC-1)."""

    __tablename__ = "source"
    __table_args__ = (
        UniqueConstraint("owner_id", "request_key"),
        one_of("source_input_type", "input_type", InputType),
        CheckConstraint(
            "input_type = 'link' OR (blob_key IS NOT NULL AND raw_sha256 IS NOT NULL AND size_bytes IS NOT NULL)",
            name="source_bytes",
        ),
        CheckConstraint("input_type <> 'link' OR origin IS NOT NULL", name="source_address"),
    )
    id: int | None = Field(default=None, sa_column=big_id())
    owner_id: int = Field(sa_column=Column(BigInteger, ForeignKey("owner.id"), nullable=False))
    request_key: str = Field(sa_column=Column(Text, nullable=False))
    payload_sha256: str = Field(sa_column=Column(Text, nullable=False))  # same key, other payload: a conflict
    input_type: str = Field(sa_column=Column(Text, nullable=False))
    name: str = Field(sa_column=Column(Text, nullable=False))  # file name as given; "" for a paste
    origin: str | None = Field(default=None, sa_column=Column(Text))  # address as sent, when there is one
    address_key: str | None = Field(default=None, sa_column=Column(Text))  # canonical address (rule SRC-7)
    hint: str | None = Field(default=None, sa_column=Column(Text))  # words of #:~:text=, a hint of the question
    note: str | None = Field(default=None, sa_column=Column(Text))  # what the person wrote beside it
    priority: int = Field(default=0, sa_column=Column(Integer, nullable=False, server_default="0"))
    blob_key: str | None = Field(default=None, sa_column=Column(Text))  # NULL: a link that is not fetched yet
    raw_sha256: str | None = Field(default=None, sa_column=Column(Text))
    size_bytes: int | None = Field(default=None, sa_column=Column(BigInteger))
    capture_id: int | None = Field(default=None, sa_column=Column(BigInteger))  # the capture these bytes came with
    version_id: int | None = Field(default=None, sa_column=Column(BigInteger, ForeignKey("source_version.id")))
    submitted_at: datetime = Field(sa_column=moment(default_now=True))


class SourceCapture(SQLModel, table=True):
    """One time bytes came in for a source: fetched from its address, or supplied by the person (provenance).

    No foreign key from the source back: a capture names its source, and the source its latest capture.
    """

    __tablename__ = "source_capture"
    __table_args__ = (
        CheckConstraint("way IN ('fetched', 'pasted', 'uploaded', 'unlocked')", name="source_capture_way"),
        Index("ix_source_capture_source", "source_id"),
    )
    id: int | None = Field(default=None, sa_column=big_id())
    source_id: int = Field(sa_column=Column(BigInteger, ForeignKey("source.id"), nullable=False))
    owner_id: int = Field(sa_column=Column(BigInteger, ForeignKey("owner.id"), nullable=False))
    way: str = Field(sa_column=Column(Text, nullable=False))
    input_type: str = Field(sa_column=Column(Text, nullable=False))
    address: str | None = Field(default=None, sa_column=Column(Text))
    final_address: str | None = Field(default=None, sa_column=Column(Text))
    redirects: list[Any] = Field(sa_column=Column(JSONB, nullable=False, server_default=text("'[]'")))
    status: int | None = Field(default=None, sa_column=Column(Integer))
    media_type: str | None = Field(default=None, sa_column=Column(Text))
    charset: str | None = Field(default=None, sa_column=Column(Text))
    robots: str | None = Field(default=None, sa_column=Column(Text))
    etag: str | None = Field(default=None, sa_column=Column(Text))
    last_modified: str | None = Field(default=None, sa_column=Column(Text))
    blob_key: str = Field(sa_column=Column(Text, nullable=False))
    raw_sha256: str = Field(sa_column=Column(Text, nullable=False))
    size_bytes: int = Field(sa_column=Column(BigInteger, nullable=False))
    version_id: int | None = Field(default=None, sa_column=Column(BigInteger, ForeignKey("source_version.id")))
    captured_at: datetime = Field(sa_column=moment())


class SourceVersion(SQLModel, table=True):
    """Immutable but for ``index_state`` (rule SRC-3); the same bytes of one owner are one version."""

    __tablename__ = "source_version"
    __table_args__ = (
        UniqueConstraint("owner_id", "raw_sha256", "reader"),
        one_of("source_version_quality", "quality", Quality),
        one_of("source_version_index_state", "index_state", IndexState),
    )
    id: int | None = Field(default=None, sa_column=big_id())
    owner_id: int = Field(sa_column=Column(BigInteger, ForeignKey("owner.id"), nullable=False))
    raw_sha256: str = Field(sa_column=Column(Text, nullable=False))
    blob_key: str = Field(sa_column=Column(Text, nullable=False))
    reader: str = Field(sa_column=Column(Text, nullable=False))  # input type and version of our reading: known before
    extractor: str = Field(sa_column=Column(Text, nullable=False))  # library and version, as the reading told it
    codec: str | None = Field(default=None, sa_column=Column(Text))
    title: str = Field(sa_column=Column(Text, nullable=False))
    text_: str = Field(sa_column=Column("text", Text, nullable=False))  # canonical; offsets are code points of this
    text_sha256: str = Field(sa_column=Column(Text, nullable=False))
    # Of the main text without counters and clocks: a fetch that only differs in those is no new version (SRC-3, W15).
    main_sha256: str = Field(sa_column=Column(Text, nullable=False, server_default=""))
    raw_text: str | None = Field(default=None, sa_column=Column(Text))  # NULL: equal to text
    offsets: list[Any] = Field(sa_column=Column(JSONB, nullable=False))  # runs raw ↔ canonical (rule SRC-4)
    blocks: list[Any] = Field(sa_column=Column(JSONB, nullable=False))
    page_starts: list[Any] = Field(sa_column=Column(JSONB, nullable=False))
    pages: int | None = Field(default=None, sa_column=Column(Integer))
    quality: str = Field(sa_column=Column(Text, nullable=False))
    language: str = Field(sa_column=Column(Text, nullable=False))  # zh | other
    page_labels: list[Any] = Field(sa_column=Column(JSONB, nullable=False, server_default=text("'[]'")))
    recognised: list[Any] = Field(sa_column=Column(JSONB, nullable=False, server_default=text("'[]'")))  # OCR pages
    boxes: list[Any] = Field(sa_column=Column(JSONB, nullable=False, server_default=text("'[]'")))
    cues: list[Any] = Field(sa_column=Column(JSONB, nullable=False, server_default=text("'[]'")))
    attachments: list[Any] = Field(sa_column=Column(JSONB, nullable=False, server_default=text("'[]'")))
    removed: list[Any] = Field(sa_column=Column(JSONB, nullable=False))
    notes: list[Any] = Field(sa_column=Column(JSONB, nullable=False))
    index_state: str = Field(sa_column=Column(Text, nullable=False, server_default="NONE"))
    fetched_at: datetime = Field(sa_column=moment())


class SourceAsset(SQLModel, table=True):
    """A picture of a version, kept as evidence: its bytes are saved, because links die (pitfalls W1, W2, W10)."""

    __tablename__ = "source_asset"
    __table_args__ = (
        UniqueConstraint("version_id", "seq"),
        one_of("source_asset_state", "state", AssetState),
        CheckConstraint("(state = 'stored') = (blob_key IS NOT NULL)", name="source_asset_stored"),
        Index("ix_source_asset_waiting", "due_at", postgresql_where=text("state = 'waiting'")),
    )
    id: int | None = Field(default=None, sa_column=big_id())
    version_id: int = Field(sa_column=Column(BigInteger, ForeignKey("source_version.id"), nullable=False))
    owner_id: int = Field(sa_column=Column(BigInteger, ForeignKey("owner.id"), nullable=False))
    seq: int = Field(sa_column=Column(Integer, nullable=False))
    at: int = Field(sa_column=Column(Integer, nullable=False))  # canonical offset of the block it belongs to
    address: str = Field(sa_column=Column(Text, nullable=False))  # "" when it came along with the bytes
    alt: str = Field(sa_column=Column(Text, nullable=False))
    state: str = Field(sa_column=Column(Text, nullable=False))
    tries: int = Field(sa_column=Column(Integer, nullable=False, server_default="0"))
    due_at: datetime = Field(sa_column=moment(default_now=True))
    error: str | None = Field(default=None, sa_column=Column(Text))
    media_type: str | None = Field(default=None, sa_column=Column(Text))
    blob_key: str | None = Field(default=None, sa_column=Column(Text))
    sha256: str | None = Field(default=None, sa_column=Column(Text))
    size_bytes: int | None = Field(default=None, sa_column=Column(BigInteger))


class Chunk(SQLModel, table=True):
    """A section (parent) or a searchable child. Its words are ``source_version.text[span_start:span_end]``."""

    __tablename__ = "chunk"
    __table_args__ = (
        UniqueConstraint("version_id", "seq"),
        CheckConstraint("span_start >= 0 AND span_end > span_start", name="chunk_span"),
        Index("ix_chunk_tsv", "tsv", postgresql_using="gin"),
    )
    id: int | None = Field(default=None, sa_column=big_id())
    version_id: int = Field(sa_column=Column(BigInteger, ForeignKey("source_version.id"), nullable=False))
    owner_id: int = Field(sa_column=Column(BigInteger, ForeignKey("owner.id"), nullable=False))
    seq: int = Field(sa_column=Column(Integer, nullable=False))
    parent_seq: int | None = Field(default=None, sa_column=Column(Integer))  # of the section, in the same version
    kind: str = Field(sa_column=Column(Text, nullable=False))
    is_section: bool = Field(sa_column=Column(Boolean, nullable=False))
    heading: str = Field(sa_column=Column(Text, nullable=False))
    page: int | None = Field(default=None, sa_column=Column(Integer))
    span_start: int = Field(sa_column=Column(Integer, nullable=False))
    span_end: int = Field(sa_column=Column(Integer, nullable=False))
    tokens: str = Field(sa_column=Column(Text, nullable=False))  # jieba's, space separated; "" for a section
    tsv: Any = Field(
        default=None, sa_column=Column(TSVECTOR, Computed("to_tsvector('simple'::regconfig, tokens)", persisted=True))
    )


class ChunkEmbedding(SQLModel, table=True):
    """A vector and the configuration that made it: vectors of two configurations are never compared (rule CHK-2)."""

    __tablename__ = "chunk_embedding"
    __table_args__ = (Index("ix_chunk_embedding_version", "version_id", "config"),)
    chunk_id: int = Field(sa_column=Column(BigInteger, ForeignKey("chunk.id"), primary_key=True))
    config: str = Field(sa_column=Column(Text, primary_key=True))
    version_id: int = Field(sa_column=Column(BigInteger, ForeignKey("source_version.id"), nullable=False))
    embedding: Any = Field(sa_column=Column(HALFVEC(), nullable=False))
    created_at: datetime = Field(sa_column=moment(default_now=True))
