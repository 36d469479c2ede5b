"""The message of a refresh: looking, unchanged, changed, or why it could not look."""

from __future__ import annotations

from bot import errors
from bot.channels.port import Button, Outbound
from bot.texts import episode, source
from bot.texts.words import Lang
from storage.queries.run.refresh import RefreshView


def refresh(view: RefreshView, lang: Lang) -> Outbound:
    title = source.TITLE(lang, title=view.title) if view.title else view.name or view.origin or ""
    if view.result:
        said = source.REFRESHED[view.result](lang, title=title, came=view.came, went=view.went)
    elif view.state in ("FAILED", "CANCELLED"):
        why = errors.sentence(view.error_reason, view.error_values, lang, stage="fetch")
        said = source.REFRESH_FAILED(lang, title=title, why=why)
    else:
        said = source.REFRESHING(lang, title=title)
    return Outbound(kind="refresh", text=said, card={"say": said, "name": said}, buttons=_buttons(view, lang))


def _buttons(view: RefreshView, lang: Lang) -> tuple[Button, ...]:
    args = {"revision": view.revision_id}
    if view.result == "changed" and view.has_question:
        return (
            Button(episode.AGAIN(lang), "again", dict(args), style="main"),
            Button(episode.REASK(lang), "reask", dict(args)),
        )
    return (Button(episode.REFETCH(lang), "refetch", args),) if view.state == "FAILED" else ()
