"""SOURCE → EVIDENCE → SCRIPT → ARTEFACT.

Invariant: no user-visible string is made here, and nothing reaches an artefact that a span of a stored version does
not hold up. Rules are pure (``domain``); stages (``intake evidence compose verify render``) know neither storage nor
vendors; ``graphs`` put them together as load → stage → save; ``worker`` carries a run under a lease.

Start reading at ``graphs/episode.py``, then ``worker/loop.py``.
"""
