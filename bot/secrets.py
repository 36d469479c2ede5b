"""Secrets never reach a log line, whoever writes it: libraries put addresses with tokens into theirs (rule CHT-8)."""

from __future__ import annotations

import logging

HIDDEN = "[hidden]"


class Redacting(logging.Formatter):
    """A formatter that hides ``secrets`` wherever they stand: in the message, its arguments, or a traceback."""

    def __init__(self, fmt: str, secrets: tuple[str, ...]) -> None:
        super().__init__(fmt)
        self._secrets = tuple(secret for secret in secrets if secret)

    def format(self, record: logging.LogRecord) -> str:
        line = super().format(record)
        for secret in self._secrets:
            line = line.replace(secret, HIDDEN)
        return line


def log_without(secrets: tuple[str, ...], *, level: int = logging.WARNING) -> None:
    """Send all logs of this process to standard error, without the secrets; once, at its start."""
    handler = logging.StreamHandler()
    handler.setFormatter(Redacting("%(asctime)s %(levelname)s %(name)s: %(message)s", secrets))
    logging.basicConfig(level=level, handlers=[handler])
