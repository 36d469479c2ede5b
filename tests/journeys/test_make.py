"""The command line as its user calls it: exit codes, files, the ledger, the doctor."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.folders import walkable

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
TEXT = """# 夜市的灯

夜市的灯在七月换了一遍。旧灯一共三百二十盏，每盏每晚用电一度；新灯每盏每晚只用三分之一度。

摊主们起初不愿意换，因为新灯的光发白，水果看起来不新鲜。管理处后来把灯罩改成了暖色，摊主才同意。

换灯用了十一天，花了九万六千元。管理处说，省下的电费三年可以抵上这笔钱。
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("make")
    walkable(path)
    return path / "data"


def earmark(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "SPEECH_FAKE": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "bot", *arguments, "--data", str(data)]
    return subprocess.run(
        command, capture_output=True, text=True, env=environment, cwd=data.parent, timeout=180, check=False
    )


def test_a_file_and_a_question_become_a_folder(data, tmp_path):
    source = tmp_path / "灯.md"
    source.write_text(TEXT)
    out = tmp_path / "out"
    done = earmark(data, "make", str(source), "--ask", "摊主为什么起初不愿意换灯？", "--out", str(out), "--json")
    assert done.returncode == 0, done.stderr
    assert sorted(p.name for p in out.iterdir()) == [
        "episode.mp3",
        "episode.ogg",
        "evidence.html",
        "result.json",
        "transcript.vtt",
    ]
    result = json.loads(done.stdout)
    assert any("发白" in s["text"] for s in result["sentences"])
    assert (out / "transcript.vtt").read_text().startswith("WEBVTT")
    page = (out / "evidence.html").read_text()
    assert "水果看起来不新鲜" in page
    assert "http://" not in page.replace("http://www.w3.org/", "")
    shown = earmark(data, "runs", "show", str(result["run"]))
    assert shown.returncode == 0
    assert "stage_done publish" in shown.stdout
    assert json.loads(earmark(data, "runs", "show", str(result["run"]), "--json").stdout)["run"]["state"] == "SUCCEEDED"
    assert "SUCCEEDED" in earmark(data, "runs", "list").stdout


@pytest.mark.parametrize(
    ("name", "content", "question", "code", "reason"),
    [
        ("empty.txt", b"", "为什么？", 2, "empty_file"),
        ("picture.txt", b"\x89PNG\r\n\x1a\n" + b"\0" * 64, "为什么？", 2, "broken"),
        ("film.txt", b"\0\0\0\x20ftypisom" + b"\0" * 64, "为什么？", 2, "wrong_kind"),
        ("broken.pdf", b"%PDF-1.7\nnothing of the kind", "为什么？", 2, "broken"),
        ("lamp.md", TEXT.encode(), "火星上的大气由哪些气体组成？", 3, "not_covered"),
        ("en.txt", b"The lamps were replaced in July. " * 12, "Why?", 3, "other_language"),
    ],
    ids=lambda value: value if isinstance(value, str) and "." in value else "",
)
def test_what_is_not_made_has_its_exit_code_and_its_sentence(data, tmp_path, name, content, question, code, reason):
    source = tmp_path / name
    source.write_bytes(content)
    done = earmark(data, "make", str(source), "--ask", question, "--out", str(tmp_path / "out"), "--json")
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["reason"]) == (code, reason)
    assert len(answer["message"]) > 10
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("http://127.0.0.1/a", "address_refused"),
        ("http://2130706433/", "address_refused"),
        ("http://169.254.169.254/latest/meta-data/", "address_refused"),
        ("https://user:secret@example.org/", "address_refused"),
        ("http://[::ffff:10.0.0.1]/", "address_refused"),
    ],
)
def test_an_address_inside_is_refused_before_anything_is_made(data, address, reason):
    """SRC-6: and no part of it that could be a secret is repeated."""
    done = earmark(data, "make", address, "--ask", "为什么？", "--json")
    assert (done.returncode, json.loads(done.stdout)["reason"]) == (2, reason)
    assert "secret" not in done.stdout + done.stderr


def test_the_doctor_names_every_ability_and_how_to_raise_it(data):
    done = earmark(data, "doctor", "--json")
    found = {row["ability"]: row for row in json.loads(done.stdout)}
    assert done.returncode == 0
    assert {"python", "disk", "database", "writer", "speech", "retrieval", "pdf", "pages", "audio"} <= found.keys()
    assert "tones" in found["speech"]["tier"]


def test_signing_in_without_a_running_product_says_what_to_start(data):
    done = earmark(data, "signin")
    assert done.returncode == 1
    assert "earmark up" in done.stderr


def test_settings_that_disagree_are_refused_with_both_names(data):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "LEASE_S": "10", "HEARTBEAT_S": "9"}
    command = [sys.executable, "-m", "bot", "doctor", "--data", str(data)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=data.parent, check=False)
    assert done.returncode == 2
    assert "LEASE_S" in done.stderr
    assert "HEARTBEAT_S" in done.stderr
