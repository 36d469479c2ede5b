"""Names and small values of WordprocessingML."""

from __future__ import annotations

from typing import Any

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def value(element: Any, name: str) -> str | None:
    """Return ``w:val`` of the child ``w:name``; None without one."""
    child = element.find(f"{W}{name}") if element is not None else None
    return child.get(f"{W}val") if child is not None else None


def on(element: Any, name: str) -> bool:
    """Whether the switch ``w:name`` is set: it is, unless its value says no."""
    child = element.find(f"{W}{name}") if element is not None else None
    return child is not None and child.get(f"{W}val", "1") not in ("0", "false", "off")
