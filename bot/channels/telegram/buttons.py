"""``Button`` ↔ ``callback_data``: at most 64 bytes, and readable by a later version of ourselves (rule CHT-6).

``1:claim:r123:i4`` is format 1, the verb, and each argument with the letter of its name.
"""

from __future__ import annotations

import re
from typing import Any

from bot.channels.port import Button

MAX_BYTES = 64  # fixed by the Bot API
_LETTERS = {"revision": "r", "index": "i", "outbox": "o"}
_NAMES = {letter: name for name, letter in _LETTERS.items()}
_FORM = re.compile(r"1:([a-z_]{1,20})((?::[a-z]-?\d{1,19})*)", re.ASCII)
NOTHING = "1:none"  # of a button that stands for its place only


def packed(button: Button) -> str:
    """Raises ValueError: an argument without a letter, or too long; a screen asks for what cannot be pressed."""
    if button.disabled:
        return NOTHING
    data = ":".join(["1", button.verb, *(f"{_LETTERS[name]}{int(value)}" for name, value in button.args.items())])
    if len(data.encode()) > MAX_BYTES or _FORM.fullmatch(data) is None:
        raise ValueError(f"button {button.verb!r} does not fit into {MAX_BYTES} bytes: {data!r}")
    return data


def unpacked(data: str | None) -> tuple[str, dict[str, Any]] | None:
    """Verb and arguments; None for what is of no format that is known, such as a keyboard of another program."""
    form = _FORM.fullmatch(data or "")
    if form is None:
        return None
    args: dict[str, Any] = {}
    for argument in form[2].split(":")[1:]:
        if (name := _NAMES.get(argument[0])) is None:
            return None
        args[name] = int(argument[1:])
    return form[1], args
