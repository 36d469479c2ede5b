"""The episode page, its evidence as one file, its subtitles; to the owner only."""

from __future__ import annotations

from urllib.parse import quote

from fastapi import APIRouter
from starlette.responses import HTMLResponse, Response

from bot.screens.spoken_page import spoken_page
from bot.screens.voice import file_name
from bot.web import evidence_page, markup
from bot.web.deps import RowId
from bot.web.session import Deps, Signed, Visitor
from storage.queries.episode.spoken import SpokenView, spoken

router = APIRouter()


@router.get("/e/{revision}")
async def episode_page(deps: Deps, visitor: Signed, revision: RowId) -> Response:
    """404 (MissingRow) when the owner has no such finished revision."""
    view = await spoken(deps.engine, revision, owner_id=visitor.owner_id)
    return HTMLResponse(_page(view, visitor))


@router.get("/e/{revision}/evidence.html")
async def evidence(deps: Deps, visitor: Signed, revision: RowId, save: bool = False) -> Response:
    """The self-contained page, with the audio inside; ``?save=1`` offers it as a download."""
    view = await spoken(deps.engine, revision, owner_id=visitor.owner_id)
    html = evidence_page.page(view, visitor.lang, await deps.blobs.get(view.mp3_key), zone=visitor.zone)
    headers = {"Content-Security-Policy": evidence_page.policy()}
    if save:
        headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(file_name(view, 'html'))}"
    return HTMLResponse(html, headers=headers)


@router.get("/e/{revision}/transcript.vtt")
async def transcript(deps: Deps, visitor: Signed, revision: RowId) -> Response:
    view = await spoken(deps.engine, revision, owner_id=visitor.owner_id)
    return Response(deps.vtt(view), media_type="text/vtt; charset=utf-8")


def _page(view: SpokenView, visitor: Visitor) -> str:
    lang = visitor.lang
    return markup.page(
        "episode.html",
        lang=lang,
        visitor=visitor,
        place="episode",
        back=f"/e/{view.revision_id}",
        page=spoken_page(view, lang),
        view=view,
        sound=f"/media/{view.revision_id}.mp3",
        words=markup.script_words(lang),
        made=markup.day_and_time(view.created_at, visitor.zone, lang),
        fetched=markup.day_and_time(view.source.fetched_at, visitor.zone, lang),
        app=True,
    )
