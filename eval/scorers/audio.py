"""Check a finished audio file: ``python -m eval.scorers.audio FILE…`` prints one JSON object a line.

``ok`` is the gate of rule AUD-2 (full decode, declared against decoded, 300 s) plus loudness and, for a voice note,
its size; ``wrong`` names what failed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pipeline.domain.audio import AudioLimits, admit
from pipeline.domain.errors import AudioRejected
from pipeline.providers.media_pyav import measure


def check(path: Path, *, limits: AudioLimits) -> dict[str, Any]:
    """Everything measured about one .mp3 or .ogg file, JSON-ready."""
    data = path.read_bytes()
    row: dict[str, Any] = {"file": path.name, "bytes": len(data), "ok": False, "wrong": []}
    try:
        measured = measure(data, container=path.suffix.removeprefix(".").lower())
        row |= {
            "declared_s": None if measured.declared_s is None else float(measured.declared_s),
            "decoded_s": measured.decoded_samples / measured.sample_rate_hz,
            "integrated_lufs": measured.integrated_lufs,
            "true_peak_db": measured.true_peak_db,
            "sha256": measured.sha256,
        }
        row["duration_ms"] = admit(measured, limits=limits)
    except AudioRejected as no:
        row["wrong"].append(f"{no.reason}: {no}")
    else:
        row["wrong"] = list(_breaches(path, row, limits))
    row["ok"] = not row["wrong"]
    return row


def _breaches(path: Path, row: dict[str, Any], limits: AudioLimits) -> list[str]:
    wrong = []
    level = row["integrated_lufs"]
    if level is None or abs(level - limits.loudness_lufs) > limits.loudness_tolerance_lu:
        wrong.append(f"loudness: {level} LUFS")
    if path.suffix == ".ogg" and row["bytes"] >= limits.max_voice_bytes:
        wrong.append(f"size: {row['bytes']} bytes, under {limits.max_voice_bytes}")
    return wrong


def main(arguments: list[str]) -> int:
    if not arguments:
        print("usage: python -m eval.scorers.audio FILE…", file=sys.stderr)
        return 2
    rows = [check(Path(argument), limits=AudioLimits()) for argument in arguments]
    for row in rows:
        print(json.dumps(row, ensure_ascii=False))
    return 0 if all(row["ok"] for row in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
