"""Constraint names that every table shares, so that a violated rule can be recognised by name."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, Column, DateTime, Identity, MetaData, func
from sqlmodel import SQLModel

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}
metadata: MetaData = SQLModel.metadata
metadata.naming_convention = NAMING


def big_id() -> Column[Any]:
    return Column(BigInteger, Identity(always=True), primary_key=True)


def moment(*, nullable: bool = False, default_now: bool = False) -> Column[datetime]:
    """An instant: aware UTC."""
    return Column(DateTime(timezone=True), nullable=nullable, server_default=func.now() if default_now else None)


def one_of(name: str, column: str, states: Iterable[StrEnum]) -> CheckConstraint:
    """The database's copy of an enum; tests/architecture holds it equal to the domain's."""
    values = ", ".join(f"'{state.value}'" for state in states)
    return CheckConstraint(f"{column} IN ({values})", name=name)
