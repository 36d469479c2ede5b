"""The parser's child process: ``python -m pipeline.worker.child`` (rules SEC-3, RUN-9).

Reads one request on standard input, reads the foreign bytes under limits of memory, CPU and files, writes one reply on
standard output, ends. It opens no file for writing, starts no process and knows no secret: its environment is empty.
"""

from __future__ import annotations

import os
import resource
import sys
from typing import Any, BinaryIO

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import InputType, SourceLimits
from pipeline.providers.parse_frames import MEMORY_EXIT, PREFIX_BYTES, frame_size, read_hints, refusal, reply, unlocked

_MAX_OPEN_FILES = 128
_RECURSION = 3_000


def limit(limits: SourceLimits) -> None:
    """Bound this process for good, as a parser."""
    bound(memory_bytes=limits.parse_memory_bytes, cpu_s=limits.parse_time_s)


def bound(*, memory_bytes: int, cpu_s: int) -> None:
    """Bound this process for good: address space, CPU seconds, no file growth, no core dump, few files."""
    for what, soft, hard in (
        (resource.RLIMIT_AS, memory_bytes, memory_bytes),
        (resource.RLIMIT_CPU, cpu_s, cpu_s + 5),  # SIGXCPU at the soft limit tells time from memory
        (resource.RLIMIT_FSIZE, 0, 0),
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_NOFILE, _MAX_OPEN_FILES, _MAX_OPEN_FILES),
    ):
        resource.setrlimit(what, (soft, hard))


def main() -> int:
    """Serve one request; the exit code is 0 for a reply of either kind and 71 when memory ran out."""
    sys.dont_write_bytecode = True
    sys.setrecursionlimit(_RECURSION)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not end up inside a frame
    try:
        answers.write(_answer(sys.stdin.buffer))
        answers.flush()
    except MemoryError:
        os._exit(MEMORY_EXIT)
    return 0


def _answer(requests: BinaryIO) -> bytes:
    import json

    header = json.loads(requests.read(frame_size(requests.read(PREFIX_BYTES))))
    data = requests.read(header["size"])
    limits = SourceLimits(**header["limits"])
    limit(limits)
    try:
        if header.get("op") == "unlock":
            return _unlocked(data, header["password"])
        return _read(data, header, limits)
    except InputRejected as error:
        return refusal(error)


def _unlocked(data: bytes, password: str) -> bytes:
    from pipeline.intake.unlock import unlock_pdf

    return unlocked(unlock_pdf(data, password=password))


def _read(data: bytes, header: dict[str, Any], limits: SourceLimits) -> bytes:
    from pipeline.intake.extract import extract

    kind, hints = InputType(header["kind"]), read_hints(header["hints"])
    return reply(extract(data, name=header["name"], kind=kind, limits=limits, hints=hints))


if __name__ == "__main__":
    sys.exit(main())
