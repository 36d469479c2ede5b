"""Evidence pack → checked script, or an honest refusal (rules EVD-1 to EVD-4, EVD-7, SEC-6)."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from pipeline.compose.excerpt import WRITER, write
from pipeline.domain.evidence import EvidencePack, Span
from pipeline.domain.run import Stage
from pipeline.domain.script import Claim, ClaimKind, Declined, DeclineReason, Role, ScriptDoc, Sentence, without
from pipeline.graphs.attempt import Attempt, fingerprint
from pipeline.verify.claims import check
from storage.queries.run.work import VersionView
from storage.transactions.stage.save_artifact import Artifact, find_artifact, save_script, stop
from storage.tx import transaction


async def write_script(attempt: Attempt, view: VersionView, pack: EvidencePack, pack_mark: str) -> ScriptDoc | None:
    """The script; None when the run has ended with a refusal."""
    tools = attempt.tools
    mark = fingerprint(evidence=pack_mark, writer=WRITER, limits=tools.limits.script, owner=view.owner_id)
    await attempt.enter(Stage.WRITE)
    async with transaction(tools.engine) as tx:
        there = await find_artifact(tx, owner_id=view.owner_id, kind="script", fingerprint=mark)
    if there is not None:
        script, dropped = unwritten(there.content), 0
    else:
        written = await write(
            pack.question,
            pack,
            title=view.title,
            text=view.text,
            embedder=tools.embedder,
            language=view.language,
            limits=tools.limits.script,
        )
        if isinstance(written, Declined):
            await refuse(attempt, written)
            return None
        script, dropped = checked(written, view)
        if not script.claims:
            await refuse(attempt, Declined(DeclineReason.NOT_COVERED, pack.question))
            return None
    kept = await _save(attempt, script, mark, dropped)
    tools.crash("script_committed")
    return unwritten(kept.content)


def checked(script: ScriptDoc, view: VersionView) -> tuple[ScriptDoc, int]:
    """The script without the sentences whose claims failed a check, and how many those were (rule EVD-4).

    A critical claim that fails takes everything with it: the rest would answer another question.
    """
    findings = check(script, {view.id: view.text}, frozenset({view.id}))
    bad = {finding.claim_id for finding in findings}
    if None in bad or any(claim.critical and claim.id in bad for claim in script.claims):
        return replace(script, sentences=(), claims=()), len(script.claims)
    return without(script, frozenset(id for id in bad if id)), len(bad)


async def _save(attempt: Attempt, script: ScriptDoc, mark: str, dropped: int) -> Artifact:
    said = {"sentences": len(script.sentences), "left_out": script.left_out}
    await attempt.done(Stage.WRITE, said)
    await attempt.enter(Stage.CHECK)
    async with transaction(attempt.tools.engine) as tx:
        return await save_script(
            tx,
            run_id=attempt.run_id,
            fence=attempt.fence,
            fingerprint=mark,
            content=asdict(script),
            done={"supported": len(script.claims), "dropped": dropped},
        )


async def refuse(attempt: Attempt, declined: Declined) -> None:
    async with transaction(attempt.tools.engine) as tx:
        await stop(tx, run_id=attempt.run_id, fence=attempt.fence, decline=asdict(declined))


def unwritten(content: dict[str, Any]) -> ScriptDoc:
    """The script of a stored artefact."""
    claims = tuple(
        Claim(
            c["id"],
            c["text"],
            ClaimKind(c["kind"]),
            c["critical"],
            tuple(Span(**span) for span in c["evidence"]),
        )
        for c in content["claims"]
    )
    sentences = tuple(
        Sentence(s["index"], Role(s["role"]), s["text"], tuple(s["claim_ids"])) for s in content["sentences"]
    )
    return ScriptDoc(**{**content, "claims": claims, "sentences": sentences, "gaps": tuple(content["gaps"])})
