"""Content-addressed bytes in a folder (rule AUD-4): create-only, hashed by us, on disk before we say so.

obstore's LocalStore links a finished temporary file into place, so a name appears whole or not at all; it does not
fsync, so the file and its folder are synced here before the key is handed out.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from obstore.store import LocalStore

from storage.objects import HashedObjects


class FolderBlobs(HashedObjects):
    """``o/<owner>/<first two hex digits>/<sha256>`` under ``root``."""

    def __init__(self, root: Path) -> None:
        root.mkdir(parents=True, exist_ok=True)
        self._root = root
        super().__init__(LocalStore(str(root)))

    async def _settle(self, key: str) -> None:
        await asyncio.to_thread(self._sync, key)

    def _sync(self, key: str) -> None:
        path = self._root / key
        with path.open("rb") as file:
            os.fsync(file.fileno())
        folder = path.parent
        while folder != self._root.parent:
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            folder = folder.parent
