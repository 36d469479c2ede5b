"""``earmark make`` with what a careless hand types: an end, a sentence and an exit code, never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from eval.simulators.product import ROOT

pytestmark = pytest.mark.slow
TEXT = "北湖的冰层厚度约三十厘米，可以走人。\n\n渔民每天捕到二十公斤鱼，在岸边卖掉。\n" * 2
QUESTION = "北湖的冰层厚度约多少厘米？".encode()


@pytest.fixture(scope="module")
def room(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("make")
    for parent in (folder, *folder.parents):
        if parent.stat().st_mode & 0o001 == 0:
            parent.chmod(parent.stat().st_mode | 0o011)
    (folder / "a.txt").write_text(TEXT, "utf-8")
    (folder / os.fsdecode(b"\xff\xfe.txt")).write_text(TEXT, "utf-8")
    return folder


CASES = [
    ("a blank question asks for the points", [b"a.txt", b"--ask", b"  "], 0, "done", ""),
    ("a question that is no UTF-8", [b"a.txt", b"--ask", QUESTION + b"\xff"], 0, "done", ""),
    ("a name that is no UTF-8", [b"\xff\xfe.txt", b"--ask", QUESTION], 0, "done", ""),
    ("a file without an end", [b"/dev/zero"], 2, "refused", "25 MB"),
    ("a file that is not there", [b"nothing.txt"], 2, "refused", "nothing.txt"),
    ("a folder", [b"."], 2, "refused", "文件夹"),
    ("a file for a folder of results", [b"a.txt", b"--out", b"a.txt"], 2, "refused", "--out"),
]


@pytest.mark.parametrize(("arguments", "code", "state", "part"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_make(room, arguments, code, state, part):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SPEECH_FAKE": "1", "DATA_DIR": str(room / "data")}
    done = subprocess.run(
        [sys.executable, "-m", "bot", "make", "--json", *arguments],
        cwd=room, env=environment, capture_output=True, text=True, timeout=90, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    assert done.returncode == code, done.stdout + done.stderr
    said = json.loads(done.stdout)
    assert said["state"] == state
    assert part in said.get("message", "")


def test_a_database_address_of_another_kind_is_named(room):
    done = subprocess.run(
        [sys.executable, "-m", "bot", "make", "a.txt"],
        cwd=room, env={**os.environ, "PYTHONPATH": str(ROOT), "DATABASE_URL": "mysql://me:secret@here/x"},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "DATABASE_URL must start with postgresql://" in done.stderr
    assert "secret" not in done.stderr
