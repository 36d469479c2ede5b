"""What becomes of a message on its way, and how fast messages may go (rules CHT-2, CHT-3). Pure.

The rates are our own margins under what the messengers tell (Telegram: about 30 in a second, one in a second to a chat,
20 in a minute to a group, edits counted; core.telegram.org/bots/faq, read 2026-11-30), because what is not documented
is found out by being banned.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from pipeline.domain.outbox import OutboxClass, OutboxEvent

AGAIN_S = 30.0  # after this long a guarded or progress message that may be lost is sent anew
NEVER_SENT_S = 2.0  # rest before a message whose connection was never made is tried again; doubled, see ``after``
NEVER_SENT_MOST_S = 60.0


class Fate(StrEnum):
    """What one request came to, as the sender knows it."""

    SENT = "sent"  # confirmed; "not modified" and "query is too old" too: nothing is left to do
    NEVER_SENT = "never_sent"  # no connection was made
    THROTTLED = "throttled"  # 429, with the time to wait
    UNKNOWN = "unknown"  # asked, no answer: it may stand in the chat
    REFUSED = "refused"  # no, for good: this message only
    CHAT_GONE = "chat_gone"  # blocked, kicked, deleted: nothing of this chat can be sent
    CHAT_MOVED = "chat_moved"  # a group became a supergroup: the same message to the new address
    NO_VOICE = "no_voice"  # this person takes no voice notes: the same message as a file of sound
    TARGET_GONE = "target_gone"  # the message to be edited is not there any more


@dataclass(frozen=True)
class After:
    """The event of the outbox row, and after how many seconds it is due again where it is queued."""

    event: OutboxEvent
    wait_s: float = 0.0


def after(
    fate: Fate, class_: OutboxClass, *, edit: bool, tries: int = 1, retry_after_s: float = 0.0, needed: bool = True
) -> After:
    """The rule of classes (CHT-2).

    Args:
        edit: the request changed a message that stands already: it may be repeated whatever came of it.
        tries: how often this row has been claimed, this time included.
        needed: whether there is still something to tell when the message to be edited is gone.
    """
    match fate:
        case Fate.SENT:
            return After(OutboxEvent.CONFIRM)
        case Fate.THROTTLED:
            return After(OutboxEvent.REQUEUE, retry_after_s)
        case Fate.NEVER_SENT:
            return After(OutboxEvent.REQUEUE, min(NEVER_SENT_MOST_S, NEVER_SENT_S * 2 ** min(tries - 1, 10)))
        case Fate.CHAT_MOVED | Fate.NO_VOICE:
            return After(OutboxEvent.REQUEUE)
        case Fate.UNKNOWN:
            return After(OutboxEvent.REQUEUE, AGAIN_S) if edit else After(OutboxEvent.LOSE)
        case Fate.TARGET_GONE:
            again = class_ is not OutboxClass.PROGRESS or needed
            return After(OutboxEvent.REQUEUE if again else OutboxEvent.CONFIRM)
        case Fate.REFUSED | Fate.CHAT_GONE:
            return After(OutboxEvent.FAIL)


class Rank(StrEnum):
    """Who goes first (rule CHT-3), in this order."""

    ANSWER = "answer"
    RESULT = "result"
    APPROVAL = "approval"
    AUDIO = "audio"
    PROGRESS = "progress"


ORDER = tuple(Rank)
_KINDS = {"answer": Rank.ANSWER, "voice": Rank.AUDIO, "approval": Rank.APPROVAL}


def rank_of(kind: str, class_: OutboxClass | str) -> int:
    """Place in the order, 0 first, of an outbox row."""
    if class_ == OutboxClass.PROGRESS:
        return ORDER.index(Rank.PROGRESS)
    return ORDER.index(_KINDS.get(kind, Rank.RESULT))


@dataclass(frozen=True)
class Pace:
    """Least seconds between two requests; 0 does not wait. ``edit`` is between two states of one progress message."""

    chat_s: float = 0.0
    group_s: float = 0.0
    total_s: float = 0.0
    edit_s: float = 1.0
    group_edit_s: float = 1.0


WEB_PACE = Pace()
# 3.4 s apart are at most 18 in any minute; 40 ms apart are 25 in a second.
TELEGRAM_PACE = Pace(chat_s=1.0, group_s=3.4, total_s=0.04, edit_s=3.0, group_edit_s=6.0)


@dataclass(frozen=True)
class Block:
    """Until when a 429 shuts the chat, and the whole token where it is not one chat's alone."""

    chat_until: datetime
    token_until: datetime | None


def block(now: datetime, retry_after_s: float, *, others_blocked: bool) -> Block:
    """A 429 does not say whom it means: the first one is taken for the chat's own, and one that comes while another
    chat is shut is taken for the token's. Bans only grow (``greatest`` in the row), so a mistake costs one more 429.
    """
    until = now + timedelta(seconds=retry_after_s)
    return Block(until, until if others_blocked else None)
