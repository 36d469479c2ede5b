"""The web face as one ASGI application: guard first, then the routers, each owner to their own rows."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI
from starlette.responses import PlainTextResponse, Response
from starlette.staticfiles import StaticFiles

from bot.web import chat, episode, events, hooks, media, signin
from bot.web.answers import add_handlers
from bot.web.deps import WebDeps
from bot.web.guard import Guard

STATIC = Path(__file__).parent / "static"


def build(deps: WebDeps) -> FastAPI:
    """No interactive API pages: they would load scripts from elsewhere."""
    app = FastAPI(title="Earmark", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.deps = deps
    for router in (signin.router, chat.router, events.router, media.router, episode.router, hooks.router):
        app.include_router(router)
    app.add_api_route("/healthz", healthz, methods=["GET"], response_class=PlainTextResponse)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.add_middleware(Guard, hosts=deps.hosts, called=frozenset({hooks.PATH}))
    add_handlers(app)
    return app


async def healthz() -> Response:
    """The process answers; it says nothing about anybody's rows."""
    return PlainTextResponse("ok\n")
