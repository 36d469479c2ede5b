"""Paid speech is configured whole or not at all, and its key is shown nowhere (CHT-8)."""

from __future__ import annotations

import pytest

from pipeline.settings import Settings

KEY, URL = "sk-secret-value", "https://speech.example"


def made(**given) -> Settings:
    return Settings(_env_file=None, **given)


CASES = [
    ("a key alone", {"tts_dashscope_key": KEY}),
    ("an address alone", {"tts_dashscope_url": URL}),
    ("no scheme", {"tts_dashscope_key": KEY, "tts_dashscope_url": "speech.example"}),
    ("tones beside it", {"tts_dashscope_key": KEY, "tts_dashscope_url": URL, "speech_fake": True}),
]


@pytest.mark.parametrize("given", [c[1] for c in CASES], ids=[c[0] for c in CASES])
def test_half_of_it_is_refused_by_name_and_without_the_key(given):
    with pytest.raises(ValueError, match="TTS_DASHSCOPE") as caught:
        made(**given)
    assert KEY not in str(caught.value)


def test_a_whole_configuration_hides_its_key():
    settings = made(tts_dashscope_key=KEY, tts_dashscope_url=URL)
    assert KEY not in repr(settings)
    assert settings.tts_dashscope_voice == "Cherry"
