"""What lies in the store of bytes."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, Text, UniqueConstraint, func, text
from sqlmodel import Field, SQLModel

from pipeline.domain.stored import BlobState
from storage.tables.names import big_id, moment, one_of


class StoredBlob(SQLModel, table=True):
    """Written before its bytes, so that bytes without a row do not come to be (rule AUD-4).

    ``generation`` numbers the names of one content: a name that is dying or gone is never written again, because
    whoever removes its object may be late.
    """

    __tablename__ = "stored_blob"
    __table_args__ = (
        UniqueConstraint("key"),
        UniqueConstraint("owner_id", "sha256", "generation"),
        one_of("stored_blob_state", "state", BlobState),
        Index("ix_stored_blob_seen", "seen_at", postgresql_where=text("state <> 'gone'")),
    )
    id: int | None = Field(default=None, sa_column=big_id())
    key: str = Field(sa_column=Column(Text, nullable=False))
    owner_id: int = Field(sa_column=Column(BigInteger, ForeignKey("owner.id"), nullable=False))
    sha256: str = Field(sa_column=Column(Text, nullable=False))
    generation: int = Field(sa_column=Column(Integer, nullable=False))
    state: str = Field(sa_column=Column(Text, nullable=False, server_default="present"))
    seen_at: datetime = Field(  # the database's clock, of the last put of this content
        sa_column=Column(moment().type, nullable=False, server_default=func.clock_timestamp())
    )
