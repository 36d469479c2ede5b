"""The one lock order of the product (rule RUN-5).

Every transaction takes its row locks from the top of this list to the bottom, and rows of
one kind by ascending id. Two transactions that both obey cannot deadlock on each other.
"""

from __future__ import annotations

from enum import IntEnum


class Lock(IntEnum):
    OWNER_BUDGET = 1
    PLAN = 2
    EPISODE = 3
    DOSSIER = 4
    TASK = 5
    APPROVAL = 6
    EXECUTION = 7
    RUN = 8
    GATEWAY = 9  # a sender's own row, before the chats and messages that it takes
    CHAT = 10
    OUTBOX = 11
