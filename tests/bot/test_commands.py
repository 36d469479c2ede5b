"""What is typed behind a slash, on real rows (rules CHT-5, CHT-10); presses of the card of settings."""

from __future__ import annotations

from typing import Any

import pytest

from bot.channels.telegram.inbound import Arrival, Aside, Me, read
from bot.handlers.command import _COMMANDS, client_language
from bot.handlers.context import Context
from bot.handlers.settings import zone_of
from bot.screens.render import Renderer
from bot.texts.command import COMMANDS, NOTES, ZONES
from pipeline.commands.episode import Asking
from pipeline.domain.source import SourceLimits
from pipeline.evidence.terms import search_tokens
from pipeline.providers.parse_fake import FakeParser
from storage.blobs import FolderBlobs
from storage.transactions.owner.first_owner import chat_of
from storage.transactions.owner.set_language import begin_in, set_language
from storage.tx import transaction
from tests.bot.test_inbox import handle_all
from tests.bot.test_ways_out import notes, send
from tests.support.clock import StandingClock
from tests.support.rows import execute, owner_and_chat, rows, scalar, submitted

ICE = "值守人员每周测量一次。十二月，湖面的冰层厚三十厘米。春天以前不许上冰。"
STATES = "SELECT r.state FROM generation_run r WHERE r.kind = 'GENERATE' ORDER BY r.id"


@pytest.fixture
def context(engine, tmp_path) -> Context:
    return Context(engine, FolderBlobs(tmp_path), StandingClock(), Asking(120.0, {}), SourceLimits(), FakeParser())


async def typed(context: Context, text: str, **more: Any) -> None:
    await send(context.engine, {"type": "message", "text": text, **more})
    await handle_all(context)


async def pressed(context: Context, verb: str, message: int = 1, **args: Any) -> None:
    await send(context.engine, {"type": "press", "message_id": message, "verb": verb, "args": args})
    await handle_all(context)


async def settings_card(engine) -> int:
    """The card of settings as it stands in the chat; its message's id."""
    _, chat = await owner_and_chat(engine)
    sql = "INSERT INTO chat_message (chat_id, seq, author, kind, payload) VALUES (:c, 900, 'bot', 'settings', '{}')"
    await execute(engine, sql, c=chat)
    return int(await scalar(engine, "SELECT max(id) FROM chat_message"))


async def in_library(engine, words: str, *, title: str, name: str = "a.txt", times: int = 1) -> tuple[int, int]:
    """A source that was read into ``times`` pieces of the same words; its revision and version."""
    owner, _ = await owner_and_chat(engine)
    revision = await submitted(engine, name=name)
    await execute(
        engine,
        "INSERT INTO source_version (owner_id, raw_sha256, blob_key, reader, extractor, title, text, text_sha256,"
        " offsets, blocks, page_starts, quality, language, removed, notes, fetched_at) VALUES (:o, :t, 'k', 'r', 'x', :t,"
        " :text, 'h', '[]', '[]', '[]', 'FULL', 'zh', '[]', '[]', now())",
        o=owner,
        t=title,
        text=words * times,
    )
    version = await scalar(engine, "SELECT max(id) FROM source_version")
    await execute(
        engine,
        "UPDATE source SET version_id = :v WHERE id = (SELECT e.source_id FROM episode e"
        " JOIN episode_revision r ON r.episode_id = e.id WHERE r.id = :r)",
        v=version,
        r=revision,
    )
    for seq in range(times):
        await execute(
            engine,
            "INSERT INTO chunk (version_id, owner_id, seq, kind, is_section, heading, page, span_start, span_end, tokens)"
            " VALUES (:v, :o, :s, 'paragraph', false, '冬季', 3, :a, :b, :t)",
            v=version,
            o=owner,
            s=seq,
            a=seq * len(words),
            b=(seq + 1) * len(words),
            t=search_tokens(words),
        )
    return revision, version


async def shown(engine, kind: str, language: str = "zh") -> Any:
    """The newest outbox row of a kind, as it would be sent now."""
    owner, _ = await owner_and_chat(engine)
    (args,) = (await rows(engine, "SELECT args FROM outbox_message WHERE kind = :k ORDER BY id DESC LIMIT 1", k=kind))[
        0
    ]
    return await Renderer(engine).render(kind=kind, subject_id=None, args=args, owner_id=owner, language=language)


# ── words ──


def test_every_command_is_known_described_and_named_to_who_mistypes():
    assert set(_COMMANDS) == {"start", *COMMANDS}
    for name in COMMANDS:
        for key in ("help", "unknown_command"):
            assert f"/{name}" in NOTES[key].zh
            assert f"/{name}" in NOTES[key].en
    assert [len(NOTES["help"](lang).splitlines()) for lang in ("zh", "en")] == [10, 10]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("/help", "help"),
        ("/HELP", "help"),
        ("/help@earmark_bot", "help"),
        ("/start", "welcome"),
        ("/start payload-of-a-link", "welcome"),
        ("/nonsense", "unknown_command"),
        ("/find", "find_what"),
        ("/cancel", "no_run_to_cancel"),
        ("/retry", "no_run_to_retry"),
        ("/settings colour red", "settings_usage"),
        ("/settings zone", "zone_unknown"),
        ("/settings zone Mars/Base", "zone_unknown"),
        ("/etc/hosts", "text_too_short"),
        ("/ help", "text_too_short"),
    ],
)
async def test_a_word_gets_its_sentence_and_is_no_source(context, text, key):
    await typed(context, text)
    assert await notes(context.engine) == [key]
    assert await scalar(context.engine, "SELECT count(*) FROM source") == 0


async def test_a_command_that_is_forwarded_is_not_obeyed(context):
    await submitted(context.engine)
    await typed(context, "/cancel", forwarded=True)
    assert await rows(context.engine, STATES) == [("QUEUED",)]


@pytest.mark.parametrize(
    ("tag", "lang"),
    [("zh-hans", "zh"), ("zh", "zh"), ("en-GB", "en"), ("EN_us", "en"), ("enm", None), ("de", None), ("", None), (None, None)],
)  # fmt: skip
def test_the_language_of_a_client(tag, lang):
    assert client_language(tag) == lang


async def test_the_first_greeting_is_in_the_language_of_the_client_and_a_later_one_changes_nothing(context):
    """CHT-1: typed again, or by a second client, it is only a greeting."""
    await typed(context, "/start", client_language="en-GB")
    assert await scalar(context.engine, "SELECT language FROM owner") == "en"
    _, chat = await owner_and_chat(context.engine)
    sql = (
        "INSERT INTO chat_message (chat_id, seq, author, kind, args, payload) VALUES (:c, 1, 'bot', 'note', '{}', '{}')"
    )
    await execute(context.engine, sql, c=chat)
    await typed(context, "/start", client_language="zh-hans")
    assert await scalar(context.engine, "SELECT language FROM owner") == "en"
    assert await notes(context.engine) == ["welcome", "welcome"]


async def test_who_was_only_told_to_be_a_stranger_has_no_language_yet(engine):
    owner, chat = await owner_and_chat(engine)
    sql = (
        "INSERT INTO chat_message (chat_id, seq, author, kind, args, payload)"
        " VALUES (:c, 1, 'bot', 'note', '{\"key\": \"stranger\"}', '{}')"
    )
    await execute(engine, sql, c=chat)
    async with transaction(engine) as tx:
        assert await begin_in(tx, owner_id=owner, language="en")


async def test_the_greeting_says_what_to_press(context):
    await typed(context, "/start")
    greeting = await shown(context.engine, "note")
    assert [(b.label, b.verb) for b in greeting.buttons] == [("怎么用", "help"), ("设置", "settings")]
    await pressed(context, "help")
    await pressed(context, "settings")
    assert await notes(context.engine) == ["welcome", "help"]
    assert await scalar(context.engine, "SELECT count(*) FROM outbox_message WHERE kind = 'settings'") == 1


# ── settings ──


async def test_a_zone_that_is_written_is_set_and_shown(context):
    await typed(context, "/settings zone europe/berlin")
    assert await scalar(context.engine, "SELECT time_zone FROM owner") == "Europe/Berlin"
    assert "柏林 (Europe/Berlin)" in (await shown(context.engine, "settings")).text


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("America/New_York", "America/New_York"),
        ("america/new york", "America/New_York"),
        ("America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"),
        ("utc", "UTC"),
        ("EST", None),
        ("../etc/passwd", None),
        ("Shanghai", None),
        ("", None),
    ],
)
def test_names_of_zones(written, name):
    assert zone_of(written) == name


def test_the_buttons_name_zones_that_exist():
    assert [zone_of(name) for name in ZONES] == list(ZONES)


async def test_a_choice_is_stored_and_the_card_is_edited_and_a_second_press_changes_nothing(context):
    """CHT-5."""
    card = await settings_card(context.engine)
    for _ in range(2):
        await pressed(context, "zone", card, index=3)
        await pressed(context, "language", card, index=1)
    assert await rows(context.engine, "SELECT language, time_zone FROM owner") == [("en", "Europe/London")]
    targets = await rows(context.engine, "SELECT DISTINCT target_id FROM outbox_message WHERE kind = 'settings'")
    assert targets == [(card,)]
    assert await notes(context.engine) == []


@pytest.mark.parametrize("args", [{}, {"index": -1}, {"index": 99}, {"index": "1"}, {"index": 10**30}])
@pytest.mark.parametrize("verb", ["zone", "language"])
async def test_a_choice_that_no_card_offers_changes_nothing_and_is_told_so(context, verb, args):
    """CHT-5: a card of another version, or a press that somebody made up."""
    card = await settings_card(context.engine)
    await pressed(context, verb, card, **args)
    assert await rows(context.engine, "SELECT language, time_zone FROM owner") == [("zh", "Asia/Shanghai")]
    assert await notes(context.engine) == ["stale_press"]


async def test_a_messenger_is_not_sent_its_whole_thread_again_in_another_language(engine):
    """CHT-3: sixty edits at its pace would hold up what comes next."""
    owner, web = await owner_and_chat(engine)
    _, messenger = await owner_and_chat(engine, channel="telegram")
    for chat in (web, messenger):
        sql = "INSERT INTO chat_message (chat_id, seq, author, kind, args, payload) VALUES (:c, 1, 'bot', 'queue', '{}', '{}')"
        await execute(engine, sql, c=chat)
    async with transaction(engine) as tx:
        assert await begin_in(tx, owner_id=owner, language="en") is False
    async with transaction(engine) as tx:
        assert await set_language(tx, owner_id=owner, language="en")
    assert await rows(engine, "SELECT chat_id FROM outbox_message") == [(web,)]


# ── cancel and retry ──


async def test_the_newest_of_this_chat_is_cancelled_and_then_the_one_before(context):
    for name in ("一.txt", "二.txt"):
        await submitted(context.engine, name=name)
    owner, _ = await owner_and_chat(context.engine)
    async with transaction(context.engine) as tx:
        other = await chat_of(tx, owner_id=owner, channel="web", external_id="second")
    await submitted(context.engine, chat_id=other, name="别处.txt")
    await typed(context, "/cancel")
    assert await rows(context.engine, STATES) == [("QUEUED",), ("CANCELLED",), ("QUEUED",)]
    assert "二.txt" in (await shown(context.engine, "note")).text
    await typed(context, "/cancel")
    await typed(context, "/cancel")
    assert await rows(context.engine, STATES) == [("CANCELLED",), ("CANCELLED",), ("QUEUED",)]
    assert await notes(context.engine) == ["cancelled_newest", "cancelled_newest", "no_run_to_cancel"]


async def end(engine, revision: int, state: str, reason: str | None = None) -> None:
    await execute(
        engine,
        "UPDATE generation_run SET state = :s, finished_at = now(), error_reason = :e WHERE revision_id = :r",
        s=state,
        e=reason,
        r=revision,
    )


async def test_what_failed_goes_on_and_is_not_started_twice(context):
    revision = await submitted(context.engine, input_type="link", origin="https://example.org/a")
    await end(context.engine, revision, "FAILED", "storage_trouble")
    await typed(context, "/retry")
    await typed(context, "/retry")
    assert await rows(context.engine, STATES) == [("QUEUED",)]
    assert await notes(context.engine) == ["retried_newest", "no_run_to_retry"]


async def test_what_was_cancelled_is_asked_again(context):
    await submitted(context.engine)
    await typed(context, "/cancel")
    await typed(context, "/retry")
    assert await notes(context.engine) == ["cancelled_newest", "retried_newest"]
    assert "QUEUED" in [state for (state,) in await rows(context.engine, STATES)]


@pytest.mark.parametrize(
    ("state", "reason"), [("WAITING_REVIEW", None), ("FAILED", "budget_spent"), ("SUCCEEDED", None)]
)
async def test_a_bare_word_retries_only_what_a_button_offers_and_decides_nothing_about_money(context, state, reason):
    """TTS-1."""
    revision = await submitted(context.engine)
    await execute(
        context.engine,
        "UPDATE generation_run SET state = 'SUCCEEDED', finished_at = now() WHERE kind = 'INTAKE'",
    )
    await execute(
        context.engine,
        "UPDATE generation_run SET state = :s, error_reason = :e, finished_at = CASE WHEN :s = 'WAITING_REVIEW' THEN NULL"
        " ELSE now() END WHERE revision_id = :r AND kind = 'GENERATE'",
        s=state,
        e=reason,
        r=revision,
    )
    await typed(context, "/retry")
    assert await notes(context.engine) == ["no_run_to_retry"]
    assert await rows(context.engine, STATES) == [(state,)]


# ── find ──


async def test_what_is_found_is_said_word_for_word_with_its_source_and_the_way_to_ask_it(context):
    """CHT-10."""
    revision, _ = await in_library(context.engine, ICE, title="冰湖手册")
    await in_library(context.engine, "北桥先修，因为学校在北岸。", title="修桥记")
    await typed(context, "/find 冰层")
    found = await shown(context.engine, "find")
    assert "《冰湖手册》" in found.text
    assert "修桥记" not in found.text
    (mark,) = found.marks
    assert found.text[mark.start : mark.end] in ICE
    assert "冰层厚三十厘米" in found.text[mark.start : mark.end]
    assert [(b.verb, b.args) for b in found.buttons] == [("reask", {"revision": revision})]
    await pressed(context, "reask", **found.buttons[0].args)
    assert await notes(context.engine) == ["ask_question"]


async def test_nothing_found_says_what_to_try(context):
    await in_library(context.engine, ICE, title="冰湖手册")
    for words in ("火山", "' \\ |", "的"):
        await typed(context, f"/find {words}")
        found = await shown(context.engine, "find")
        assert "没有找到" in found.text
        assert words in found.text
        assert found.buttons == ()


async def test_one_long_source_does_not_hide_the_others(context):
    await in_library(context.engine, ICE, title="甲", times=9)
    await in_library(context.engine, ICE, title="乙")
    await typed(context, "/find 冰层厚度")
    text = (await shown(context.engine, "find")).text
    assert (text.count("《甲》"), text.count("《乙》")) == (2, 1)


async def test_nobody_finds_what_is_of_another_owner_or_of_an_older_version(context):
    """CHK-3, SEC-1."""
    _, version = await in_library(context.engine, ICE, title="旧版")
    await in_library(context.engine, ICE, title="别人的")
    await execute(context.engine, "UPDATE source SET version_id = NULL WHERE version_id = :v", v=version)
    await execute(context.engine, "INSERT INTO owner (language) VALUES ('zh')")
    await execute(
        context.engine, "UPDATE chunk SET owner_id = (SELECT max(id) FROM owner) WHERE version_id > :v", v=version
    )
    await typed(context, "/find 冰层")
    assert "没有找到" in (await shown(context.engine, "find")).text


# ── groups ──

ME = Me(7, "Earmark_bot", frozenset({5}))


@pytest.mark.parametrize(
    ("text", "length", "chat", "reply", "ours"),
    [
        ("/queue", 6, "group", None, True),
        ("/queue@earmark_bot", 18, "group", None, True),
        ("/queue@other_bot", 16, "group", None, False),
        ("/queue@other_bot", 16, "group", 7, False),
        ("/queue@other_bot", 16, "private", None, False),
        ("/queue@earmark_bot", 18, "private", None, True),
    ],
)
def test_commands_of_another_bot_are_left_to_it(text, length, chat, reply, ours):
    message: dict[str, Any] = {
        "message_id": 1,
        "date": 1,
        "chat": {"id": -1, "type": chat},
        "from": {"id": 5, "language_code": "en"},
        "text": text,
        "entities": [{"type": "bot_command", "offset": 0, "length": length}],
    }
    if reply is not None:
        message["reply_to_message"] = {
            "message_id": 2, "date": 1, "chat": message["chat"], "from": {"id": reply, "is_bot": True}
        }  # fmt: skip
    came = read({"update_id": 1, "message": message}, ME)
    assert isinstance(came, Arrival if ours else Aside)
    if isinstance(came, Arrival):
        assert came.payload["client_language"] == "en"
