"""The kind of an input, by its bytes first: quickly, whatever the bytes are (rules SRC-5, SRC-6)."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import InputType, Reason, SourceLimits
from pipeline.intake.route import route

LIMITS = SourceLimits()
MHTML = b"From: <saved>\r\nSubject: a page\r\n =?utf-8?B?6aG1?=\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related\r\n\r\n"

# In a process of its own: one call that never ends would otherwise take the test run with it.
LINES = """
from pipeline.domain.source import SourceLimits
from pipeline.intake.route import route
print(route(b"name: value\\r\\n" * 300, name="a.txt", limits=SourceLimits()))
"""


def test_lines_of_name_and_value_are_looked_at_in_no_time():
    """RUN-9: routing runs on the loop that renews leases, so no input may hold it."""
    done = subprocess.run([sys.executable, "-c", LINES], capture_output=True, text=True, timeout=20, check=True)
    assert done.stdout.strip() == InputType.TEXT


def test_a_saved_web_archive_is_read_as_its_page():
    assert route(MHTML, name="page.mhtml", limits=LIMITS) is InputType.HTML
    with pytest.raises(InputRejected) as refused:
        route(MHTML + b"x" * 200, name="page.mhtml", limits=SourceLimits(max_pdf_bytes=200))
    assert refused.value.reason == Reason.TOO_LARGE


def test_a_text_about_web_archives_is_a_text():
    about = "说明：网页存档以 multipart/related 保存。\r\n\r\nMIME-Version: 1.0 写在开头。\r\n".encode()
    assert route(b"note: a word\r\n\r\n" + about, name="a.txt", limits=LIMITS) is InputType.TEXT
