"""Small scripts for tests; sentences are this project's own."""

from __future__ import annotations

from pipeline.domain.script import Role, ScriptDoc, Sentence


def script(*texts: str, roles: tuple[Role, ...] = ()) -> ScriptDoc:
    """One sentence per text; FACT unless ``roles`` says otherwise."""
    sentences = tuple(
        Sentence(index=i, role=roles[i] if i < len(roles) else Role.FACT, text=text) for i, text in enumerate(texts)
    )
    return ScriptDoc(question="", title="", writer="test", language="zh", sentences=sentences, claims=())
