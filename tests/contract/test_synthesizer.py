"""Every Synthesizer, the fake and the real one, keeps the port's promises (rules TTS-1, TTS-2)."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.domain.audio import AudioLimits
from pipeline.domain.errors import Expired, Refused
from pipeline.domain.spoken import pinned
from pipeline.ports.tts import Receipt, Synthesizer
from pipeline.providers import g2p_zh, tts_kokoro
from pipeline.providers.model_host import ModelHost, command
from pipeline.providers.tts_fake import FakeSynthesizer
from pipeline.providers.tts_kokoro import DEFAULT_VOICE, KokoroSynthesizer
from pipeline.render.segments import plausible, segments
from pipeline.render.speech_text import Lexicon
from tests.support.local_models import model_cache, model_host  # noqa: F401
from tests.support.scripts import script

PIECES = ("今天下雨。", "出门的时候，记得带上雨伞和一双干净的袜子。")


@pytest.fixture(params=["fake", pytest.param("kokoro", marks=pytest.mark.slow)])
def voice(request: pytest.FixtureRequest) -> Synthesizer:
    if request.param == "fake":
        return FakeSynthesizer()
    return KokoroSynthesizer(request.getfixturevalue("model_host"))


async def speak(voice: Synthesizer, *pieces: str, call_id: str = "c1") -> Receipt:
    return await voice.submit(pieces, voice=DEFAULT_VOICE, call_id=call_id)


async def test_a_receipt_brings_mono_pcm_with_the_ends_of_its_pieces(voice: Synthesizer) -> None:
    receipt = await speak(voice, *PIECES)
    speech = await voice.fetch(receipt)
    samples = np.frombuffer(speech.pcm, "<i2")
    assert speech.sample_rate_hz == AudioLimits().sample_rate_hz
    assert len(speech.piece_ends) == 2
    assert 0 < speech.piece_ends[0] < speech.piece_ends[1] == samples.size
    assert int(np.abs(samples).max()) < 32767  # not clipped
    assert receipt.cost_micro == 0
    assert receipt.request_id == "c1"


async def test_longer_text_is_longer_speech_at_a_plausible_pace(voice: Synthesizer) -> None:
    """TTS-4."""
    (segment,) = segments(script(*PIECES), lexicon=Lexicon(), limits=AudioLimits())
    speech = await voice.fetch(await speak(voice, *(text for _, text in segment.pieces)))
    plausible(segment, speech, limits=AudioLimits())
    first, second = speech.piece_ends
    assert second - first > first


async def test_a_receipt_can_be_fetched_again_and_two_submits_are_two(voice: Synthesizer) -> None:
    """TTS-1: nothing is deduplicated behind the caller's back. TTS-2: a fetch is repeatable."""
    one, two = await speak(voice, PIECES[0]), await speak(voice, PIECES[0])
    assert one.locator != two.locator
    assert await voice.fetch(one) == await voice.fetch(one)


async def test_a_silent_piece_takes_no_time(voice: Synthesizer) -> None:
    speech = await voice.fetch(await speak(voice, PIECES[0], "", PIECES[0]))
    assert speech.piece_ends[0] == speech.piece_ends[1] < speech.piece_ends[2]


async def test_what_was_never_spoken_here_is_expired(voice: Synthesizer) -> None:
    with pytest.raises(Expired):
        await voice.fetch(Receipt("r", "somewhere/else/1", None, 0))


async def test_an_unknown_voice_is_refused(voice: Synthesizer) -> None:
    for name in ("nobody", *(("../../etc/passwd",) if isinstance(voice, KokoroSynthesizer) else ())):
        with pytest.raises(Refused):
            await voice.submit(PIECES, voice=name, call_id="c2")


async def test_identity_and_effect_are_declared(voice: Synthesizer) -> None:
    assert voice.effect == "none"
    assert voice.identity
    assert voice.max_chars >= AudioLimits().max_segment_chars


async def test_the_fake_counts_every_call() -> None:
    fake = FakeSynthesizer()
    await speak(fake, PIECES[0])
    await speak(fake, PIECES[0])
    assert fake.calls == [(PIECES[0],), (PIECES[0],)]


async def test_the_oldest_speech_makes_room_and_the_newest_stays() -> None:
    from pipeline.ports.tts import Speech
    from pipeline.providers.tts_local import SpeechShelf

    shelf = SpeechShelf("x", max_bytes=10)
    locators = [shelf.put(Speech(bytes(6), 24_000), call_id="c") for _ in range(2)]
    with pytest.raises(Expired):
        shelf.get(locators[0])
    assert len(shelf.get(locators[1]).pcm) == 6
    big = shelf.put(Speech(bytes(60), 24_000), call_id="c")
    assert len(shelf.get(big).pcm) == 60


def test_the_identity_names_the_g2p_and_model_it_runs_on() -> None:
    """RUN-8: the parent must not load ONNX to know them, so they are written twice and held together here."""
    from pipeline.providers.kokoro_model import MODEL_SHA256, PACKAGED_VOICES, SAMPLE_RATE_HZ

    identity = KokoroSynthesizer(ModelHost(("x",))).identity
    assert g2p_zh.VERSION in identity
    assert MODEL_SHA256[:8] in identity
    assert tts_kokoro.SAMPLE_RATE_HZ == SAMPLE_RATE_HZ
    assert DEFAULT_VOICE in PACKAGED_VOICES


@pytest.mark.slow
async def test_a_torn_model_file_is_joined_again_and_a_folder_of_voices_is_read(tmp_path) -> None:
    """A kill in the middle of the first start must not break every later one."""
    from pipeline.providers.kokoro_model import join_model

    path = join_model(tmp_path)
    whole = path.stat().st_size
    with path.open("r+b") as file:
        file.truncate(1000)
    voices = tmp_path / "voices"
    voices.mkdir()
    np.random.default_rng(1).normal(0, 0.1, (510, 1, 256)).astype("<f4").tofile(voices / "zf_own.bin")
    (voices / "zf_short.bin").write_bytes(b"123")
    host = ModelHost(command(tmp_path, voices_dir=voices))
    try:
        kokoro = KokoroSynthesizer(host)
        await kokoro.submit(("好的。",), voice="zf_own", call_id="c")
        assert path.stat().st_size == whole
        assert not list(tmp_path.glob("*.part"))
        with pytest.raises(Refused, match="510"):
            await kokoro.submit(("好的。",), voice="zf_short", call_id="c")
    finally:
        await host.close()


@pytest.mark.slow
async def test_a_sentence_beyond_the_models_window_is_said_whole(model_host: ModelHost) -> None:  # noqa: F811
    """T6: 510 phonemes are about 80 characters; nothing after them may be swallowed."""
    once = "春天种下去的种子，到了秋天就能收获。"
    kokoro = KokoroSynthesizer(model_host)
    short = await kokoro.fetch(await speak(kokoro, once))
    long = await kokoro.fetch(await speak(kokoro, once.replace("。", "，") * 7 + once))
    assert len(long.pcm) > 6.5 * len(short.pcm)


@pytest.mark.slow
async def test_a_pin_changes_what_is_said(model_host: ModelHost) -> None:  # noqa: F811
    """T1."""
    kokoro = KokoroSynthesizer(model_host)
    plain = await kokoro.fetch(await speak(kokoro, "我们去看行长。"))
    pin = await kokoro.fetch(await speak(kokoro, f"我们去看{pinned('行长', 'xing2 chang2')}。"))
    assert plain.pcm != pin.pcm
