"""Real speech, end to end: each case is made by ``earmark make``, measured, and transcribed back.

``python -m eval episodes CASES.tsv --out DIR [--data DIR]`` reads lines ``file<TAB>question``; prints one row per case
and keeps everything under ``--out``. What must hold: 15–300 s, full decode, declared = decoded within 100 ms,
−16 ± 1 LUFS, OGG below 1 MiB, CER ≤ 0.25, no sentence missing (rules AUD-1, AUD-2, TTS-4).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from eval.scorers.audio import check
from eval.scorers.speech import score, transcribe
from pipeline.domain.audio import AudioLimits
from pipeline.domain.spoken import plain
from pipeline.render.speech_text import Lexicon, normalise

CER_LIMIT = 0.25


def one(number: int, source: str, question: str, *, out: Path, data: Path) -> dict[str, Any]:
    folder = out / f"{number:02d}"
    began = time.perf_counter()
    command = [
        sys.executable,
        "-m",
        "bot",
        "make",
        source,
        "--ask",
        question,
        "--out",
        str(folder),
        "--json",
        "--data",
        str(data),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    took = time.perf_counter() - began
    row: dict[str, Any] = {
        "file": Path(source).name,
        "question": question,
        "exit": done.returncode,
        "seconds": round(took, 1),
    }
    if done.returncode != 0:
        return row | {"message": (done.stdout or done.stderr)[-600:]}
    result = json.loads((folder / "result.json").read_text())
    sentences = [plain(normalise(s["text"], lexicon=Lexicon())) for s in result["sentences"]]
    heard = score(transcribe(folder / "episode.ogg", cache_dir=Path(tempfile.gettempdir()) / "earmark-eval"), sentences)
    files = [check(folder / name, limits=AudioLimits()) for name in ("episode.mp3", "episode.ogg")]
    (folder / "heard.txt").write_text(heard.heard)
    row |= {
        "run": result["run"],
        "length_s": result["duration_ms"] / 1000,
        "chars": sum(len(s["text"]) for s in result["sentences"]),
        "sentences": len(sentences),
        "cer": round(heard.cer, 3),
        "missing": list(heard.missing),
        "audio": files,
    }
    ok = 15_000 <= result["duration_ms"] <= 300_000 and heard.cer <= CER_LIMIT and not heard.missing
    return row | {"ok": ok and not any(file["wrong"] for file in files)}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m eval episodes", description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--data", type=Path, default=None)
    given = parser.parse_args()
    rows = []
    for number, line in enumerate(given.cases.read_text().splitlines(), start=1):
        source, question = line.split("\t")
        row = one(number, source, question, out=given.out, data=given.data or given.out / "data")
        rows.append(row)
        print(json.dumps(row | {"load": round(os.getloadavg()[0], 1)}, ensure_ascii=False), flush=True)
    print(f"{sum(1 for row in rows if row.get('ok'))} of {len(rows)} hold")
    return 0 if all(row.get("ok") for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
