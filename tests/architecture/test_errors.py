"""The drawing in the docstring is the class tree."""

from __future__ import annotations

import re

from pipeline.domain import errors


def test_the_drawing_is_the_tree():
    drawn: dict[str, str] = {}
    stack: list[tuple[int, str]] = []
    for line in (errors.__doc__ or "").splitlines():
        found = re.match(r"^([│├└─ ]*)([A-Z]\w+)", line)
        if not found or found[2] not in vars(errors):
            continue
        depth = len(found[1])
        while stack and stack[-1][0] >= depth:
            stack.pop()
        drawn[found[2]] = stack[-1][1] if stack else "Exception"
        stack.append((depth, found[2]))
    real = {
        name: cls.__bases__[0].__name__
        for name, cls in vars(errors).items()
        if isinstance(cls, type) and issubclass(cls, errors.ProductError)
    }
    assert drawn == real


def test_every_error_says_what_to_do():
    for name, cls in vars(errors).items():
        if isinstance(cls, type) and issubclass(cls, errors.ProductError):
            assert cls.remedy.endswith("."), name
