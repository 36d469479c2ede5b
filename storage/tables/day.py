"""What an owner is to hear on a day, and how much of it fits."""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import BigInteger, CheckConstraint, Column, Date, ForeignKey, Integer, Text, UniqueConstraint
from sqlmodel import Field, SQLModel

from pipeline.domain.plan import ItemState
from storage.tables.names import big_id, moment, one_of


class DailyPlan(SQLModel, table=True):
    """One per owner and local date (rule PUB-1)."""

    __tablename__ = "daily_plan"
    __table_args__ = (UniqueConstraint("owner_id", "local_date"),)
    id: int | None = Field(default=None, sa_column=big_id())
    owner_id: int = Field(sa_column=Column(BigInteger, ForeignKey("owner.id"), nullable=False))
    local_date: date = Field(sa_column=Column(Date, nullable=False))
    budget_ms: int = Field(sa_column=Column(Integer, nullable=False))
    created_at: datetime = Field(sa_column=moment(default_now=True))


class PlanItem(SQLModel, table=True):
    """An episode in a plan, once (rule PUB-2). ``duration_ms`` is what it takes of the day: reserved, then true."""

    __tablename__ = "plan_item"
    __table_args__ = (
        UniqueConstraint("plan_id", "episode_id"),
        one_of("plan_item_state", "state", ItemState),
        CheckConstraint("duration_ms > 0", name="plan_item_duration"),
    )
    id: int | None = Field(default=None, sa_column=big_id())
    plan_id: int = Field(sa_column=Column(BigInteger, ForeignKey("daily_plan.id"), nullable=False))
    episode_id: int = Field(sa_column=Column(BigInteger, ForeignKey("episode.id"), nullable=False))
    revision_id: int = Field(sa_column=Column(BigInteger, ForeignKey("episode_revision.id"), nullable=False))
    state: str = Field(sa_column=Column(Text, nullable=False))
    duration_ms: int = Field(sa_column=Column(Integer, nullable=False))
    created_at: datetime = Field(sa_column=moment(default_now=True))
