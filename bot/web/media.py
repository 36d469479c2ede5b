"""The audio of a finished revision, to its owner: HEAD, one Range, 206, 416, If-Range (rule PUB-4)."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from bot.web.deps import RowId
from bot.web.ranges import Piece, Unsatisfiable, applies, fresh, http_date, piece
from bot.web.session import Deps, Signed
from storage.queries.episode.media import MediaView, media

router = APIRouter()
_TYPES = {"mp3": "audio/mpeg", "ogg": "audio/ogg"}


@router.api_route("/media/{revision}.{container}", methods=["GET", "HEAD"])
async def serve(
    request: Request, deps: Deps, visitor: Signed, revision: RowId, container: Literal["mp3", "ogg"]
) -> Response:
    view = await media(deps.engine, revision, owner_id=visitor.owner_id, container=container)
    if view is None:
        raise HTTPException(404)
    data = await deps.blobs.get(view.key)
    headers = _headers(view)
    if fresh(request.headers.get("if-none-match"), etag=headers["ETag"]):
        return Response(status_code=304, headers=headers)
    try:
        part = _asked(request, view, len(data), headers["ETag"])
    except Unsatisfiable:
        return Response(status_code=416, headers={**headers, "Content-Range": f"bytes */{len(data)}"})
    headers["Content-Length"] = str(part.end - part.start)
    if not part.whole:
        headers["Content-Range"] = f"bytes {part.start}-{part.end - 1}/{len(data)}"
    body = b"" if request.method == "HEAD" else data[part.start : part.end]
    return Response(body, status_code=200 if part.whole else 206, headers=headers, media_type=_TYPES[container])


def _headers(view: MediaView) -> dict[str, str]:
    """The tag is our own SHA-256 of the bytes, which is the last part of their key (rule AUD-4)."""
    return {
        "ETag": f'"{view.key.rpartition("/")[2]}"',
        "Last-Modified": http_date(view.created_at),
        "Accept-Ranges": "bytes",
        "Cache-Control": "private, no-cache",
    }


def _asked(request: Request, view: MediaView, size: int, etag: str) -> Piece:
    """Raises Unsatisfiable. A Range counts for GET only (RFC 9110, 14.2)."""
    if request.method != "GET" or not applies(request.headers.get("if-range"), etag=etag, modified=view.created_at):
        return Piece(0, size, whole=True)
    return piece(request.headers.get("range"), size)
