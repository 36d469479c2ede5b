"""The database allows exactly the states the domain knows, and every machine can end."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import text

from pipeline.domain.outbox import INBOX, INBOX_FILE, OUTBOX, FileState, InboxState, OutboxClass, OutboxState
from pipeline.domain.run import (
    CALL,
    EPISODE,
    REVISION,
    RUN,
    CallState,
    EpisodeState,
    RevisionState,
    RunKind,
    RunState,
)
from pipeline.domain.source import AssetState, IndexState, InputType, Quality
from pipeline.domain.stored import BLOB, BlobState

CHECKS = {
    "run_state": RunState,
    "run_kind": RunKind,
    "provider_call_state": CallState,
    "episode_revision_state": RevisionState,
    "episode_state": EpisodeState,
    "inbox_state": InboxState,
    "inbox_file_state": FileState,
    "outbox_state": OutboxState,
    "outbox_class": OutboxClass,
    "source_input_type": InputType,
    "source_version_quality": Quality,
    "source_version_index_state": IndexState,
    "source_asset_state": AssetState,
    "stored_blob_state": BlobState,
}


@pytest.mark.parametrize(("name", "states"), CHECKS.items(), ids=CHECKS)
async def test_the_check_equals_the_enum(engine, name, states):
    async with engine.connect() as connection:
        sql = "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = :name"
        check = (await connection.execute(text(sql), {"name": name})).scalar_one()
    assert set(re.findall(r"'([\w ]+)'", check)) == {state.value for state in states}


@pytest.mark.parametrize(
    ("machine", "states"),
    [
        (RUN, RunState),
        (CALL, CallState),
        (REVISION, RevisionState),
        (EPISODE, EpisodeState),
        (INBOX, InboxState),
        (INBOX_FILE, FileState),
        (OUTBOX, OutboxState),
        (BLOB, BlobState),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_every_state_is_reached_and_can_end(machine, states):
    reached = {machine.initial}
    while more := {to for (source, _), to in machine.edges.items() if source in reached} - reached:
        reached |= more
    unreached = set(states) - reached
    # A run may be born waiting for its question; every other state is reached from the first one.
    assert unreached == set()
    ends = {state for state in reached if state in machine.final()}
    for state in reached:
        ahead = {state}
        while more := {to for (source, _), to in machine.edges.items() if source in ahead} - ahead:
            ahead |= more
        assert ahead & ends, f"{machine.name} {state} cannot end"
