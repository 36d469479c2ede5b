"""Search over everything an owner has sent (rule CHT-10), as far as words carry: the lexical channel of ``search``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncEngine

from storage.queries.source.search import searchable
from storage.tx import snapshot

# Only the newest version of a source; at most :each of one version, so that one long book does not hide the rest. Texts
# are opened last, for the few that are shown. Offsets count code points from 0, PostgreSQL's substr from 1.
FOUND = """
WITH hits AS (
  SELECT c.id, c.version_id, c.heading, c.page, c.span_start, c.span_end, ts_rank_cd(c.tsv, query.q) AS rank,
         row_number() OVER (PARTITION BY c.version_id ORDER BY ts_rank_cd(c.tsv, query.q) DESC, c.id) AS place
    FROM chunk c,
         (SELECT string_agg(quote_literal(t), ' | ')::tsquery AS q FROM unnest(cast(:terms AS text[])) t) query
   WHERE c.owner_id = :owner AND NOT c.is_section AND c.tsv @@ query.q
     AND c.version_id IN (SELECT s.version_id FROM source s WHERE s.owner_id = :owner)
), best AS MATERIALIZED (
  SELECT * FROM hits WHERE place <= :each ORDER BY rank DESC, id LIMIT :limit
)
SELECT newest.revision_id, sv.title, newest.name, b.heading, b.page, b.span_start, b.span_end,
       substr(sv.text, b.span_start + 1, b.span_end - b.span_start) AS words,
       b.page IS NOT NULL AND sv.recognised @> to_jsonb(b.page) AS recognised
  FROM best b JOIN source_version sv ON sv.id = b.version_id
  JOIN LATERAL (
       SELECT v.id AS revision_id, s.name FROM source s JOIN episode e ON e.source_id = s.id
         JOIN episode_revision v ON v.episode_id = e.id
        WHERE s.version_id = b.version_id AND s.owner_id = :owner ORDER BY v.id DESC LIMIT 1) newest ON true
 ORDER BY b.rank DESC, b.id
"""


@dataclass(frozen=True)
class FoundView:
    """One passage: ``words`` is the version's text from ``start`` to ``end``, code points, end exclusive.

    ``revision_id`` is the newest question that was put to its source. ``recognised``: the page was read from a picture.
    """

    revision_id: int
    title: str
    name: str
    heading: str
    page: int | None
    start: int
    end: int
    words: str
    recognised: bool


async def found(
    engine: AsyncEngine, *, owner_id: int, terms: Sequence[str], limit: int = 5, each: int = 2
) -> tuple[FoundView, ...]:
    """Best first. ``terms`` are those of ``pipeline.evidence.terms.query_terms``; without any nothing is found."""
    if not (clean := searchable(terms)):
        return ()
    async with snapshot(engine) as tx:
        rows = await tx.rows(FOUND, owner=owner_id, terms=clean, limit=limit, each=each)
    return tuple(
        FoundView(
            row["revision_id"], row["title"], row["name"], row["heading"], row["page"],
            row["span_start"], row["span_end"], row["words"], row["recognised"],
        )
        for row in rows
    )  # fmt: skip
