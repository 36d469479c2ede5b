"""Stored updates → handlers: one chat at a time, in order; what cannot be handled is set aside (rule CHT-1).

The command and the mark "handled" are one transaction, so an update whose process dies is handled once, later.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from bot.handlers.album import whole
from bot.handlers.context import Context
from bot.handlers.update import plan
from pipeline.domain.errors import Contention, Defect, Ignored, ProductError, UserError
from pipeline.ports.wake import Wake
from storage.queries.chat.inbox import UpdateView, waiting
from storage.transactions.chat.settle_update import handled, set_aside
from storage.transactions.outbox.enqueue import answer_press, say
from storage.tx import Tx, transaction

log = logging.getLogger(__name__)
SCAN_S = 2.0


async def serve(context: Context, wake: Wake, channels: Sequence[str], stopping: asyncio.Event) -> None:
    """Handle updates as they come until ``stopping``. A chat that takes long holds up no other one."""
    busy: dict[int, asyncio.Task[bool]] = {}
    while not stopping.is_set():
        try:
            updates = await waiting(context.engine, channels=channels, now=context.clock.now())
        except (OSError, Contention) as error:
            log.warning("inbox waits: %s", type(error).__name__)
            updates = ()
        for update in updates:
            if update.chat_id not in busy:
                busy[update.chat_id] = asyncio.create_task(_tried(context, update))
        if not await _moved(busy, wake):
            await wake.wait(SCAN_S)
    await asyncio.gather(*busy.values())


async def _moved(busy: dict[int, asyncio.Task[bool]], wake: Wake) -> bool:
    """Wait for the first chat to be done, or for news while some are busy. False: nothing to go on with."""
    if not busy:
        return False
    news = asyncio.create_task(wake.wait(SCAN_S))
    await asyncio.wait({news, *busy.values()}, return_when=asyncio.FIRST_COMPLETED)
    heard = news.done()
    news.cancel()
    ended = [chat for chat, task in busy.items() if task.done()]
    return any([busy.pop(chat).result() for chat in ended]) or heard


async def _tried(context: Context, update: UpdateView) -> bool:
    """False when the update had to stay stored. One chat's trouble is not another's: the rest goes on."""
    try:
        await settle(context, update)
    except (OSError, Contention) as error:
        log.warning("update %s waits: %s", update.id, type(error).__name__)
        return False
    return True


async def settle(context: Context, update: UpdateView) -> None:
    """Handle one update; a person's mistake becomes a sentence, our own becomes a row set aside.

    The mark comes first in the transaction: of two processes that see the same update, one acts and one finds it done.

    Raises:
        OSError, Contention: the database is away or busy; the update stays stored.
    """
    update = whole(update)
    try:
        act = await plan(context, update)
        async with transaction(context.engine) as tx:
            if await _marked(tx, update):
                await act(tx)
        context.crash("update_handled")
    except (OSError, Contention):
        raise
    except Ignored as error:
        async with transaction(context.engine) as tx:
            await set_aside(tx, update.id, error=str(error))
    except Exception as error:
        if not isinstance(error, ProductError) or isinstance(error, Defect):
            log.exception("update %s", update.id)
        await _excuse(context, update, error)


async def _marked(tx: Tx, update: UpdateView) -> bool:
    """Mark the update and what belongs to it. False: somebody has settled it already."""
    if not await handled(tx, update.id):
        return False
    for member in update.members:
        if member.id != update.id:
            await handled(tx, member.id)
    return True


async def _excuse(context: Context, update: UpdateView, error: Exception) -> None:
    async with transaction(context.engine) as tx:
        if isinstance(error, UserError):
            settled = await _marked(tx, update)
        else:
            settled = await set_aside(tx, update.id, error=f"{type(error).__name__}: {error}")
        if not settled:
            return
        note = context.excuse(error, update.payload)
        if query := update.payload.get("query"):
            await answer_press(tx, chat_id=update.chat_id, query=query, note=note)
        else:
            await say(tx, chat_id=update.chat_id, kind="note", args=note)
