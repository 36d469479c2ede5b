"""The address that Telegram calls: stored, then acknowledged (rules CHT-1, SEC-2). Without a secret it is not there."""

from __future__ import annotations

import hmac
import json
import logging

from fastapi import APIRouter, Request
from starlette.responses import PlainTextResponse, Response

from bot.web.session import Deps
from pipeline.domain.errors import Contention

log = logging.getLogger(__name__)
router = APIRouter()
PATH = "/telegram/webhook"
HEADER = "x-telegram-bot-api-secret-token"
MAX_BYTES = 1024 * 1024  # of one update; Telegram's largest are some tens of kilobytes


@router.post(PATH)
async def webhook(request: Request, deps: Deps) -> Response:
    """200 when the update is stored, or can never be; 503 when Telegram shall bring it again."""
    hook = deps.webhook
    if hook is None:
        return PlainTextResponse("", status_code=404)
    given = request.headers.get(HEADER, "")
    if not hmac.compare_digest(given.encode(), hook.secret.encode()):
        return PlainTextResponse("", status_code=403)
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BYTES:
            return PlainTextResponse("", status_code=413)
    try:
        update = json.loads(bytes(body))
    except ValueError:
        log.warning("a webhook call that is no JSON")
        return PlainTextResponse("", status_code=400)
    try:
        taken = await hook.take(update)
    except (OSError, Contention) as error:
        log.warning("an update waits: %s", type(error).__name__)
        taken = False
    return PlainTextResponse("", status_code=200 if taken else 503)
