"""The wording of the pages themselves: names, labels, the first minute, sign-in, refusals of the border."""

from __future__ import annotations

from bot.texts.words import Text

# ── every page ──────────────────────────────────────────────────────────────
SKIP = Text(zh="跳到正文", en="Skip to content")
HOME = Text(zh="Earmark，回到对话", en="Earmark, back to the chat")
PLACES = Text(zh="主导航", en="Main")
CHAT = Text(zh="对话", en="Chat")
OTHER_LANGUAGE = Text(zh="EN", en="中文")
SWITCH_LANGUAGE = Text(zh="Switch to English", en="换成中文")
BACK_TO_CHAT = Text(zh="回到对话", en="Back to the chat")

# ── the chat ────────────────────────────────────────────────────────────────
MESSAGES = Text(zh="消息", en="Messages")
YOU = Text(zh="你", en="You")
EARLIER = Text(zh="更早的 {n:,} 条", en="{n:earlier message|earlier messages}")
NEWEST = Text(zh="回到最新的消息", en="Back to the newest messages")
REFRESH = Text(zh="刷新，看最新进度", en="Refresh to see progress")
COMPOSE = Text(zh="写消息", en="Write a message")
PLACEHOLDER = Text(zh="链接、文件或正文，附一个问题", en="Link, file or text, one question")
ADD_FILES = Text(zh="添加文件", en="Add files")
REMOVE = Text(zh="移除", en="Remove")
SEND = Text(zh="发送", en="Send")
HINT = Text(
    zh="回车发送，Shift + 回车换行。文件可以直接拖进来，长文贴进来会变成附件。",
    en="Enter sends, Shift + Enter breaks the line. Drop files anywhere; long pasted text becomes an attachment.",
)
SENDING = Text(zh="正在发送", en="Sending")
NOT_SENT = Text(zh="没有发出去", en="Not sent")
NOT_SENT_OFFLINE = Text(
    zh="没有发出去：连不上 Earmark。字和文件都还在。",
    en="Not sent: Earmark cannot be reached. Text and files are kept.",
)
SEND_AGAIN = Text(zh="再发一次", en="Send again")
TAKE_BACK = Text(zh="放回输入框", en="Edit")
PASTED_CHIP = Text(zh="粘贴的文字", en="Pasted text")
CHARS = Text(zh="{n:,} 字", en="{n:character|characters}")
LOST = Text(zh="连接断了，正在重新连接。写好的字不会丢。", en="Connection lost, reconnecting. What you write is kept.")
BACK = Text(zh="已重新连上", en="Connected again")
LET_GO = Text(zh="松手就加上", en="Let go to attach")
LIMIT_PDF = Text(zh="PDF ≤ {n} MB", en="PDF up to {n} MB")
LIMIT_TEXT = Text(zh="网页、字幕、TXT ≤ {n} MB", en="Web page, subtitles, TXT up to {n} MB")
LIMIT_BOOK = Text(zh="电子书、Word ≤ {n} MB", en="E-book, Word up to {n} MB")
LIMIT_IMAGE = Text(zh="图片 ≤ {n} MB", en="Picture up to {n} MB")
TAKES_LINK = Text(zh="公开网页的链接", en="Links to public pages")
FILE_TOO_LARGE = Text(
    zh="「{name}」超过 {limit} MB，没有加上。请拆小一些，或只贴有关的部分。",
    en="“{name}” is over {limit} MB and was not attached. Please use a smaller part, or paste only what matters.",
)
TOO_MANY = Text(
    zh="一次最多 {n} 份文件，多出来的没有加上。", en="At most {n} files at once; the rest were not attached."
)
EMPTY_SEND = Text(zh="先写点什么，或者加一份文件。", en="Write something or add a file first.")
PRESSED = Text(zh="收到，正在处理", en="Received, working on it")
PRESS_FAILED = Text(
    zh="没有按成：连不上 Earmark。请再按一次。",
    en="The press did not arrive: Earmark cannot be reached. Please press again.",
)

# ── the first minute ────────────────────────────────────────────────────────
HELLO_1 = Text(zh="随手转来，", en="Send anything.")
HELLO_2 = Text(zh="只听它证明得了的。", en="Hear what it proves.")
HELLO = Text(
    zh="发一个链接、一份文件，或贴一段正文，附一个你想弄清的问题。最多五分钟讲完，每一句都能翻回原文里的那几个字。",
    en="Send a link or a file, or paste some text, with one question. You get at most five minutes of audio; every sentence opens at the words it came from.",
)
TRY_PDF = Text(zh="拖进一份 PDF，问一件事", en="Drop a PDF and ask one thing")
TRY_PDF_QUESTION = Text(zh="「这份研究没有测什么？」", en="“What did the study not measure?”")
TRY_PASTE = Text(zh="贴一篇文章，问一件事", en="Paste an article and ask one thing")
TRY_PASTE_QUESTION = Text(zh="「作者凭什么这么说？」", en="“What does the author base this on?”")
TRY_POINTS = Text(zh="贴一个链接，不写问题", en="Paste a link, no question")
TRY_POINTS_HINT = Text(zh="两分钟内没有问题，就讲要点", en="Without a question in two minutes: the main points")
LATER = Text(zh="视频和通知在后面的版本里。", en="Videos and notices come in later versions.")
NO_MODEL = Text(zh="未接入模型：讲稿为原文摘读。", en="No model connected: excerpts are read aloud.")
WITH_MODEL = Text(
    zh="讲稿由 {model} 写，逐句核对原文。", en="Scripts are written by {model} and checked against the source."
)

# ── the rail ────────────────────────────────────────────────────────────────
RAIL = Text(zh="旁栏", en="Beside the chat")
RUNNING = Text(zh="正在做", en="In progress")
RUNNING_NONE = Text(zh="现在没有", en="Nothing right now")
TAKES = Text(zh="现在收什么", en="What you can send")
TAKES_PASTE = Text(zh="贴进来的正文", en="Pasted text")

# ── players ─────────────────────────────────────────────────────────────────
PLAY = Text(zh="播放", en="Play")
PAUSE = Text(zh="暂停", en="Pause")
POSITION = Text(zh="播放位置", en="Position")
SPEED = Text(zh="语速 {rate} 倍，按一下换", en="Speed {rate}×, press to change")
BACK_15 = Text(zh="后退 15 秒", en="Back 15 seconds")
FORWARD_15 = Text(zh="前进 15 秒", en="Forward 15 seconds")
PLAYER = Text(zh="播放器", en="Player")
NO_PLAY = Text(zh="放不出来。可以下载后再听。", en="It cannot be played here. You can download it instead.")
DOWNLOAD = Text(zh="下载 MP3", en="Download MP3")

# ── the episode page ────────────────────────────────────────────────────────
SCRIPT = Text(zh="讲稿", en="Script")
CHAPTERS = Text(zh="章节", en="Sections")
CHAPTERS_COUNT = Text(zh="{n} 节", en="{n:section|sections}")
LEGEND = Text(zh="下划线的意思", en="What the underlines mean")
SOLID, SOLID_MEANS = Text(zh="实线", en="solid"), Text(zh="原文", en="source words")
PLAIN, PLAIN_MEANS = Text(zh="无线", en="none"), Text(zh="Earmark 自己说的", en="said by Earmark itself")
PROOF_OF = Text(zh="第 {n} 句的依据", en="Evidence for sentence {n}")
OPEN_IN_TEXT = Text(zh="在原文中打开", en="Open in the text")
SOURCES = Text(zh="来源", en="Source")
SENT_BY_YOU = Text(zh="你发来的", en="sent by you")
READ_AT = Text(zh="读取于 {when}", en="read {when}")
VERSION = Text(zh="版本", en="version")
READ_BY = Text(zh="由 {extractor} 读取", en="read by {extractor}")
NOT_SAID = Text(zh="没有说的，和为什么", en="What was not said, and why")
NOTHING_LEFT_OUT = Text(
    zh="没有留下说不清的地方：和问题有关的原文都读到了。",
    en="Nothing was left open: every passage that fits the question was read.",
)
CHECKED = Text(zh="已核对", en="checked")
STORED_TEXT = Text(zh="保存的全文", en="The stored text")
STORED_TEXT_HINT = Text(
    zh="这是读取时保存的原文，一字未改；读到的句子在里面标出。",
    en="The text as it was stored when read, unchanged; the sentences that were quoted are marked in it.",
)
SHOW_TEXT = Text(zh="展开全文", en="Show the whole text")
SAVE_PAGE = Text(zh="存成一个文件", en="Save as one file")
SUBTITLES = Text(zh="字幕（VTT）", en="Subtitles (VTT)")
FIXED = Text(
    zh="做好之后不再改动。要更正，会另做一条。",
    en="It does not change once it is finished. A correction becomes a new one.",
)
NO_AUDIO_INSIDE = Text(zh="这个文件里没有放音频。", en="The audio is not in this file.")
KEYS = Text(
    zh="空格播放，← → 五秒，J L 十五秒，E 看依据，Esc 收起",
    en="Space plays, ← → 5 s, J L 15 s, E evidence, Esc closes",
)
QUESTION = Text(zh="问题", en="Question")
MADE = Text(zh="做于 {when}", en="made {when}")

# ── sign-in and refusals ────────────────────────────────────────────────────
SIGN_IN = Text(zh="登录", en="Sign in")
SIGN_IN_ONCE = Text(zh="这个地址只能用一次。按一下就登录。", en="This address works once. Press to sign in.")
SIGN_IN_GO = Text(zh="登录并打开对话", en="Sign in and open the chat")
CODE_USED = Text(
    zh="这个登录地址已经用过，或者过期了。请在装有 Earmark 的电脑上运行 earmark signin，打开它给出的新地址。",
    en="This sign-in address was used already or has expired. On the machine that runs Earmark, run “earmark signin” and open the new address it prints.",
)
SIGN_IN_NEEDED = Text(
    zh="这里要先登录。请在装有 Earmark 的电脑上运行 earmark signin，打开它给出的地址。",
    en="Please sign in first. On the machine that runs Earmark, run “earmark signin” and open the address it prints.",
)
WRONG_HOST = Text(
    zh="这个地址不在允许的名单里。请用 earmark up 打印的地址打开。",
    en="This address is not on the list of allowed ones. Please use the address that “earmark up” prints.",
)
WRONG_ORIGIN = Text(
    zh="这个请求来自别的网站，没有执行。请在 Earmark 自己的页面上操作。",
    en="This request came from another site and was not carried out. Please use the page of Earmark itself.",
)
NOT_FOUND = Text(
    zh="没有这一页，或者它不是你的。请回到对话。",
    en="There is no such page, or it is not yours. Please go back to the chat.",
)
FAILED = Text(zh="出了点问题", en="Something went wrong")
