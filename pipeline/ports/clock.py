"""The one clock (architecture: clocks). Leases do not use it: they use the database's."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """Aware UTC."""
        ...
