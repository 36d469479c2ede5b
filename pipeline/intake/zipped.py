"""A zipped document, bounded before one byte of it is unpacked (rules SRC-6, SEC-3).

The sizes that the directory of a zip declares are what ``zipfile`` reads at most, so their sum bounds the work; members
that overlap count each time. A ratio that no document has is a bomb, whatever its size.
"""

from __future__ import annotations

import io
import zipfile
import zlib

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import Reason, SourceLimits

MAX_MEMBERS = 10_000
_MAX_RATIO = 200  # of a member over the floor; text packs 3 to 20 times, sparse XML 50
_RATIO_FLOOR = 4 * 1024 * 1024
_MIB = 1024 * 1024
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, ValueError, KeyError)


class Zipped:
    """The members of a zip by name.

    Raises:
        InputRejected: BROKEN, TOO_LARGE (a bomb) or ENCRYPTED.
    """

    def __init__(self, data: bytes, limits: SourceLimits) -> None:
        try:
            self._file = zipfile.ZipFile(io.BytesIO(data))
            members = self._file.infolist()
        except _BROKEN as error:
            raise InputRejected(Reason.BROKEN, f"not a zip: {error}") from error
        whole = sum(member.file_size for member in members)
        bombs = [m for m in members if m.file_size > _RATIO_FLOOR and m.file_size > _MAX_RATIO * m.compress_size]
        if len(members) > MAX_MEMBERS or whole > limits.max_unpacked_bytes or bombs:
            raise InputRejected(Reason.TOO_LARGE, limit_mb=limits.max_unpacked_bytes // _MIB)
        if any(member.flag_bits & 1 for member in members):
            raise InputRejected(Reason.ENCRYPTED)
        self._sizes = {member.filename: member.file_size for member in members}

    @property
    def names(self) -> list[str]:
        return list(self._sizes)

    def size(self, name: str) -> int:
        """Return the member's unpacked size in bytes; 0 when there is none of that name."""
        return self._sizes.get(name, 0)

    def read(self, name: str) -> bytes | None:
        """Return the member's bytes, None when there is none of that name or it is damaged."""
        if name not in self._sizes:
            return None
        try:
            return self._file.read(name)
        except (*_BROKEN, RuntimeError):  # a password that the flags did not tell of
            return None
