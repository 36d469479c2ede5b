"""What every request passes first: the Host list, the origin of writes, and the headers every answer carries.

Rules SEC-2, SEC-5. A plain ASGI layer, so that streams are not buffered.
"""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.texts import web
from bot.texts.words import Lang, lang_of

CSP = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self' blob:;"
    " connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_READS = frozenset({"GET", "HEAD", "OPTIONS"})
_HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # not no-referrer: under that a form of our own would post with "Origin: null" and look foreign
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}


class Guard:
    """``called``: paths that other programs write to, with a secret of their own in place of an origin."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str], called: frozenset[str] = frozenset()) -> None:
        self._app, self._hosts, self._called = app, hosts, called

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        lang = lang_of(headers.get("accept-language"))
        method = "GET" if scope["path"] in self._called else scope["method"]
        if (refusal := self._refusal(method, headers, lang)) is not None:
            await refusal(scope, receive, _dressed(send))
            return
        await self._app(scope, receive, _dressed(send))

    def _refusal(self, method: str, headers: Headers, lang: Lang) -> PlainTextResponse | None:
        host = headers.get("host", "").lower()
        if host not in self._hosts:
            return PlainTextResponse(web.WRONG_HOST(lang), status_code=400)
        if method not in _READS and not same_origin(headers, host):
            return PlainTextResponse(web.WRONG_ORIGIN(lang), status_code=403)
        return None


def same_origin(headers: Headers, host: str) -> bool:
    """True when a write comes from a page of ``host``: by Origin, or by Sec-Fetch-Site where there is no Origin.

    A write that carries neither is refused: every browser that runs these pages sends one of them.
    """
    origin = headers.get("origin")
    if origin is not None:
        return origin.lower() in (f"http://{host}", f"https://{host}")
    return headers.get("sec-fetch-site") == "same-origin"


def _dressed(send: Send) -> Send:
    async def dress(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return dress
