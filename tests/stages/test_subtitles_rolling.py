"""Captions that roll: every line once, and what was truly said twice, twice (pitfall S1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.subtitled import clock, cues, read, spoken


def rolling(lines, *, tagged=True, seconds=2):
    """The captions that YouTube makes of ``lines``: each rolls up under the one before, with a flash between."""
    out, before = ["WEBVTT\nKind: captions\nLanguage: en\n"], " "
    for at, line in enumerate(lines):
        start, end = at * seconds * 1_000, (at + 1) * seconds * 1_000
        first, *words = line.split(" ")
        new = first + "".join(f"<{clock(start + 100 * (n + 1))}><c> {w}</c>" for n, w in enumerate(words))
        out.append(
            f"{clock(start)} --> {clock(end - 10)} align:start position:0%\n{before}\n{new if tagged else line}\n"
        )
        out.append(f"{clock(end - 10)} --> {clock(end)} align:start position:0%\n{line}\n \n")
        before = line
    return "\n".join(out)


SPOKEN = [
    "so this is the first line",
    "and here comes another one",
    "which rolls up like all",
    "the lines before it did",
    "until the very last line",
]
ROLLED = [
    ("as it comes", SPOKEN),
    ("a line truly said twice", ["no no no", "no no no", "and then it was over", "we went home", "we went home"]),
    ("a line said three times", ["it works", "it works", "it works", "and that is all", "there is to say"]),
    ("a single word", ["so this is the line", "yeah", "and here we go again", "yeah", "the end of it"]),
    ("a single word twice", ["so this is the line", "yeah", "yeah", "and here we go again", "the end of it"]),
    ("Chinese", ["今天我们来讲 一件事情", "这件事情 非常重要", "请大家 认真听", "我再说 一遍", "我再说 一遍"]),
]  # fmt: skip


@pytest.mark.parametrize("lines", [r[1] for r in ROLLED], ids=[r[0] for r in ROLLED])
@pytest.mark.parametrize("tagged", [True, False], ids=["word times", "plain"])
def test_rolling_captions_say_every_line_once_and_true_repeats_twice(lines, tagged):
    """Pitfall S1."""
    found = read(rolling(lines, tagged=tagged), name="a.vtt")
    assert [found.text[c.start : c.end] for c in found.cues] == lines
    assert [c.start_ms for c in found.cues] == [2_000 * n for n in range(len(lines))]
    assert f"cues_rolled:{len(lines)}" in found.notes
    assert {r.why for r in found.removed} == {"repeated"}


SAYINGS = st.lists(
    st.sampled_from(["no no no", "yes", "so it goes on", "and on it goes", "今天 再说一遍"]), min_size=3, max_size=30
)


@given(SAYINGS, st.booleans())
def test_whatever_is_said_in_rolling_captions_is_said_as_often_in_the_text(lines, tagged):
    """Pitfall S1."""
    assert [t for _, _, t in cues(read(rolling(lines, tagged=tagged)))] == lines


@given(SAYINGS)
def test_whatever_is_said_in_ordinary_subtitles_stays(lines):
    """Pitfall S1."""
    assert [t for _, _, t in cues(read(spoken(lines)))] == lines


def screens(*shown):
    """A file whose cues show these lines, two seconds each and without a pause."""
    out = (f"{clock(2_000 * n)} --> {clock(2_000 * (n + 1))}\n" + "\n".join(s) + "\n" for n, s in enumerate(shown))
    return "WEBVTT\n\n" + "\n".join(out)


def test_captions_that_roll_without_a_flash_keep_what_is_said_three_times():
    """Pitfall S1: the last line of a screen is new, even where it looks like the one above it."""
    shown = [["one"], ["one", "two"], ["two", "three"], ["three", "three"], ["three", "three"], ["three", "four"]]
    assert [t for _, _, t in cues(read(screens(*shown)))] == ["one", "two", "three", "three", "three", "four"]


def test_a_line_with_times_of_its_own_is_new_wherever_it_stands():
    """Pitfall S1."""
    shown = [["one"], ["one", "two"], ["two", "three"], ["three", "go"], ["go", "go"]]
    shown.append(["go", "go<00:00:10.500><c> </c>", "on<00:00:11.500><c> now</c>"])
    assert [t for _, _, t in cues(read(screens(*shown)))] == ["one", "two", "three", "go", "go", "go on now"]


def test_two_lines_that_are_the_same_do_not_make_a_file_roll():
    assert [t for _, _, t in cues(read(screens(*[["No.", "No."]] * 6)))] == ["No. No."] * 6


def test_rolling_captions_saved_as_subrip_are_put_right_too():
    srt = rolling(SPOKEN, tagged=False).split("\n\n", 1)[1].replace(" align:start position:0%", "").replace(".", ",")
    assert [t for _, _, t in cues(read(srt))] == SPOKEN


PLAIN_REPEATS = [
    ("the same line again and again", ["Run!"] * 6),
    ("a chorus", ["la la la", "oh yes", "la la la", "oh yes", "la la la", "oh yes"]),
    ("an answer that is the question", ["Is it?", "It is.", "It is.", "Is it?", "It is.", "It is."]),
]


@pytest.mark.parametrize("lines", [r[1] for r in PLAIN_REPEATS], ids=[r[0] for r in PLAIN_REPEATS])
def test_ordinary_subtitles_keep_every_repeat(lines):
    """Pitfall S1: never drop a truly repeated sentence."""
    srt = "\n\n".join(f"{n}\n00:00:{n:02},000 --> 00:00:{n + 1:02},000\n{line}" for n, line in enumerate(lines, 1))
    assert [t for _, _, t in cues(read(srt))] == lines


def test_two_line_cues_that_begin_like_the_last_one_ended_stay_unless_the_file_rolls():
    """One such pair is talk; only a file full of them rolls."""
    srt = "1\n00:00:01,000 --> 00:00:02,000\nWhat?\nNo.\n\n2\n00:00:02,000 --> 00:00:03,000\nNo.\nNever.\n\n3\n00:00:03,000 --> 00:00:04,000\nAh.\n"
    assert [t for _, _, t in cues(read(srt))] == ["What? No.", "No. Never.", "Ah."]
