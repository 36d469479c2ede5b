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
    "image": Text(zh="图片", en="Picture"),
    "epub": Text(zh="电子书（EPUB）", en="E-book (EPUB)"),
    "docx": Text(zh="Word 文档", en="Word document"),
    "subtitle": Text(zh="字幕", en="Subtitles"),
    "link": Text(zh="链接", en="Link"),
}

# ── where words stand ──
AT_TIME = Text(zh="{clock} 处", en="at {clock}")
RECOGNISED = Text(zh="识别自图片", en="read from a picture")
RECOGNISED_PAGES = Text(zh="{n:,} 页识别自图片", en="{n:page|pages} read from pictures")
PICTURES = Text(zh="存有 {n:,} 张图", en="{n:picture|pictures} saved")

# ── versions ──
OUTDATED = Text(zh="原文已更新，这一条说的是旧版", en="The page has changed since; this tells its old version")
REFRESHING = Text(zh="正在重新抓取{title}……", en="Fetching {title} again …")
REFRESHED: Mapping[str, Text] = {
    "same": Text(
        zh="{title}没有变化，还是你存的那一版。", en="{title} has not changed; it is still the version you saved."
    ),
    "changed": Text(
        zh="{title}已更新：多了 {came:,} 行，少了 {went:,} 行。新版已存好；做好的节目说的是旧版，不会改动。",
        en="{title} has changed: {came:line|lines} came, {went:line|lines} went. The new version is saved; finished notes tell the old one and stay as they are.",
    ),
    "unsteady": Text(
        zh="{title}每次打开都不一样，分不清是不是真的改了，所以没有换新版。",
        en="{title} reads differently every time it is opened, so I cannot tell whether it really changed. The saved version stays.",
    ),
}
REFRESH_FAILED = Text(
    zh="没能重新抓取{title}，存着的那一版还在。{why}",
    en="{title} could not be fetched again; the saved version is still there. {why}",
)

# ── the ways out ──
PASTE_BODY = Text(zh="粘贴正文", en="Paste the text")
UPLOAD_PDF = Text(zh="上传 PDF", en="Upload a PDF")
UPLOAD_PAGE = Text(zh="上传网页文件", en="Upload the page")
ENTER_PASSWORD = Text(zh="输入密码", en="Enter the password")

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
    "bilingual": Text(zh="两种语言对照", en="in two languages"),
    "subtitles_by_machine": Text(zh="字幕由机器生成", en="captions made by a machine"),
    "cues_repaired": Text(
        zh="{n:,} 条字幕的时间有错，已修正或略去", en="{n:caption had a wrong time|captions had wrong times}"
    ),
    "cues_rolled": Text(zh="{n:,} 条滚动重复的字幕已合并", en="{n:repeated caption|repeated captions} merged"),
    "pages_without_text": Text(zh="{n:,} 页上没有文字", en="{n:page has|pages have} no text on them"),
    "pages_unreadable": Text(zh="{n:,} 页读不出来", en="{n:page|pages} could not be read"),
    "paywall": Text(
        zh="后面的正文要付费或登录才能看，只读到前面一部分",
        en="the rest is for subscribers or members; only the beginning was read",
    ),
    "chapters_missing": Text(zh="{n:,} 章没有读到", en="{n:chapter|chapters} could not be read"),
    "pages_recognised": Text(zh="{n:,} 页是从图像认出来的", en="{n:page was|pages were} read from a picture"),
    "pages_not_recognised": Text(
        zh="{n:,} 页是图像，没有读到", en="{n:page is a picture and was|pages are pictures and were} not read"
    ),
    "pages_doubtful": Text(
        zh="{n:,} 页自带的文字可能有错", en="{n:page came|pages came} with text that may be wrong in places"
    ),
    "ocr_uncertain": Text(zh="{n:,} 行认得没有把握", en="{n:line was|lines were} hard to make out"),
    "attachments": Text(zh="里面附有 {n:,} 个文件，没有读", en="{n:file is|files are} attached inside and not read"),
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
    "danmaku": Text(zh="弹幕", en="viewers' comments (danmaku)"),
    "player data": Text(zh="播放器数据", en="data of a video player"),
    "feed": Text(zh="订阅源", en="feeds"),
    "binary": Text(zh="这种文件", en="this kind of file"),
}

# pipeline/domain/source.py Reason → what happened, and what to do.
REASONS: Mapping[str, Text] = {
    "empty_file": Text(
        zh="这份文件是空的，没有东西可读。请检查后重新发一份，或把正文贴给我。",
        en="This file is empty, so there is nothing to read. Please check it and send it again, or paste the text here.",
    ),
    "no_text": Text(
        zh="打开了，里面没有找到文字。请发一份带文字的，或者拍得清楚些的图，也可以把正文贴给我。",
        en="It opens, but I found no text in it. Please send a version with text or a sharper picture, or paste the text here.",
    ),
    "too_large": Text(
        zh="这份文件超过 {limit_mb} MB，收不下。请拆小一些再发，或只把有关的部分贴给我。",
        en="This file is over {limit_mb} MB, which is more than I can take. Please send a smaller part, or paste only what matters.",
    ),
    "too_many_pixels": Text(
        zh="这张图有 {megapixels:,} 百万像素，最多看 {limit:,} 百万。请缩小或裁出有关的部分再发。",
        en="This picture has {megapixels:,} million pixels; I look at most at {limit:,} million. Please make it smaller, or send the part that matters.",
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
        zh="现在还读不了{kind}。请发链接、PDF、图片、电子书、Word、字幕、网页文件或 TXT，也可以把正文贴给我。",
        en="I cannot read {kind} yet. Please send a link, a PDF, a picture, an e-book, a Word file, subtitles, a web page file or TXT, or paste the text here.",
    ),
    "address_refused": Text(
        zh="这个地址我不能去取。请换成公开网页的完整地址，或把正文贴给我。",
        en="I cannot fetch this address. Please send the full address of a public page, or paste the text here.",
    ),
    "fetch_too_large": Text(
        zh="这个地址给的内容超过 {limit_mb} MB，或者没有尽头，我停下了。请下载后发有关的部分，或把正文贴给我。",
        en="What lies there is over {limit_mb} MB, or has no end, so I stopped. Please download it and send the part that matters, or paste the text here.",
    ),
    "too_many_redirects": Text(
        zh="这个链接转来转去，跳了 {limit} 次还没到。请在浏览器里打开，把最后的地址发给我，或把正文贴给我。",
        en="This link was redirected {limit} times without arriving. Please open it in a browser and send the final address, or paste the text here.",
    ),
    "blocked_page": Text(
        zh="这一页是登录或验证页面，里面没有正文。我不会拿相似的文章代替。请把正文贴给我，或发一份 PDF。",
        en="This page asks for a login or a check, so it holds no article. I will not use a similar one instead. Please paste the text, or send a PDF.",
    ),
    "wrong_password": Text(
        zh="这个密码打不开这份 PDF。请再写一次，注意大小写；或把正文贴给我。",
        en="This password does not open the PDF. Please write it again, minding capitals, or paste the text here.",
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

# Reason.BLOCKED_PAGE, by what stands in place of the article.
BLOCKED: Mapping[str, Text] = {
    "removed": Text(
        zh="这一页的内容已经被删除或下架，里面没有正文。我不会拿相似的文章代替。如果你有原文，请贴给我，或发一份 PDF。",
        en="The content of this page was removed, so it holds no article. I will not use a similar one instead. If you have the text, please paste it, or send a PDF.",
    ),
    "login": Text(
        zh="这个网站要求登录，没有取到正文。我不会拿相似的文章代替。请把正文贴给我，或发一份 PDF。",
        en="This site asks for a login, so the article was not reached. I will not use a similar one instead. Please paste the text, or send a PDF.",
    ),
    "challenge": Text(
        zh="这个网站要先通过人机验证，没有取到正文。我不会拿相似的文章代替。请把正文贴给我，或发一份 PDF。",
        en="This site checks for humans first, so the article was not reached. I will not use a similar one instead. Please paste the text, or send a PDF.",
    ),
    "paywall": Text(
        zh="这一页要付费才能看全文，没有取到正文。如果你能看到，请把正文贴给我，或把网页存成文件发来。",
        en="This page shows its text to subscribers only. If you can read it, please paste the text, or save the page and send the file.",
    ),
    "missing": Text(
        zh="这个地址上没有这一页了。请检查链接；如果你有原文，请贴给我，或发一份 PDF。",
        en="There is no such page at this address any more. Please check the link; if you have the text, paste it or send a PDF.",
    ),
}
# Reason.ADDRESS_REFUSED, by why.
ADDRESSES: Mapping[str, Text] = {
    "private": Text(
        zh="{host} 不在公开的互联网上，我不去内部的地址取东西。请换成公开网页的地址，或把正文贴给我。",
        en="{host} is not on the public internet, and I do not fetch from inside networks. Please send a public address, or paste the text here.",
    ),
    "port": Text(
        zh="{host} 这个地址用了不寻常的端口，我不去取。请换成普通网页的地址，或把正文贴给我。",
        en="The address at {host} uses an unusual port, which I do not fetch from. Please send an ordinary page address, or paste the text here.",
    ),
    "userinfo": Text(
        zh="这个地址里写着用户名或密码，我不去取。请去掉它们再发，或把正文贴给我。",
        en="This address holds a user name or a password, so I do not fetch it. Please take them out and send it again, or paste the text here.",
    ),
}
# FetchFailed.reason; status answers by what they mean.
FETCH: Mapping[str, Text] = {
    "dns": Text(
        zh="找不到 {host} 这个网站。请检查链接，或把正文贴给我。",
        en="There is no site called {host}. Please check the link, or paste the text here.",
    ),
    "connect": Text(
        zh="连不上 {host}。可以稍后重试，或把正文贴给我。",
        en="{host} could not be reached. You can try again later, or paste the text here.",
    ),
    "tls": Text(
        zh="{host} 的安全证书有问题，我没有取。请在浏览器里看看，或把正文贴给我。",
        en="The certificate of {host} does not hold, so I did not fetch it. Please look in a browser, or paste the text here.",
    ),
    "timeout": Text(
        zh="{host} 太久没有答完，我停下了。可以稍后重试，或把正文贴给我。",
        en="{host} took too long to answer, so I stopped. You can try again later, or paste the text here.",
    ),
    "broken": Text(
        zh="{host} 的回答中途断了。可以稍后重试，或把正文贴给我。",
        en="The answer of {host} broke off. You can try again later, or paste the text here.",
    ),
    "status": Text(
        zh="{host} 没有给出这一页（{status}）。可以稍后重试，或把正文贴给我。",
        en="{host} did not give this page ({status}). You can try again later, or paste the text here.",
    ),
    "refused": Text(
        zh="{host} 不让我取这一页（{status}）。如果你能打开它，请把正文贴给我，或把网页存成文件发来。",
        en="{host} does not let me fetch this page ({status}). If you can open it, please paste the text, or save the page and send the file.",
    ),
    "gone": Text(
        zh="{host} 上没有这一页（{status}）。请检查链接；如果你有原文，请贴给我，或发一份 PDF。",
        en="{host} has no such page ({status}). Please check the link; if you have the text, paste it or send a PDF.",
    ),
    "busy": Text(
        zh="{host} 嫌请求太多，先不给（{status}）。可以过一会儿重试，或把正文贴给我。",
        en="{host} says there were too many requests ({status}). You can try again later, or paste the text here.",
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
