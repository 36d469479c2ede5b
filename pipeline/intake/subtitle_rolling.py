"""Cues put right: rolling captions say every line once, times that cannot be are repaired (pitfalls S1, S7).

Rolling captions show a line when it is spoken and again above the next one. What was shown before is dropped only in
a file that is seen to roll, and only where the new cue carries something new beneath it or flashes by: a sentence that
is truly said twice stays twice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pipeline.domain.source import Removed
from pipeline.intake.subtitle_cues import Said, Track

_FLASH_MS = 60  # a cue this short shows nothing that can be read: it only moves lines up
_TOUCH_MS = 60  # two cues this near follow each other without a pause
_ROLLS_FROM = 3  # moved-up lines
_ROLLS_SHARE = 0.3  # of all cues
_GUESSED_MS = 10_000  # a cue without an end lasts until the next, and this long at most
_LEDGER = 5_000  # entries


@dataclass(frozen=True)
class _Screen:
    lines: tuple[str, ...]
    end_ms: int


def settle(track: Track) -> None:
    """Order the cues by time, repair their times, drop what only rolled up; all of it goes to the ledger."""
    _order(track)
    repaired = _repair(track)
    rolled = _unroll(track)
    twice = _once(track)
    track.notes += [f"{key}:{n}" for key, n in (("cues_repaired", repaired), ("cues_rolled", rolled + twice)) if n]
    del track.removed[_LEDGER:]


def _order(track: Track) -> None:
    """By start; words without a time stay behind what they followed."""
    last = 0
    keyed = []
    for at, cue in enumerate(track.said):
        last = cue.start_ms if cue.start_ms is not None else last
        keyed.append((last, at, cue))
    track.said = [cue for _, _, cue in sorted(keyed, key=lambda k: k[:2])]


def _repair(track: Track) -> int:
    """Give an end to cues that have none, or one before their start; count the times that were wrong or unreadable."""
    wrong = 0
    starts = [cue.start_ms for cue in track.said]
    following: int | None = None
    for at in range(len(starts) - 1, -1, -1):
        cue = track.said[at]
        if cue.start_ms is None:
            wrong += 1
            track.removed.append(Removed("repaired", cue.when or "unreadable time"))
            continue
        if cue.end_ms is None or cue.end_ms < cue.start_ms:
            if cue.end_ms is not None:
                wrong += 1
                track.removed.append(Removed("repaired", cue.when or f"{cue.start_ms} --> {cue.end_ms} ms"))
            end = cue.start_ms if following is None else min(max(following, cue.start_ms), cue.start_ms + _GUESSED_MS)
            track.said[at] = replace(cue, end_ms=end)
        following = cue.start_ms
    return wrong


def _unroll(track: Track) -> int:
    """Drop lines that only moved up; return how many cues had nothing else."""
    if not _rolls(track.said):
        return 0
    kept: list[Said] = []
    emptied = 0
    before = _Screen((), 0)
    for cue in track.said:
        moved = _moved_up(before, cue)
        before = _Screen(cue.lines, cue.end_ms or 0)
        track.removed += [Removed("repeated", line) for line in cue.lines[:moved]]
        if moved < len(cue.lines) or not cue.lines:
            kept.append(replace(cue, lines=cue.lines[moved:], fresh=cue.fresh[moved:]))
        else:
            emptied += 1
    track.said = kept
    return emptied


def _rolls(said: list[Said]) -> bool:
    """Whether lines move up in this file: often, in cues without a pause between, and with new words beneath them."""
    moves = flashes = 0
    for before, cue in zip(said, said[1:], strict=False):
        if not before.lines or not cue.lines or not _touch(before.end_ms, cue.start_ms):
            continue
        if _flashes(cue) and cue.lines[0] in before.lines:
            flashes += 1
        elif len(cue.lines) > 1 and cue.lines[0] == before.lines[-1] and cue.lines[1] != cue.lines[0]:
            moves += 1
    return moves + flashes >= _ROLLS_FROM and (moves + flashes) >= _ROLLS_SHARE * len(said)


def _moved_up(before: _Screen, cue: Said) -> int:
    """How many of the first lines of ``cue`` stood at the end of the screen before it."""
    if not _touch(before.end_ms, cue.start_ms):
        return 0
    # The last line of a cue that can be read is new, and so is every line with times of its own.
    most = len(cue.lines) if _flashes(cue) else len(cue.lines) - 1
    most = min(most, len(before.lines), next((at for at, fresh in enumerate(cue.fresh) if fresh), most))
    return next((n for n in range(most, 0, -1) if before.lines[-n:] == cue.lines[:n]), 0)


def _touch(end_ms: int | None, start_ms: int | None) -> bool:
    return end_ms is not None and start_ms is not None and abs(start_ms - end_ms) <= _TOUCH_MS


def _flashes(cue: Said) -> bool:
    return cue.start_ms is not None and cue.end_ms is not None and cue.end_ms - cue.start_ms <= _FLASH_MS


def _once(track: Track) -> int:
    """Drop a cue with the times and the words of another: layers of one picture, nothing said twice."""
    seen: set[tuple[int, int | None, tuple[str, ...]]] = set()
    kept = []
    for cue in track.said:
        key = (cue.start_ms or 0, cue.end_ms, cue.lines)
        if cue.start_ms is not None and cue.lines and key in seen:
            track.removed += [Removed("repeated", line) for line in cue.lines]
            continue
        seen.add(key)
        kept.append(cue)
    dropped = len(track.said) - len(kept)
    track.said = kept
    return dropped
