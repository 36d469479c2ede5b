"""A revision as a press needs it, inside the transaction that will act on it; None when it is not the owner's."""

from __future__ import annotations

from dataclasses import dataclass

from storage.tx import Tx

REVISION = """
SELECT v.id, v.state, v.question, v.question_by, r.state AS run_state, s.name, s.hint, coalesce(sv.title, '') AS title
  FROM episode_revision v JOIN episode e ON e.id = v.episode_id JOIN source s ON s.id = e.source_id
  LEFT JOIN source_version sv ON sv.id = s.version_id
  LEFT JOIN generation_run r ON r.revision_id = v.id AND r.kind = 'GENERATE'
 WHERE v.id = :revision AND v.owner_id = :owner
"""
MESSAGE = "SELECT kind FROM chat_message WHERE id = :message AND chat_id = :chat"


@dataclass(frozen=True)
class RevisionView:
    id: int
    state: str
    question: str | None
    question_by: str | None
    run_state: str | None
    name: str
    hint: str | None
    title: str


async def revision_of(tx: Tx, revision_id: int, *, owner_id: int) -> RevisionView | None:
    row = await tx.row(REVISION, revision=revision_id, owner=owner_id)
    return None if row is None else RevisionView(**row)


async def message_kind(tx: Tx, message_id: int | None, *, chat_id: int) -> str | None:
    """The kind of a message that stands in this chat."""
    row = await tx.row(MESSAGE, message=message_id, chat=chat_id)
    return None if row is None else str(row["kind"])
