"""Words that carry no content of their own: question words, function words, negations (rules CHK-3, EVD-2).

Pure data with the few functions that read it. Everything is in simplified characters and lower case; callers fold
their text first. Negation is a matter of words: 非常, 未来, 不同 and 无人机 negate nothing.
"""

from __future__ import annotations

import re

# Longest first within each alternative: 为什么 before 什么.
QUESTION_WORDS = re.compile(
    "请问|请你|请给|帮我|告诉我|我想知道|想知道|想了解|能不能|可不可以|是不是|有没有|会不会|要不要"
    "|为什么|为何|何以|[是有在]?什么(?:时候|时间|地方|人|样)?|哪一年|哪一天|哪一个|哪一种|哪一位|哪一"
    "|哪几个|哪几种|哪几|哪年|哪天|哪个|哪些|哪里|哪儿|哪位|哪种|哪国|哪座|哪所|哪家|哪|何时|何地|何人|何处"
    "|何种|何年|何"
    "|多少个|多少|多长时间|多久|多长|多大|多高|多远|多深|多重|多快|多宽|几个|几种|几年|几月|几天|几点|几次|几位"
    "|几人|几岁|几"
    "|怎么样|怎么|怎样|如何|是否|能否|可否|谁|吗|呢|吧|啊|呀"
)
FUNCTION_WORDS = frozenset(
    "的 了 着 过 得 地 是 在 有 和 与 及 以及 或 或者 而 且 并 "
    "并且 也 都 就 还 又 再 很 更 最 被 把 将 对 对于 关于 为 为了 "
    "因 因为 由 由于 从 自 自从 到 至 向 往 于 以 用 按 比 跟 "
    "同 给 让 使 令 所 其 其中 之 此 该 这 那 这个 那个 这些 那些 "
    "这里 那里 这样 那样 它 他 她 它们 他们 她们 我 我们 你 你们 您 "
    "自己 一个 一种 一些 一 个 种 位 名 些 次 上 下 中 里 内 "
    "外 前 后 时 时候 之后 之前 以后 以前 以上 以下 之间 当 "
    "当时 如果 但 但是 不过 然而 所以 因此 于是 虽然 即 即使 若 则 "
    "会 能 能够 可 可以 可能 应 应该 需要 要 想 请 说 称 叫 做 成为 进行 通过 根据 等 等等 没有 没 不 无 非 未 "
    "文章 文中 本文 全文 这篇 原文 资料 材料 内容 相关 有关 具体 主要 情况 方面 问题 属于 位于 发生 出现 "
    "a an the of to in on at by for from with and or not is are was were be been do does did has have had it its this "
    "that these those what when where which who whom whose why how many much can could should would will as than then "
    "there their they he she we you i about into".split()
)

# What the asker wants in general, not a topic: after these are gone, a request for a summary has no content left.
SUMMARY_WORDS = re.compile(
    "讲讲要点|讲要点|讲一讲|讲讲|说说|要点|重点|讲了些什么|讲了什么|说了什么|讲的是什么|说的是什么|写了什么"
    "|谈了什么|讲什么|说什么"
    "|主要内容|主要讲|主要说|主旨|大意|中心思想|核心内容|核心观点|主要观点|观点|结论|概括一下|概括|总结一下"
    "|总结|归纳|摘要|概要|梗概|简介"
    "|介绍一下|介绍|一句话|简单说|简要|(?:这篇|这份|这个|本)(?:文章|文档|文件|报告|通知|文)?|文章|文中|全文"
    "|文档|文件|内容|重要|关键|信息|讲"
    "|summary|summari[sz]e|key points?|main points?|overview|gist|tl;?dr"
)
_SUMMARY_CUE = re.compile(
    "要点|重点|讲了|说了|讲的是|说的是|写了|谈了|讲什么|说什么|主要内容|主要讲|主要说|主旨|大意|中心思想|核心"
    "|主要观点"
    "|概括|总结|归纳|摘要|概要|梗概|简介|介绍"
    "|summar|key point|main point|overview|gist|tl;?dr"
)

# Negating words of rule EVD-2, and the longer words that only look like them.
_NOT_NEGATING = re.compile(
    "非常|非凡|非洲|除非|并非偶然|莫非|无非|未来|未必然|未央|不同|不仅|不但|不只|不光|不断|不久|不过|不管|不论"
    "|无论|不愧|不禁|不由得|不得不|不可不"
    "|不锈钢|不动产|不丹|不倒翁|不妨|不等式|不规则|不少|差不多|无人机|无人驾驶|无人|无线|无限|无锡|无数|无花果"
    "|无机|无烟|无缝"
    "|无障碍|无产|无量|无穷|非遗|非物质|非线性|非正式|未成年|未婚|未知数|没收|没落|没准|别人|别墅|别名|别的"
    "|分别|区别|特别|级别|性别|类别|个别|告别|鉴别|识别|辨别"
)
_NEGATION = re.compile(
    "不得|不能|不可|不予|不会|不应|不许|不准|不宜|不必|不需|不用|不含|不足|不符|不再|不是|不在|不到|不超过"
    "|不少于|不低于|不高于|不"
    "|没有|没|未能|未经|未曾|未按|未|无法|无需|无须|无权|无效|无|非|勿|毋|莫|别|禁止|严禁|禁|除外|逾期|拒绝|拒|否"
    r"|\b(?:not|no|never|without|none|cannot|neither|nor|except|unless)\b|n['’]t\b"
)


def negations(text: str) -> tuple[str, ...]:
    """Return the negating words of ``text``, in order; longer words that negate nothing are passed over."""
    hidden = _NOT_NEGATING.sub(lambda found: "\u3000" * len(found.group()), text.lower())
    return tuple(_NEGATION.findall(hidden))


def is_summary(question: str) -> bool:
    """Whether the question asks for the text as a whole (讲要点, 这篇讲了什么) and names no topic of its own."""
    return bool(_SUMMARY_CUE.search(question)) and not content_runs(SUMMARY_WORDS.sub(" ", question))


_RUN = re.compile(
    "[\u3400-\u9fff\U00020000-\U0003ffff]+|[a-z0-9]+(?:[.\\-'_][a-z0-9]+)*|[\u00c0-\u2e7f\u3040-\u33ff\uac00-\ud7af]+"
)


def content_runs(question: str) -> tuple[str, ...]:
    """Return the stretches of a folded question that may carry content: question and function words are cut out.

    Single-character function words cut only at the ends of a run (中 in 中国 stays).
    """
    runs: list[str] = []
    for run in _RUN.findall(QUESTION_WORDS.sub(" ", question.lower())):
        run = _stripped(run)
        if run and run not in FUNCTION_WORDS:
            runs.append(run)
    return tuple(runs)


_EDGE = re.compile(
    "^[的了着是在有和与及或而且并也都就还又被把将对为由从自到至于以其之此该这那它他她我你您]+"
    "|[的了着是在有和与及或而且并也都]+$"
)


def _stripped(run: str) -> str:
    return _EDGE.sub("", run) if run[0] >= "\u3400" else run


def units(text: str) -> tuple[str, ...]:
    """Return what can be matched of a run of content: Latin words and numbers whole, Han as overlapping pairs."""
    found: list[str] = []
    for run in _RUN.findall(text):
        if run[0] >= "\u3400" and len(run) > 1:
            found += [run[i : i + 2] for i in range(len(run) - 1)]
        else:
            found.append(run)
    return tuple(dict.fromkeys(found))
