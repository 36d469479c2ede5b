"""Two clients of the Bot API that know nothing of each other, under one set of names.

Results are the library's own objects: what a test reads of them has the same name in both. Errors are the library's
own, too, found by ``errors``.
"""

from __future__ import annotations

from dataclasses import dataclass

import aiogram
import aiogram.client.session.aiohttp
import aiogram.client.telegram
import aiogram.exceptions
import aiogram.types as at
import telegram as ptb
import telegram.error
import telegram.request


@dataclass(frozen=True)
class Errors:
    """What a library raises, by what happened."""

    flood: type[Exception]
    migrated: type[Exception]
    forbidden: type[Exception]
    bad: type[Exception]
    conflict: type[Exception]
    token: type[Exception]
    unknown_token: type[Exception]
    too_large: type[Exception]
    server: type[Exception]
    network: type[Exception]


class AiogramClient:
    """aiogram 3.31: typed requests over aiohttp."""

    errors = Errors(
        flood=aiogram.exceptions.TelegramRetryAfter,
        migrated=aiogram.exceptions.TelegramMigrateToChat,
        forbidden=aiogram.exceptions.TelegramForbiddenError,
        bad=aiogram.exceptions.TelegramBadRequest,
        conflict=aiogram.exceptions.TelegramConflictError,
        token=aiogram.exceptions.TelegramNotFound,
        unknown_token=aiogram.exceptions.TelegramUnauthorizedError,
        too_large=aiogram.exceptions.TelegramEntityTooLarge,
        server=aiogram.exceptions.TelegramServerError,
        network=aiogram.exceptions.TelegramNetworkError,
    )

    def __init__(self, base: str, token: str, *, timeout_s: float = 10) -> None:
        api = aiogram.client.telegram.TelegramAPIServer.from_base(base)
        session = aiogram.client.session.aiohttp.AiohttpSession(api=api, timeout=timeout_s)
        self.bot = aiogram.Bot(token, session=session)

    async def start(self) -> None:
        """Nothing to do: a session is made by its first request."""

    async def close(self) -> None:
        # The session's own close() sleeps a quarter of a second for TLS, which is not used here.
        await (await self.bot.session.create_session()).close()

    @staticmethod
    def retry_after_s(error) -> int:
        return error.retry_after

    @staticmethod
    def new_chat_id(error) -> int:
        return error.migrate_to_chat_id

    @staticmethod
    def said(message, entity) -> str:
        return entity.extract_from(message.text)

    @staticmethod
    def _keyboard(rows):
        return (
            at.InlineKeyboardMarkup(inline_keyboard=[[at.InlineKeyboardButton(**b) for b in r] for r in rows])
            if rows is not None
            else None
        )

    @staticmethod
    def _entities(entities):
        return [at.MessageEntity(**e) for e in entities] if entities else None

    @staticmethod
    def _reply(reply_to, lenient, quote):
        if not reply_to:
            return None
        return at.ReplyParameters(message_id=reply_to, allow_sending_without_reply=lenient, quote=quote)

    async def me(self):
        return await self.bot.get_me()

    async def updates(self, **given):
        return await self.bot.get_updates(**given)

    async def send(self, chat_id, text, *, entities=None, buttons=None, reply_to=0, lenient=None, quote=None):
        return await self.bot.send_message(
            chat_id,
            text,
            entities=self._entities(entities),
            reply_markup=self._keyboard(buttons),
            reply_parameters=self._reply(reply_to, lenient, quote),
            link_preview_options=at.LinkPreviewOptions(is_disabled=True),
        )

    async def edit_text(self, chat_id, message_id, text, *, entities=None, buttons=None):
        return await self.bot.edit_message_text(
            text,
            chat_id=chat_id,
            message_id=message_id,
            entities=self._entities(entities),
            reply_markup=self._keyboard(buttons),
        )

    async def edit_caption(self, chat_id, message_id, caption, *, entities=None, buttons=None):
        return await self.bot.edit_message_caption(
            chat_id=chat_id,
            message_id=message_id,
            caption=caption,
            caption_entities=self._entities(entities),
            reply_markup=self._keyboard(buttons),
        )

    async def edit_buttons(self, chat_id, message_id, buttons):
        return await self.bot.edit_message_reply_markup(
            chat_id=chat_id, message_id=message_id, reply_markup=self._keyboard(buttons)
        )

    async def send_file(self, kind, chat_id, data, *, name="a.bin", caption=None, entities=None, buttons=None, **said):
        file = at.BufferedInputFile(data, name) if isinstance(data, bytes) else data
        return await getattr(self.bot, f"send_{kind}")(
            chat_id,
            file,
            caption=caption,
            caption_entities=self._entities(entities),
            reply_markup=self._keyboard(buttons),
            **said,
        )

    async def send_group(self, chat_id, files):
        kinds = {
            "photo": at.InputMediaPhoto,
            "document": at.InputMediaDocument,
            "audio": at.InputMediaAudio,
            "video": at.InputMediaVideo,
        }
        media = [kinds[k](media=at.BufferedInputFile(data, name), caption=c) for k, data, name, c in files]
        return await self.bot.send_media_group(chat_id, media)

    async def action(self, chat_id, action):
        return await self.bot.send_chat_action(chat_id, action)

    async def answer(self, query_id, text=None, alert=None):
        return await self.bot.answer_callback_query(query_id, text=text, show_alert=alert)

    async def download(self, file_id) -> bytes:
        return (await self.bot.download(file_id)).read()

    async def delete(self, chat_id, message_id):
        return await self.bot.delete_message(chat_id, message_id)

    async def chat(self, chat_id):
        return await self.bot.get_chat(chat_id)

    async def set_commands(self, commands, *, chat_id=0, language=None):
        scope = at.BotCommandScopeChat(chat_id=chat_id) if chat_id else None
        given = [at.BotCommand(command=c, description=d) for c, d in commands]
        return await self.bot.set_my_commands(given, scope=scope, language_code=language)

    async def commands(self, *, chat_id=0, language=None):
        scope = at.BotCommandScopeChat(chat_id=chat_id) if chat_id else None
        return [(c.command, c.description) for c in await self.bot.get_my_commands(scope, language)]

    async def set_webhook(self, url, **given):
        return await self.bot.set_webhook(url, **given)

    async def delete_webhook(self):
        return await self.bot.delete_webhook()

    async def webhook(self):
        return await self.bot.get_webhook_info()


class PtbClient:
    """python-telegram-bot 22.8: its own objects over httpx. It has one error for a token, and none for size."""

    errors = Errors(
        flood=telegram.error.RetryAfter,
        migrated=telegram.error.ChatMigrated,
        forbidden=telegram.error.Forbidden,
        bad=telegram.error.BadRequest,
        conflict=telegram.error.Conflict,
        token=telegram.error.InvalidToken,
        unknown_token=telegram.error.InvalidToken,
        too_large=telegram.error.NetworkError,
        server=telegram.error.NetworkError,
        network=telegram.error.NetworkError,
    )

    def __init__(self, base: str, token: str, *, timeout_s: float = 10) -> None:
        def request():
            return telegram.request.HTTPXRequest(
                read_timeout=timeout_s,
                media_write_timeout=timeout_s,
                httpx_kwargs={"trust_env": False, "verify": False},
            )

        self.bot = ptb.Bot(
            token,
            base_url=f"{base}/bot",
            base_file_url=f"{base}/file/bot",
            request=request(),
            get_updates_request=request(),
        )
        self._requests = self.bot._request

    async def start(self) -> None:
        for request in self._requests:  # initialize() of the bot itself would call getMe
            await request.initialize()

    async def close(self) -> None:
        for request in self._requests:
            await request.shutdown()

    @staticmethod
    def retry_after_s(error) -> int:
        return int(error.retry_after.total_seconds())  # with PTB_TIMEDELTA, which the fixture sets

    @staticmethod
    def new_chat_id(error) -> int:
        return error.new_chat_id

    @staticmethod
    def said(message, entity) -> str:
        return message.parse_entity(entity)

    @staticmethod
    def _keyboard(rows):
        return (
            ptb.InlineKeyboardMarkup([[ptb.InlineKeyboardButton(**b) for b in r] for r in rows])
            if rows is not None
            else None
        )

    @staticmethod
    def _entities(entities):
        return [ptb.MessageEntity(**e) for e in entities] if entities else None

    @staticmethod
    def _reply(reply_to, lenient, quote):
        if not reply_to:
            return None
        return ptb.ReplyParameters(message_id=reply_to, allow_sending_without_reply=lenient, quote=quote)

    async def me(self):
        return await self.bot.get_me()

    async def updates(self, **given):
        return await self.bot.get_updates(**given)

    async def send(self, chat_id, text, *, entities=None, buttons=None, reply_to=0, lenient=None, quote=None):
        return await self.bot.send_message(
            chat_id,
            text,
            entities=self._entities(entities),
            reply_markup=self._keyboard(buttons),
            reply_parameters=self._reply(reply_to, lenient, quote),
            link_preview_options=ptb.LinkPreviewOptions(is_disabled=True),
        )

    async def edit_text(self, chat_id, message_id, text, *, entities=None, buttons=None):
        return await self.bot.edit_message_text(
            text,
            chat_id=chat_id,
            message_id=message_id,
            entities=self._entities(entities),
            reply_markup=self._keyboard(buttons),
        )

    async def edit_caption(self, chat_id, message_id, caption, *, entities=None, buttons=None):
        return await self.bot.edit_message_caption(
            chat_id=chat_id,
            message_id=message_id,
            caption=caption,
            caption_entities=self._entities(entities),
            reply_markup=self._keyboard(buttons),
        )

    async def edit_buttons(self, chat_id, message_id, buttons):
        return await self.bot.edit_message_reply_markup(
            chat_id=chat_id, message_id=message_id, reply_markup=self._keyboard(buttons)
        )

    async def send_file(self, kind, chat_id, data, *, name="a.bin", caption=None, entities=None, buttons=None, **said):
        file = ptb.InputFile(data, filename=name) if isinstance(data, bytes) else data
        return await getattr(self.bot, f"send_{kind}")(
            chat_id,
            file,
            caption=caption,
            caption_entities=self._entities(entities),
            reply_markup=self._keyboard(buttons),
            **said,
        )

    async def send_group(self, chat_id, files):
        kinds = {
            "photo": ptb.InputMediaPhoto,
            "document": ptb.InputMediaDocument,
            "audio": ptb.InputMediaAudio,
            "video": ptb.InputMediaVideo,
        }
        media = [kinds[k](data, filename=name, caption=c) for k, data, name, c in files]
        return await self.bot.send_media_group(chat_id, media)

    async def action(self, chat_id, action):
        return await self.bot.send_chat_action(chat_id, action)

    async def answer(self, query_id, text=None, alert=None):
        return await self.bot.answer_callback_query(query_id, text=text, show_alert=alert)

    async def download(self, file_id) -> bytes:
        return bytes(await (await self.bot.get_file(file_id)).download_as_bytearray())

    async def delete(self, chat_id, message_id):
        return await self.bot.delete_message(chat_id, message_id)

    async def chat(self, chat_id):
        return await self.bot.get_chat(chat_id)

    async def set_commands(self, commands, *, chat_id=0, language=None):
        scope = ptb.BotCommandScopeChat(chat_id) if chat_id else None
        return await self.bot.set_my_commands(commands, scope=scope, language_code=language)

    async def commands(self, *, chat_id=0, language=None):
        scope = ptb.BotCommandScopeChat(chat_id) if chat_id else None
        return [(c.command, c.description) for c in await self.bot.get_my_commands(scope, language)]

    async def set_webhook(self, url, **given):
        return await self.bot.set_webhook(url, **given)

    async def delete_webhook(self):
        return await self.bot.delete_webhook()

    async def webhook(self):
        return await self.bot.get_webhook_info()


CLIENTS = {"aiogram": AiogramClient, "ptb": PtbClient}
