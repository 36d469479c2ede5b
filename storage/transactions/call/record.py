"""The row before a physical call, its receipt, and what became of it (rule TTS-1).

Locks: ``intend``: RUN(run) by its fence check → inserts provider_call. The others: one provider_call row by its
    compare-and-set, without a fence: a receipt is a fact, however late.
Idempotent: each step is a compare-and-set on the state before it.
"""

from __future__ import annotations

from datetime import datetime

from pipeline.domain.errors import BudgetSpent, Contention
from storage.locks import Lock
from storage.tx import Row, Tx

MINE = """
SELECT calls_used, calls_limit, owner_id FROM generation_run WHERE id = :id AND fence = :fence AND state = 'RUNNING'
   AND expires_at > clock_timestamp() FOR NO KEY UPDATE
"""
COUNT = "UPDATE generation_run SET calls_used = calls_used + 1 WHERE id = :run"
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
LOST = """
UPDATE provider_call SET state = 'UNKNOWN', error = :error, settled_at = now() WHERE id = :call AND state = 'INTENT'
"""
EXPIRED = """
UPDATE provider_call SET state = 'EXPIRED', settled_at = now() WHERE id = :call AND state = 'RECEIPT'
"""
# Whoever asked for it, and however late the answer came: what was paid for is not paid for again (rule TTS-2).
RECEIPTS = """
SELECT c.id, c.request_id, c.locator, c.expires_at, c.cost_micro FROM provider_call c
  JOIN generation_run r ON r.id = c.run_id
 WHERE r.owner_id = :owner AND c.fingerprint = :fingerprint AND c.state = 'RECEIPT' AND c.effect <> 'none'
 ORDER BY c.id DESC LIMIT 1
"""
# Whoever asked for it: the same question put anew is no permission to pay again.
UNKNOWN = """
SELECT count(*) AS n FROM provider_call c JOIN generation_run r ON r.id = c.run_id
 WHERE r.owner_id = :owner AND c.fingerprint = :fingerprint AND c.state = 'UNKNOWN'
"""
# What becomes of an INTENT that nobody will settle: without an effect on the world the call may simply be made again;
# otherwise nobody knows, and only a person may decide (rule TTS-1).
LEFT_OPEN = "CASE WHEN effect = 'none' THEN 'FAILED' ELSE 'UNKNOWN' END"
UNSETTLED = f"""
UPDATE provider_call SET state = {LEFT_OPEN},
       error = 'the attempt that made it ended', settled_at = now()
 WHERE run_id = :run AND state = 'INTENT'
"""
# What the person was told of: the run's own, and those of others that it waits for.
GIVEN_UP = """
UPDATE provider_call c SET state = 'FAILED', error = 'its outcome stayed unknown; a person went on without it'
  FROM generation_run made, generation_run waits
 WHERE waits.id = :run AND made.id = c.run_id AND made.owner_id = waits.owner_id AND c.state = 'UNKNOWN'
   AND (c.run_id = waits.id OR coalesce(waits.error_values->'marks', '[]') ? c.fingerprint)
"""


async def intend(
    tx: Tx, *, run_id: int, fence: int, ability: str, provider: str, effect: str, fingerprint: str
) -> tuple[int, int]:
    """Count a call and write it down before it is made; returns its id and its call_seq.

    Raises:
        Contention: the attempt has lost its run.
        BudgetSpent: the run may make no further call (rule MDL-4).
    """
    tx.holding(Lock.RUN, run_id)
    run = await tx.row(MINE, id=run_id, fence=fence)
    if run is None:
        raise Contention(f"run {run_id}: fence {fence} is no longer current")
    if run["calls_used"] >= run["calls_limit"]:
        raise BudgetSpent(f"run {run_id} has made its {run['calls_limit']} calls")
    await tx.run(COUNT, run=run_id)
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


async def lost(tx: Tx, *, call_id: int, error: str) -> None:
    """It was sent and no answer came: nobody knows (rule TTS-1)."""
    await tx.run(LOST, call=call_id, error=error[:500])


async def expired(tx: Tx, *, call_id: int) -> None:
    """What the receipt points to is gone."""
    await tx.run(EXPIRED, call=call_id)


async def open_receipt(tx: Tx, *, owner_id: int, fingerprint: str) -> Row | None:
    """id, request_id, locator, expires_at, cost_micro of a paid call whose bytes were never stored, or None."""
    return await tx.row(RECEIPTS, owner=owner_id, fingerprint=fingerprint)


async def unknown_calls(tx: Tx, *, owner_id: int, fingerprint: str) -> int:
    """How many calls of the owner for these inputs have an unknown outcome."""
    return int((await tx.one(UNKNOWN, owner=owner_id, fingerprint=fingerprint))["n"])


async def settle_intents(tx: Tx, *, run_id: int) -> None:
    """Nobody of this run will settle its open calls any more; a receipt may still come late. Under the run's lock."""
    await tx.run(UNSETTLED, run=run_id)


async def give_up_unknown(tx: Tx, *, run_id: int) -> None:
    """A person goes on: the unknown calls that the run waits for count as failed. Under the run's lock."""
    await tx.run(GIVEN_UP, run=run_id)


async def failed(tx: Tx, *, call_id: int, error: str) -> None:
    await tx.run(FAILED, call=call_id, error=error[:500])
