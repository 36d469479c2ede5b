"""One-time addresses and web sessions (rule SEC-5). Only hashes are stored.

Locks: one sign_in_code row by its compare-and-set; inserts web_session (parent: owner).
"""

from __future__ import annotations

from datetime import datetime

from storage.tx import Tx

OFFER = "INSERT INTO sign_in_code (code_sha256, owner_id, expires_at) VALUES (:code, :owner, :until)"
SPEND = """
UPDATE sign_in_code SET used_at = :now WHERE code_sha256 = :code AND used_at IS NULL AND expires_at > :now
RETURNING owner_id
"""
OPEN = "INSERT INTO web_session (token_sha256, owner_id, expires_at) VALUES (:token, :owner, :until)"
SWEEP = "DELETE FROM sign_in_code WHERE expires_at <= :now"


async def offer_code(tx: Tx, *, code_sha256: str, owner_id: int, now: datetime, expires_at: datetime) -> None:
    await tx.run(SWEEP, now=now)
    await tx.run(OFFER, code=code_sha256, owner=owner_id, until=expires_at)


async def redeem_code(
    tx: Tx, *, code_sha256: str, token_sha256: str, now: datetime, session_until: datetime
) -> int | None:
    """Spend the code and open a session; the owner's id, or None when the code is used, expired or unknown."""
    row = await tx.row(SPEND, code=code_sha256, now=now)
    if row is None:
        return None
    await tx.run(OPEN, token=token_sha256, owner=row["owner_id"], until=session_until)
    return int(row["owner_id"])
