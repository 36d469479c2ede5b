"""Outbound → Bot API calls, and what Telegram answers → what became of the message (rules CHT-2, CHT-4).

Nothing here waits or repeats: pace and repetition are the gateway's, from rows.
"""

from __future__ import annotations

import hashlib
from typing import Any

from aiogram import Bot
from aiogram.exceptions import (
    ClientDecodeError,
    TelegramAPIError,
    TelegramBadRequest,
    TelegramEntityTooLarge,
    TelegramForbiddenError,
    TelegramMigrateToChat,
    TelegramNetworkError,
    TelegramNotFound,
    TelegramRetryAfter,
    TelegramUnauthorizedError,
)
from aiogram.methods import (
    AnswerCallbackQuery,
    EditMessageCaption,
    EditMessageText,
    SendAudio,
    SendDocument,
    SendMessage,
    SendVoice,
    TelegramMethod,
)
from aiogram.types import (
    BufferedInputFile,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    LinkPreviewOptions,
    Message,
    MessageEntity,
    ReplyParameters,
)
from aiohttp import ClientConnectorError

from bot.channels.port import Button, Delivery, Mark, Media, Outbound, OutboxItem, Target
from bot.channels.telegram.buttons import packed
from bot.channels.telegram.text import CAPTION_UNITS, TEXT_UNITS, cut, units
from pipeline.domain.sending import TELEGRAM_PACE, Fate
from pipeline.ports.blobs import BlobStore

SILENT_S = 30  # an answer that has not come by then is not waited for
UPLOAD_S = 120  # the same, with a file
ANSWER_CHARS = 200  # of an answer to a press, fixed by the Bot API
TOKEN_REST_S = 60.0  # a token that is refused may be put right by the owner; asking on would only be noise
_ROW = 2  # buttons side by side: labels are cut on a phone beyond that
_STYLES = {"bold": "bold", "italic": "italic", "code": "code", "quote": "blockquote", "link": "text_link"}


class TelegramChannel:
    """One bot. ``public_url`` is where its pages can be reached; without it no button opens one (rule PUB-7)."""

    name = "telegram"
    idempotent = False
    pace = TELEGRAM_PACE

    def __init__(self, bot: Bot, blobs: BlobStore, *, public_url: str = "") -> None:
        self._bot, self._blobs, self._public_url = bot, blobs, public_url.rstrip("/")
        self.sender = f"telegram:{fingerprint(bot.token)}"

    def parts(self, outbound: Outbound) -> tuple[Outbound, ...]:
        if outbound.kind == "answer":
            return (outbound,)
        return cut(outbound, CAPTION_UNITS if outbound.media is not None else TEXT_UNITS)

    def shown(self, outbound: Outbound) -> dict[str, Any]:
        """Text, its look, its buttons, and whether there is a file: what a chat shows."""
        return {
            "kind": outbound.kind,
            "text": outbound.text,
            "marks": [[m.start, m.end, m.style, m.href] for m in outbound.marks],
            "buttons": [[label, data] for label, data in self._labels(outbound.buttons)],
            "media": outbound.media.blob_key if outbound.media else None,
        }

    async def deliver(self, target: Target, item: OutboxItem, outbound: Outbound) -> Delivery:
        """One request; the answer says what became of it."""
        try:
            method, timeout_s = await self._method(target, item, outbound)
        except ValueError as error:  # a button that fits nowhere: our own mistake, said in the ledger
            return Delivery(Fate.REFUSED, what=str(error))
        try:
            answer = await self._bot(method, request_timeout=timeout_s)
        except ClientDecodeError:  # it was answered, and nobody can read how
            return Delivery(Fate.UNKNOWN, what="an answer that cannot be read")
        except TelegramAPIError as error:
            return fate_of(error)
        return Delivery(Fate.SENT, ref=str(answer.message_id) if isinstance(answer, Message) else None)

    async def _method(self, target: Target, item: OutboxItem, outbound: Outbound) -> tuple[TelegramMethod[Any], int]:
        if item.kind == "answer":
            query, said = str(item.args["query"]), outbound.text[:ANSWER_CHARS]
            answer = AnswerCallbackQuery(callback_query_id=query, text=said or None, show_alert=bool(said))
            return answer, SILENT_S
        chat, keys = int(target.external_id), self._keyboard(outbound.buttons)
        looks = entities(outbound.text, outbound.marks)
        if target.external_ref is not None:
            ref = int(target.external_ref)
            if outbound.media is not None:
                caption = EditMessageCaption(
                    chat_id=chat, message_id=ref, caption=outbound.text, caption_entities=looks, reply_markup=keys
                )
                return caption, SILENT_S
            text = EditMessageText(
                chat_id=chat,
                message_id=ref,
                text=outbound.text,
                entities=looks,
                reply_markup=keys,
                link_preview_options=LinkPreviewOptions(is_disabled=True),
                parse_mode=None,
            )
            return text, SILENT_S
        if outbound.media is not None:
            return await self._file(target, outbound, outbound.media), UPLOAD_S
        message = SendMessage(
            chat_id=chat,
            text=outbound.text,
            entities=looks,
            reply_markup=keys,
            reply_parameters=_reply(target),
            link_preview_options=LinkPreviewOptions(is_disabled=True),
            parse_mode=None,
        )
        return message, SILENT_S

    async def _file(self, target: Target, outbound: Outbound, media: Media) -> TelegramMethod[Any]:
        """Always uploaded: by address Telegram turns a voice note above 1 MB into a file."""
        if target.voice_forbidden and outbound.fallback is not None:
            media = outbound.fallback
        data = BufferedInputFile(await self._blobs.get(media.blob_key), media.file_name)
        with_words: dict[str, Any] = {
            "chat_id": int(target.external_id),
            "caption": outbound.text or None,
            "caption_entities": entities(outbound.text, outbound.marks),
            "reply_markup": self._keyboard(outbound.buttons),
            "reply_parameters": _reply(target),
            "parse_mode": None,
        }
        seconds = None if media.duration_ms is None else round(media.duration_ms / 1000)
        if media.mime == "audio/ogg" and not target.voice_forbidden:
            return SendVoice(voice=data, duration=seconds, **with_words)
        if media.mime == "audio/mpeg":
            return SendAudio(audio=data, duration=seconds, title=media.file_name, **with_words)
        return SendDocument(document=data, **with_words)

    def _labels(self, buttons: tuple[Button, ...]) -> list[tuple[str, str]]:
        """Label and data, or address, of the buttons that can be shown here.

        Raises:
            ValueError: one cannot be packed.
        """
        shown = []
        for button in buttons:
            if button.verb != "open":
                shown.append((button.label, packed(button)))
            elif self._public_url:
                shown.append((button.label, f"{self._public_url}{button.args['href']}"))
        return shown

    def _keyboard(self, buttons: tuple[Button, ...]) -> InlineKeyboardMarkup | None:
        keys = [
            InlineKeyboardButton(text=label, url=data)
            if data.startswith(("http://", "https://"))
            else InlineKeyboardButton(text=label, callback_data=data)
            for label, data in self._labels(buttons)
        ]
        if not keys:
            return None
        return InlineKeyboardMarkup(inline_keyboard=[keys[at : at + _ROW] for at in range(0, len(keys), _ROW)])


def fingerprint(token: str) -> str:
    """Tells tokens apart without telling them."""
    return hashlib.sha256(token.encode()).hexdigest()[:16]


def entities(text: str, marks: tuple[Mark, ...]) -> list[MessageEntity] | None:
    """Marks in code points as entities in UTF-16 units."""
    found = [
        MessageEntity(
            type=_STYLES[mark.style],
            offset=units(text[: mark.start]),
            length=units(text[mark.start : mark.end]),
            url=mark.href or None,
        )
        for mark in marks
        if mark.start < mark.end
    ]
    return found or None


def _reply(target: Target) -> ReplyParameters | None:
    """A later part hangs on the first one."""
    if target.head_ref is None:
        return None
    return ReplyParameters(message_id=int(target.head_ref), allow_sending_without_reply=True)


def fate_of(error: TelegramAPIError) -> Delivery:
    """What an error says about the message. Descriptions are matched as Telegram words them, in any case."""
    what = error.message.splitlines()[0][:200]
    match error:
        case TelegramNetworkError():
            # Only a connection that was never made is certain: everything later may have been done.
            unmade = isinstance(error.__cause__, ClientConnectorError)
            return Delivery(Fate.NEVER_SENT if unmade else Fate.UNKNOWN, what=what)
        case TelegramRetryAfter():
            return Delivery(Fate.THROTTLED, what="429", retry_after_s=float(error.retry_after))
        case TelegramMigrateToChat():
            return Delivery(Fate.CHAT_MOVED, what="migrated", moved_to=str(error.migrate_to_chat_id))
        case TelegramForbiddenError():
            return Delivery(Fate.CHAT_GONE, what=what)
        case TelegramUnauthorizedError() | TelegramNotFound():  # an unknown token is answered with either
            return Delivery(Fate.THROTTLED, what=what, retry_after_s=TOKEN_REST_S, token=True)
        case TelegramEntityTooLarge():
            return Delivery(Fate.REFUSED, what=what)
        case TelegramBadRequest():
            return _refusal(what)
        case _:  # a server that is failing or starting may have done it
            return Delivery(Fate.UNKNOWN, what=what)


# Part of the description → what it means here.
_REFUSALS = (
    ("message is not modified", Fate.SENT),
    ("query is too old", Fate.SENT),
    ("query id is invalid", Fate.SENT),
    ("query_id_invalid", Fate.SENT),
    ("voice_messages_forbidden", Fate.NO_VOICE),
    ("message to edit not found", Fate.TARGET_GONE),
    ("message can't be edited", Fate.TARGET_GONE),
    ("message_id_invalid", Fate.TARGET_GONE),
    ("chat not found", Fate.CHAT_GONE),
    ("not enough rights to send", Fate.CHAT_GONE),
    ("have no rights to send", Fate.CHAT_GONE),
)


def _refusal(what: str) -> Delivery:
    said = what.lower()
    fate = next((fate for part, fate in _REFUSALS if part in said), Fate.REFUSED)
    return Delivery(fate, what=what)
