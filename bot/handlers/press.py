"""A button was pressed. The server decides; a late or foreign press gets a sentence (rule CHT-5)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from bot.handlers.context import Context
from bot.texts import episode
from bot.texts.words import lang_of
from pipeline.commands import episode as commands
from pipeline.domain.errors import InputRejected, NotYours
from storage.queries.chat.inbox import UpdateView
from storage.queries.episode.owned import RevisionView, message_kind, revision_of
from storage.transactions.chat.expect import expect
from storage.transactions.outbox.enqueue import say
from storage.tx import Tx

Act = Callable[[Tx], Awaitable[None]]


def plan(context: Context, update: UpdateView) -> Act:
    verb, args = update.payload.get("verb"), update.payload.get("args", {})
    revision = args.get("revision")
    act = _ACTS.get(str(verb))
    if act is None or not isinstance(revision, int):
        raise InputRejected("malformed", f"press {verb!r} with {sorted(args)}")

    async def decide(tx: Tx) -> None:
        view = await revision_of(tx, revision, owner_id=update.owner_id)
        if view is None:
            raise NotYours(f"revision {revision} is not of owner {update.owner_id}")
        await act(context, update, tx, view)

    return decide


async def _cancel(context: Context, update: UpdateView, tx: Tx, view: RevisionView) -> None:
    if not await commands.cancel(tx, owner_id=update.owner_id, revision_id=view.id):
        await _note(tx, update, "nothing_to_cancel")


async def _retry(context: Context, update: UpdateView, tx: Tx, view: RevisionView) -> None:
    """What failed goes on; what was cancelled is asked again. Which of the two comes first: both lock (rule RUN-5)."""
    if view.run_state == "CANCELLED" and view.question is not None:
        await _ask(context, update, tx, view, view.question, view.question_by or "person")
        return
    if not await commands.retry(tx, owner_id=update.owner_id, revision_id=view.id, now=context.clock.now()):
        await _note(tx, update, "stale_press")


async def _points(context: Context, update: UpdateView, tx: Tx, view: RevisionView) -> None:
    await _ask(context, update, tx, view, episode.POINTS(lang_of(update.language)), "points")


async def _reask(context: Context, update: UpdateView, tx: Tx, view: RevisionView) -> None:
    """The next text of this chat is the question; there is no hurry, so no time limit."""
    await expect(tx, chat_id=update.chat_id, dialogue={"question_for": view.id, "until": None})
    title = view.title or view.name
    await (_note(tx, update, "ask_question", title=title) if title else _note(tx, update, "ask_question_bare"))


async def _body(context: Context, update: UpdateView, tx: Tx, view: RevisionView) -> None:
    """The next text or file of this chat continues this source; there is no hurry."""
    if view.run_state not in ("FAILED", "DEFERRED"):
        await _note(tx, update, "stale_press")
        return
    await expect(tx, chat_id=update.chat_id, dialogue={"body_for": view.id, "until": None})
    await _note(tx, update, str(update.payload["verb"]))


async def _password(context: Context, update: UpdateView, tx: Tx, view: RevisionView) -> None:
    if view.run_state not in ("FAILED", "DEFERRED"):
        await _note(tx, update, "stale_press")
        return
    await expect(tx, chat_id=update.chat_id, dialogue={"password_for": view.id, "until": None})
    await _note(tx, update, "ask_password")


async def _refetch(context: Context, update: UpdateView, tx: Tx, view: RevisionView) -> None:
    asked = await commands.fetch_again(
        tx,
        owner_id=update.owner_id,
        revision_id=view.id,
        request_key=f"refetch:{update.channel}:{update.external_id}",
        asking=context.asking,
        now=context.clock.now(),
    )
    if not asked:
        await _note(tx, update, "refetch_running")


async def _again(context: Context, update: UpdateView, tx: Tx, view: RevisionView) -> None:
    """The same question, put to the newest version of the source."""
    if view.question is None:
        await _note(tx, update, "stale_press")
        return
    await _ask(context, update, tx, view, view.question, view.question_by or "person")


async def _hint(context: Context, update: UpdateView, tx: Tx, view: RevisionView) -> None:
    """The words that the link pointed at become the question (rule SRC-7)."""
    if not view.hint:
        await _note(tx, update, "stale_press")
        return
    await _ask(context, update, tx, view, episode.ABOUT_HINT(lang_of(update.language), hint=view.hint), "person")


async def _claim(context: Context, update: UpdateView, tx: Tx, view: RevisionView) -> None:
    if view.state != "AUDIO_READY":
        await _note(tx, update, "not_ready")
        return
    args = {"index": int(update.payload["args"].get("index", 0))}
    pressed = update.payload.get("message_id")
    # A pager edits itself; any other message is answered below.
    pager = await message_kind(tx, pressed, chat_id=update.chat_id) == "claim"
    target = pressed if pager else None
    await say(
        tx, chat_id=update.chat_id, kind="claim", subject_id=view.id, args=args, target_id=target, class_="guarded"
    )


async def _transcript(context: Context, update: UpdateView, tx: Tx, view: RevisionView) -> None:
    if view.state != "AUDIO_READY":
        await _note(tx, update, "not_ready")
        return
    await say(tx, chat_id=update.chat_id, kind="transcript", subject_id=view.id)


async def _ask(context: Context, update: UpdateView, tx: Tx, view: RevisionView, question: str, by: str) -> None:
    await commands.ask_question(
        tx,
        owner_id=update.owner_id,
        revision_id=view.id,
        question=question,
        by=by,
        asking=context.asking,
        now=context.clock.now(),
    )


async def _note(tx: Tx, update: UpdateView, key: str, **values: str) -> None:
    await say(tx, chat_id=update.chat_id, kind="note", args={"key": key, "values": values})


_ACTS: dict[str, Callable[[Context, UpdateView, Tx, RevisionView], Awaitable[None]]] = {
    "cancel": _cancel,
    "retry": _retry,
    "points": _points,
    "reask": _reask,
    "claim": _claim,
    "transcript": _transcript,
    "paste_body": _body,
    "upload_pdf": _body,
    "upload_page": _body,
    "password": _password,
    "refetch": _refetch,
    "again": _again,
    "hint": _hint,
}
