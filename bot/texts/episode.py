"""What is said about an episode: its stages, its result, its evidence, and why there is none."""

from __future__ import annotations

from collections.abc import Mapping

from bot.texts.words import Text

# ── the receipt ─────────────────────────────────────────────────────────────
STAGES: Mapping[str, Text] = {
    "fetch": Text(zh="抓取网页", en="Fetch"),
    "read": Text(zh="读取正文", en="Read"),
    "split": Text(zh="切片入库", en="Split"),
    "find": Text(zh="找证据", en="Find"),
    "write": Text(zh="写讲稿", en="Write"),
    "check": Text(zh="核对依据", en="Check"),
    "speak": Text(zh="合成语音", en="Speak"),
    "publish": Text(zh="质检发布", en="Publish"),
}
SPLIT = Text(zh="{n:,} 段", en="{n:passage|passages}")
FOUND = Text(zh="{n:,} 段", en="{n:passage|passages}")
FROM_SECTIONS = Text(zh="来自 {n:,} 个章节", en="from {n:section|sections}")
WHOLE_TEXT = Text(zh="全文都在内", en="the whole text")
SENTENCES = Text(zh="{n:,} 句", en="{n:sentence|sentences}")
SUPPORTED = Text(zh="{n:,} 句有原文", en="{n:sentence|sentences} proved")
DROPPED = Text(zh="删 {n:,} 句", en="{n:,} dropped")
SEGMENTS = Text(zh="{n:,} 段", en="{n:part|parts}")
PUBLISHED = Text(zh="{clock}，响度 {lufs} LUFS", en="{clock}, {lufs} LUFS")
REUSED = Text(zh="沿用已有的", en="already there")
PARTS = Text(zh="{part:,} / {parts:,}", en="{part:,} of {parts:,}")
PARTS_OF: Mapping[str, Text] = {
    "read": Text(zh="已读 {part:,} 页，共 {parts:,} 页", en="page {part:,} of {parts:,}"),
    "speak": Text(zh="已合成 {part:,} 段，共 {parts:,} 段", en="{part:,} of {parts:part|parts} done"),
}

ASKED = Text(zh="想弄清：{question}", en="You asked: {question}")
POINTS = Text(zh="讲要点", en="The main points")
POINTS_BY_DEFAULT = Text(zh="两分钟内没有问题，所以讲要点", en="No question within two minutes, so: the main points")
ASK = Text(
    zh="你想从这份资料里弄清什么？直接写一句话就行。两分钟内没有问题，我就讲要点。",
    en="What do you want to find out from this? One sentence is enough. Without a question within two minutes I will tell the main points.",
)

STATES: Mapping[str, Text] = {
    "asking": Text(zh="等你的问题", en="waiting for your question"),
    "waiting": Text(zh="排队中", en="in the queue"),
    "retrying": Text(zh="稍后自动再试", en="will try again by itself"),
    "running": Text(zh="正在进行", en="in progress"),
    "stopping": Text(zh="正在停下", en="stopping"),
    "tomorrow": Text(zh="做好了，等明天", en="finished, waiting for tomorrow"),
    "done": Text(zh="已完成", en="done"),
    "declined": Text(zh="没有做语音", en="no voice note"),
    "failed": Text(zh="没有做成", en="not done"),
    "cancelled": Text(zh="已取消", en="cancelled"),
    "superseded": Text(zh="已换问题", en="replaced by another question"),
    "review": Text(zh="等你决定", en="waiting for you"),
    "held": Text(zh="太长，没有发布", en="too long, not published"),
}
RECEIPT_NAME = Text(zh="收据：{title}，{state}", en="Receipt: {title}, {state}")
WAITING = Text(zh="排队中，轮到就开始。", en="In the queue; it starts when its turn comes.")
RETRYING = Text(
    zh="刚才没有成功，稍后自动再试（已试 {n} 次，最多 {limit} 次）。",
    en="That did not work; it will be tried again by itself ({n} of {limit} tries used).",
)
TOMORROW = Text(
    zh="今天的收听时间排满了。音频已经做好，明天自动发给你。",
    en="Today's listening time is full. The audio is finished and comes by itself tomorrow.",
)
STOPPING = Text(zh="正在停下，做好的部分会留着。", en="Stopping. What is finished is kept.")
CANCELLED = Text(
    zh="已取消。资料还留着，换个问题就能接着用。", en="Cancelled. The source is kept; ask again to use it."
)
SUPERSEDED = Text(zh="你改了问题，新的收据在下面。", en="You changed the question; the new receipt is further down.")
REVIEW = Text(
    zh="有一段语音合成发了出去，却没有收到回音，不知道成没成。{parts:,} 段里还缺 {missing:,} 段，别的都留着。重试缺的部分可能会重复计费，所以由你来定。",
    en="A speech request was sent and no answer came back, so its outcome is unknown. Of {parts:part|parts} {missing:,} are missing; the others are kept. Making the missing ones again may be billed twice; you decide.",
)
RETRY_MISSING = Text(zh="重试缺失的 {n:,} 段", en="Retry {n:missing part|missing parts}")
GIVE_UP = Text(zh="放弃", en="Give up")
HELD = Text(
    zh="读出来超过五分钟，没有发布，讲稿留着。请把问题问得窄一点。",
    en="Read aloud it is longer than five minutes, so it was not published; the script is kept. Please ask a narrower question.",
)
HINTED = Text(zh="你标出的这一段：「{hint}」", en="You marked this passage: “{hint}”")
ABOUT_HINT = Text(zh="「{hint}」说的是什么？", en="What does “{hint}” say?")
GOES_ON = Text(zh="关掉页面也会继续", en="goes on if you close the page")
TOOK = Text(zh="用时 {span}", en="took {span}")

# ── no episode ──────────────────────────────────────────────────────────────
DECLINES: Mapping[str, Text] = {
    "not_covered": Text(
        zh="这份资料里没有内容能回答「{question}」，所以没有做语音。可以换个问法，或者听要点。",
        en="Nothing in this source answers “{question}”, so there is no voice note. You can ask differently, or hear the main points.",
    ),
    "other_language": Text(
        zh="这份资料不是中文。没有接入模型时我不翻译、不改写，所以没有做语音。和问题最有关的原文在这里：",
        en="This source is not in Chinese. Without a model I neither translate nor rephrase, so there is no voice note. These are its own words, closest to your question:",
    ),
}
OTHER_LANGUAGE_BARE = Text(
    zh="这份资料不是中文。没有接入模型时我不翻译、不改写，所以没有做语音。要用普通话讲，需要先接入模型。",
    en="This source is not in Chinese. Without a model I neither translate nor rephrase, so there is no voice note. To hear it in Mandarin, a model has to be connected first.",
)
MISSING_TERMS = Text(zh="资料里没有出现：{terms}。", en="Not mentioned in it: {terms}.")

# AudioRejected.reason.
AUDIO: Mapping[str, Text] = {
    "too_long": HELD,
    "undecodable": Text(
        zh="做好的音频没有通过检查：完整解不出来，所以没有发布。讲稿留着，可以重试。",
        en="The finished audio failed its check: it does not decode completely, so it was not published. The script is kept; you can try again.",
    ),
    "duration_mismatch": Text(
        zh="做好的音频没有通过检查：标的长度和实际长度不一样，所以没有发布。讲稿留着，可以重试。",
        en="The finished audio failed its check: its stated and its real length differ, so it was not published. The script is kept; you can try again.",
    ),
    "suspect_segment": Text(
        zh="有一段语音的长度不对，可能漏读或重复，所以没有发布。别的段都留着，可以重试。",
        en="One part of the speech has an odd length; words may be missing or doubled, so it was not published. The other parts are kept; you can try again.",
    ),
    "coverage": Text(
        zh="有的句子没有读到，所以没有发布。讲稿留着，可以重试。",
        en="Some sentences were not spoken, so it was not published. The script is kept; you can try again.",
    ),
}

# ChildDied.reason, after the source was read.
CHILD_DIED: Mapping[str, Text] = {
    "timeout": Text(
        zh="这一步用得太久，我停下了。前面做好的都留着，可以重试。",
        en="This step took too long, so I stopped. What was finished before is kept; you can try again.",
    ),
    "memory": Text(
        zh="这一步内存不够，停下了。前面做好的都留着；关掉一些别的程序，再重试。",
        en="This step ran out of memory. What was finished before is kept; close some other programs and try again.",
    ),
    "crash": Text(
        zh="这一步的程序意外停了。前面做好的都留着，可以重试。",
        en="The program for this step stopped unexpectedly. What was finished before is kept; you can try again.",
    ),
}

# Other reasons a run can end or wait for (pipeline/worker: ``judged``, the lapsed lease).
RUN_REASONS: Mapping[str, Text] = {
    "crashed": Text(
        zh="试了四次，每次都在中途停掉，所以不再自动重来。做好的部分都留着；可以重试，或换一份文件。",
        en="Four tries stopped half-way, so it is not tried again by itself. What was finished is kept; you can try again, or send another file.",
    ),
    "stopped": Text(
        zh="Earmark 停机时正做到这里，下次启动会接着做。",
        en="Earmark was stopped in the middle of this; it goes on at the next start.",
    ),
    "provider_unreachable": Text(
        zh="连不上要用的服务，没有做成，也没有花钱。请检查网络，再重试。",
        en="The service this needs could not be reached; nothing was done and nothing was spent. Please check the network and try again.",
    ),
    "budget_spent": Text(
        zh="这一条已经用完了允许的调用次数，不再继续。做好的部分都留着；请把问题问得窄一点，再试一次。",
        en="This one has used all the calls it may make, so it stops. What was made is kept; please ask a narrower question.",
    ),
    "provider_refused": Text(
        zh="要用的服务拒绝了请求，没有做成。请检查密钥和额度，再重试。",
        en="The service this needs refused the request. Please check its key and quota, then try again.",
    ),
    "storage_trouble": Text(
        zh="数据库或磁盘一时用不了，没有做成。请看看磁盘有没有满，再重试。",
        en="The database or the disk could not be used for a moment. Please check that the disk is not full, then try again.",
    ),
    "defect": Text(
        zh="程序自己出了错，这一步没有做成，做好的部分都留着。可以重试；还不行的话，运行 earmark runs show 看经过。",
        en="A fault of the program stopped this step; what was finished is kept. You can try again. If it happens again, “earmark runs show” tells what happened.",
    ),
}

# ── the voice note ──────────────────────────────────────────────────────────
VOICE_NAME = Text(zh="语音节目，{span}", en="Voice note, {span}")
QUOTED = Text(zh="{n:,} 处原文", en="{n:source passage|source passages}")
OWN_WORDS = Text(zh="{n:,} 句，{m:,} 句有原文", en="{n:sentence|sentences}, {m:,} from the source")
GAP = Text(zh="资料未说明：{gap}", en="Not in the source: {gap}")
GAPS = Text(zh="{n:,} 点资料未说明", en="{n:point|points} not in the source")
LEFT_OUT = Text(
    zh="另有 {n:,} 段相关原文放不进五分钟，没有读。",
    en="{n:more passage fits|more passages fit} the question but not the five minutes, and were not read.",
)
EXCERPT = Text(zh="未接入模型：以下为原文摘读", en="No model connected: excerpts of the source, read aloud")
CAPTION_LENGTH = Text(zh="长 {span}", en="{span} long")

# ── one claim ───────────────────────────────────────────────────────────────
CLAIM_NAME = Text(zh="依据 {n}，共 {total}", en="Evidence {n} of {total}")
CLAIM_KINDS: Mapping[str, Text] = {
    "external_fact": Text(zh="原文事实", en="From the source"),
    "inference": Text(zh="推断", en="Inference"),
    "teaching_example": Text(zh="举例", en="Example"),
    "user_context": Text(zh="你说的", en="Your own words"),
}
SAID_AT = Text(zh="节目 {clock} 处", en="at {clock}")
SECTION = Text(zh="「{heading}」一节", en="section “{heading}”")
PLACES = Text(zh="{n:,} 处原文", en="{n:source passage|source passages}")
CHECK_FOUND = Text(zh="原文存在", en="text found")
CHECK_NUMBERS = Text(zh="数字一致", en="numbers equal")
CHECK_NUMBERS_LIST = Text(zh="数字一致：{numbers}", en="numbers equal: {numbers}")
CHECK_NEGATIONS = Text(zh="否定词一致", en="negations equal")
PAGER = Text(zh="{n} / {total}", en="{n} / {total}")

# ── roles, written out beside a sentence ────────────────────────────────────
ROLES: Mapping[str, Text] = {
    "opening": Text(zh="开头", en="opening"),
    "connective": Text(zh="串联", en="link"),
    "gap": Text(zh="资料未说明", en="not in the source"),
    "closing": Text(zh="结尾", en="closing"),
}
TRANSCRIPT = Text(zh="文字版", en="Transcript")

# ── buttons ─────────────────────────────────────────────────────────────────
CANCEL = Text(zh="取消", en="Cancel")
REASK = Text(zh="改问题", en="Ask differently")
RETRY = Text(zh="重试", en="Try again")
TELL_POINTS = Text(zh="讲要点", en="Main points")
TELL_HINT = Text(zh="讲这一段", en="Tell this passage")
REFETCH = Text(zh="重新抓取", en="Fetch again")
AGAIN = Text(zh="用新版再做", en="Make it from the new version")
EVIDENCE = Text(zh="查看依据", en="Evidence")
TEXT_VERSION = Text(zh="文字版", en="Transcript")
EVIDENCE_PAGE = Text(zh="依据页", en="Evidence page")
PREVIOUS = Text(zh="上一条依据", en="Previous passage")
NEXT = Text(zh="下一条依据", en="Next passage")
