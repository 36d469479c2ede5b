"""Ways in which a call goes wrong that is none of its own fault. Set by a test, taken by the first calls that match."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass
class Fault:
    """What becomes of the next calls.

    ``kind``: ``lost`` done, then the connection is dropped · ``hang`` done, and no answer ever · ``drop`` dropped
    before anything is done · ``mute`` not done, and no answer ever · ``status`` ``status`` instead of an answer,
    after the deed if ``done`` · ``slow`` done, and answered ``seconds`` later · ``late`` done only after ``seconds``
    · ``flood`` 429 of ``seconds``, and a ban of that length · ``garbled`` done, and an answer nobody can read.

    Args:
        method: as in the address, in any case; "" is every method.
        chat_id: only calls to this chat; 0 is every call.
        seconds: on the simulator's clock.
        skip: so many matching calls go well first.
        times: how often; -1 for ever.
    """

    kind: Literal["lost", "hang", "drop", "mute", "status", "slow", "late", "flood", "garbled"]
    method: str = ""
    chat_id: int = 0
    status: int = 502
    done: bool = False
    seconds: float = 0.0
    skip: int = 0
    times: int = 1


@dataclass
class Faults:
    """Faults in the order they were set; the first that matches is taken."""

    set_: list[Fault] = field(default_factory=list)

    def take(self, method: str, chat_id: int | None) -> Fault | None:
        for fault in self.set_:
            if fault.method.lower() not in ("", method.lower()) or fault.chat_id not in (0, chat_id):
                continue
            if fault.skip > 0:
                fault.skip -= 1
                return None
            fault.times -= 1
            if fault.times == 0:
                self.set_.remove(fault)
            return fault
        return None
