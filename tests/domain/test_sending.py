"""What becomes of a message, who goes first, and how a ban is read (rules CHT-2, CHT-3)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from pipeline.domain.outbox import OUTBOX, OutboxClass, OutboxEvent, OutboxState
from pipeline.domain.sending import AGAIN_S, TELEGRAM_PACE, Fate, after, block, rank_of

NOW = datetime(2026, 12, 1, tzinfo=UTC)
ONCE, GUARDED, PROGRESS = OutboxClass


@pytest.mark.parametrize("class_", OutboxClass)
@pytest.mark.parametrize("fate", Fate)
@pytest.mark.parametrize("edit", [False, True])
def test_every_fate_leads_along_an_edge(fate, class_, edit):
    """CHT-2: whatever a request came to, the row has somewhere to go from ``sending``."""
    then = after(fate, class_, edit=edit, retry_after_s=7)
    assert OUTBOX.next(OutboxState.SENDING, then.event)
    assert then.wait_s >= 0


@pytest.mark.parametrize(
    ("fate", "class_", "edit", "event", "wait_s"),
    [
        (Fate.UNKNOWN, ONCE, False, OutboxEvent.LOSE, 0),
        (Fate.UNKNOWN, GUARDED, False, OutboxEvent.LOSE, 0),
        (Fate.UNKNOWN, PROGRESS, True, OutboxEvent.REQUEUE, AGAIN_S),  # an edit may be repeated
        (Fate.THROTTLED, ONCE, False, OutboxEvent.REQUEUE, 7),
        (Fate.NEVER_SENT, ONCE, False, OutboxEvent.REQUEUE, 2),
        (Fate.CHAT_GONE, ONCE, False, OutboxEvent.FAIL, 0),
        (Fate.TARGET_GONE, GUARDED, True, OutboxEvent.REQUEUE, 0),
    ],
)
def test_the_rule_of_classes(fate, class_, edit, event, wait_s):
    """CHT-2."""
    then = after(fate, class_, edit=edit, retry_after_s=7)
    assert (then.event, then.wait_s) == (event, wait_s)


def test_a_progress_message_that_was_deleted_is_made_again_only_if_needed():
    """CHT-2."""
    gone = [after(Fate.TARGET_GONE, PROGRESS, edit=True, needed=needed).event for needed in (True, False)]
    assert gone == [OutboxEvent.REQUEUE, OutboxEvent.CONFIRM]


def test_a_connection_that_is_never_made_is_tried_more_and_more_rarely():
    waits = [after(Fate.NEVER_SENT, ONCE, edit=False, tries=n).wait_s for n in (1, 2, 3, 50)]
    assert waits == [2, 4, 8, 60]


def test_answers_go_first_and_progress_last():
    """CHT-3."""
    order = [
        rank_of("answer", ONCE),
        rank_of("transcript", ONCE),
        rank_of("approval", GUARDED),
        rank_of("voice", ONCE),
        rank_of("receipt", PROGRESS),
    ]
    assert order == sorted(set(order))


def test_a_ban_is_the_chats_until_a_second_chat_is_banned():
    """CHT-3."""
    until = NOW + timedelta(seconds=40)
    assert block(NOW, 40, others_blocked=False).token_until is None
    assert block(NOW, 40, others_blocked=True).token_until == until
    assert block(NOW, 40, others_blocked=True).chat_until == until


def test_the_pace_stays_under_what_telegram_names():
    """CHT-3: at most 18 in a minute to a group, 25 in a second over all, one in a second to a chat."""
    assert 60 / TELEGRAM_PACE.group_s <= 18
    assert 1 / TELEGRAM_PACE.total_s <= 25
    assert TELEGRAM_PACE.chat_s >= 1
    assert (TELEGRAM_PACE.edit_s, TELEGRAM_PACE.group_edit_s) >= (3, 6)
