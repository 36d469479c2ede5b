"""The database-only checker: it passes an honest script and fails on an off-by-one (rules EVD-1, EVD-2, EVD-6)."""

import json
from dataclasses import asdict

import asyncpg
import pytest

from eval.scorers.claims import check_database
from pipeline.compose.excerpt import write
from pipeline.domain.evidence import IndexedChunk, PackLimits
from pipeline.domain.script import ScriptLimits
from pipeline.evidence.chunk import split
from pipeline.evidence.retrieve import pack
from pipeline.evidence.terms import search_tokens
from pipeline.graphs.attempt import fingerprint
from pipeline.intake.structure import text_blocks

TEXT = (
    "湖心站说明\n\n湖心站建于1987年，站房两层，位于北岸。站内有三台水位计，每小时记录一次。\n\n"
    "夏季每天开放参观，冬季只在周末开放，参观须提前一天登记。😀站长室不对外。"
)


async def stored(dsn, change=None):
    """A version, its chunks and a script made by the real writer; ``change`` may spoil the script first."""
    connection = await asyncpg.connect(dsn)
    owner = await connection.fetchval("INSERT INTO owner (language) VALUES ('zh') RETURNING id")
    version = await connection.fetchval(
        "INSERT INTO source_version (owner_id, raw_sha256, blob_key, reader, extractor, title, text, text_sha256, offsets, "
        "blocks, page_starts, quality, language, removed, notes, fetched_at) VALUES ($1,'r','b','text 1','plain 1','湖心站', "
        "$2,'t','[]','[]','[]','FULL','zh','[]','[]',now()) RETURNING id",
        owner,
        TEXT,
    )
    chunks, ids = [], {}
    for seq, d in enumerate(split(TEXT, text_blocks(TEXT))):
        ids[seq] = await connection.fetchval(
            "INSERT INTO chunk (version_id, owner_id, seq, parent_seq, kind, is_section, heading, span_start, span_end, tokens) "
            "VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10) RETURNING id",
            version,
            owner,
            seq,
            d.parent,
            d.kind.value,
            d.is_section,
            d.heading,
            d.start,
            d.end,
            "" if d.is_section else search_tokens(TEXT[d.start : d.end]),
        )
        parent = None if d.parent is None else ids[d.parent]
        chunks.append(IndexedChunk(ids[seq], version, d.start, d.end, parent, d.heading, None, d.is_section, d.kind))
    question = "湖心站建于哪一年？"
    evidence = pack(
        question, text=TEXT, chunks=chunks, lexical=[], dense=[], index_state="LEXICAL", limits=PackLimits()
    )
    script = await write(
        question, evidence, title="湖心站", text=TEXT, embedder=None, language="zh", limits=ScriptLimits()
    )
    content = json.loads(json.dumps(asdict(script)))
    if change:
        change(content)
    await connection.execute(
        "INSERT INTO stage_artifact (owner_id, kind, input_fingerprint, content, content_sha256) VALUES ($1,'script',$2,$3,'x')",
        owner,
        fingerprint(test=1),
        json.dumps(content),
    )
    await connection.close()


async def test_an_honest_script_resolves_to_the_last_span(database_url):
    await stored(database_url)
    report = await check_database(database_url)
    assert (report.scripts, report.breaches) == (1, ())
    assert report.spans == report.claims >= 2


def shift(field, by):
    def change(content):
        content["claims"][-1]["evidence"][0][field] += by

    return change


def drop_claims(content):
    content["sentences"][-1]["claim_ids"] = []


def other_words(content):
    at = next(i for i, claim in enumerate(content["claims"]) if "1987" in claim["text"])
    said = content["claims"][at]["text"].replace("1987", "1988")
    content["claims"][at]["text"] = said
    next(s for s in content["sentences"] if content["claims"][at]["id"] in s["claim_ids"])["text"] = said


def unknown_claim(content):
    content["sentences"][-1]["claim_ids"] = ["c99"]


PLANTED = [
    ("starts one late", shift("span_start", 1)),
    ("starts one early", shift("span_start", -1)),
    ("ends one early", shift("span_end", -1)),
    ("ends one late", shift("span_end", 1)),
    ("no such chunk", shift("chunk_id", 1000)),
    ("no such version", shift("source_version_id", 1000)),
    ("a fact without claims", drop_claims),
    ("a digit changed in claim and sentence", other_words),
    ("a claim that is not there", unknown_claim),
]


@pytest.mark.parametrize("change", [row[1] for row in PLANTED], ids=[row[0] for row in PLANTED])
async def test_a_planted_fault_is_found(database_url, change):
    await stored(database_url, change)
    assert (await check_database(database_url)).breaches
