"""Who is asking. A session is 32 random bytes in a cookie; the database keeps their SHA-256 (rules SEC-2, SEC-5)."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import Annotated
from zoneinfo import ZoneInfo

from fastapi import Depends, Request
from starlette.responses import Response

from bot.texts.words import Lang, lang_of
from bot.web.deps import WebDeps
from storage.queries.web.session import session as session_of
from storage.transactions.web.sign_in import redeem_code
from storage.tx import transaction

COOKIE = "earmark_session"


class SignInNeeded(Exception):
    """No session, or one that has ended. ``expired`` when a cookie was there."""

    def __init__(self, *, expired: bool) -> None:
        self.expired = expired
        super().__init__("session expired" if expired else "no session")


class ForeignForm(Exception):
    """The form's hidden field is missing or belongs to another session."""


@dataclass(frozen=True)
class Visitor:
    owner_id: int
    chat_id: int
    lang: Lang
    zone: ZoneInfo
    csrf: str

    def check(self, sent: str | None) -> None:
        """Raises ForeignForm unless ``sent`` is this session's field."""
        if not hmac.compare_digest((sent or "").encode("utf-8", "replace"), self.csrf.encode()):
            raise ForeignForm


def deps_of(request: Request) -> WebDeps:
    deps: WebDeps = request.app.state.deps
    return deps


async def visitor_of(request: Request) -> Visitor:
    """Raises SignInNeeded."""
    deps, token = deps_of(request), request.cookies.get(COOKIE)
    if token is None:
        raise SignInNeeded(expired=False)
    view = await session_of(deps.engine, token_sha256=sha256(token), now=deps.clock.now())
    if view is None:
        raise SignInNeeded(expired=True)
    return Visitor(view.owner_id, view.chat_id, lang_of(view.language), ZoneInfo(view.time_zone), csrf_of(token))


Deps = Annotated[WebDeps, Depends(deps_of)]
Signed = Annotated[Visitor, Depends(visitor_of)]


async def sign_in(deps: WebDeps, code: str) -> str | None:
    """Spend the one-time code; the new session's token, or None when the code is no good."""
    token, now = secrets.token_urlsafe(32), deps.clock.now()
    async with transaction(deps.engine) as tx:
        owner = await redeem_code(
            tx,
            code_sha256=sha256(code),
            token_sha256=sha256(token),
            now=now,
            session_until=now + deps.limits.session,
        )
    return token if owner is not None else None


def keep(response: Response, token: str, deps: WebDeps) -> None:
    response.set_cookie(
        COOKIE,
        token,
        max_age=int(deps.limits.session.total_seconds()),
        httponly=True,
        samesite="strict",
        path="/",
        secure=deps.secure_cookie,
    )


def sha256(value: str) -> str:
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()


def csrf_of(token: str) -> str:
    """The field of this session's forms: derived, so it needs no row, and useless without the cookie."""
    return hashlib.sha256(b"form:" + token.encode()).hexdigest()
