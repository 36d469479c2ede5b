"""Keyboards under messages: their shape, and the bytes a button may carry."""

from __future__ import annotations

import json
from typing import Any

from eval.simulators.botapi.errors import refused
from eval.simulators.botapi.limits import Limits

# What a button does; exactly one of them. `disabled` is of Bot API 10.3.
ACTS = frozenset(
    "url callback_data web_app login_url switch_inline_query switch_inline_query_current_chat"
    " switch_inline_query_chosen_chat copy_text callback_game pay disabled".split()
)
STYLES = frozenset({"danger", "success", "primary"})
_OTHER = ("keyboard", "remove_keyboard", "force_reply")
_MOST_BUTTONS = 100


def keyboard(given: object, *, limits: Limits, editing: bool = False) -> dict[str, Any] | None:
    """Return the inline keyboard of a call, or nothing for none and for the other kinds of reply markup.

    Raises:
        ApiError: 400 for a keyboard that Telegram would not show.
    """
    if given in (None, ""):
        return None
    try:
        read = json.loads(given) if isinstance(given, str) else given
    except ValueError:
        raise refused("can't parse reply keyboard markup JSON object") from None
    if not isinstance(read, dict):
        raise refused("object expected as reply markup")
    if "inline_keyboard" not in read:
        if editing and any(kind in read for kind in _OTHER):
            raise refused("inline keyboard expected")
        return None
    rows = read["inline_keyboard"]
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise refused('can\'t parse inline keyboard: field "inline_keyboard" must be of type Array of Array')
    kept = [[_button(b, limits) for b in row] for row in rows if row]
    if sum(map(len, kept)) > _MOST_BUTTONS:
        raise refused("reply markup is too long")
    return {"inline_keyboard": kept} if kept else None


def _button(given: object, limits: Limits) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise refused("can't parse inline keyboard button: object expected")
    label = given.get("text")
    if not isinstance(label, str) or not label.strip():
        raise refused("can't parse inline keyboard button: button text must be non-empty")
    acts = [name for name in ACTS if given.get(name) is not None]
    if len(acts) != 1:
        raise refused("can't parse inline keyboard button: text buttons are unallowed in the inline keyboard")
    if given.get("style") not in (None, *STYLES):
        raise refused("BUTTON_STYLE_INVALID")
    value = given[acts[0]]
    if acts[0] == "callback_data" and not (
        isinstance(value, str) and 1 <= len(value.encode()) <= limits.callback_bytes
    ):
        raise refused("BUTTON_DATA_INVALID")
    if acts[0] == "url" and not str(value).startswith(("http://", "https://", "tg://")):
        raise refused(f"inline keyboard button URL '{value}' is invalid: wrong HTTP URL")
    return {name: value for name, value in given.items() if value is not None}
