"""Commands, the card of settings, and what was found. ``NOTES`` are keys of ``screens.note``, like those of ``chat``."""

from __future__ import annotations

from collections.abc import Mapping

from bot.texts.words import Text

# What a messenger shows beside its own list of commands, in this order.
COMMANDS: Mapping[str, Text] = {
    "help": Text(zh="怎么用", en="how to use this"),
    "find": Text(zh="在你发过的资料里找几个词", en="look for words in what you have sent"),
    "queue": Text(zh="还有什么没做完", en="what is not finished"),
    "cancel": Text(zh="取消最近的一件", en="cancel the newest one"),
    "retry": Text(zh="重做最近没做成的一件", en="try the newest failed one again"),
    "settings": Text(zh="语言和时区", en="language and time zone"),
}
# ── /start ──
HOW = Text(zh="怎么用", en="How to use this")
SETTINGS = Text(zh="设置", en="Settings")
# ── /settings ──
SETTINGS_CARD = Text(
    zh="设置\n语言：{language}\n时区：{zone}\n声音：{voice}\n别的时区这样写：/settings zone Europe/Berlin",
    en="Settings\nLanguage: {language}\nTime zone: {zone}\nVoice: {voice}\nFor another time zone: /settings zone Europe/Berlin",
)
SETTINGS_NO_VOICE = Text(zh="还没有做过语音", en="no voice note has been made yet")
LANGUAGE_NAME = Text(zh="中文", en="English")
# A button names its zone by its place here, and stays pressable: add at the end only.
ZONES: Mapping[str, Text] = {
    "Asia/Shanghai": Text(zh="上海", en="Shanghai"),
    "Asia/Singapore": Text(zh="新加坡", en="Singapore"),
    "Asia/Tokyo": Text(zh="东京", en="Tokyo"),
    "Europe/London": Text(zh="伦敦", en="London"),
    "Europe/Berlin": Text(zh="柏林", en="Berlin"),
    "America/New_York": Text(zh="纽约", en="New York"),
    "America/Los_Angeles": Text(zh="洛杉矶", en="Los Angeles"),
    "Australia/Sydney": Text(zh="悉尼", en="Sydney"),
}
# ── /find ──
FOUND = Text(
    zh="「{words}」在你的资料里找到 {n:,} 处：", en="“{words}”, found in {n:place|places} of what you have sent:"
)
FOUND_NOTHING = Text(
    zh="「{words}」在你的资料里没有找到。换一个原文里会出现的词试试，或少写几个字；还没有读完的资料找不到。",
    en="“{words}” was not found in what you have sent. Try a word that stands in the source, or fewer words; what is not read yet cannot be found.",
)
ASK_THIS = Text(zh="问这份资料", en="Ask this source")
ASK_THIS_OF = Text(zh="问这份资料（{n}）", en="Ask this source ({n})")

NOTES: Mapping[str, Text] = {
    "welcome": Text(
        zh="你好，我是 Earmark。发来一个链接、一份文件或一段正文，写上一个想弄清的问题，我做成最多五分钟的语音，每一句都能翻回原文。\n没有想好问题也行：先发资料，再按「讲要点」。",
        en="Hello, this is Earmark. Send a link, a file or some text with one question, and you get at most five minutes of audio in which every sentence opens at the words it came from.\nNo question yet? Send the material first and press “Main points”.",
    ),
    "help": Text(
        zh=(
            "发一个链接、PDF、图片、电子书、Word、字幕、网页文件或 TXT，或贴一段正文。\n"
            "附上一个你想弄清的问题；没有问题就按「讲要点」。\n"
            "做成最多五分钟的语音，每一句都能翻回原文；原文没说的，不说。\n"
            "回复某一条消息再写一句话，就是换个问题问它。\n"
            "/find 加几个词：在你发过的资料里找原话。\n"
            "/queue：还有什么没做完，在等什么。\n"
            "/cancel：取消最近的一件。\n"
            "/retry：重做最近没做成的一件。\n"
            "/settings：语言和时区。\n"
            "/help：再看一遍这几行。"
        ),
        en=(
            "Send a link, a PDF, a picture, an e-book, a Word file, subtitles, a web page file or TXT, or paste some text.\n"
            "Add one question you want answered; without one, press “Main points”.\n"
            "You get at most five minutes of audio; every sentence opens at its source, and what is not there is not said.\n"
            "Reply to a message with another sentence to ask its source something else.\n"
            "/find and some words: look for them in what you have sent.\n"
            "/queue: what is not finished, and what it waits for.\n"
            "/cancel: cancel the newest one.\n"
            "/retry: try the newest failed one again.\n"
            "/settings: language and time zone.\n"
            "/help: these lines again."
        ),
    ),
    "unknown_command": Text(
        zh="没有这个命令。能用的有：/help、/find、/queue、/cancel、/retry、/settings。",
        en="There is no such command. There are /help, /find, /queue, /cancel, /retry and /settings.",
    ),
    "find_what": Text(
        zh="要找什么？写在命令后面，比如：/find 冰层厚度。",
        en="What shall I look for? Write it behind the command, like this: /find thickness of ice.",
    ),
    "zone_unknown": Text(
        zh="没有「{zone}」这个时区，什么也没有改。请写成「洲/城市」的英文名，比如：/settings zone Asia/Shanghai。",
        en="There is no time zone “{zone}”, so nothing was changed. Please write it as Area/City, like this: /settings zone Europe/Berlin.",
    ),
    "settings_usage": Text(
        zh="没看懂要改什么，所以没有改。发 /settings 看现在的设置，或写 /settings zone Asia/Shanghai 换时区。",
        en="I could not tell what to change, so nothing was changed. Send /settings to see them, or /settings zone Europe/Berlin for another time zone.",
    ),
    "cancelled_newest": Text(zh="取消了：{title}。做好的部分留着。", en="Cancelled: {title}. What was made is kept."),
    "retried_newest": Text(zh="再做一次：{title}。", en="Trying again: {title}."),
    "no_run_to_cancel": Text(
        zh="这个对话里没有正在做的，没有可取消的。",
        en="Nothing is in progress in this chat, so there is nothing to cancel.",
    ),
    "no_run_to_retry": Text(
        zh="这个对话里没有可以重做的。要换个办法，请按那条消息下面的按钮。",
        en="Nothing in this chat can be tried again. For another way on, please use the buttons under the message itself.",
    ),
}
