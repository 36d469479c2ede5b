"""What the bot answers in a conversation. ``NOTES`` are the keys of ``screens.note``."""

from __future__ import annotations

from collections.abc import Mapping

from bot.texts.words import Text

ABOUT_FILE = Text(zh="「{file}」：{said}", en="“{file}”: {said}")
# ── a message that may not have arrived ──
LOST_MESSAGE = Text(zh="一条消息", en="a message")
LOST_KINDS: Mapping[str, Text] = {
    "voice": Text(zh="语音", en="the voice note"),
    "transcript": Text(zh="文字版", en="the transcript"),
    "claim": Text(zh="依据", en="the evidence"),
}
LOST_PART = Text(zh="{what}的第 {part} 段（共 {parts} 段）", en="part {part} of {parts} of {what}")
LOST = Text(
    zh="{what}可能没有送到：发出后没有收到回音。没看到的话，可以再发一次；已经看到就不用管。",
    en="It is not certain that {what} arrived: no answer came after sending. If you do not see it, send it again; if you do, ignore this.",
)
LOST_AGAIN = Text(zh="{what}又发了一次。", en="Sent again: {what}.")
SEND_AGAIN = Text(zh="再发一次", en="Send again")
# ── /queue ──
QUEUE_HEAD = Text(zh="还有 {n:,} 件没做完：", en="{n:thing is|things are} not finished:")
QUEUE_EMPTY = Text(zh="没有在排队的，都做完了。", en="Nothing is waiting; everything is finished.")
QUEUE_MORE = Text(zh="另有 {n:,} 件没有列出。", en="{n:more is|more are} not listed.")
QUEUE_UNTITLED = Text(zh="粘贴的文字", en="Pasted text")
QUEUE_RUNNING = Text(zh="正在做：{stage}", en="in progress: {stage}")
QUEUE_NEXT = Text(zh="下一个就是它", en="next")
QUEUE_AFTER = Text(zh="排队中，前面还有 {n:,} 件", en="waiting, {n:thing comes|things come} first")
QUEUE_RETRY = Text(
    zh="刚才没有成功（已试 {n} 次，最多 {limit} 次），{at} 再试",
    en="did not work ({n} of {limit} tries used), tries again at {at}",
)
QUEUE_REVIEW = Text(zh="有一步结果不明，等你决定", en="one step has an unknown outcome and waits for you")
QUEUE_ASKS = Text(zh="等你的问题", en="waiting for your question")
QUEUE_DAY = Text(
    zh="做好了，今天的收听时间排满了，等明天", en="finished; today's listening time is full, waits for tomorrow"
)
NOTES: Mapping[str, Text] = {
    # ── a message that cannot become work as it is ──
    "empty_message": Text(
        zh="这条消息里什么也没有。请发一份文件，或贴一段正文，再写上你的问题。",
        en="There is nothing in this message. Please send a file or paste some text, with your question.",
    ),
    "empty_question": Text(
        zh="问题是空的。请写一句你想弄清的话，或者按「讲要点」。",
        en="The question is empty. Please write one sentence you want answered, or press “Main points”.",
    ),
    "too_many_links": Text(
        zh="一次最多收 {limit} 个链接，前 {limit} 个已经收下。其余的请再发一次。",
        en="I take at most {limit} links at once; the first {limit} are in. Please send the others in another message.",
    ),
    "text_too_short": Text(
        zh="收到了，可这几个字还不够当作资料。请贴完整的正文，或发一份文件，再写上你的问题。",
        en="Received, but these few words are too little to work from. Please paste the whole text or send a file, with your question.",
    ),
    "upload_too_large": Text(
        zh="「{name}」超过 {limit_mb} MB，收不下。请拆小一些再发，或只贴有关的部分。别的内容都没有丢。",
        en="“{name}” is over {limit_mb} MB, which is more than I can take. Please send a smaller part, or paste only what matters. Nothing else was lost.",
    ),
    "text_too_large": Text(
        zh="这段文字超过 {limit_mb} MB，收不下。请存成文件拆开发，或只贴有关的部分。写好的字还在输入框里。",
        en="This text is over {limit_mb} MB, which is more than I can take. Please save it as smaller files, or paste only what matters. What you wrote is still in the field.",
    ),
    "message_too_large": Text(
        zh="这一次发的加起来超过 {limit_mb} MB，收不下。请分几次发。写好的字没有丢。",
        en="Together this is over {limit_mb} MB, which is more than I can take at once. Please send it in several messages. What you wrote was not lost.",
    ),
    "too_many_files": Text(
        zh="一次最多收 {limit} 份文件。请分几次发。写好的字没有丢。",
        en="I take at most {limit} files at once. Please send them in several messages. What you wrote was not lost.",
    ),
    "malformed": Text(
        zh="没有收完整，请再发一次。",
        en="This did not arrive complete. Please send it again.",
    ),
    # ── a messenger ──
    "stranger": Text(
        zh="这是一个私人机器人，只替它的主人做事。如果你就是主人，请把你的编号 {id} 加进设置里的允许名单。你发的内容没有保存。",
        en="This is a private bot that works for its owner only. If that is you, please add your number {id} to the allowed people in the settings. Nothing you sent was kept.",
    ),
    "too_big_for_chat": Text(
        zh="「{name}」超过 {limit_mb} MB，机器人从这里取不到。请在网页上传，或架一个本地 Bot API 服务器（见 README）再发。",
        en="“{name}” is over {limit_mb} MB, which a bot cannot fetch from here. Please upload it on the web page, or run a local Bot API server (see the README) and send it again.",
    ),
    "download_failed": Text(
        zh="「{name}」没有取下来，试了 {tries} 次都不行。请再发一次，或在网页上传。",
        en="“{name}” could not be fetched after {tries} tries. Please send it again, or upload it on the web page.",
    ),
    "media_later": Text(
        zh="收到声音或视频，可现在还听不了、看不了。请发它的字幕、文字稿或链接里的文章。",
        en="Received sound or video, but I cannot listen or watch yet. Please send its subtitles, its transcript or the article.",
    ),
    "question_kept": Text(
        zh="记下了这个问题。两分钟内发来资料（链接、文件或正文），就按它做。",
        en="I keep this question. Send the material (a link, a file or text) within two minutes and I work on it.",
    ),
    # ── presses ──
    "already_resent": Text(
        zh="已经再发过了，不会发第二遍。",
        en="It has been sent again already; it is not sent twice.",
    ),
    "foreign_press": Text(
        zh="这个按钮属于别人的对话，你按了不算数，什么也没有改。请在你自己的对话里操作。",
        en="This button belongs to the chat of someone else, so nothing was changed. Please use your own chat.",
    ),
    "stale_press": Text(
        zh="这张卡片已经变了，这个按钮不再有效，什么也没有改。请看下面最新的一条。",
        en="This card has changed since, so the button no longer counts and nothing was changed. Please look at the newest message below.",
    ),
    "not_ready": Text(
        zh="这一条还没有做好，暂时看不了。做好后这里会自动出现。",
        en="This one is not finished yet. It will appear here by itself.",
    ),
    "nothing_to_cancel": Text(
        zh="已经结束了，没有可取消的。",
        en="It has already ended; there is nothing to cancel.",
    ),
    "no_claims": Text(
        zh="这一条里没有引用原文的句子，所以没有依据可翻。",
        en="No sentence of this note quotes the source, so there is no evidence to open.",
    ),
    # ── dialogue ──
    "paste_body": Text(
        zh="好，把正文贴在这里发来，我接着做。地址和问题都还在。",
        en="All right: paste the text here and send it, and I go on. The address and your question are kept.",
    ),
    "upload_pdf": Text(
        zh="好，把 PDF 发来，我接着做。地址和问题都还在。",
        en="All right: send the PDF, and I go on. The address and your question are kept.",
    ),
    "upload_page": Text(
        zh="好。在浏览器里打开那一页，存成网页文件（HTML），发来，我接着做。",
        en="All right: open the page in your browser, save it as a file (HTML) and send it, and I go on.",
    ),
    "ask_password": Text(
        zh="请把这份 PDF 的密码发来。只用这一次，不保存，也不会显示出来。",
        en="Please send the password of this PDF. It is used once, not kept and not shown.",
    ),
    "supplied_pasted": Text(zh="收到正文，接着做。", en="Got the text, going on."),
    "supplied_uploaded": Text(zh="收到文件，接着做。", en="Got the file, going on."),
    "supplied_words": Text(
        zh="文件旁边的话没有当作新问题。想换个问题，请按原来那条消息下面的「改问题」。",
        en="The words beside the file were not taken as a new question. To ask another one, press “Ask differently” under its message.",
    ),
    "supplied_unlocked": Text(zh="打开了，接着做。密码没有保存。", en="It opens; going on. The password was not kept."),
    "refetch_running": Text(
        zh="正在抓取，或者这份资料没有地址。结果会出现在对话里。",
        en="It is being fetched already, or this source has no address. The result will appear in the chat.",
    ),
    "ask_question": Text(
        zh="关于「{title}」，你想弄清什么？请写一句话。",
        en="What do you want to find out from “{title}”? Please write one sentence.",
    ),
    "ask_question_bare": Text(
        zh="你想从这份资料里弄清什么？请写一句话。",
        en="What do you want to find out from this? Please write one sentence.",
    ),
    "question_taken": Text(
        zh="好，按这个问题做：{question}",
        en="All right, working on: {question}",
    ),
    "language_set": Text(zh="好，之后用中文。", en="All right, English from now on."),
    # ── refusals of the border ──
    "expired_session": Text(
        zh="登录过期了，写好的字还在这一页。请在装有 Earmark 的电脑上运行 earmark signin，打开它给出的新地址。",
        en="Your sign-in has expired; what you wrote is still on this page. On the machine that runs Earmark, run “earmark signin” and open the new address it prints.",
    ),
    "request_conflict": Text(
        zh="同一条消息来了两次，内容却不一样，所以只留第一次的。请作为新消息再发一遍。",
        en="The same message came twice with different content, so only the first was kept. Please send it again as a new message.",
    ),
    "busy": Text(
        zh="这会儿太忙，没有做成。请过几秒再试。",
        en="Too busy right now; it was not done. Please try again in a few seconds.",
    ),
    "missing": Text(
        zh="没有找到，也许已经删了。请回到对话里看最新的一条。",
        en="Not found; it may have been deleted. Please look at the newest message in the chat.",
    ),
    "generic": Text(
        zh="出了点问题，这一步没有做成，做好的部分都留着。请再试一次；还不行的话，运行 earmark doctor 看看缺了什么。",
        en="Something went wrong and this step was not done; what was finished is kept. Please try again. If it happens again, run “earmark doctor” to see what is missing.",
    ),
}
