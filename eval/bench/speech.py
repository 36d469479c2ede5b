"""How well the local voices are understood, how fast they are, and what they cost in memory.

``python -m eval.bench.speech [VOICE…] [--out DIR]``: speaks the text below through the whole path (spoken text,
segments, model host, join, codec), transcribes the finished voice note with Whisper base and prints one JSON object
per voice. No network.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil

from eval.scorers import speech
from pipeline.domain.audio import AudioLimits, admit
from pipeline.domain.script import Role, ScriptDoc, Sentence
from pipeline.providers.media_pyav import PyAvCodec
from pipeline.providers.model_host import ModelHost, command
from pipeline.providers.tts_kokoro import DEFAULT_VOICE, KokoroSynthesizer
from pipeline.render.join import join
from pipeline.render.segments import covered, plausible, segments
from pipeline.render.speech_text import Lexicon

TEXT = (
    "今天说一说怎样让一台旧电脑继续有用。",
    "先看内存：2019年以前的机器大多只有4到8GB，打开30个网页就会变慢。",
    "换一块固态硬盘，开机时间能从90秒降到15秒左右，花费不到300元。",
    "系统可以改用Linux，常见的版本是Ubuntu，安装大约需要20分钟。",
    "如果要跑Python程序，最好先建一个独立的环境，免得和系统自带的软件冲突。",
    "还有一点容易忘记：风扇里的灰尘每半年清理一次，温度能低12.5%。",
    "旧电池不要扔进垃圾桶，小区门口一般有专门的回收箱。",
    "最后提醒一句，重要的照片至少存两份，一份放在家里，一份放在别的地方。",
    "做完这些，10年前的笔记本也能上网课、写文章、看视频。",
)


def script() -> ScriptDoc:
    sentences = tuple(Sentence(i, Role.FACT, text) for i, text in enumerate(TEXT))
    return ScriptDoc(question="", title="", writer="bench", language="zh", sentences=sentences, claims=())


async def measure(voice: str, *, cache_dir: Path, out: Path) -> dict[str, Any]:
    """Speak the text with ``voice`` in a fresh model host, write the voice note to ``out`` and score it."""
    limits, lexicon, doc = AudioLimits(), Lexicon(), script()
    made = segments(doc, lexicon=lexicon, limits=limits)
    covered(made, doc, lexicon=lexicon)
    host = ModelHost(command(cache_dir))
    kokoro = KokoroSynthesizer(host)
    start = time.perf_counter()
    await kokoro.submit(("好。",), voice=voice, call_id="load")
    loaded = time.perf_counter()
    speeches = []
    for segment in made:
        pieces = tuple(text for _, text in segment.pieces)
        speeches.append(await kokoro.fetch(await kokoro.submit(pieces, voice=voice, call_id=str(segment.index))))
        plausible(segment, speeches[-1], limits=limits)
    spoken_s = time.perf_counter() - loaded
    memory = psutil.Process(host.pid).memory_info()
    await host.close()
    programme = join(made, tuple(speeches), doc, limits=limits)
    encoded = await PyAvCodec().encode(programme.pcm, sample_rate_hz=programme.sample_rate_hz, limits=limits)
    note = out / f"{voice}.ogg"
    await asyncio.to_thread(note.write_bytes, encoded.ogg)
    heard = await asyncio.to_thread(speech.transcribe, note, cache_dir=cache_dir)
    result = speech.score(heard, [text for segment in made for _, text in segment.pieces])
    seconds = sum(len(one.pcm) for one in speeches) / 2 / limits.sample_rate_hz
    return {
        "voice": voice,
        "characters": sum(map(len, TEXT)),
        "cer": round(result.cer, 3),
        "missing": result.missing,
        "aligned": result.aligned,
        "programme_s": admit(encoded.ogg_measured, limits=limits) / 1000,
        "real_time_factor": round(spoken_s / seconds, 3),
        "first_word_s": round(loaded - start, 2),
        "host_rss_mb": round(memory.rss / 2**20),
        "lufs": encoded.ogg_measured.integrated_lufs,
        "heard": result.heard,
    }


def main(arguments: list[str]) -> int:
    options = argparse.ArgumentParser(prog="eval.bench.speech")
    options.add_argument("voices", nargs="*", default=[DEFAULT_VOICE])
    options.add_argument("--out", type=Path, default=None)
    given = options.parse_args(arguments)
    cache = Path(tempfile.gettempdir()) / "earmark-eval"
    with tempfile.TemporaryDirectory() as made:
        out = given.out or Path(made)
        for voice in given.voices:
            print(json.dumps(asyncio.run(measure(voice, cache_dir=cache, out=out)), ensure_ascii=False))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
