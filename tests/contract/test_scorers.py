"""The scorers tell right from wrong (they gate audio, so they are tested like a gate)."""

from __future__ import annotations

import json

import pytest

from eval.bench.audio import RATE_HZ, speechlike
from eval.scorers import audio, speech
from pipeline.domain.audio import AudioLimits
from pipeline.providers.media_pyav import PyAvCodec
from pipeline.providers.model_host import ModelHost
from pipeline.providers.tts_kokoro import DEFAULT_VOICE, KokoroSynthesizer
from pipeline.render.join import join
from pipeline.render.segments import segments
from pipeline.render.speech_text import Lexicon
from tests.support.local_models import model_cache, model_host  # noqa: F401
from tests.support.scripts import script

FOLDED = [
    ("traditional and marks", "後來，他說：「好」。", "后来他说好"),
    ("year", "2019年", "二零一九年"),
    ("numbers", "12個、3.5%", "十二个百分之三点五"),
    ("long figures", "01012345678", "零一零一二三四五六七八"),
    ("two spellings of two", "两百零二", "二百零二"),
    ("letters", "GPT", "gpt"),
]


@pytest.mark.parametrize(("heard", "same"), [row[1:] for row in FOLDED], ids=[row[0] for row in FOLDED])
def test_spelling_is_no_error(heard: str, same: str) -> None:
    assert speech.folded(heard) == same


def test_a_perfect_reading_scores_nothing_and_a_missing_sentence_is_named() -> None:
    sentences = ["今天天气很好。", "我们去河边走走。", "晚上回家吃饭。"]
    assert speech.score("".join(sentences), sentences).cer == 0.0
    gap = speech.score(sentences[0] + sentences[2], sentences)
    assert gap.missing == (1,)
    assert gap.cer == pytest.approx(7 / 19)


@pytest.mark.parametrize(("kept", "missing"), [("一二三四五", ()), ("一二三四", (0,))])
def test_half_of_a_sentence_is_there_and_less_is_not(kept: str, missing: tuple[int, ...]) -> None:
    """Missing = under half its characters aligned."""
    assert speech.score(kept, ["一二三四五六七八九十"]).missing == missing


async def test_the_audio_check_passes_a_good_file_and_names_what_is_wrong(tmp_path, capsys) -> None:
    """AUD-1, AUD-2."""
    out = await PyAvCodec().encode(speechlike(3), sample_rate_hz=RATE_HZ, limits=AudioLimits())
    loud = await PyAvCodec().encode(speechlike(3), sample_rate_hz=RATE_HZ, limits=AudioLimits(loudness_lufs=-20.0))
    files = {"good.mp3": out.mp3, "good.ogg": out.ogg, "cut.ogg": out.ogg[:-500], "quiet.mp3": loud.mp3}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    assert audio.main([str(tmp_path / "good.mp3"), str(tmp_path / "good.ogg")]) == 0
    assert audio.main([str(tmp_path / "cut.ogg"), str(tmp_path / "quiet.mp3")]) == 1
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["ok"] for row in rows] == [True, True, False, False]
    assert rows[0]["duration_ms"] == 3000
    assert rows[2]["wrong"][0].startswith("undecodable")
    assert rows[3]["wrong"][0].startswith("loudness")


@pytest.mark.slow
async def test_a_spoken_script_is_understood_when_heard_again(model_host: ModelHost, tmp_path) -> None:  # noqa: F811
    """TTS-3 to AUD-1 in one piece, with a planted omission as the control."""
    doc = script(
        "旧电池不要扔进垃圾桶，小区门口一般有专门的回收箱。",
        "如果要跑Python程序，最好先建一个独立的环境。",
        "2026年8月20日之前，请把三份材料交到二楼的办公室。",
    )
    limits = AudioLimits()
    made = segments(doc, lexicon=Lexicon(), limits=limits)
    kokoro = KokoroSynthesizer(model_host)
    speeches = []
    for segment in made:
        pieces = tuple(text for _, text in segment.pieces)
        speeches.append(
            await kokoro.fetch(await kokoro.submit(pieces, voice=DEFAULT_VOICE, call_id=str(segment.index)))
        )
    programme = join(made, tuple(speeches), doc, limits=limits)
    out = await PyAvCodec().encode(programme.pcm, sample_rate_hz=programme.sample_rate_hz, limits=limits)
    (tmp_path / "episode.ogg").write_bytes(out.ogg)
    heard = speech.transcribe(tmp_path / "episode.ogg", cache_dir=tmp_path)
    spoken = [text for segment in made for _, text in segment.pieces]
    result = speech.score(heard, spoken)
    assert result.cer <= 0.25
    assert result.missing == ()
    control = speech.score(heard, [*spoken, "最后还有一句从来没有说过的话。"])
    assert control.missing == (3,)
