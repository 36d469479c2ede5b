"""What the next message of a chat answers: ``{"question_for" | "body_for" | "password_for": revision, "until"}``.

On a messenger the question may also come first: ``{"asked": question, "until"}``.
"""

from __future__ import annotations

from datetime import datetime

from storage.queries.chat.inbox import UpdateView


def waiting_for(update: UpdateView, what: str, now: datetime) -> int | None:
    """The revision that waits for ``what``, if the bot asked for it and still waits (rule CHT-9)."""
    dialogue = update.dialogue
    if not dialogue or what not in dialogue:
        return None
    until = dialogue.get("until")
    # The update's own time counts: a text that was sent in time is in time, however late it is handled.
    if until is not None and update.received_at > datetime.fromisoformat(until):
        return None
    return int(dialogue[what])


def kept_question(update: UpdateView) -> str | None:
    """The question that came before its material, if it came a moment ago (rule CHT-9)."""
    dialogue = update.dialogue or {}
    if "asked" not in dialogue or update.received_at > datetime.fromisoformat(dialogue["until"]):
        return None
    return str(dialogue["asked"])
