"""No secret reaches a log line, whoever writes it (rule CHT-8)."""

from __future__ import annotations

import io
import logging

import pytest

from bot.secrets import HIDDEN, Redacting
from pipeline.settings import Settings
from tests.support.rows import scalar
from tests.support.telegram import line


async def test_with_every_library_at_its_loudest_no_line_holds_the_token(engine):
    """httpx writes each address, with the token in it, at INFO; aiohttp's errors hold it too."""
    async with line(engine) as ann:
        token, written = ann.telegram.token, io.StringIO()
        handler = logging.StreamHandler(written)
        handler.setFormatter(Redacting("%(levelname)s %(name)s %(message)s", (token,)))
        root = logging.getLogger()
        before = root.level
        root.addHandler(handler)
        root.setLevel(logging.DEBUG)
        try:
            await ann.ann.send_file("document", b"text", name="a.txt")
            await ann.poller().once()
            await ann.telegram.fail("status", "getFile", status=502)
            await ann.fetcher().fetch_due()
            logging.getLogger("test").error("trouble with %s", token, exc_info=ValueError(f"at /bot{token}/x"))
        finally:
            root.setLevel(before)
            root.removeHandler(handler)
        said = written.getvalue()
        assert token not in said
        assert said.count(HIDDEN) >= 3
        assert await scalar(ann.engine, "SELECT count(*) FROM inbox_file") == 1


def test_every_secret_of_the_settings_is_hidden():
    """A new secret is hidden without anybody remembering to."""
    given = Settings(
        telegram_token="12345:abcdefghijklmnopqrstuvwxyz",  # type: ignore[arg-type]
        database_url="postgresql://a:b@c/d",  # type: ignore[arg-type]
        _env_file=None,
    )
    assert set(given.secrets()) >= {"12345:abcdefghijklmnopqrstuvwxyz", "postgresql://a:b@c/d"}


@pytest.mark.parametrize(
    "settings",
    [
        {"telegram_token": "not a token"},
        {"telegram_allowed": "ann"},
        {"telegram_webhook_secret": "a-secret-of-sixteen-letters"},
        {"telegram_webhook_secret": "short", "public_url": "https://a.example"},
        {"public_url": "a.example"},
        {"telegram_local": True},
    ],
    ids=lambda s: ",".join(s),
)
def test_settings_that_cannot_work_are_refused_and_shown_without_the_secret(settings):
    with pytest.raises(ValueError, match="TELEGRAM|PUBLIC_URL") as caught:
        Settings(**settings, _env_file=None)
    assert "not a token" not in str(caught.value)
