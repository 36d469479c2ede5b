"""Folders that the embedded database's own account may walk into."""

from __future__ import annotations

from pathlib import Path


def walkable(path: Path) -> Path:
    """As root the server runs as ``nobody``: pytest's private folders are opened for walking, not for reading."""
    for folder in (path, *path.parents):
        if folder.stat().st_mode & 0o001 == 0 and folder.is_relative_to(Path("/tmp")):
            folder.chmod(folder.stat().st_mode | 0o011)
    return path
