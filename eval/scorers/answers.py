"""Scores of the excerpt writer: gold in the script, declines, lengths, repetitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.domain.script import Declined, Role, ScriptDoc
from pipeline.domain.text import fold


@dataclass(frozen=True)
class Outcome:
    name: str
    question: str
    golds: tuple[str, ...]  # () where declining is right
    result: ScriptDoc | Declined
    seconds: float


def spoken(script: ScriptDoc) -> str:
    return "".join(sentence.text for sentence in script.sentences)


def right(outcome: Outcome) -> bool:
    """A gold answer stands in the script's facts (after presentation folding), or the writer declined as it should."""
    if isinstance(outcome.result, Declined):
        return not outcome.golds
    facts = fold("".join(s.text for s in outcome.result.sentences if s.role is Role.FACT))[0]
    return any(fold(gold)[0].strip() in facts for gold in outcome.golds)


def breaches(outcome: Outcome, *, max_chars: int = 1_200) -> list[str]:
    """Promises every script keeps whatever it says: its length, and no sentence twice."""
    if isinstance(outcome.result, Declined):
        return []
    texts = [sentence.text for sentence in outcome.result.sentences]
    twice = [text for text, times in Counter(texts).items() if times > 1]
    return ([f"{len(spoken(outcome.result))} characters"] if len(spoken(outcome.result)) > max_chars else []) + twice


def _middle(ordered: Sequence[float]) -> float:
    return ordered[len(ordered) // 2]


def report(name: str, outcomes: list[Outcome], *, misses: bool = False) -> str:
    if not outcomes:
        return f"{name}: no cases"
    good = sum(map(right, outcomes))
    scripts = [o.result for o in outcomes if isinstance(o.result, ScriptDoc)]
    lengths = sorted(len(spoken(s)) for s in scripts) or [0]
    shares = sorted(len(spoken(o.result)) for o in outcomes if isinstance(o.result, ScriptDoc) and right(o)) or [0]
    seconds = sorted(o.seconds for o in outcomes)
    lines = [
        f"{name}: {good}/{len(outcomes)} = {good / len(outcomes):.3f}; declined {len(outcomes) - len(scripts)}; "
        f"script characters median {_middle(lengths)}, most {lengths[-1]} (right ones median {_middle(shares)}); "
        f"breaches {sum(len(breaches(o)) for o in outcomes)}; "
        f"seconds median {_middle(seconds):.2f}, most {seconds[-1]:.2f}"
    ]
    if misses:
        lines += [
            f"  {o.name} | {o.question} | {o.golds} | {type(o.result).__name__}" for o in outcomes if not right(o)
        ]
    return "\n".join(lines)
