"""The row before a physical call, its receipt, and what became of it (rule TTS-1).

Locks: ``intend``: RUN(run) by its fence check → inserts provider_call. The others: one provider_call row by its
    compare-and-set, without a fence: a receipt is a fact, however late.
Idempotent: each step is a compare-and-set on the state before it.
"""

from __future__ import annotations

from datetime import datetime

from pipeline.domain.errors import Contention
from storage.locks import Lock
from storage.tx import Tx

MINE = """
SELECT 1 FROM generation_run WHERE id = :id AND fence = :fence AND state = 'RUNNING'
   AND expires_at > clock_timestamp() FOR NO KEY UPDATE
"""
INTEND = """
INSERT INTO provider_call (run_id, fence, ability, provider, effect, fingerprint, call_seq)
SELECT :run, :fence, :ability, :provider, :effect, :fingerprint,
       coalesce(max(call_seq), 0) + 1 FROM provider_call WHERE run_id = :run AND fingerprint = :fingerprint
RETURNING id, call_seq
"""
RECEIPT = """
UPDATE provider_call SET state = 'RECEIPT', request_id = :request, locator = :locator, expires_at = :expires,
       cost_micro = :cost, settled_at = now() WHERE id = :call AND state IN ('INTENT', 'UNKNOWN')
"""
STORED = "UPDATE provider_call SET state = 'STORED', settled_at = now() WHERE id = :call AND state = 'RECEIPT'"
FAILED = """
UPDATE provider_call SET state = 'FAILED', error = :error, settled_at = now() WHERE id = :call AND state = 'INTENT'
"""


async def intend(
    tx: Tx, *, run_id: int, fence: int, ability: str, provider: str, effect: str, fingerprint: str
) -> tuple[int, int]:
    """Return the call's id and its call_seq. Raises Contention when the attempt has lost its run."""
    tx.holding(Lock.RUN, run_id)
    if await tx.row(MINE, id=run_id, fence=fence) is None:
        raise Contention(f"run {run_id}: fence {fence} is no longer current")
    row = await tx.one(
        INTEND,
        run=run_id,
        fence=fence,
        ability=ability,
        provider=provider,
        effect=effect,
        fingerprint=fingerprint,
    )
    return int(row["id"]), int(row["call_seq"])


async def receive(
    tx: Tx, *, call_id: int, request_id: str, locator: str, expires_at: datetime | None, cost_micro: int
) -> None:
    await tx.run(RECEIPT, call=call_id, request=request_id, locator=locator, expires=expires_at, cost=cost_micro)


async def stored(tx: Tx, *, call_id: int) -> None:
    await tx.run(STORED, call=call_id)


async def failed(tx: Tx, *, call_id: int, error: str) -> None:
    await tx.run(FAILED, call=call_id, error=error[:500])
