"""SQLSTATE → the product's error tree, in one place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError

from pipeline.domain.errors import Contention

# lock_not_available, deadlock_detected, serialization_failure
_CONTENTION = frozenset({"55P03", "40P01", "40001"})


@contextmanager
def translated() -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        state = getattr(error.orig, "sqlstate", None)
        if state in _CONTENTION:
            raise Contention(f"database contention ({state})") from error
        raise
