"""What Earmark says itself in an excerpt: what this is, and neutral words between two places (rule EVD-7).

Nothing here says anything about the world; no sentence is used twice in one script.
"""

from __future__ import annotations

_TITLE_CHARS = 40
_QUESTION_CHARS = 60

_OPENING = {
    "zh": (
        "以下摘自《{title}》，与“{question}”有关，全部是原文，没有用模型改写。",
        "以下摘自你给的资料，与“{question}”有关，全部是原文，没有用模型改写。",
    ),
    "en": (
        "These are excerpts from “{title}” about “{question}”, word for word, chosen without a model.",
        "These are excerpts from your source about “{question}”, word for word, chosen without a model.",
    ),
}
_SUMMARY_OPENING = {
    "zh": (
        "以下是《{title}》的开头和各部分的要点句，全部是原文，没有用模型改写。",
        "以下是这份资料的开头和各部分的要点句，全部是原文，没有用模型改写。",
    ),
    "en": (
        "These are the opening of “{title}” and key sentences of its parts, word for word, chosen without a model.",
        "These are the opening of your source and key sentences of its parts, word for word, chosen without a model.",
    ),
}
# The Chinese ones are those of fifteen candidates that the packaged voice says most clearly (each transcribed back
# between two sentences, whole, 2026-11-30): a short phrase has no context that would help a listener.
CONNECTIVES = {
    "zh": (
        "另一处写道：",
        "原文还提到：",
        "继续往后读：",
        "此外，文中写道：",
        "再看下一段：",
        "原文下面还有：",
    ),
    "en": (
        "Further on it says:",
        "Elsewhere it says:",
        "Later in the text:",
        "It also says:",
        "In another place:",
        "And then:",
    ),
}


def _short(text: str, limit: int) -> str:
    text = " ".join(text.split()).strip("《》“”\"' ")
    return text if len(text) <= limit else text[: limit - 1] + "…"


def opening(question: str, title: str, *, language: str, summary: bool) -> str:
    """Return the first sentence: excerpts, from which source, for which question, read without a model."""
    titled, untitled = (_SUMMARY_OPENING if summary else _OPENING)[language]
    asked = _short(question, _QUESTION_CHARS).rstrip("？?。.!！")
    return (titled if title.strip() else untitled).format(title=_short(title, _TITLE_CHARS), question=asked)
