"""One segment of speech: found, downloaded by a receipt that is there, or asked for once (rules TTS-1, TTS-2).

Ask yourself at every line what a death here leaves: the artefact, a receipt, an intent, or nothing; each is found again
by the next attempt, and none is paid for twice unless a person says so.
"""

from __future__ import annotations

import asyncio
from typing import Any

from pipeline.domain.audio import SpokenSegment
from pipeline.domain.errors import Expired, OutcomeUnknown, ProviderError
from pipeline.graphs.attempt import Attempt, fingerprint
from pipeline.ports.tts import Receipt, Speech
from storage.transactions.call import record
from storage.transactions.stage.save_artifact import find_artifact
from storage.transactions.stage.save_segment import save_segment
from storage.tx import transaction


def mark_of(attempt: Attempt, owner_id: int, part: SpokenSegment) -> str:
    """What decides the sound of a segment (rule RUN-8)."""
    return fingerprint(
        owner=owner_id,
        text=part.text_sha256,
        pieces=part.pieces,
        voice=attempt.tools.voice,
        tts=attempt.tools.tts.identity,
    )


async def spoken(attempt: Attempt, owner_id: int, part: SpokenSegment) -> dict[str, Any] | None:
    """The committed segment, whoever made it."""
    async with transaction(attempt.tools.engine) as tx:
        there = await find_artifact(tx, owner_id=owner_id, kind="speech", fingerprint=mark_of(attempt, owner_id, part))
    return None if there is None else there.content


async def speak_segment(
    attempt: Attempt, owner_id: int, part: SpokenSegment, number: int, parts: int
) -> dict[str, Any]:
    """The content of segment ``number`` of ``parts``: key, sha256, rate, ends of the stored sound.

    Raises:
        OutcomeUnknown: it was asked for, and nobody knows what became of it.
        ProviderError: by leaf.
    """
    there = await spoken(attempt, owner_id, part)
    if there is not None:
        await attempt.progress(number, parts)
        return there
    mark = mark_of(attempt, owner_id, part)
    call, speech = await _speech(attempt, owner_id, part, mark)
    blob = await attempt.tools.blobs.put(speech.pcm, owner_id=owner_id)
    attempt.tools.crash("segment_stored")
    content = {
        "key": blob.key,
        "sha256": blob.sha256,
        "rate": speech.sample_rate_hz,
        "ends": list(speech.piece_ends),
        "index": part.index,
        "first": part.first,
        "last": part.last,
        "text": part.text,
        "text_sha256": part.text_sha256,
    }
    async with transaction(attempt.tools.engine) as tx:
        kept = await save_segment(
            tx,
            run_id=attempt.run_id,
            fence=attempt.fence,
            call_id=call,
            fingerprint=mark,
            content=content,
            part=number,
            parts=parts,
        )
    attempt.tools.crash("segment_committed")
    return kept.content


async def _speech(attempt: Attempt, owner_id: int, part: SpokenSegment, mark: str) -> tuple[int, Speech]:
    tools = attempt.tools
    async with transaction(tools.engine) as tx:
        paid = await record.open_receipt(tx, owner_id=owner_id, fingerprint=mark)
        unknown = await record.unknown_calls(tx, owner_id=owner_id, fingerprint=mark)
    if paid is not None:
        receipt = Receipt(paid["request_id"], paid["locator"], paid["expires_at"], paid["cost_micro"] or 0)
        if (speech := await _download(attempt, paid["id"], receipt)) is not None:
            return paid["id"], speech
        raise OutcomeUnknown(tools.tts.identity, "what was paid for was not downloaded in time and is gone")
    if unknown:
        raise OutcomeUnknown(tools.tts.identity, "an earlier request has no known outcome")
    async with transaction(tools.engine) as tx:
        call, call_seq = await record.intend(
            tx,
            run_id=attempt.run_id,
            fence=attempt.fence,
            ability="tts",
            provider=tools.tts.identity,
            effect=tools.tts.effect,
            fingerprint=mark,
        )
    tools.crash("call_intended")
    receipt = await _submit(attempt, part, call, f"{attempt.run_id}-{call}-{call_seq}")
    tools.crash("call_received")
    speech = await _download(attempt, call, receipt)
    if speech is None:
        raise OutcomeUnknown(tools.tts.identity, "what was paid for is gone already")
    return call, speech


async def _download(attempt: Attempt, call: int, receipt: Receipt) -> Speech | None:
    """The bytes of a receipt; None when what was paid for is gone for good, and the call says so.

    Raises:
        Expired: it was made here and cost nothing: it may simply be made again.
    """
    try:
        return await attempt.tools.tts.fetch(receipt)
    except Expired:
        async with transaction(attempt.tools.engine) as tx:
            await record.expired(tx, call_id=call)
        if attempt.tools.tts.effect == "none":
            raise
        return None


async def _submit(attempt: Attempt, part: SpokenSegment, call: int, call_id: str) -> Receipt:
    """Ask, and write down what came of it.

    A paid request that is under way is not called off with its attempt: whether a person cancels or the lease is lost,
    its answer is a fact that only this process can still learn. The adapter's own time limit bounds the wait.
    """
    if attempt.tools.tts.effect == "none":
        return await _asked(attempt, part, call, call_id)
    asked = asyncio.ensure_future(_asked(attempt, part, call, call_id))
    try:
        return await asyncio.shield(asked)
    except asyncio.CancelledError:
        await asyncio.wait({asked})
        if not asked.cancelled():
            asked.exception()
        raise


async def _asked(attempt: Attempt, part: SpokenSegment, call: int, call_id: str) -> Receipt:
    tools = attempt.tools
    try:
        receipt = await tools.tts.submit(tuple(text for _, text in part.pieces), voice=tools.voice, call_id=call_id)
    except OutcomeUnknown as error:
        async with transaction(tools.engine) as tx:
            await record.lost(tx, call_id=call, error=str(error))
        raise
    except ProviderError as error:
        async with transaction(tools.engine) as tx:
            await record.failed(tx, call_id=call, error=str(error))
        raise
    async with transaction(tools.engine) as tx:
        await record.receive(
            tx,
            call_id=call,
            request_id=receipt.request_id,
            locator=receipt.locator,
            expires_at=receipt.expires_at,
            cost_micro=receipt.cost_micro,
        )
    return receipt
