"""The written transcript with times: WebVTT, one cue per sentence that sounds.

Source: W3C WebVTT; ``&``, ``<`` and ``>`` are escaped, a cue's text holds no blank line and no ``-->``.
"""

from __future__ import annotations

from pipeline.domain.audio import Cue
from pipeline.domain.errors import AudioRejected
from pipeline.domain.script import ScriptDoc


def webvtt(cues: tuple[Cue, ...], script: ScriptDoc) -> bytes:
    """UTF-8. The words are the script's own, not those made for the ear.

    Raises:
        AudioRejected: ``coverage`` if a sentence has no cue, or cues overlap or run backwards.
    """
    if [cue.sentence for cue in cues] != [sentence.index for sentence in script.sentences]:
        raise AudioRejected("coverage", f"{len(cues)} cues for {len(script.sentences)} sentences")
    blocks = ["WEBVTT"]
    end = 0
    for cue, sentence in zip(cues, script.sentences, strict=True):
        if not end <= cue.start_ms <= cue.end_ms:
            raise AudioRejected("coverage", f"the cue of sentence {cue.sentence} starts before the last one ends")
        end = cue.end_ms
        words = _escaped(sentence.text)
        if cue.start_ms < cue.end_ms and words:
            blocks.append(f"{cue.sentence + 1}\n{_clock(cue.start_ms)} --> {_clock(cue.end_ms)}\n{words}")
    return ("\n\n".join(blocks) + "\n").encode("utf-8")


def _escaped(text: str) -> str:
    return " ".join(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").split())


def _clock(ms: int) -> str:
    seconds, rest = divmod(ms, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02d}:{minutes:02d}:{seconds:02d}.{rest:03d}"
