"""Which Python processes a test has left behind: parsers, recognisers, model hosts, workers, whatever it started."""

from __future__ import annotations

import contextlib

import psutil


class Children:
    """Descendants of this process that run Python and were not there when this was made.

    Those of before belong to somebody else (a module's product, the leak of an earlier test) and are never counted, so
    that what is found can only be the doing of whoever holds this. Dead ones that nobody has reaped count. The
    database server and the browser are no Python and start processes when they like.
    """

    def __init__(self) -> None:
        self._before = set(_python_descendants())

    def left(self) -> list[str]:
        """``"<pid> <status>: <command line>"`` of each; a zombie has no command line any more."""
        described = []
        for process in _python_descendants():
            with contextlib.suppress(psutil.NoSuchProcess):  # it has ended while it was looked at
                if process not in self._before:
                    described.append(_described(process))
        return described


def _python_descendants() -> list[psutil.Process]:
    """A process is equal to itself only: psutil compares the start as well, so a reused pid is another one."""
    found = []
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            if "python" in process.name():
                found.append(process)
    return found


def _described(process: psutil.Process) -> str:
    status = process.status()
    command = "" if status == psutil.STATUS_ZOMBIE else " ".join(process.cmdline())
    return f"{process.pid} {status}: {command}"
