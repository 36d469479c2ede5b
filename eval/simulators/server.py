"""A database server of one's own for one measurement or one siege, with a folder beside it; both gone afterwards."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from storage.embedded import EmbeddedPostgres


@contextlib.asynccontextmanager
async def own_server(name: str) -> AsyncIterator[tuple[Path, EmbeddedPostgres, str]]:
    """The folder, the durable server in it, and its URL."""
    with tempfile.TemporaryDirectory(prefix=f"earmark-{name}-") as made:
        folder = Path(made)
        await asyncio.to_thread(folder.chmod, 0o755)  # the server may run as another user
        server = EmbeddedPostgres(folder / "pg")
        url = await asyncio.to_thread(server.start)
        try:
            yield folder, server, url
        finally:
            await asyncio.to_thread(server.close)
