"""The cloud synthesizer against a server that speaks its documented contract and breaks it on purpose (TTS-1, TTS-2)."""

from __future__ import annotations

import logging
from datetime import UTC, datetime

import pytest
from pydantic import SecretStr

from eval.simulators import speech as simulated
from eval.simulators.speech import CUT, GARBLED, LOST, Fate, SimulatedSpeech, hold, simulated_speech, status
from pipeline.domain.audio import AudioLimits
from pipeline.domain.errors import Expired, NeverSent, OutcomeUnknown, ProviderError, Refused
from pipeline.domain.spoken import pinned
from pipeline.ports.tts import Receipt
from pipeline.providers.tts_dashscope import DashscopeSynthesizer
from pipeline.providers.wave_file import CutShort, NotAsDocumented, pcm_of
from pipeline.render.segments import plausible, segments
from pipeline.render.speech_text import Lexicon
from tests.support.scripts import script

PIECES = ("今天下雨。", "出门的时候，记得带上雨伞和一双干净的袜子。")
NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
async def server():
    async with simulated_speech() as speech:
        yield speech


def voice_of(server: SimulatedSpeech, **changes) -> DashscopeSynthesizer:
    given = {
        "key": SecretStr(server.key),
        "url": server.address,
        "timeout_s": 0.5,
        "micro_per_char": 80,
        "now": lambda: NOW,
    }
    return DashscopeSynthesizer(**{**given, **changes})


@pytest.fixture
async def voice(server):
    made = voice_of(server)
    yield made
    await made.close()


async def ask(voice: DashscopeSynthesizer, *pieces: str, name: str = "Cherry") -> Receipt:
    return await voice.submit(pieces or PIECES, voice=name, call_id="c1")


async def test_a_receipt_says_what_it_cost_until_when_it_lasts_and_brings_one_recording(server, voice):
    receipt = await ask(voice)
    spoken = await voice.fetch(receipt)
    text = "".join(PIECES)
    assert server.billed == [text]
    assert receipt.request_id == "req-1"
    assert receipt.cost_micro == 80 * len(text)
    assert receipt.expires_at == datetime.fromtimestamp(simulated.FAR, UTC)
    assert spoken.sample_rate_hz == AudioLimits().sample_rate_hz
    assert spoken.piece_ends == ()
    assert server.authorised_downloads == 0, "the key went where it does not belong"


async def test_it_is_as_long_as_its_text_lets_one_expect(server, voice):
    """TTS-4."""
    (segment,) = segments(script(*PIECES), lexicon=Lexicon(), limits=AudioLimits())
    receipt = await ask(voice, *(text for _, text in segment.pieces))
    plausible(segment, await voice.fetch(receipt), limits=AudioLimits())


async def test_a_receipt_can_be_fetched_again_and_two_submits_are_two(server, voice):
    one, two = await ask(voice), await ask(voice)
    assert one.locator != two.locator
    assert await voice.fetch(one) == await voice.fetch(one)
    assert len(server.billed) == 2
    assert len(server.downloads) == 2


async def test_pins_are_not_read_aloud_and_silence_is_no_call(server, voice):
    await ask(voice, f"我们去{pinned('重庆', 'chong2 qing4')}。", "")
    assert server.billed == ["我们去重庆。"]
    silent = await ask(voice, "", " ")
    assert (await voice.fetch(silent)).pcm == b""
    assert silent.cost_micro == 0
    assert len(server.syntheses) == 1


SUBMITS = [
    ("the answer is lost after the work", LOST, OutcomeUnknown, 1),
    ("the answer comes too late", hold(), OutcomeUnknown, 1),
    ("the answer is unreadable", GARBLED, OutcomeUnknown, 1),
    ("a server error that did the work", status(500, billed=True), OutcomeUnknown, 1),
    ("a server error that did not", status(503), OutcomeUnknown, 0),
    ("a gateway gave up", status(504, billed=True), OutcomeUnknown, 1),
    ("an odd success", status(204, billed=True), OutcomeUnknown, 1),
    ("too many requests", status(429, retry_after_s=7), NeverSent, 0),
    ("refused", status(400), Refused, 0),
    ("no money", status(402), Refused, 0),
    ("not allowed", status(403), Refused, 0),
    ("moved", status(302), Refused, 0),
]


@pytest.mark.parametrize(("fate", "error", "billed"), [c[1:] for c in SUBMITS], ids=[c[0] for c in SUBMITS])
async def test_a_submit_that_fails_says_whether_it_may_be_repeated(
    server, voice, fate: Fate, error: type[ProviderError], billed: int
):
    """TTS-1: never sent, refused, or unknown; nothing is repeated by the adapter itself."""
    server.next_synthesis(fate)
    with pytest.raises(error) as caught:
        await ask(voice)
    assert type(caught.value) is error
    assert len(server.syntheses) == 1
    assert len(server.billed) == billed
    assert server.key not in str(caught.value)
    assert PIECES[0] not in str(caught.value)
    if fate.status == 429:
        assert caught.value.retry_after_s == 7


async def test_nobody_listening_is_never_sent_and_the_next_call_works(server, voice):
    await server.stop()
    with pytest.raises(NeverSent):
        await ask(voice)
    await server.start()
    await ask(voice)
    assert len(server.syntheses) == 1


@pytest.mark.parametrize("url", ["ftp://127.0.0.1", "nonsense", "http://[::1"])
async def test_an_address_that_is_none_is_refused(server, url):
    voice = voice_of(server, url=url)
    with pytest.raises(Refused):
        await ask(voice)
    await voice.close()


@pytest.mark.parametrize(
    ("pieces", "name"), [(("好。" * 301,), "Cherry"), (PIECES, "nobody")], ids=["too long", "unknown voice"]
)
async def test_what_the_service_does_not_take_is_refused_and_costs_nothing(server, voice, pieces, name):
    with pytest.raises(Refused):
        await ask(voice, *pieces, name=name)
    assert server.billed == []


async def test_a_wrong_key_is_refused_and_named_nowhere(server, caplog):
    caplog.set_level(logging.DEBUG)
    voice = voice_of(server, key=SecretStr("sk-very-secret"))
    with pytest.raises(Refused) as caught:
        await ask(voice)
    await voice.close()
    assert "InvalidApiKey" in str(caught.value)
    assert "very-secret" not in f"{caught.value!r} {caught.value.__cause__!r} {caplog.text} {voice!r} {vars(voice)}"


DOWNLOADS = [
    ("busy", status(503), NeverSent),
    ("cut off", CUT, NeverSent),
    ("closed without an answer", LOST, NeverSent),
    ("silent", hold(), NeverSent),
    ("forbidden", status(403), Expired),
    ("gone", status(404), Expired),
    ("something else", GARBLED, Refused),
]


@pytest.mark.parametrize(("fate", "error"), [c[1:] for c in DOWNLOADS], ids=[c[0] for c in DOWNLOADS])
async def test_a_download_that_fails_costs_nothing_and_may_be_repeated_unless_it_is_gone(server, voice, fate, error):
    """TTS-2."""
    receipt = await ask(voice)
    server.next_download(fate)
    with pytest.raises(error):
        await voice.fetch(receipt)
    assert len(server.billed) == 1
    assert (await voice.fetch(receipt)).pcm
    assert len(server.billed) == 1


async def test_a_receipt_is_good_until_its_time_and_not_after(server):
    """The 24 hours are the service's own word."""
    server.expires_at = int(NOW.timestamp())
    for seconds, works in ((-1, True), (0, False)):
        voice = voice_of(server, now=lambda s=seconds: datetime.fromtimestamp(server.expires_at + s, UTC))
        receipt = await ask(voice)
        if works:
            assert (await voice.fetch(receipt)).pcm
        else:
            with pytest.raises(Expired):
                await voice.fetch(receipt)
        await voice.close()
    assert len(server.downloads) == 1


SAMPLES = b"\x01\x00" * 100
GOOD = simulated.wav(SAMPLES)
WAVES = [
    ("two channels", simulated.wav(SAMPLES, channels=2), NotAsDocumented),
    ("eight bits", simulated.wav(SAMPLES, width=1), NotAsDocumented),
    ("another rate", simulated.wav(SAMPLES, rate_hz=16_000), NotAsDocumented),
    ("an MP3", b"ID3" + bytes(100), NotAsDocumented),
    ("half a sample", GOOD[:40] + b"\x03\x00\x00\x00" + b"abc", NotAsDocumented),
    ("no sample", simulated.wav(b""), NotAsDocumented),
    ("a size nobody knew", GOOD[:40] + b"\xff\xff\xff\xff" + SAMPLES, NotAsDocumented),
    ("samples before the format", GOOD[:12] + GOOD[36:], NotAsDocumented),
    ("one byte short", GOOD[:-1], CutShort),
    ("only the head", GOOD[:44], CutShort),
    ("nothing", b"", CutShort),
]


@pytest.mark.parametrize(("data", "error"), [c[1:] for c in WAVES], ids=[c[0] for c in WAVES])
def test_a_wav_that_is_not_as_documented_is_not_guessed_at(data, error):
    with pytest.raises(error):
        pcm_of(data, sample_rate_hz=24_000)


def test_a_good_wav_gives_its_samples_whatever_else_is_in_it():
    assert pcm_of(GOOD, sample_rate_hz=24_000) == SAMPLES
    listed = GOOD[:36] + b"LIST\x03\x00\x00\x00abc\x00" + GOOD[36:]
    assert pcm_of(listed, sample_rate_hz=24_000) == SAMPLES
