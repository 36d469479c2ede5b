"""SQLSTATE → the product's error tree, in one place.

What is left as a DBAPIError is a database that is away, shutting down or full: waiting helps. A statement that the
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


@contextmanager
def translated() -> Iterator[None]:
    """Raises Contention or Defect in place of what they stand for; other database errors pass."""
    try:
        yield
    except NoFreeConnection as error:
        raise Contention("no free connection to the database") from error
    except DBAPIError as error:
        state = getattr(error.orig, "sqlstate", None)
        if state in _CONTENTION:
            raise Contention(f"database contention ({state})") from error
        if (state or "").startswith(_REFUSED) or isinstance(_driver(error), asyncpg.DataError):
            raise Defect(f"the database refused a statement ({state or 'a value that does not fit'})") from error
        raise


def _driver(error: DBAPIError) -> BaseException | None:
    """What asyncpg itself raised: a value it cannot encode never reaches the server and has no SQLSTATE."""
    return None if error.orig is None else error.orig.__cause__
