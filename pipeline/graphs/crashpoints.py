"""Named instants at which a test may kill this process: after each commit, before each effect.

``CRASH_AT=name`` kills at the first pass, ``name:3`` at the third. In normal service nothing is armed and ``reach``
costs a comparison.
"""

from __future__ import annotations

import os
import signal

POINTS = (
    "update_handled",  # what a message asked for is committed, nobody was told
    "dispatched",  # due runs are leased for delivery, nobody was told
    "claimed",  # the run is ours, nothing done
    "fetch_before",
    "fetch_stored",  # bytes in the blob store, no capture names them
    "fetch_committed",
    "read_before_parse",
    "page_recognised",  # one page of OCR saved
    "read_committed",
    "refreshed",
    "split_committed",
    "find_committed",
    "script_committed",
    "call_intended",  # the row stands, no request was made
    "call_received",  # spoken, receipt stored, bytes not yet
    "segment_stored",  # its bytes lie in the store, no artefact names them
    "segment_committed",
    "audio_stored",  # bytes in the blob store, no row names them
    "audio_committed",
    "publish_before",
    "published",
    "blob_kept",  # a row says that bytes come, and none are there
    "blob_dying",  # what nobody names is given up, its object is still there
    "blob_removed",  # its object is gone, its row does not say so yet
    "message_before_send",  # outbox row claimed, nothing delivered
    "message_delivered",  # delivered, outbox row not settled
)


class CrashPoints:
    """One per process."""

    def __init__(self, armed: str = "") -> None:
        name, _, nth = armed.partition(":")
        if name and name not in POINTS:
            raise ValueError(f"CRASH_AT={name!r} is not one of {', '.join(POINTS)}")
        self._name, self._left = name, int(nth or 1)

    def reach(self, point: str) -> None:
        if point != self._name:
            return
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
