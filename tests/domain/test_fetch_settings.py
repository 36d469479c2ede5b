"""What the owner may open in the fetch guard, and how a slip is told."""

import pytest
from pydantic import ValidationError

from pipeline.settings import Settings


def settings(**values):
    return Settings(_env_file=None, **values)


def test_nothing_private_is_open_by_default():
    """SRC-6."""
    assert settings().fetch_exempt() == frozenset()
    assert settings().fetch_limits().allowed_ports == {80, 443}


def test_what_is_opened_is_spelled_as_the_guard_spells_it():
    opened = settings(fetch_allow_private="LocalHost:8080, 127.1:9 ,[::1]:80", fetch_ports="443, 8443")
    assert opened.fetch_exempt() == {"localhost:8080", "127.0.0.1:9", "[::1]:80"}
    assert opened.fetch_limits().allowed_ports == {443, 8443}


@pytest.mark.parametrize("value", ["localhost", "localhost:", "http://localhost:80/", ":80", "a b:80"])
def test_a_pair_that_is_none_is_refused_at_the_start(value):
    with pytest.raises(ValidationError, match="FETCH_ALLOW_PRIVATE"):
        settings(fetch_allow_private=value)


@pytest.mark.parametrize("value", ["", "http", "0", "65536", "80;443", "-1"])
def test_ports_that_are_none_are_refused_at_the_start(value):
    with pytest.raises(ValidationError, match="FETCH_PORTS"):
        settings(fetch_ports=value)
