"""What goes on beside the runs: questions that nobody gave, and vectors that a run did not wait for."""

from __future__ import annotations

import logging

from pipeline.domain.errors import ProviderError
from pipeline.graphs.attempt import Tools
from pipeline.graphs.find import embed_chunks
from storage.queries.run.work import anything_runs, version
from storage.queries.source.search import unfinished_version, without_vectors
from storage.transactions.run.promote_due import promote_due
from storage.tx import transaction

log = logging.getLogger(__name__)
BATCH = 4  # texts; small, because a run that starts meanwhile waits for the batch before it


async def promote_questions(tools: Tools, *, default_question: str) -> None:
    """Queue each run whose question did not come in time, with the default that was announced (rule CHT-9)."""
    while True:
        async with transaction(tools.engine) as tx:
            if await promote_due(tx, default_question=default_question, now=tools.clock.now()) is None:
                return


async def index_one_batch(tools: Tools) -> bool:
    """Give the next chunks without a vector theirs. False when there is nothing to do (rule CHK-3)."""
    unfinished = await unfinished_version(tools.engine)
    if unfinished is None or await anything_runs(tools.engine):  # runs first: somebody waits for them
        return False
    waiting = await without_vectors(tools.engine, version_id=unfinished, config=tools.embedder.config, limit=BATCH)
    view = await version(tools.engine, unfinished)
    try:
        await embed_chunks(tools, view.id, view.text, waiting)
    except ProviderError as error:
        log.warning("indexing waits: %s", error)
        return False
    return True
