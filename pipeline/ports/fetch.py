"""What intake needs from the one door to the web."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Fetched:
    """An answer of 2xx, whole, unpacked, within every limit of rule SRC-6."""

    address: str  # as asked for
    final_address: str  # after redirects
    redirects: tuple[str, ...]  # every address on the way, the last one included
    status: int
    media_type: str  # of the header, lower case, without parameters; "" when absent
    charset: str | None  # of the header
    data: bytes
    robots: str  # allowed | disallowed | none | unknown: noted, since a person asked for this one page
    etag: str | None = None
    last_modified: str | None = None


class Fetcher(Protocol):
    async def fetch(self, address: str, *, owner_id: int, max_bytes: int | None = None) -> Fetched:
        """Fetch one address for one owner; cookies live per owner and host, and only while the process does.

        Raises:
            InputRejected: ADDRESS_REFUSED, FETCH_TOO_LARGE, TOO_MANY_REDIRECTS.
            FetchFailed: no answer, or one that is not 2xx.
        """
        ...
