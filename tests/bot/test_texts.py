"""Every sentence exists in both languages, says the same things, and stands nowhere else."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import bot.texts
from bot import errors
from bot.texts import chat, episode, source
from bot.texts.words import Text, clock, size, span
from pipeline.domain.run import Stage
from pipeline.domain.script import DeclineReason
from pipeline.domain.source import InputType, Quality, Reason

HAN = re.compile(r"[\u3400-\u9fff]")
EMOJI = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf]")
ROOT = Path(__file__).parents[2]


def catalogue() -> Iterator[tuple[str, Text]]:
    for module in pkgutil.iter_modules(bot.texts.__path__):
        noun = importlib.import_module(f"bot.texts.{module.name}")
        for name, value in vars(noun).items():
            if isinstance(value, Text):
                yield f"{module.name}.{name}", value
            elif isinstance(value, Mapping) and name.isupper():
                for key, text in value.items():
                    if isinstance(text, Text):
                        yield f"{module.name}.{name}.{key}", text


ALL = dict(catalogue())


def test_there_is_something_to_check():
    assert len(ALL) > 200


@pytest.mark.parametrize("key", sorted(ALL))
def test_both_languages_say_the_same_things(key):
    text = ALL[key]
    assert text.zh.strip()
    assert text.en.strip()
    assert text.placeholders("zh") == text.placeholders("en")
    assert not EMOJI.search(text.zh + text.en), "the web shows no emoji"


@pytest.mark.parametrize("key", sorted(k for k in ALL if k != "web.SWITCH_LANGUAGE" and k != "web.OTHER_LANGUAGE"))
def test_english_is_english(key):
    assert not HAN.search(ALL[key].en)


@pytest.mark.parametrize(
    "key", sorted(k for k in ALL if ".NOTES" in k or "REASONS" in k or ".AUDIO" in k or "DIED" in k)
)
def test_a_sentence_ends_like_one_and_names_no_code(key):
    text = ALL[key]
    if key.startswith("source.NOTES"):
        return
    assert text.zh.endswith(("。", "？", "{question}"))
    assert text.en.endswith((".", "?", "{question}"))
    assert "_" not in re.sub(r"\{\w+[^}]*\}", "", text.zh + text.en)


def test_every_reason_has_its_sentence():
    """Issue 2, bad input: a sentence that says what happened and what to do."""
    assert set(source.REASONS) == {r.value for r in Reason}
    assert set(episode.STAGES) == {s.value for s in Stage}
    assert set(episode.DECLINES) == {r.value for r in DeclineReason}
    assert set(source.QUALITIES) == {q.value for q in Quality}
    assert set(source.INPUT_TYPES) == {t.value for t in InputType}
    assert set(episode.AUDIO) == {"too_long", "undecodable", "duration_mismatch", "suspect_segment", "coverage"}
    assert set(episode.RUN_REASONS) >= {
        "provider_unreachable",
        "provider_refused",
        "storage_trouble",
        "defect",
        "crashed",
        "stopped",
    }
    assert set(episode.CHILD_DIED) == set(source.PARSER_DIED) == {"timeout", "memory", "crash"}


def test_no_wording_outside_the_texts():
    """Han characters in code or templates would be strings that one language lacks."""
    found = []
    for path in [*ROOT.glob("bot/**/*.py"), *ROOT.glob("bot/**/*.html"), *ROOT.glob("bot/**/*.js")]:
        if path.parent.name == "texts":
            continue
        found += [
            f"{path.relative_to(ROOT)}: {line.strip()}"
            for line in path.read_text("utf-8").splitlines()
            if HAN.search(line)
        ]
    assert found == []


def test_a_key_means_one_thing():
    """Notes, refusals and failures share one table of keys."""
    assert not set(chat.NOTES) & set(source.REASONS)


def test_a_text_without_its_value_is_refused():
    with pytest.raises(KeyError):
        chat.NOTES["upload_too_large"]("zh", name="a.pdf")


@pytest.mark.parametrize(
    ("n", "said"), [(0, "0 passages"), (1, "1 passage"), (2, "2 passages"), (1200, "1,200 passages")]
)
def test_english_counts_its_nouns(n, said):
    assert episode.SPLIT("en", n=n) == said


@pytest.mark.parametrize(
    ("ms", "on_a_player", "zh", "en"),
    [
        (400, "0:00", "1 秒", "1 s"),
        (59_000, "0:59", "59 秒", "59 s"),
        (60_000, "1:00", "1 分钟", "1 min"),
        (252_000, "4:12", "4 分 12 秒", "4 min 12 s"),
        (300_000, "5:00", "5 分钟", "5 min"),
    ],
)
def test_lengths(ms, on_a_player, zh, en):
    assert (clock(ms), span(ms, "zh"), span(ms, "en")) == (on_a_player, zh, en)


@pytest.mark.parametrize(("n", "said"), [(0, "0 B"), (1023, "1023 B"), (1024, "1 KB"), (3_250_586, "3.1 MB")])
def test_sizes(n, said):
    assert size(n) == said


SENTENCES = [
    ("a reason with its values", "too_many_pages", {"pages": 1200, "limit": 1000}, "read", "1,200"),
    ("a reason without its values is the general one", "too_many_pages", {}, "read", chat.NOTES["generic"]("zh")),
    ("what the worker writes", "storage_trouble", {}, "find", "磁盘"),
    ("an unknown reason", "zzz", {}, None, chat.NOTES["generic"]("zh")),
    ("no reason at all", None, {}, None, chat.NOTES["generic"]("zh")),
    ("a kind in words", "wrong_kind", {"kind": "video"}, "read", "视频"),
    ("a kind nobody knows", "wrong_kind", {"kind": "xyz"}, "read", "这种文件"),
    ("how the parser ended", "parser_died", {"how": "memory"}, "read", "内存"),
    ("a child that died later on", "child.timeout", {}, "speak", episode.CHILD_DIED["timeout"]("zh")),
    ("the same word means the file while reading", "undecodable", {}, "read", source.REASONS["undecodable"]("zh")),
    ("and the audio while speaking", "undecodable", {}, "publish", episode.AUDIO["undecodable"]("zh")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("reason", "values", "stage", "part"), [s[1:] for s in SENTENCES], ids=[s[0] for s in SENTENCES]
)
def test_reasons_become_sentences(reason, values, stage, part):
    assert part in errors.sentence(reason, values, "zh", stage=stage)
