"""``python -m eval.scorers.claims DSN``: resolve every claim of every stored script to its exact span.

Reads the database and nothing else: script artefacts, version texts and chunk rows, by plain SQL. It shares no code
with the writer or the checker of the product beyond presentation folding, so a common mistake does not hide in both.
Exits 1 on any breach, 2 when there is no script to check.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from dataclasses import dataclass
from typing import Any

import asyncpg

from pipeline.domain.text import same_words

SCRIPTS = """
SELECT a.id, a.owner_id, a.content::text AS content FROM stage_artifact a WHERE a.kind = 'script' ORDER BY a.id
"""
SPANS = """
SELECT v.owner_id, v.text, c.version_id, c.span_start, c.span_end, c.is_section
  FROM source_version v LEFT JOIN chunk c ON c.id = $2
 WHERE v.id = $1
"""


@dataclass(frozen=True)
class Breach:
    artifact_id: int
    claim_id: str
    what: str


@dataclass(frozen=True)
class Report:
    scripts: int
    claims: int
    spans: int
    breaches: tuple[Breach, ...]


async def check_database(dsn: str) -> Report:
    """Check all scripts of a database, whoever owns them."""
    connection = await asyncpg.connect(dsn)
    try:
        rows = await connection.fetch(SCRIPTS)
        breaches: list[Breach] = []
        claims = spans = 0
        for row in rows:
            script = json.loads(row["content"])
            claims += len(script["claims"])
            spans += sum(len(claim["evidence"]) for claim in script["claims"])
            found = await _script(connection, row["owner_id"], script)
            breaches += [Breach(row["id"], claim_id, what) for claim_id, what in found]
        return Report(len(rows), claims, spans, tuple(breaches))
    finally:
        await connection.close()


async def _script(connection: Any, owner_id: int, script: dict[str, Any]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    texts: dict[str, str] = {}
    for claim in script["claims"]:
        if claim["id"] in texts:
            found.append((claim["id"], "the id names two claims"))
        quoted: list[str] = []
        for span in claim["evidence"]:
            words, wrong = await _resolve(connection, owner_id, span)
            found += [(claim["id"], what) for what in wrong]
            quoted.append(words)
        texts[claim["id"]] = "\n".join(quoted)
        if claim["kind"] == "external_fact":
            if not claim["evidence"]:
                found.append((claim["id"], "an external fact without a span"))
            elif script["writer"].startswith("excerpt") and not same_words(claim["text"], texts[claim["id"]]):
                found.append((claim["id"], f"says {claim['text'][:40]!r}, its span says {texts[claim['id']][:40]!r}"))
    return found + _sentences(script, texts)


def _sentences(script: dict[str, Any], texts: dict[str, str]) -> list[tuple[str, str]]:
    found = []
    for sentence in script["sentences"]:
        ids = sentence["claim_ids"]
        label = f"sentence {sentence['index']}"
        if (sentence["role"] == "fact") != bool(ids):
            found.append((label, f"{sentence['role']} with {len(ids)} claims"))
        for id in ids:
            if id not in texts:
                found.append((label, f"names {id}, which is no claim"))
            elif script["writer"].startswith("excerpt") and not same_words(sentence["text"], texts[id]):
                found.append((label, f"is not the text of {id}"))
    return found


async def _resolve(connection: Any, owner_id: int, span: dict[str, Any]) -> tuple[str, list[str]]:
    """The words at a span, and what is wrong with it."""
    row = await connection.fetchrow(SPANS, span["source_version_id"], span["chunk_id"])
    if row is None:
        return "", [f"version {span['source_version_id']} does not exist"]
    start, end = span["span_start"], span["span_end"]
    wrong = []
    if row["owner_id"] != owner_id:
        wrong.append("the version belongs to another owner")
    if not 0 <= start < end <= len(row["text"]):
        wrong.append(f"{start}:{end} is outside a text of {len(row['text'])}")
    if row["version_id"] != span["source_version_id"]:
        wrong.append(f"chunk {span['chunk_id']} is not of version {span['source_version_id']}")
    elif not row["span_start"] <= start < end <= row["span_end"]:
        wrong.append(f"{start}:{end} is outside chunk {row['span_start']}:{row['span_end']}")
    return row["text"][max(0, start) : max(0, end)], wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dsn")
    report = asyncio.run(check_database(parser.parse_args().dsn))
    for breach in report.breaches:
        print(f"script {breach.artifact_id}, {breach.claim_id}: {breach.what}")
    print(
        f"{report.scripts} scripts, {report.claims} claims, {report.spans} spans, {len(report.breaches)} breaches",
        file=sys.stderr if report.breaches else sys.stdout,
    )
    sys.exit(1 if report.breaches else 0 if report.scripts else 2)


if __name__ == "__main__":
    main()
