"""Give a revision its question, or ask another one: a new revision, or a new episode once one is published.

Locks: EPISODE(episode) → RUN rows of the latest revision, ascending → inserts episode, episode_revision,
    generation_run, run_event → CHAT(chat) → OUTBOX.
Idempotent: a revision that waits for its question takes the first; a question that is on its way already is
    not asked again; a repeated update is stopped by its inbox row.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pipeline.domain.errors import NotYours
from storage.locks import Lock
from storage.transactions.outbox.enqueue import show_progress
from storage.transactions.run.cancel import cancel_revision, lock_runs
from storage.transactions.run.enqueue import enqueue
from storage.transactions.run.event import event
from storage.tx import Row, Tx

FIND = "SELECT episode_id FROM episode_revision WHERE id = :revision AND owner_id = :owner"
LOCK_EPISODE = "SELECT id, state, source_id FROM episode WHERE id = :id FOR NO KEY UPDATE"
LATEST = """
SELECT v.id, v.number, v.chat_id, v.question, r.id AS run_id
  FROM episode_revision v JOIN generation_run r ON r.revision_id = v.id AND r.kind = 'GENERATE'
 WHERE v.episode_id = :episode ORDER BY v.number DESC LIMIT 1
"""
# The same question to the same source, still on its way: a button pressed twice, or pressed on two of its messages.
ON_ITS_WAY = """
SELECT v.id, v.chat_id FROM episode_revision v JOIN episode e ON e.id = v.episode_id
  JOIN generation_run r ON r.revision_id = v.id AND r.kind = 'GENERATE'
 WHERE e.source_id = :source AND v.owner_id = :owner AND v.question = :question
   AND r.state IN ('QUEUED', 'RUNNING', 'RETRY_WAIT') AND NOT r.cancel_requested
 ORDER BY v.id DESC LIMIT 1
"""
FILL = "UPDATE episode_revision SET question = :question, question_by = :by WHERE id = :revision AND question IS NULL"
QUEUE = "UPDATE generation_run SET state = 'QUEUED', next_due_at = :now WHERE id = :run"
EPISODE = "INSERT INTO episode (owner_id, source_id) VALUES (:owner, :source) RETURNING id"
REVISION = """
INSERT INTO episode_revision (episode_id, owner_id, chat_id, number, question, question_by)
VALUES (:episode, :owner, :chat, :number, :question, :by) RETURNING id
"""
LOCK_CHAT = "SELECT id FROM chat WHERE id = :id FOR NO KEY UPDATE"
FORGET = "UPDATE chat SET dialogue = NULL WHERE id = :chat"


async def ask(
    tx: Tx,
    *,
    owner_id: int,
    revision_id: int,
    question: str,
    by: str,
    settings: dict[str, Any],
    now: datetime,
) -> int:
    """Return the revision that will answer: the same one if it waited for its question.

    A question that is being answered already is not asked again: the first result is the result (rules CHT-5, SRC-2).

    Args:
        by: ``person``, or ``points`` for the button that asks for the main points.

    Raises:
        NotYours: no such revision of this owner.
    """
    found = await tx.row(FIND, revision=revision_id, owner=owner_id)
    if found is None:
        raise NotYours(f"revision {revision_id} is not of owner {owner_id}")
    episode = await tx.lock(Lock.EPISODE, found["episode_id"], LOCK_EPISODE)
    latest = await tx.one(LATEST, episode=episode["id"])
    answering = latest["id"]
    # Decided under the locks: the scheduler may have put the default in a moment ago.
    runs = {run["id"]: run for run in await lock_runs(tx, revision_id=latest["id"], owner_id=owner_id)}
    if runs[latest["run_id"]]["state"] == "DEFERRED" and latest["question"] is None:
        await event(tx, run_id=latest["run_id"], kind="question_given", data={"by": by})
        await tx.run(FILL, revision=latest["id"], question=question, by=by)
        await tx.run(QUEUE, run=latest["run_id"], now=now)
    elif under_way := await tx.row(ON_ITS_WAY, source=episode["source_id"], owner=owner_id, question=question):
        answering = under_way["id"]
    else:
        answering = await _revise(tx, episode, latest, owner_id, question, by, settings, now)
    await tx.lock(Lock.CHAT, latest["chat_id"], LOCK_CHAT)
    await tx.run(FORGET, chat=latest["chat_id"])
    if answering != latest["id"]:  # its receipt now says that another question took its place
        await show_progress(tx, chat_id=latest["chat_id"], kind="receipt", subject_id=latest["id"])
    await show_progress(tx, chat_id=latest["chat_id"], kind="receipt", subject_id=answering)
    return int(answering)


async def _revise(
    tx: Tx,
    episode: Row,
    latest: Row,
    owner_id: int,
    question: str,
    by: str,
    settings: dict[str, Any],
    now: datetime,
) -> int:
    await cancel_revision(tx, revision_id=latest["id"], owner_id=owner_id)
    episode_id, number = episode["id"], latest["number"] + 1
    if episode["state"] != "OPEN":  # published = fixed (rule PUB-3): another question is another episode
        episode_id, number = (await tx.one(EPISODE, owner=owner_id, source=episode["source_id"]))["id"], 1
    revision = await tx.one(
        REVISION,
        episode=episode_id,
        owner=owner_id,
        chat=latest["chat_id"],
        number=number,
        question=question,
        by=by,
    )
    await enqueue(
        tx,
        kind="GENERATE",
        state="QUEUED",
        due_at=now,
        owner_id=owner_id,
        source_id=episode["source_id"],
        revision_id=revision["id"],
        settings=settings,
    )
    return int(revision["id"])
