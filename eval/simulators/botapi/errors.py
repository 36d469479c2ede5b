"""What the Bot API answers when it does not do what was asked: status, description, parameters."""

from __future__ import annotations

from typing import Any

_PREFIX = {400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 409: "Conflict"}


class ApiError(Exception):
    """``code`` is the HTTP status and ``error_code``; ``parameters`` are the ResponseParameters.

    ``done`` says that the effect happened all the same.
    """

    def __init__(self, code: int, description: str, *, done: bool = False, **parameters: int) -> None:
        super().__init__(description)
        self.code, self.description, self.parameters, self.done = code, description, parameters, done

    def body(self) -> dict[str, Any]:
        answer: dict[str, Any] = {"ok": False, "error_code": self.code, "description": self.description}
        return {**answer, "parameters": self.parameters} if self.parameters else answer


def refused(what: str, code: int = 400, **parameters: int) -> ApiError:
    """Return the error with the prefix that belongs to its status, as Telegram words it."""
    error = ApiError(code, f"{_PREFIX[code]}: {what}" if what else _PREFIX[code])
    error.parameters = parameters
    return error


def flooded(retry_after_s: int) -> ApiError:
    """Return 429; ``retry_after_s`` is whole seconds, at least 1."""
    return ApiError(429, f"Too Many Requests: retry after {retry_after_s}", retry_after=retry_after_s)
