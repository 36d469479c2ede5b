"""``make``: the same ledger, worker and screens as the chat, for one source in the foreground."""

from __future__ import annotations

import asyncio
import json
import sys
import uuid
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from bot.errors import reason_of, sentence
from bot.screens.receipt import receipt as receipt_screen
from bot.screens.receipt import state_of
from bot.texts import episode as words
from bot.texts import terminal
from bot.texts.words import Lang, lang_of
from bot.web.evidence_page import page
from bot.wiring import asking_of, loop_of, owner_of, vtt_of
from pipeline.commands.episode import Upload, clean_question, link_upload, submit_source
from pipeline.domain.errors import InputRejected, ProductError
from pipeline.domain.source import Reason
from pipeline.intake.route import route
from pipeline.settings import Settings
from pipeline.wiring import House, open_house
from storage.queries.episode.receipt import STAGES, ReceiptView, receipt
from storage.queries.episode.spoken import spoken
from storage.transactions.outbox.drop import drop_queue
from storage.tx import transaction

MADE, REFUSED, NOT_COVERED, FAILED = 0, 2, 3, 4
_ENDED = {
    "done": MADE,
    "declined": NOT_COVERED,
    "failed": FAILED,
    "cancelled": FAILED,
    "held": FAILED,
    "review": FAILED,
    "tomorrow": MADE,
}
POLL_S = 0.5


def make(settings: Settings, source: str, *, ask: str, out: Path, as_json: bool, language: str | None) -> int:
    """``source`` and ``ask`` are arguments of a command line: bytes that are no UTF-8 arrive as lone surrogates."""
    lang = lang_of(language or settings.default_language)
    question = clean_question(_shown(ask))
    try:
        return asyncio.run(_make(settings, source, question=question, out=out, as_json=as_json, lang=lang))
    except _NotAFile as error:
        say = terminal.NOT_A_FOLDER if error.folder else terminal.NOT_A_FILE
        return _said(say(lang, path=_shown(str(error.path))), "file", as_json, REFUSED)
    except InputRejected as error:
        return _told(error, lang, as_json, REFUSED)
    except (ProductError, OSError) as error:
        return _told(error, lang, as_json, FAILED)


class _NotAFile(Exception):
    """``path`` cannot be read as a file or, with ``folder``, cannot hold the results."""

    def __init__(self, path: Path, *, folder: bool = False) -> None:
        self.path, self.folder = path, folder
        super().__init__(str(path))


def _shown(argument: str) -> str:
    return argument.encode("utf-8", "replace").decode("utf-8")


async def _make(settings: Settings, source: str, *, question: str | None, out: Path, as_json: bool, lang: Lang) -> int:
    link = (
        link_upload(source, limits=settings.fetch_limits(), exempt=settings.fetch_exempt())
        if source.lower().startswith(("http://", "https://"))
        else None
    )
    most = max(settings.max_pdf_mb, settings.max_text_mb, settings.max_image_mb) << 20
    data = await asyncio.to_thread(_prepared, None if link else Path(source), most, out)
    async with open_house(settings) as house:
        owner, chat = await owner_of(house, channel="terminal", external_id="make")
        upload = link or await _stored(house, data, _shown(Path(source).name), owner)
        revision = await _submit(house, upload, question, words.POINTS(lang), owner, chat)
        loop = loop_of(house, only_revision=revision)
        worker = asyncio.create_task(loop.run(concurrency=1))
        try:
            view = await _follow(house, revision, lang, quiet=as_json or not sys.stderr.isatty())
        finally:
            loop.stopping.set()
            house.listener.release()
            await asyncio.wait({worker}, timeout=10)
            async with transaction(house.engine) as tx:
                await drop_queue(tx, chat_id=chat)
        return await _finish(house, view, owner, out, lang, as_json)


async def _stored(house: House, data: bytes, name: str, owner: int) -> Upload:
    """Raises InputRejected when ``data`` is of no kind that is read."""
    kind = route(data, name=name, limits=house.tools.limits.source)
    blob = await house.blobs.put(data, owner_id=owner)
    return Upload(name, kind, blob.key, blob.sha256, blob.size_bytes)


async def _submit(house: House, upload: Upload, question: str | None, default: str, owner: int, chat: int) -> int:
    async with transaction(house.engine) as tx:
        return await submit_source(
            tx,
            upload,
            owner_id=owner,
            chat_id=chat,
            request_key=f"make:{uuid.uuid4()}",
            question=question or default,
            question_by="person" if question else "points",
            asking=asking_of(house),
            now=house.clock.now(),
        )


async def _follow(house: House, revision: int, lang: Lang, *, quiet: bool) -> ReceiptView:
    """Show the receipt as a bar until the run has ended."""
    console = Console(stderr=True, quiet=quiet)
    with Progress(
        TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[fact]}"), console=console
    ) as bar:
        task = bar.add_task("", total=len(STAGES), fact="")
        while True:
            view = await receipt(house.engine, revision)
            _draw(bar, task, view, lang)
            if state_of(view) in _ENDED:
                return view
            await house.listener.wait(POLL_S)


def _draw(bar: Progress, task: TaskID, view: ReceiptView, lang: Lang) -> None:
    card = receipt_screen(view, lang).card
    done = sum(1.0 for stage in view.stages if stage.status == "done")
    now = next((stage for stage in card["stages"] if stage["status"] == "now"), None)
    if now is not None:
        done += (now["percent"] or 0) / 100
    label = now["label"] if now else card["stages"][-1]["label"] if card["stages"] else ""
    bar.update(task, completed=done, description=label, fact=now["fact"] if now else "")


async def _finish(house: House, view: ReceiptView, owner: int, out: Path, lang: Lang, as_json: bool) -> int:
    state = state_of(view)
    code = _ENDED[state]
    result: dict[str, Any] = {
        "state": state,
        "revision": view.revision_id,
        "run": view.run_id,
        "question": view.question,
    }
    if code == MADE:
        result |= await _write(house, view, owner, out, lang)
    else:
        result["message"] = receipt_screen(view, lang).card["say"]
        result["excerpts"] = receipt_screen(view, lang).card.get("excerpts", [])
        result["reason"] = view.error_reason or (view.decline or {}).get("reason")
        if view.error_reason in set(Reason):
            code = REFUSED
    if as_json:
        typer.echo(json.dumps(result, ensure_ascii=False, indent=2))
    elif code == MADE:
        typer.echo(terminal.MADE(lang, folder=str(out), span=result["length"]))
    else:
        typer.echo("\n".join([result["message"], *result["excerpts"]]), err=True)
    return code


async def _write(house: House, view: ReceiptView, owner: int, out: Path, lang: Lang) -> dict[str, Any]:
    said = await spoken(house.engine, view.revision_id, owner_id=owner)
    mp3, ogg = await house.blobs.get(said.mp3_key), await house.blobs.get(said.ogg_key)
    files: dict[str, bytes] = {
        "episode.mp3": mp3,
        "episode.ogg": ogg,
        "transcript.vtt": vtt_of(said).encode(),
        "evidence.html": page(said, lang, mp3).encode(),
    }
    result: dict[str, Any] = {
        "title": said.source.title,
        "duration_ms": said.duration_ms,
        "length": f"{said.duration_ms // 60000}:{said.duration_ms // 1000 % 60:02d}",
        "lufs": said.lufs,
        "voice": said.voice,
        "writer": said.writer,
        "sentences": [asdict(sentence) for sentence in said.sentences],
        "source": {
            "sha256_of_text": said.source.text_sha256,
            "extractor": said.source.extractor,
            "chars": len(said.source.text),
        },
        "files": sorted([*files, "result.json"]),
    }
    record = {**result, "revision": view.revision_id, "run": view.run_id, "question": view.question}
    files["result.json"] = json.dumps(record, ensure_ascii=False, indent=2).encode()
    await asyncio.to_thread(_store, out, files)
    return result


def _store(out: Path, files: dict[str, bytes]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (out / name).write_bytes(data)


def _prepared(path: Path | None, limit: int, out: Path) -> bytes:
    """The file's bytes, at most one more than the largest that is read: a device has no end, and its size says nothing.

    That the results will have a place is looked at here: before the work, not after it. A link has no file: b"".
    """
    if out.exists() and not out.is_dir():
        raise _NotAFile(out, folder=True)
    if path is None:
        return b""
    if path.is_dir():
        raise InputRejected(Reason.WRONG_KIND, kind="folder")
    try:
        with path.open("rb") as file:
            return file.read(limit + 1)
    except OSError:
        raise _NotAFile(path) from None


def _told(error: Exception, lang: Lang, as_json: bool, code: int) -> int:
    reason, values = reason_of(error) if isinstance(error, ProductError) else ("file", {})
    message = sentence(reason, values, lang) if isinstance(error, ProductError) else str(error)
    return _said(message, reason, as_json, code)


def _said(message: str, reason: str, as_json: bool, code: int) -> int:
    if as_json:
        typer.echo(
            json.dumps(
                {"state": "refused" if code == REFUSED else "failed", "reason": reason, "message": message},
                ensure_ascii=False,
            )
        )
    else:
        typer.echo(message, err=True)
    return code
