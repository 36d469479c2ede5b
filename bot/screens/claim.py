"""One claim on one card: the sentence, its quote in its surroundings, the checks, and the way to the next."""

from __future__ import annotations

from typing import Any

from bot.channels.port import Button, Outbound
from bot.screens.note import note
from bot.screens.quotes import checks, proofs
from bot.texts import episode
from bot.texts.words import Lang, clock
from storage.queries.episode.spoken import SentenceView, SpokenView


def claims_of(view: SpokenView) -> tuple[SentenceView, ...]:
    """The sentences that rest on source words, in speaking order: what the pager walks through."""
    return tuple(s for s in view.sentences if s.quotes)


def claim(view: SpokenView, index: int, lang: Lang) -> Outbound:
    """Card ``index`` (from 0) of ``claims_of``; an index outside is brought to the nearest end."""
    claims = claims_of(view)
    if not claims:
        return note("no_claims", {}, lang)
    index = min(max(index, 0), len(claims) - 1)
    sentence = claims[index]
    kind = sentence.claim_kind or "external_fact"
    card: dict[str, Any] = {
        "revision": view.revision_id,
        "index": index,
        "total": len(claims),
        "kind": kind,
        "kind_label": episode.CLAIM_KINDS[kind](lang),
        "said_at": episode.SAID_AT(lang, clock=clock(sentence.start_ms)),
        "start_ms": sentence.start_ms,
        "text": sentence.text,
        "proofs": [proof.card() for proof in proofs(view, sentence, lang)],
        "checks": checks(view, sentence, lang),
        "pager": episode.PAGER(lang, n=index + 1, total=len(claims)),
        "name": episode.CLAIM_NAME(lang, n=index + 1, total=len(claims)),
        "href": f"/e/{view.revision_id}#s{sentence.index}",
    }
    return Outbound(kind="claim", text=_plain(card), card=card, buttons=_pager(view.revision_id, index, card, lang))


def _pager(revision: int, index: int, card: dict[str, Any], lang: Lang) -> tuple[Button, ...]:
    """◀ and ▶ stay where they are; at an end the arrow is disabled, not gone."""
    return (
        Button(episode.PREVIOUS(lang), "claim", {"revision": revision, "index": index - 1}, disabled=index == 0),
        Button(
            episode.NEXT(lang),
            "claim",
            {"revision": revision, "index": index + 1},
            disabled=index == card["total"] - 1,
        ),
        Button(episode.EVIDENCE_PAGE(lang), "open", {"href": card["href"]}, style="quiet"),
    )


def _plain(card: dict[str, Any]) -> str:
    quotes = [f"{p['before']}【{p['quote']}】{p['after']}\n{p['place']}" for p in card["proofs"]]
    return "\n\n".join(
        [
            f"{card['kind_label']}  {card['said_at']}\n{card['text']}",
            *quotes,
            "  ".join(f"✓ {check}" for check in card["checks"]),
            f"◀ {card['pager']} ▶",
        ]
    )
