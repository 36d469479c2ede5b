"""A model host with toy abilities, for tests of its client: ``python -m tests.support.toy_models``."""

from __future__ import annotations

import os
import signal
import sys
import threading

from pipeline.domain.errors import Refused
from pipeline.providers.model_frames import Header
from pipeline.worker.models import Ability, Answer, die, serve

_go = threading.Event()


def _echo(header: Header, body: bytes) -> Answer:
    return {"said": header.get("say")}, body


def _wait(header: Header, body: bytes) -> Answer:
    _go.wait()
    return {}, b"waited"


def _release(header: Header, body: bytes) -> Answer:
    _go.set()
    return {}, b""


def _refuse(header: Header, body: bytes) -> Answer:
    raise Refused("toy", "not this one")


def _crash(header: Header, body: bytes) -> Answer:
    raise ZeroDivisionError("a bug in the toy")


def _kill(header: Header, body: bytes) -> Answer:
    os.kill(os.getpid(), signal.SIGKILL)
    return {}, b""


def _print(header: Header, body: bytes) -> Answer:
    print("a library says hello on stdout", flush=True)
    return {}, b"printed"


def _loads(ability: Ability) -> object:
    return lambda: ability


if __name__ == "__main__":
    threading.excepthook = die
    toys = {
        "echo": _echo,
        "wait": _wait,
        "release": _release,
        "refuse": _refuse,
        "crash": _crash,
        "kill": _kill,
        "print": _print,
    }
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(sys.stdin.buffer, answers, {name: _loads(toy) for name, toy in toys.items()})
    os._exit(0)
