"""The life of stored bytes (rule AUD-4): a name that was given up is never used again."""

from __future__ import annotations

from enum import StrEnum

from pipeline.domain.machine import Machine


class BlobState(StrEnum):
    PRESENT = "present"  # the object is there, or is being written
    DYING = "dying"  # no row named it for longer than the grace time; its object is being removed
    GONE = "gone"


class BlobEvent(StrEnum):
    GIVE_UP = "GIVE_UP"
    REMOVE = "REMOVE"


BLOB: Machine[BlobState, BlobEvent] = Machine(
    name="stored_blob",
    initial=BlobState.PRESENT,
    edges={
        (BlobState.PRESENT, BlobEvent.GIVE_UP): BlobState.DYING,
        (BlobState.DYING, BlobEvent.REMOVE): BlobState.GONE,
    },
)
