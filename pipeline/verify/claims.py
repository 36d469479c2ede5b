"""Program checks of a script against its sources: no model, no judgement, no fuzz (rules EVD-1 to EVD-3).

What they prove: every reference exists and resolves, an excerpt is the source's own words, and no number, date, unit
or negation of a claim is missing from its evidence. What they do not prove: that a paraphrase means the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pipeline.domain.evidence import Span
from pipeline.domain.script import Claim, ClaimKind, Role, ScriptDoc, Sentence
from pipeline.domain.text import fold, same_words
from pipeline.domain.words import negations

_HAN_DIGIT = "〇零一二三四五六七八九十百千万亿萬億两兩"
_UNITS = (
    "年月日号號时時分秒点點周天岁歲元块塊角个個名人位次回份件条條章节節项項页頁本篇台辆輛吨噸克斤米尺里升度倍成折"
    "层層楼樓室届屆期级級种種只隻户戶张張座站"
)
_FIGURE = re.compile(r"(?<![\d.])(\d+(?:[.,:/\-]\d+)*)(?:\s?(%|[a-zA-Z°℃]+)|([^\W\da-zA-Z_]))?")
_HAN_FIGURE = re.compile(f"[{_HAN_DIGIT}]+(?:分之[{_HAN_DIGIT}]+|点[{_HAN_DIGIT}]+)?[{_UNITS}]")


@dataclass(frozen=True)
class Finding:
    """One breach. ``claim_id`` is None when the script as a whole is wrong, so that nothing of it can be kept."""

    rule: str  # id_twice | no_span | version | range | quote | figure | negation | sentence
    claim_id: str | None
    what: str


def check(
    script: ScriptDoc, texts: Mapping[int, str], allowed: frozenset[int], *, verbatim: bool = True
) -> tuple[Finding, ...]:
    """Return every breach, claims first, in order; empty means that each reference holds.

    Args:
        texts: canonical text by source version id.
        allowed: versions this script may rest on (rule CHK-2).
        verbatim: sentences are quotes, as the excerpt writer's are; a model's own words are checked for the rest.
    """
    return tuple(_checks(script, texts, allowed, verbatim))


def _checks(script: ScriptDoc, texts: Mapping[int, str], allowed: frozenset[int], verbatim: bool) -> Iterator[Finding]:
    for id, times in Counter(claim.id for claim in script.claims).items():
        if times > 1:
            yield Finding("id_twice", None, f"{id} is {times} claims")
    resolved: dict[str, str] = {}
    for claim in script.claims:
        found = list(_unresolved(claim, texts, allowed))
        yield from found
        if not found:
            resolved[claim.id] = "\n".join(_words(span, texts) for span in claim.evidence)
            yield from _contradicted(claim, resolved[claim.id], verbatim)
    known = {claim.id: claim for claim in script.claims}
    for position, sentence in enumerate(script.sentences):
        yield from _sentence(position, sentence, known, resolved, verbatim)


def _words(span: Span, texts: Mapping[int, str]) -> str:
    return texts[span.source_version_id][span.span_start : span.span_end]


def _unresolved(claim: Claim, texts: Mapping[int, str], allowed: frozenset[int]) -> Iterator[Finding]:
    if claim.kind is ClaimKind.EXTERNAL_FACT and not claim.evidence:
        yield Finding("no_span", claim.id, "an external fact without evidence")
    for span in claim.evidence:
        version = span.source_version_id
        if version not in allowed or version not in texts:
            yield Finding("version", claim.id, f"version {version} is not allowed here")
        elif not 0 <= span.span_start < span.span_end <= len(texts[version]):
            yield Finding("range", claim.id, f"{span.span_start}:{span.span_end} of {len(texts[version])}")


def _contradicted(claim: Claim, evidence: str, verbatim: bool) -> Iterator[Finding]:
    if claim.kind is not ClaimKind.EXTERNAL_FACT:
        return
    if verbatim and not same_words(claim.text, evidence):
        yield Finding("quote", claim.id, "the claim is not the text at its span")
    for figure in missing_figures(claim.text, evidence):
        yield Finding("figure", claim.id, f"{figure!r} is not in its evidence")
    for word in (Counter(negations(claim.text)) - Counter(negations(evidence))).elements():
        yield Finding("negation", claim.id, f"{word!r} is not in its evidence")


def missing_figures(claim: str, evidence: str) -> tuple[str, ...]:
    """Return numbers of ``claim`` (with their unit: 17:00, 8月, 3.5kg, 百分之四十, 五年) that ``evidence`` lacks.

    Whole numbers only: 12 does not stand in 1200, nor 5 元 in 15 元.
    """
    claim, evidence = fold(claim)[0], fold(evidence)[0]
    missing = []
    for found in _FIGURE.finditer(claim):
        number, unit = found.group(1), found.group(2) or found.group(3) or ""
        after = r"(?!\d|[.,:]\d)" if not unit else "(?![a-zA-Z])" if unit[-1].isascii() and unit != "%" else ""
        if not re.search(rf"(?<![\d.]){re.escape(number)}\s?{re.escape(unit)}{after}", evidence):
            missing.append(found.group())
    missing += [f for f in _HAN_FIGURE.findall(claim) if not re.search(f"(?<![{_HAN_DIGIT}]){f}", evidence)]
    return tuple(dict.fromkeys(missing))


def _sentence(
    position: int, sentence: Sentence, known: Mapping[str, Claim], resolved: Mapping[str, str], verbatim: bool
) -> Iterator[Finding]:
    if sentence.index != position:
        yield Finding("sentence", None, f"sentence {position} calls itself {sentence.index}")
    if sentence.role is not Role.FACT:
        if sentence.claim_ids:
            yield Finding("sentence", None, f"sentence {position} is {sentence.role} and carries claims")
        return
    if not sentence.claim_ids:
        yield Finding("sentence", None, f"sentence {position} states a fact without a claim")
    for id in sentence.claim_ids:
        if id not in known:
            yield Finding("sentence", None, f"sentence {position} names {id!r}, which is no claim")
    if verbatim and sentence.claim_ids and all(id in resolved for id in sentence.claim_ids):
        evidence = "\n".join(resolved[id] for id in sentence.claim_ids)
        if not same_words(sentence.text, evidence):
            yield Finding("quote", sentence.claim_ids[0], f"sentence {position} is not the text at its spans")
