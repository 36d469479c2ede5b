"""Identifiers as types, so that a chunk id is never taken for a version id. All are database bigints."""

from __future__ import annotations

from typing import NewType

OwnerId = NewType("OwnerId", int)
ChatId = NewType("ChatId", int)
SourceId = NewType("SourceId", int)
VersionId = NewType("VersionId", int)
ChunkId = NewType("ChunkId", int)
EpisodeId = NewType("EpisodeId", int)
RevisionId = NewType("RevisionId", int)
RunId = NewType("RunId", int)
ArtifactId = NewType("ArtifactId", int)
