"""All configuration, read once at start. Nothing else reads the environment.

Every field is an environment variable of the same name in capitals, or a line of ``.env``.
``tests/architecture/test_settings.py`` fails if a field here is missing from README.md.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from pipeline.domain.address import FetchLimits
from pipeline.domain.audio import MAX_DURATION_MS
from pipeline.domain.hosts import ascii_host

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


class Settings(BaseSettings):
    """Defaults run the whole product on one machine without a key."""

    model_config = SettingsConfigDict(
        env_prefix="",
        env_file=".env",
        env_ignore_empty=True,
        frozen=True,
        extra="ignore",
        hide_input_in_errors=True,  # keys and passwords are among the values
    )

    data_dir: Path = Path("data")  # database, bytes, model cache
    database_url: SecretStr | None = None  # None: the embedded server in data_dir
    web_host: str = "127.0.0.1"
    web_port: Annotated[int, Field(ge=0, le=65535)] = 8321  # 0: any free port
    web_allowed_hosts: str = ""  # further Host names, comma separated; loopback names are always allowed
    web_session_days: Annotated[int, Field(ge=1, le=365)] = 30
    public_url: str = ""  # scheme and host by which the pages are reached from outside, for links and webhooks
    default_language: Literal["zh", "en"] = "zh"  # of a new owner
    telegram_token: SecretStr | None = None  # with it the bot is on Telegram too
    telegram_allowed: str = ""  # numbers of the people it works for, comma separated; the first is the owner
    telegram_webhook_secret: SecretStr | None = None  # with it Telegram calls PUBLIC_URL instead of being asked
    telegram_api_base: str = ""  # of a Bot API server of one's own
    telegram_local: bool = False  # that server runs with --local: files of any size, read from its disk
    speech_voice: str = ""  # "": the packaged default
    speech_voices_dir: Path | None = None  # folder of native Kokoro voices, see README
    speech_fake: bool = False  # tones instead of speech: for tests and demonstrations of the flow
    tts_dashscope_key: SecretStr | None = None  # with it speech is made by qwen3-tts-flash, which is billed
    tts_dashscope_url: str = ""  # scheme and host of the account's endpoint; no default, because accounts differ
    tts_dashscope_voice: str = "Cherry"
    tts_price_micro_per_char: Annotated[int, Field(ge=0)] = 0  # for the ledger; 0: not known
    tts_segment_chars: Annotated[int, Field(ge=50, le=600)] = 400  # of paid speech, per call (rule TTS-3)
    tts_timeout_s: Annotated[float, Field(gt=0)] = 60.0  # silence after which an answer is no longer waited for
    worker_concurrency: Annotated[int, Field(ge=0, le=8)] = 2  # 0: workers run elsewhere
    lease_s: Annotated[float, Field(gt=0)] = 60.0
    heartbeat_s: Annotated[float, Field(gt=0)] = 15.0
    max_attempts: Annotated[int, Field(ge=1, le=10)] = 4
    retry_base_s: Annotated[float, Field(gt=0)] = 5.0  # before the first retry, with jitter; doubled each time
    max_calls: Annotated[int, Field(ge=1)] = 60  # provider calls of one run, over all its attempts (rule MDL-4)
    day_budget_s: Annotated[int, Field(ge=0)] = 0  # listening time of one day; 0: not limited, else at least an episode
    ask_default_after_s: Annotated[float, Field(gt=0)] = 120.0  # rule CHT-9
    max_pdf_mb: Annotated[int, Field(ge=1)] = 50
    max_text_mb: Annotated[int, Field(ge=1)] = 25
    max_image_mb: Annotated[int, Field(ge=1)] = 20
    max_pdf_pages: Annotated[int, Field(ge=1)] = 1_000
    max_ocr_pages: Annotated[int, Field(ge=0)] = 120  # of one document; 0: nothing is recognised
    fetch_time_s: Annotated[float, Field(gt=0)] = 20.0
    fetch_max_mb: Annotated[int, Field(ge=1)] = 25
    parse_time_s: Annotated[int, Field(ge=1)] = 60
    fetch_ports: str = "80,443"  # of addresses that may be fetched, comma separated
    # host:port pairs, comma separated, that may be fetched although they are private. Dangerous: whoever can send a
    # link reads what answers there. Name single services, never a router, a metadata service or this product.
    fetch_allow_private: str = ""
    blobs_s3_bucket: str = ""  # "": bytes lie in data_dir
    blobs_s3_endpoint: str = ""  # of a service that is not Amazon's
    blobs_s3_region: str = "us-east-1"
    blobs_s3_key: SecretStr | None = None
    blobs_s3_secret: SecretStr | None = None
    blobs_grace_h: Annotated[int, Field(ge=1)] = 24  # bytes that no row names are kept this long (rule AUD-4)
    crash_at: str = ""  # tests only: kill -9 this process at a named point, "name" or "name:nth"

    @model_validator(mode="after")
    def _agree(self) -> Settings:
        if self.lease_s < 3 * self.heartbeat_s:
            raise ValueError("LEASE_S must be at least three times HEARTBEAT_S, or one lost beat loses the lease")
        if self.web_host not in LOOPBACK and not self.web_allowed_hosts.strip():
            raise ValueError(
                f"WEB_HOST={self.web_host} serves beyond this machine: set WEB_ALLOWED_HOSTS to the names it is reached"
                " by (sign-in stays by one-time address), or leave WEB_HOST at 127.0.0.1"
            )
        if 0 < self.day_budget_s < MAX_DURATION_MS // 1000:
            raise ValueError(
                f"DAY_BUDGET_S={self.day_budget_s} has no room for an episode, which takes up to"
                f" {MAX_DURATION_MS // 1000} s: set it to that or more, or to 0 for no limit"
            )
        url = self.database_url.get_secret_value() if self.database_url else ""
        if url and not url.startswith(("postgresql://", "postgres://", "postgresql+asyncpg://")):
            raise ValueError("DATABASE_URL must start with postgresql://")  # its value may hold a password: not shown
        self._agree_on_speech()
        self._agree_on_bytes()
        self._agree_on_telegram()
        self.fetch_limits()
        self.fetch_exempt()
        return self

    def _agree_on_speech(self) -> None:
        """Raises ValueError: paid speech is half configured, or configured beside tones."""
        if (self.tts_dashscope_key is None) != (not self.tts_dashscope_url):
            raise ValueError("TTS_DASHSCOPE_KEY and TTS_DASHSCOPE_URL (https://, the account's host) go together")
        if self.tts_dashscope_url and not self.tts_dashscope_url.startswith(("https://", "http://")):
            raise ValueError("TTS_DASHSCOPE_URL must start with https://")
        if self.tts_dashscope_key is not None and self.speech_fake:
            raise ValueError("SPEECH_FAKE and TTS_DASHSCOPE_KEY name two voices: unset one of them")

    def _agree_on_bytes(self) -> None:
        """Raises ValueError: a bucket without its keys, or keys without a bucket."""
        named = [bool(self.blobs_s3_bucket), self.blobs_s3_key is not None, self.blobs_s3_secret is not None]
        if any(named) != all(named):
            raise ValueError("BLOBS_S3_BUCKET, BLOBS_S3_KEY and BLOBS_S3_SECRET go together")

    def _agree_on_telegram(self) -> None:
        """Raises ValueError: a token that is none, people that are no numbers, a webhook without an address."""
        token = self.telegram_token.get_secret_value() if self.telegram_token else ""
        if token and not re.fullmatch(r"\d+:[\w-]{20,}", token, re.ASCII):
            raise ValueError("TELEGRAM_TOKEN must be as BotFather gave it: a number, a colon and letters")
        self.telegram_people()
        if self.public_url and not self.public_url.startswith(("https://", "http://")):
            raise ValueError("PUBLIC_URL must start with https://")
        if self.telegram_webhook_secret is not None:
            secret = self.telegram_webhook_secret.get_secret_value()
            if not re.fullmatch(r"[A-Za-z0-9_-]{16,256}", secret):
                raise ValueError("TELEGRAM_WEBHOOK_SECRET must be 16 to 256 letters, digits, - or _")
            if not (token and self.public_url):
                raise ValueError("TELEGRAM_WEBHOOK_SECRET needs TELEGRAM_TOKEN and PUBLIC_URL")
        if self.telegram_local and not self.telegram_api_base:
            raise ValueError("TELEGRAM_LOCAL is about the server at TELEGRAM_API_BASE: set that too")

    def telegram_people(self) -> frozenset[int]:
        """Raises ValueError: TELEGRAM_ALLOWED is not a list of numbers."""
        named = [number.strip() for number in self.telegram_allowed.split(",") if number.strip()]
        if not all(number.isascii() and number.isdigit() for number in named):
            raise ValueError(f"TELEGRAM_ALLOWED={self.telegram_allowed!r} must be numbers, comma separated")
        return frozenset(map(int, named))

    def secrets(self) -> tuple[str, ...]:
        """Every value that may never be shown, for whoever writes logs (rule CHT-8)."""
        values = (getattr(self, name) for name in type(self).model_fields)
        return tuple(value.get_secret_value() for value in values if isinstance(value, SecretStr))

    def fetch_limits(self) -> FetchLimits:
        """Raises ValueError: FETCH_PORTS is not a list of ports."""
        named = [port.strip() for port in self.fetch_ports.split(",")]
        if not all(port.isascii() and port.isdigit() and 0 < int(port) < 65_536 for port in named):
            raise ValueError(f"FETCH_PORTS={self.fetch_ports!r} must be ports, comma separated, like 80,443")
        return FetchLimits(
            allowed_ports=frozenset(map(int, named)),
            total_s=self.fetch_time_s,
            max_bytes=self.fetch_max_mb * 1024 * 1024,
        )

    def fetch_exempt(self) -> frozenset[str]:
        """Raises ValueError: FETCH_ALLOW_PRIVATE is not a list of host:port."""
        named = [pair.strip() for pair in self.fetch_allow_private.split(",") if pair.strip()]
        exempt = set()
        for host, _, port in (pair.rpartition(":") for pair in named):
            try:
                exempt.add(f"{ascii_host(host)}:{int(port)}")
            except ValueError:
                raise ValueError(f"FETCH_ALLOW_PRIVATE={self.fetch_allow_private!r} must be host:port pairs") from None
        return frozenset(exempt)

    def allowed_hosts(self) -> frozenset[str]:
        """Host names without port that requests may carry."""
        named = {name.strip().lower() for name in self.web_allowed_hosts.split(",") if name.strip()}
        if public := urlsplit(self.public_url).hostname:
            named.add(public)
        return frozenset(named | LOOPBACK)
