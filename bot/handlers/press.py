"""A button was pressed. The server decides; a late or foreign press gets a sentence (rule CHT-5).

An act returns the key of the sentence that refuses the press, or None. On a messenger that waits for an answer to each
press the refusal is that answer; elsewhere it is a note in the chat.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from bot.handlers import settings
from bot.handlers.acts import ask, note, pressed_card
from bot.handlers.context import Act, Context
from bot.texts import episode
from bot.texts.words import lang_of
from pipeline.commands import episode as commands
from pipeline.domain.errors import InputRejected, NotYours
from storage.queries.chat.about import pressed_message
from storage.queries.chat.inbox import UpdateView
from storage.queries.episode.owned import RevisionView, revision_of
from storage.transactions.chat.expect import expect
from storage.transactions.outbox.enqueue import answer_press, say
from storage.transactions.outbox.settle import lost_args, resend
from storage.tx import Tx

Pressed = Callable[[Context, UpdateView, Tx, RevisionView], Awaitable[str | None]]


def plan(context: Context, update: UpdateView) -> Act:
    verb, args = str(update.payload.get("verb")), update.payload.get("args", {})
    if verb in _BARE:
        return _answered(update, _bare(context, update, verb))
    revision = args.get("revision")
    act = _ACTS.get(verb)
    if act is None or not isinstance(revision, int):
        raise InputRejected("malformed", f"press {verb!r} with {sorted(args)}")

    async def decide(tx: Tx) -> str | None:
        view = await revision_of(tx, revision, owner_id=update.owner_id)
        if view is None:
            raise NotYours(f"revision {revision} is not of owner {update.owner_id}")
        return await act(context, update, tx, view)

    return _answered(update, decide)


def _answered(update: UpdateView, decide: Callable[[Tx], Awaitable[str | None]]) -> Act:
    """The decision with its answer, in one transaction: answered once, and only as it was decided."""

    async def act(tx: Tx) -> None:
        refused = await decide(tx)
        if query := update.payload.get("query"):
            said = None if refused is None else {"key": refused, "values": {}}
            await answer_press(tx, chat_id=update.chat_id, query=str(query), note=said)
        elif refused is not None:
            await note(tx, update, refused)

    return act


def _bare(context: Context, update: UpdateView, verb: str) -> Callable[[Tx], Awaitable[str | None]]:
    """Presses that are about no revision."""

    async def decide(tx: Tx) -> str | None:
        if verb in _OF_THE_BOT:
            return await _OF_THE_BOT[verb](tx, update)
        if verb != "resend":
            return {"old": "stale_press", "foreign": "foreign_press"}.get(verb)
        outbox = update.payload.get("args", {}).get("outbox")
        if not isinstance(outbox, int):
            return "stale_press"
        pressed = await pressed_message(tx, chat_id=update.chat_id, ref=update.payload.get("message_ref"))
        if not await resend(tx, outbox, chat_id=update.chat_id, now=context.clock.now()):
            return "already_resent"
        await say(
            tx,
            chat_id=update.chat_id,
            kind="lost",
            subject_id=outbox,
            args=await lost_args(tx, outbox),
            target_id=pressed,
            class_="guarded",
        )
        return None

    return decide


async def cancel(context: Context, update: UpdateView, tx: Tx, view: RevisionView) -> str | None:
    if not await commands.cancel(tx, owner_id=update.owner_id, revision_id=view.id):
        return "nothing_to_cancel"
    return None


async def retry(context: Context, update: UpdateView, tx: Tx, view: RevisionView) -> str | None:
    """What failed goes on; what was cancelled is asked again. Which of the two comes first: both lock (rule RUN-5)."""
    if view.run_state == "CANCELLED" and view.question is not None:
        return await _ask(context, update, tx, view, view.question, view.question_by or "person")
    if not await commands.retry(tx, owner_id=update.owner_id, revision_id=view.id, now=context.clock.now()):
        return "stale_press"
    return None


async def _points(context: Context, update: UpdateView, tx: Tx, view: RevisionView) -> str | None:
    return await _ask(context, update, tx, view, episode.POINTS(lang_of(update.language)), "points")


async def _reask(context: Context, update: UpdateView, tx: Tx, view: RevisionView) -> str | None:
    """The next text of this chat is the question; there is no hurry, so no time limit."""
    await expect(tx, chat_id=update.chat_id, dialogue={"question_for": view.id, "until": None})
    title = view.title or view.name
    await (note(tx, update, "ask_question", title=title) if title else note(tx, update, "ask_question_bare"))
    return None


async def _body(context: Context, update: UpdateView, tx: Tx, view: RevisionView) -> str | None:
    return await _supplied_next(update, tx, view, "body_for", str(update.payload["verb"]))


async def _password(context: Context, update: UpdateView, tx: Tx, view: RevisionView) -> str | None:
    return await _supplied_next(update, tx, view, "password_for", "ask_password")


async def _supplied_next(update: UpdateView, tx: Tx, view: RevisionView, what: str, asked: str) -> str | None:
    """The next message of this chat continues this source; there is no hurry."""
    if view.run_state not in ("FAILED", "DEFERRED"):
        return "stale_press"
    await expect(tx, chat_id=update.chat_id, dialogue={what: view.id, "until": None})
    await note(tx, update, asked)
    return None


async def _refetch(context: Context, update: UpdateView, tx: Tx, view: RevisionView) -> str | None:
    asked = await commands.fetch_again(
        tx,
        owner_id=update.owner_id,
        revision_id=view.id,
        request_key=f"refetch:{update.channel}:{update.external_id}",
        asking=context.asking,
        now=context.clock.now(),
    )
    return None if asked else "refetch_running"


async def _again(context: Context, update: UpdateView, tx: Tx, view: RevisionView) -> str | None:
    """The same question, put to the newest version of the source."""
    if view.question is None:
        return "stale_press"
    return await _ask(context, update, tx, view, view.question, view.question_by or "person")


async def _hint(context: Context, update: UpdateView, tx: Tx, view: RevisionView) -> str | None:
    """The words that the link pointed at become the question (rule SRC-7)."""
    if not view.hint:
        return "stale_press"
    return await _ask(context, update, tx, view, episode.ABOUT_HINT(lang_of(update.language), hint=view.hint), "person")


async def _claim(context: Context, update: UpdateView, tx: Tx, view: RevisionView) -> str | None:
    if view.state != "AUDIO_READY":
        return "not_ready"
    args = {"index": int(update.payload["args"].get("index", 0))}
    target = await pressed_card(tx, update, "claim")  # a pager edits itself
    await say(
        tx, chat_id=update.chat_id, kind="claim", subject_id=view.id, args=args, target_id=target, class_="guarded"
    )
    return None


async def _transcript(context: Context, update: UpdateView, tx: Tx, view: RevisionView) -> str | None:
    if view.state != "AUDIO_READY":
        return "not_ready"
    await say(tx, chat_id=update.chat_id, kind="transcript", subject_id=view.id)
    return None


async def _ask(context: Context, update: UpdateView, tx: Tx, view: RevisionView, question: str, by: str) -> str | None:
    """Never refused: a question that is on its way already is answered once."""
    await ask(context, update, tx, view.id, question, by)
    return None


async def _help(tx: Tx, update: UpdateView) -> str | None:
    await note(tx, update, "help")
    return None


_OF_THE_BOT: dict[str, Callable[[Tx, UpdateView], Awaitable[str | None]]] = {
    "help": _help,
    "settings": settings.show,
    "language": settings.language,
    "zone": settings.zone,
}
_BARE = frozenset({"resend", "none", "old", "foreign", *_OF_THE_BOT})
_ACTS: dict[str, Pressed] = {
    "cancel": cancel,
    "retry": retry,
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
