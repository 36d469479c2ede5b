"""The parser's child process: ``python -m pipeline.worker.child`` (rules SEC-3, RUN-9).

Reads one request on standard input, reads the foreign bytes under limits of memory, CPU and files, writes one reply on
standard output, ends. It opens no file for writing, starts no process and knows no secret: its environment is empty.
"""

from __future__ import annotations

import os
import resource
import sys
from typing import BinaryIO

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import InputType, SourceLimits
from pipeline.providers.parse_frames import MEMORY_EXIT, PREFIX_BYTES, frame_size, read_hints, refusal, reply

_MAX_OPEN_FILES = 128
_RECURSION = 3_000


def limit(limits: SourceLimits) -> None:
    """Bound this process for good: address space, CPU seconds, no file growth, no core dump, few files."""
    memory, seconds = limits.parse_memory_bytes, limits.parse_time_s
    for what, soft, hard in (
        (resource.RLIMIT_AS, memory, memory),
        (resource.RLIMIT_CPU, seconds, seconds + 5),  # SIGXCPU at the soft limit tells time from memory
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
    limits = SourceLimits(**header["limits"])
    data = requests.read(header["size"])
    limit(limits)
    from pipeline.intake.extract import extract

    hints = read_hints(header["hints"])
    try:
        return reply(extract(data, name=header["name"], kind=InputType(header["kind"]), limits=limits, hints=hints))
    except InputRejected as error:
        return refusal(error)


if __name__ == "__main__":
    sys.exit(main())
