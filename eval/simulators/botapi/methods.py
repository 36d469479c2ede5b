"""The methods by name; the address gives a name in any case."""

from __future__ import annotations

from eval.simulators.botapi import account, editing, sending
from eval.simulators.botapi.simulator import Method

NAMES: dict[str, Method] = {
    "getMe": account.get_me,
    "setWebhook": account.set_webhook,
    "deleteWebhook": account.delete_webhook,
    "getWebhookInfo": account.get_webhook_info,
    "setMyCommands": account.set_my_commands,
    "getMyCommands": account.get_my_commands,
    "deleteMyCommands": account.delete_my_commands,
    "getFile": account.get_file,
    "getChat": account.get_chat,
    "answerCallbackQuery": account.answer_callback_query,
    "sendMessage": sending.send_message,
    "sendVoice": sending.send_voice,
    "sendAudio": sending.send_audio,
    "sendDocument": sending.send_document,
    "sendPhoto": sending.send_photo,
    "sendMediaGroup": sending.send_media_group,
    "sendChatAction": sending.send_chat_action,
    "deleteMessage": sending.delete_message,
    "editMessageText": editing.edit_message_text,
    "editMessageCaption": editing.edit_message_caption,
    "editMessageReplyMarkup": editing.edit_message_reply_markup,
}
METHODS = {name.lower(): (name, method) for name, method in NAMES.items()}
