"""The HTTP side: addresses, tokens, bodies, and what a fault makes of an answer."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field

from aiohttp import web

from eval.simulators.botapi.control import Control
from eval.simulators.botapi.errors import ApiError, flooded, refused
from eval.simulators.botapi.faults import Fault
from eval.simulators.botapi.limits import MIB
from eval.simulators.botapi.log import Call, Outcome
from eval.simulators.botapi.methods import METHODS
from eval.simulators.botapi.params import Params, read
from eval.simulators.botapi.simulator import Done, Simulator

_TOKEN = re.compile(r"\d+:[A-Za-z0-9_-]{30,}")
_MOST_BODY = 70 * MIB  # the limit of an upload is in Limits; this one only keeps the process alive
_LOST: dict[str, Outcome] = {"lost": "lost", "hang": "lost", "garbled": "lost", "drop": "dropped", "mute": "dropped"}


@dataclass
class Server:
    """Serves ``api`` on loopback; ``port`` 0 is any free one, and stays the same over stop and start."""

    api: Simulator
    port: int = 0
    _runner: web.AppRunner | None = None
    _stopping: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def start(self) -> str:
        app = web.Application(client_max_size=_MOST_BODY)
        app.router.add_route("*", "/bot{token}/{method}", self._call)
        app.router.add_get("/file/bot{token}/{path:.+}", self._download)
        app.router.add_post("/control/{act}", Control(self.api).act)
        self._stopping.clear()
        # Who hangs on purpose hangs until stop(), and not a moment longer.
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.05)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port)
        await site.start()
        self.port = self._runner.addresses[0][1]
        return self.address

    async def stop(self) -> None:
        """Refuse connections; what the simulator knows is kept."""
        self._stopping.set()
        await self.api.webhook.stop()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _call(self, request: web.Request) -> web.StreamResponse:
        try:
            self._known(request.match_info["token"])
            if (found := METHODS.get(name := request.match_info["method"].lower())) is None and name != "getupdates":
                raise refused("method not found", 404)
            params = await read(request)
        except ApiError as error:
            return web.json_response(error.body(), status=error.code)
        method = found[0] if found else "getUpdates"
        chat_id = _chat_of(params)
        fault = self.api.faults.take(method, chat_id)
        try:
            return await self._answered(request, method, params, fault)
        except ApiError as error:
            outcome: Outcome = "lost" if error.done else "refused"
            if not error.done:  # what was done is in the log already
                self._write(method, chat_id, Done(None), outcome, error.code, error.description)
            return web.json_response(error.body(), status=error.code)

    def _known(self, token: str) -> None:
        if not _TOKEN.fullmatch(token):
            raise refused("", 404)
        if token != self.api.token:
            raise refused("", 401)

    async def _answered(
        self, request: web.Request, method: str, params: Params, fault: Fault | None
    ) -> web.StreamResponse:
        chat_id = _chat_of(params)
        if fault is not None:
            await self._before(request, method, chat_id, fault)
        done = await self._do(method, params)
        outcome: Outcome = _LOST.get(fault.kind, "done") if fault else "done"
        status = 0 if outcome == "lost" else 200
        if fault is not None and fault.kind == "status":
            outcome, status = "lost", fault.status
        self._write(method, chat_id, done, outcome, status, "")
        await self.api.chats.announce()
        if fault is not None:
            await self._after(request, fault)
            if fault.kind == "garbled":
                return web.Response(text='{"ok": tr', content_type="application/json")
        return web.json_response({"ok": True, "result": done.result})

    async def _before(self, request: web.Request, method: str, chat_id: int | None, fault: Fault) -> None:
        """Do what a fault does instead of the call, or before it."""
        if fault.kind == "late":
            await self.api.clock.sleep(fault.seconds)
        elif fault.kind == "flood":
            self.api.pace.ban(chat_id or 0, fault.seconds)
            raise flooded(int(fault.seconds))
        elif fault.kind == "status" and not fault.done:
            raise _failure(fault)
        elif fault.kind in ("drop", "mute"):
            self._write(method, chat_id, Done(None), "dropped", 0, "")
            await self._gone(request, hang=fault.kind == "mute")

    async def _after(self, request: web.Request, fault: Fault) -> None:
        if fault.kind == "slow":
            await self.api.clock.sleep(fault.seconds)
        elif fault.kind == "status":
            raise _failure(fault)
        elif fault.kind in ("lost", "hang"):
            await self._gone(request, hang=fault.kind == "hang")

    async def _gone(self, request: web.Request, *, hang: bool) -> None:
        """Give no answer: at once, or until the simulator stops."""
        if hang:
            await self._stopping.wait()
        if request.transport is not None:
            request.transport.abort()
        raise asyncio.CancelledError

    async def _do(self, method: str, params: Params) -> Done:
        if method != "getUpdates":
            return METHODS[method.lower()][1](self.api, params)
        updates = self.api.updates
        updates.allow(params.parsed("allowed_updates"))
        offset, limit, timeout_s = params.integer("offset"), params.integer("limit", 100), params.integer("timeout")
        return Done(await updates.poll(offset=offset, limit=limit, timeout_s=timeout_s))

    def _write(
        self, method: str, chat_id: int | None, done: Done, outcome: Outcome, status: int, description: str
    ) -> None:
        """Add to the log; a poll is too dull to be in it."""
        if method == "getUpdates" and outcome == "done":
            return
        chat = done.chat or self.api.chats.all.get(chat_id or 0)
        self.api.log.append(
            Call(
                number=len(self.api.log) + 1,
                at=self.api.clock.now(),
                method=method,
                chat_id=chat.id if chat else chat_id,
                group=bool(chat and chat.group),
                message_ids=tuple(m.message_id for m in done.messages),
                outcome=outcome,
                status=status,
                description=description,
                digest=done.digest,
            )
        )

    async def _download(self, request: web.Request) -> web.StreamResponse:
        try:
            self._known(request.match_info["token"])
        except ApiError as error:
            return web.json_response(error.body(), status=error.code)
        fault = self.api.faults.take("download", None)
        if fault is not None and fault.kind == "status":
            return web.json_response(_failure(fault).body(), status=fault.status)
        if fault is not None and fault.kind in ("drop", "lost", "hang", "mute"):
            await self._gone(request, hang=fault.kind in ("hang", "mute"))
        if (file := self.api.files.download(request.match_info["path"])) is None:
            return web.json_response(refused("", 404).body(), status=404)
        return web.Response(body=file.data, content_type="application/octet-stream")


def _failure(fault: Fault) -> ApiError:
    words = {500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout"}
    return ApiError(fault.status, words.get(fault.status, "Error"), done=fault.done)


def _chat_of(params: Params) -> int | None:
    try:
        return params.chat_id()
    except ApiError:
        return None
