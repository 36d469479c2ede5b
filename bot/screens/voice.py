"""The voice note and its text version."""

from __future__ import annotations

import re
from typing import Any

from bot.channels.port import Button, Media, Outbound
from bot.screens.claim import claims_of
from bot.screens.quotes import title_of
from bot.texts import episode
from bot.texts.words import Lang, clock, span
from storage.queries.episode.spoken import SpokenView

_UNSAFE = re.compile(r'[\\/:*?"<>|\x00-\x1f]+')


def heading_of(view: SpokenView, lang: Lang) -> str:
    """What the note is called: the person's question, or the source's title when the points were told."""
    return view.question if view.question_by == "person" and view.question else title_of(view, lang)


def is_excerpt(view: SpokenView) -> bool:
    """True when no model wrote it."""
    return view.writer.startswith("excerpt")


def voice(view: SpokenView, lang: Lang) -> Outbound:
    heading = heading_of(view, lang)
    quoted = sum(len(s.quotes) for s in view.sentences)
    card: dict[str, Any] = {
        "revision": view.revision_id,
        "title": heading,
        "source": title_of(view, lang) if heading != title_of(view, lang) else "",
        "meta": [episode.SENTENCES(lang, n=len(view.sentences)), episode.QUOTED(lang, n=quoted)],
        "gaps": [episode.GAP(lang, gap=gap) for gap in view.gaps],
        "left_out": episode.LEFT_OUT(lang, n=view.left_out) if view.left_out else "",
        "excerpt": episode.EXCERPT(lang) if is_excerpt(view) else "",
        "length": clock(view.duration_ms),
        "length_words": span(view.duration_ms, lang),
        "duration_ms": view.duration_ms,
        "peaks": list(view.peaks),
        "mp3": f"/media/{view.revision_id}.mp3",
        "ogg": f"/media/{view.revision_id}.ogg",
        "name": episode.VOICE_NAME(lang, span=span(view.duration_ms, lang)),
    }
    media = Media(view.ogg_key, "audio/ogg", file_name(view, "ogg"), view.duration_ms)
    return Outbound(
        kind="voice",
        text=_caption(card, lang),
        card=card,
        buttons=_buttons(view, lang),
        media=media,
        fallback=Media(view.mp3_key, "audio/mpeg", file_name(view, "mp3"), view.duration_ms),
    )


def file_name(view: SpokenView, suffix: str) -> str:
    """A name for the saved file: the title without what file systems refuse, at most 60 characters."""
    name = _UNSAFE.sub(" ", view.question or view.source.title or view.source.name or "earmark").strip(" .")
    return f"{name[:60].strip() or 'earmark'}.{suffix}"


def _buttons(view: SpokenView, lang: Lang) -> tuple[Button, ...]:
    revision = {"revision": view.revision_id}
    return (
        Button(episode.EVIDENCE(lang), "claim", {**revision, "index": 0}, style="main", disabled=not claims_of(view)),
        Button(episode.TEXT_VERSION(lang), "transcript", dict(revision)),
        Button(episode.EVIDENCE_PAGE(lang), "open", {"href": f"/e/{view.revision_id}"}),
        Button(episode.REASK(lang), "reask", dict(revision)),
    )


def _caption(card: dict[str, Any], lang: Lang) -> str:
    facts = [episode.CAPTION_LENGTH(lang, span=card["length_words"]), *card["meta"]]
    lines = [card["title"], card["source"], "  ".join(facts), *card["gaps"], card["left_out"], card["excerpt"]]
    return "\n".join(line for line in lines if line)


def transcript(view: SpokenView, lang: Lang) -> Outbound:
    """Every sentence with the time at which it sounds (rule CHT-11)."""
    rows = [
        {"index": s.index, "clock": clock(s.start_ms), "text": s.text, "fact": bool(s.quotes), "role": s.role}
        for s in view.sentences
    ]
    card = {
        "revision": view.revision_id,
        "title": heading_of(view, lang),
        "label": episode.TRANSCRIPT(lang),
        "length": clock(view.duration_ms),
        "rows": rows,
        "excerpt": episode.EXCERPT(lang) if is_excerpt(view) else "",
        "name": f"{episode.TRANSCRIPT(lang)}: {heading_of(view, lang)}",
    }
    lines = [f"{episode.TRANSCRIPT(lang)}  {card['title']}", "", *(f"{r['clock']}  {r['text']}" for r in rows)]
    buttons = (
        Button(episode.EVIDENCE_PAGE(lang), "open", {"href": f"/e/{view.revision_id}"}),
        Button(episode.EVIDENCE(lang), "claim", {"revision": view.revision_id, "index": 0}),
    )
    return Outbound(kind="transcript", text="\n".join(lines), card=card, buttons=buttons)
