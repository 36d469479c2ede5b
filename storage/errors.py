"""SQLSTATE → the product's error tree, in one place.

What is left as an OSError is a database that is away, shutting down or full: waiting helps. A statement that the
database will refuse again in the same way is our own bug, and must never be waited for: an update or a message that
carries such a value would hold its chat for good.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import asyncpg
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoFreeConnection

from pipeline.domain.errors import Contention, Defect

# lock_not_available, deadlock_detected, serialization_failure
_CONTENTION = frozenset({"55P03", "40P01", "40001"})
_REFUSED = ("21", "22", "23", "42")  # cardinality, data, integrity, syntax or access rule


class StorageAway(OSError):
    """The database, or the store of bytes, is away, stopping or full."""


@contextmanager
def translated() -> Iterator[None]:
    """Raises Contention, Defect or StorageAway in place of what they stand for."""
    try:
        yield
    except NoFreeConnection as error:
        raise Contention("no free connection to the database") from error
    except asyncpg.PostgresError as error:
        raise _meant(_state(error)) from error
    except asyncpg.DataError as error:
        raise Defect("the database refused a statement (a value that does not fit)") from error
    except (asyncpg.InterfaceError, asyncpg.InternalClientError) as error:
        raise StorageAway(f"no connection to the database: {type(error).__name__}") from error
    except DBAPIError as error:  # while the pool connects
        raise StorageAway(f"no connection to the database: {type(error.orig).__name__}") from error


def _state(error: BaseException) -> str:
    return str(getattr(error, "sqlstate", None) or "")


def _meant(state: str) -> Exception:
    if state in _CONTENTION:
        return Contention(f"database contention ({state})")
    if state.startswith(_REFUSED):
        return Defect(f"the database refused a statement ({state})")
    return StorageAway(f"the database is away ({state})")
