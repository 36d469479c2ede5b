"""``/queue``: what is to be done, in order, and what each waits for."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from bot.channels.port import Outbound
from bot.texts import chat, episode
from bot.texts.words import Lang
from pipeline.domain.run import RunLimits, RunState
from storage.queries.run.queue import QueueEntry, QueueView


def queue(view: QueueView, lang: Lang, *, zone: ZoneInfo) -> Outbound:
    if not view.entries:
        said = chat.QUEUE_EMPTY(lang)
        return Outbound(kind="queue", text=said, card={"say": said, "name": said})
    head = chat.QUEUE_HEAD(lang, n=view.total)
    lines = [f"{n}. {_line(entry, lang, zone)}" for n, entry in enumerate(view.entries, start=1)]
    if view.total > len(view.entries):
        lines.append(chat.QUEUE_MORE(lang, n=view.total - len(view.entries)))
    said = "\n".join([head, *lines])
    return Outbound(kind="queue", text=said, card={"say": said, "name": head})


def _line(entry: QueueEntry, lang: Lang, zone: ZoneInfo) -> str:
    title = entry.title if len(entry.title) <= 40 else entry.title[:39] + "…"
    asked = f"  {entry.question}" if entry.question else ""
    return f"{title or chat.QUEUE_UNTITLED(lang)}{asked}\n   {_why(entry, lang, zone)}"


def _why(entry: QueueEntry, lang: Lang, zone: ZoneInfo) -> str:
    if entry.state == RunState.RUNNING:
        label = episode.STAGES.get(entry.stage or "")
        stage = label(lang) if label else ""
        return chat.QUEUE_RUNNING(lang, stage=stage).rstrip()
    if entry.state == RunState.QUEUED:
        return chat.QUEUE_NEXT(lang) if not entry.before else chat.QUEUE_AFTER(lang, n=entry.before)
    if entry.state == RunState.RETRY_WAIT:
        return chat.QUEUE_RETRY(lang, n=entry.attempts, limit=RunLimits().max_attempts, at=_at(entry.next_due_at, zone))
    if entry.state == RunState.WAITING_REVIEW:
        return chat.QUEUE_REVIEW(lang)
    return chat.QUEUE_ASKS(lang) if entry.asks else chat.QUEUE_DAY(lang)


def _at(moment: datetime, zone: ZoneInfo) -> str:
    return f"{moment.astimezone(zone):%H:%M:%S}"
