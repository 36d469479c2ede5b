"""A fetcher without a web: answers by address from a dictionary, counts every call, fails on request."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from pipeline.domain.address import check_address
from pipeline.domain.errors import FetchFailed, ProductError
from pipeline.ports.fetch import Fetched
from pipeline.providers.fetch_unpack import too_large


@dataclass
class FakeFetcher:
    """``pages`` maps an address, as it is asked for, to a page's bytes, a whole answer, or the error to raise.

    What is not there is 404. Addresses are checked as the guard checks them before it looks a name up. It never
    deduplicates: two fetches are two entries of ``calls``.
    """

    pages: dict[str, bytes | Fetched | ProductError] = field(default_factory=dict)
    media_type: str = "text/html"
    exempt: frozenset[str] = frozenset()
    calls: list[tuple[str, int]] = field(default_factory=list)  # address, owner

    async def fetch(self, address: str, *, owner_id: int, max_bytes: int | None = None) -> Fetched:
        """Raises what stands for ``address``, or what the guard would raise."""
        self.calls.append((address, owner_id))
        checked = check_address(address, exempt=self.exempt)
        found = self.pages.get(address) or FetchFailed(checked.host, "status", status=404)
        if isinstance(found, ProductError):
            raise found
        if isinstance(found, bytes):
            found = Fetched(address, str(checked), (), 200, self.media_type, None, found, "none")
        if max_bytes is not None and len(found.data) > max_bytes:
            raise too_large(max_bytes)
        return replace(found, address=address)
