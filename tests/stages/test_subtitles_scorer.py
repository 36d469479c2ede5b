"""The subtitle scorer finds what it is there to find, and says nothing of a good reading."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from eval.scorers.subtitles import score
from pipeline.domain.errors import InputRejected
from pipeline.domain.source import Cue, InputType, ReadHints, Reason, SourceLimits
from pipeline.intake.subtitles import extract_subtitles

SRT = b"1\n00:00:01,000 --> 00:00:02,000\nOne line is said.\n\n2\n00:00:02,000 --> 00:00:03,000\nAnother is said.\n"
GOOD = extract_subtitles(SRT, name="a.srt", kind=InputType.SUBTITLE, limits=SourceLimits(), hints=ReadHints())
KNOWN = {"cues": 2, "first_ms": 1_000, "last_end_ms": 3_000}


def problems(found=GOOD, **known):
    return score("a.srt", found, {**KNOWN, **known}, seconds=0.0).problems


def test_a_good_reading_has_no_problem():
    assert problems() == ()


@pytest.mark.parametrize(
    "text", ["<i>a", "a&amp;b", "<00:01.000>a", "a --> b", "{\\\\an8}a", "NOTE a", "9420 9420 94ad 94ad", "a\ufffd"]
)
def test_every_leak_is_found(text):
    assert any("leaks" in p for p in problems(replace(GOOD, text=text.replace("\\\\", "\\"))))


def test_counts_and_times_are_held_to_what_is_known():
    assert problems(cues=3) == ("2 cues and 0 merged, not 3",)
    assert problems(first_ms=999, last_end_ms=9) == ("first_ms 1000, not 999", "last_end_ms 3000, not 9")
    merged = replace(GOOD, notes=("cues_rolled:1",))
    assert problems(merged, cues=3) == ()


def test_a_repeat_in_a_file_that_was_unrolled_is_a_problem():
    twice = replace(GOOD, text="said said", cues=(Cue(0, 4, 0, 1), Cue(5, 9, 1, 2)), notes=("cues_rolled:1",))
    assert "1 rolling repeats" in problems(twice)


def test_refusals_are_held_to_what_is_known():
    danmaku = InputRejected(Reason.WRONG_KIND, kind="danmaku")
    assert score("a.xml", danmaku, {"danmaku": 3}, seconds=0.0).problems == ()
    assert score("a.xml", danmaku, {"cues": 3}, seconds=0.0).problems == ("refused: wrong_kind danmaku, not cues",)
    assert score("a.xml", GOOD, {"danmaku": 3}, seconds=0.0).problems


def test_the_task_reads_a_folder_by_its_manifest(tmp_path):
    (tmp_path / "subs").mkdir()
    (tmp_path / "subs/a.srt").write_bytes(SRT)
    rows = [["path", "what", "expected"], ["subs/a.srt", "two lines", json.dumps(KNOWN)], ["html/b.html", "a page", ""]]
    (tmp_path / "MANIFEST.tsv").write_text("\n".join("\t".join(row) for row in rows) + "\n")
    command = [sys.executable, "-m", "eval", "subtitles", "--data", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "1 files, 1 as known, 0 not")
