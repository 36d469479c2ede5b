"""What a person can ask about sources and episodes. Each runs inside the caller's one transaction."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pipeline.domain.address import FetchLimits, canonical_address, check_address, text_hint
from pipeline.domain.source import InputType
from storage.transactions.episode.ask import ask
from storage.transactions.run.cancel import cancel_revision, resume_revision
from storage.transactions.source.capture import Bytes, supply
from storage.transactions.source.refresh import ask_refresh
from storage.transactions.source.submit import Submission, submit
from storage.tx import Tx

MAX_QUESTION_CHARS = 500
MAX_HINT_CHARS = 200


@dataclass(frozen=True)
class Upload:
    """Bytes that are stored already, or an address (``link_upload``) whose bytes a run will fetch."""

    name: str
    input_type: InputType
    blob_key: str | None
    sha256: str | None
    size_bytes: int | None
    origin: str | None = None
    address_key: str | None = None
    hint: str | None = None


def link_upload(address: str, *, limits: FetchLimits | None = None, exempt: frozenset[str] = frozenset()) -> Upload:
    """A link as a source (rules SRC-1, SRC-7).

    Raises:
        InputRejected: ADDRESS_REFUSED, as far as can be said before its name is looked up.
    """
    check_address(address, limits=limits, exempt=exempt)
    hint = text_hint(address)
    return Upload(
        "",
        InputType.LINK,
        None,
        None,
        None,
        origin=address,
        address_key=canonical_address(address),
        hint=hint[:MAX_HINT_CHARS] if hint else None,
    )


@dataclass(frozen=True)
class Asking:
    """How long a missing question is waited for, and what this run would be made with."""

    default_after_s: float
    settings: dict[str, Any]


async def submit_source(
    tx: Tx,
    upload: Upload,
    *,
    owner_id: int,
    chat_id: int,
    request_key: str,
    question: str | None,
    question_by: str | None,
    asking: Asking,
    now: datetime,
) -> int:
    """Accept one source with or without a question; returns the revision's id. Idempotent by ``request_key``."""
    text = clean_question(question)
    payload = hashlib.sha256(f"{upload.sha256 or upload.origin}\n{upload.name}\n{text or ''}".encode()).hexdigest()
    submission = Submission(
        owner_id=owner_id,
        chat_id=chat_id,
        request_key=request_key,
        payload_sha256=payload,
        input_type=upload.input_type,
        name=upload.name,
        origin=upload.origin,
        address_key=upload.address_key,
        hint=upload.hint,
        note=text,
        blob_key=upload.blob_key,
        raw_sha256=upload.sha256,
        size_bytes=upload.size_bytes,
        question=text,
        question_by=question_by if text else None,
        ask_until=None if text else now + timedelta(seconds=asking.default_after_s),
        settings=asking.settings,
    )
    revision, _ = await submit(tx, submission, now=now)
    return revision


async def ask_question(
    tx: Tx, *, owner_id: int, revision_id: int, question: str, by: str, asking: Asking, now: datetime
) -> int:
    """Answer the bot's question about a revision, or ask another one. Returns the revision that will answer."""
    return await ask(
        tx,
        owner_id=owner_id,
        revision_id=revision_id,
        question=clean_question(question) or question,
        by=by,
        settings=asking.settings,
        now=now,
    )


async def cancel(tx: Tx, *, owner_id: int, revision_id: int) -> bool:
    """True when something was still to be stopped. What was read stays."""
    return await cancel_revision(tx, revision_id=revision_id, owner_id=owner_id)


async def retry(tx: Tx, *, owner_id: int, revision_id: int, now: datetime) -> bool:
    """Put failed runs back (the same run, its counters kept). False: none had failed."""
    return await resume_revision(tx, revision_id=revision_id, owner_id=owner_id, now=now)


async def supply_source(tx: Tx, upload: Upload, *, owner_id: int, revision_id: int, way: str, now: datetime) -> bool:
    """The person gives what could not be read; the same source goes on. False: nothing had failed there."""
    if upload.blob_key is None or upload.sha256 is None or upload.size_bytes is None:
        return False  # an address is a source of its own
    came = Bytes(upload.input_type, upload.blob_key, upload.sha256, upload.size_bytes, upload.name or None)
    return await supply(tx, came, owner_id=owner_id, revision_id=revision_id, way=way, now=now)


async def fetch_again(
    tx: Tx, *, owner_id: int, revision_id: int, request_key: str, asking: Asking, now: datetime
) -> bool:
    """Look whether the page has changed. False: the source has no address, or it is being looked at already."""
    return await ask_refresh(
        tx, owner_id=owner_id, revision_id=revision_id, request_key=request_key, settings=asking.settings, now=now
    )


def clean_question(question: str | None) -> str | None:
    """One line, at most MAX_QUESTION_CHARS; None when nothing is left."""
    text = " ".join((question or "").split())[:MAX_QUESTION_CHARS]
    return text or None
