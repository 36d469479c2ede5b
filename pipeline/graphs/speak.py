"""Script → segments → measured audio: each call a row first, each segment kept once (rules TTS-1, TTS-4, AUD)."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Any

from pipeline.domain.audio import MAX_DURATION_MS, Measured, SpokenSegment, admit
from pipeline.domain.errors import AudioRejected, OutcomeUnknown
from pipeline.domain.run import Stage
from pipeline.domain.script import ScriptDoc
from pipeline.graphs.attempt import Attempt, fingerprint, sha256_of
from pipeline.graphs.segment import mark_of, speak_segment, spoken
from pipeline.ports.media import Encoded
from pipeline.ports.tts import Speech
from pipeline.render.join import VERSION as JOIN
from pipeline.render.join import Programme, join
from pipeline.render.segments import covered, plausible, segments
from storage.transactions.stage.save_artifact import find_artifact, save_audio
from storage.tx import transaction


async def speak(attempt: Attempt, owner_id: int, script: ScriptDoc) -> int:
    """Synthesise what is missing, join, encode, measure, save. Returns the duration in ms.

    Raises:
        AudioRejected: a rule of the audio gate; ``too_long`` leaves the segments for a shorter script.
    """
    tools = attempt.tools
    await attempt.enter(Stage.SPEAK)
    limits = tools.limits.audio
    parts = segments(script, lexicon=tools.lexicon, limits=limits)
    covered(parts, script, lexicon=tools.lexicon)
    speeches: list[Speech] = []
    hashes: list[str] = []
    for part, content in zip(parts, await _segments(attempt, owner_id, parts), strict=True):
        speech = Speech(await tools.blobs.get(content["key"]), content["rate"], tuple(content["ends"]))
        plausible(part, speech, limits=limits)
        speeches.append(speech)
        hashes.append(content["sha256"])
    joined = await asyncio.to_thread(join, parts, tuple(speeches), script, limits=limits)
    mark = fingerprint(
        owner=owner_id, script=asdict(script), segments=hashes, join=JOIN, codec=tools.media.identity, limits=limits
    )
    async with transaction(tools.engine) as tx:
        there = await find_artifact(tx, owner_id=owner_id, kind="audio", fingerprint=mark)
    content = there.content if there else await _encode(attempt, owner_id, joined, parts)
    done = {"segments": len(parts), "seconds": content["duration_ms"] / 1000}
    async with transaction(tools.engine) as tx:
        kept = await save_audio(
            tx,
            run_id=attempt.run_id,
            fence=attempt.fence,
            fingerprint=mark,
            content=content,
            duration_ms=content["duration_ms"],
            done=done,
        )
    tools.crash("audio_committed")
    return int(kept.content["duration_ms"])


async def _segments(attempt: Attempt, owner_id: int, parts: tuple[SpokenSegment, ...]) -> list[dict[str, Any]]:
    """Every segment, in order. The first unknown outcome ends it: nothing more is paid for before a person decides."""
    contents = []
    for number, part in enumerate(parts, start=1):
        try:
            contents.append(await speak_segment(attempt, owner_id, part, number, len(parts)))
        except OutcomeUnknown as error:
            missing = [p for p in parts[number - 1 :] if await spoken(attempt, owner_id, p) is None]
            marks = tuple(mark_of(attempt, owner_id, part) for part in missing)
            raise OutcomeUnknown(error.provider, str(error), marks=marks, parts=len(parts)) from error
    return contents


async def _encode(
    attempt: Attempt, owner_id: int, joined: Programme, parts: tuple[SpokenSegment, ...]
) -> dict[str, Any]:
    """Encode and measure outside any transaction; the bytes are stored before a row names them."""
    tools, limits = attempt.tools, attempt.tools.limits.audio
    length_ms = len(joined.pcm) // 2 * 1000 // joined.sample_rate_hz
    if length_ms > MAX_DURATION_MS:
        raise AudioRejected(
            "too_long", f"{length_ms} ms before encoding, at most {MAX_DURATION_MS}", length_ms=length_ms
        )
    encoded = await tools.media.encode(joined.pcm, sample_rate_hz=joined.sample_rate_hz, limits=limits)
    duration = admit(encoded.mp3_measured, limits=limits)
    admit(encoded.ogg_measured, limits=limits)
    if len(encoded.ogg) > limits.max_voice_bytes:
        raise AudioRejected("too_long", f"voice note of {len(encoded.ogg)} bytes, at most {limits.max_voice_bytes}")
    mp3 = await tools.blobs.put(encoded.mp3, owner_id=owner_id)
    ogg = await tools.blobs.put(encoded.ogg, owner_id=owner_id)
    tools.crash("audio_stored")
    return {
        "duration_ms": duration,
        "lufs": encoded.mp3_measured.integrated_lufs,
        "mp3": {"key": mp3.key, "sha256": mp3.sha256, "bytes": mp3.size_bytes},
        "ogg": {"key": ogg.key, "sha256": ogg.sha256, "bytes": ogg.size_bytes},
        "measured": _measured(encoded),
        "peaks": list(encoded.peaks),
        "cues": [{"sentence": c.sentence, "start_ms": c.start_ms, "end_ms": c.end_ms} for c in joined.cues],
        "voice": tools.voice,
        "tts": tools.tts.identity,
        "spoken": [[part.first, part.last, part.text] for part in parts],
    }


def _measured(encoded: Encoded) -> dict[str, Any]:
    def facts(measured: Measured) -> dict[str, Any]:
        return {
            "samples": measured.decoded_samples,
            "rate": measured.sample_rate_hz,
            "declared_s": str(measured.declared_s),
            "lufs": measured.integrated_lufs,
            "true_peak_db": measured.true_peak_db,
        }

    return {"mp3": facts(encoded.mp3_measured), "ogg": facts(encoded.ogg_measured)}


async def audio_bytes_sha256(attempt: Attempt, key: str) -> str:
    """Of the bytes as they lie in the store now: what publishing compares (rule PUB-2)."""
    data = await attempt.tools.blobs.get(key)
    return await asyncio.to_thread(sha256_of, data)
