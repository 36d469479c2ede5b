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
)
from sqlalchemy.dialects.postgresql import JSONB, TSVECTOR
from sqlmodel import Field, SQLModel

from pipeline.domain.source import IndexState, InputType, Quality
from storage.tables.names import big_id, moment, one_of


class Source(SQLModel, table=True):
    """A submission, not a page: the same file twice is two sources, perhaps two questions (rule SRC-1)."""

    __tablename__ = "source"
    __table_args__ = (UniqueConstraint("owner_id", "request_key"), one_of("source_input_type", "input_type", InputType))
    id: int | None = Field(default=None, sa_column=big_id())
    owner_id: int = Field(sa_column=Column(BigInteger, ForeignKey("owner.id"), nullable=False))
    request_key: str = Field(sa_column=Column(Text, nullable=False))
    payload_sha256: str = Field(sa_column=Column(Text, nullable=False))  # same key, other payload: a conflict
    input_type: str = Field(sa_column=Column(Text, nullable=False))
    name: str = Field(sa_column=Column(Text, nullable=False))  # file name as given; "" for a paste
    origin: str | None = Field(default=None, sa_column=Column(Text))  # address, when there is one
    note: str | None = Field(default=None, sa_column=Column(Text))  # what the person wrote beside it
    priority: int = Field(default=0, sa_column=Column(Integer, nullable=False, server_default="0"))
    blob_key: str = Field(sa_column=Column(Text, nullable=False))
    raw_sha256: str = Field(sa_column=Column(Text, nullable=False))
    size_bytes: int = Field(sa_column=Column(BigInteger, nullable=False))
    version_id: int | None = Field(default=None, sa_column=Column(BigInteger, ForeignKey("source_version.id")))
    submitted_at: datetime = Field(sa_column=moment(default_now=True))


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
    raw_text: str | None = Field(default=None, sa_column=Column(Text))  # NULL: equal to text
    offsets: list[Any] = Field(sa_column=Column(JSONB, nullable=False))  # runs raw ↔ canonical (rule SRC-4)
    blocks: list[Any] = Field(sa_column=Column(JSONB, nullable=False))
    page_starts: list[Any] = Field(sa_column=Column(JSONB, nullable=False))
    pages: int | None = Field(default=None, sa_column=Column(Integer))
    quality: str = Field(sa_column=Column(Text, nullable=False))
    language: str = Field(sa_column=Column(Text, nullable=False))  # zh | other
    removed: list[Any] = Field(sa_column=Column(JSONB, nullable=False))
    notes: list[Any] = Field(sa_column=Column(JSONB, nullable=False))
    index_state: str = Field(sa_column=Column(Text, nullable=False, server_default="NONE"))
    fetched_at: datetime = Field(sa_column=moment())


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
