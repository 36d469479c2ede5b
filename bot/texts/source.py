"""What is said about a source: what it is, how well it was read, and why it was refused."""

from __future__ import annotations

from collections.abc import Mapping

from bot.texts.words import Text

TITLE = Text(zh="《{title}》", en="“{title}”")
PASTED = Text(zh="粘贴的文字", en="Pasted text")
PDF_PAGES = Text(zh="PDF，{n:,} 页", en="PDF, {n:page|pages}")
PAGE = Text(zh="第 {n:,} 页", en="page {n:,}")
CHARS = Text(zh="{n:,} 字", en="{n:character|characters}")

INPUT_TYPES: Mapping[str, Text] = {
    "html": Text(zh="网页文件", en="Web page"),
    "pdf": Text(zh="PDF", en="PDF"),
    "markdown": Text(zh="Markdown", en="Markdown"),
    "text": Text(zh="文本文件", en="Text file"),
    "paste": Text(zh="粘贴的文字", en="Pasted text"),
}

QUALITIES: Mapping[str, Text] = {
    "FULL": Text(zh="完整", en="complete"),
    "LOSSY": Text(zh="正文有缺失", en="some text was lost"),
    "PARTIAL": Text(zh="只读到一部分", en="read in part"),
    "EMPTY": Text(zh="没有文字", en="no text"),
    "BLOCKED": Text(zh="被网站拦下", en="blocked by the site"),
    "ENCRYPTED": Text(zh="有密码", en="locked by a password"),
    "UNREADABLE": Text(zh="读不出来", en="unreadable"),
}

# Keys of Extraction.notes, the part before the colon; the part after it is n.
NOTES: Mapping[str, Text] = {
    "pages_without_text": Text(zh="{n:,} 页没有文字，没有读到", en="{n:page has|pages have} no text and were not read"),
    "pages_unreadable": Text(zh="{n:,} 页读不出来", en="{n:page|pages} could not be read"),
    "lossy": Text(zh="约 {n:,}% 的正文没有读到", en="about {n:,}% of the text was lost"),
}

# Kinds that intake recognises and does not read yet; values of Reason.WRONG_KIND.
KINDS: Mapping[str, Text] = {
    "folder": Text(zh="文件夹", en="a folder"),
    "picture": Text(zh="图片", en="pictures"),
    "video": Text(zh="视频", en="videos"),
    "audio": Text(zh="音频", en="audio files"),
    "archive": Text(zh="压缩包", en="archives"),
    "office": Text(zh="Office 文档和电子书", en="Office documents and e-books"),
    "program": Text(zh="程序文件", en="programs"),
    "database": Text(zh="数据库文件", en="database files"),
    "feed": Text(zh="订阅源", en="feeds"),
    "web archive": Text(zh="网页归档（MHT）", en="web archives (MHT)"),
    "binary": Text(zh="这种文件", en="this kind of file"),
}

# pipeline/domain/source.py Reason → what happened, and what to do.
REASONS: Mapping[str, Text] = {
    "empty_file": Text(
        zh="这份文件是空的，没有东西可读。请检查后重新发一份，或把正文贴给我。",
        en="This file is empty, so there is nothing to read. Please check it and send it again, or paste the text here.",
    ),
    "no_text": Text(
        zh="文件打开了，里面却没有文字，可能是扫描件或图片。现在还认不了图里的字。请发一份带文字的，或把正文贴给我。",
        en="The file opens but holds no text; it may be a scan or pictures. I cannot read words in pictures yet. Please send a version with text, or paste the text here.",
    ),
    "too_large": Text(
        zh="这份文件超过 {limit_mb} MB，收不下。请拆小一些再发，或只把有关的部分贴给我。",
        en="This file is over {limit_mb} MB, which is more than I can take. Please send a smaller part, or paste only what matters.",
    ),
    "too_many_pages": Text(
        zh="这份 PDF 有 {pages:,} 页，最多读 {limit:,} 页。请只留有关的章节再发一次。",
        en="This PDF has {pages:page|pages}; I read at most {limit:,}. Please send only the chapters that matter.",
    ),
    "encrypted": Text(
        zh="这份 PDF 有密码，打不开。请去掉密码再发，或把正文贴给我。",
        en="This PDF is locked by a password, so I cannot open it. Please remove the password and send it again, or paste the text here.",
    ),
    "broken": Text(
        zh="这份文件打不开：它坏了，或者内容和扩展名对不上。请重新导出一份再发，或把正文贴给我。",
        en="This file does not open: it is damaged, or it is not what its name says. Please export it again and resend it, or paste the text here.",
    ),
    "wrong_kind": Text(
        zh="现在还读不了{kind}。请发 PDF、网页文件（HTML）、Markdown 或 TXT，也可以把正文贴给我。",
        en="I cannot read {kind} yet. Please send a PDF, a web page (HTML), Markdown or TXT, or paste the text here.",
    ),
    "link_not_yet": Text(
        zh="链接要到下一个版本才能读。现在请把正文贴给我，或者发文件。",
        en="Links come with the next version. For now, please paste the text or send a file.",
    ),
    "blocked_page": Text(
        zh="这一页是登录或验证页面，里面没有正文。我不会拿相似的文章代替。请把正文贴给我，或发一份 PDF。",
        en="This page asks for a login or a check, so it holds no article. I will not use a similar one instead. Please paste the text, or send a PDF.",
    ),
    "parser_died": Text(
        zh="读这份文件时程序停了，别的东西都没受影响。可以重试一次；还不行的话，请另存一份再发，或把正文贴给我。",
        en="Reading this file stopped half-way; nothing else was affected. You can try again. If it happens again, please save the file anew and resend it, or paste the text here.",
    ),
    "undecodable": Text(
        zh="认不出这份文件的文字编码，读出来是乱码。请另存为 UTF-8 再发，或把正文贴给我。",
        en="I cannot tell how the text in this file is encoded, so it reads as garbage. Please save it as UTF-8 and resend it, or paste the text here.",
    ),
    "too_short": Text(
        zh="这段文字太短，不够当作资料。请贴完整的正文，或者发文件。",
        en="This text is too short to work from. Please paste the whole text, or send a file.",
    ),
}

# How a limited child ended (ChildDied.reason), while it was reading a source.
PARSER_DIED: Mapping[str, Text] = {
    "timeout": Text(
        zh="读这份文件用得太久，我停下了。可以重试一次；还不行的话，请拆小一些再发，或把正文贴给我。",
        en="Reading this file took too long, so I stopped. You can try again. If it happens again, please send a smaller part, or paste the text here.",
    ),
    "memory": Text(
        zh="读这份文件要的内存超过上限，我停下了。请拆小一些再发，或把正文贴给我。",
        en="Reading this file needs more memory than I may use, so I stopped. Please send a smaller part, or paste the text here.",
    ),
    "crash": REASONS["parser_died"],
}
