"""A link and a picture in the running product: fetched by the guard from a real server, killed at each step, looked at
again, refused where it leads inside (rules SRC-3, SRC-5, SRC-6, RUN-8)."""

from __future__ import annotations

import io
import signal
from pathlib import Path

import asyncpg
import pytest
from PIL import Image, ImageDraw, ImageFont

from eval.simulators.web import SimulatedWeb, page, redirect, simulated_web
from tests.journeys.test_kill import THINGS
from tests.support.folders import walkable
from tests.support.product import database, product, until, visitor

pytestmark = pytest.mark.slow
FONT = Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc")
FETCH_POINTS = ("fetch_before", "fetch_stored", "fetch_committed", "read_before_parse")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return walkable(tmp_path_factory.mktemp("links")) / "data"


def article(case: str, *more: str) -> bytes:
    """A page whose sentences no other case shares."""
    said = [
        f"{case}第{n}项检查发现，{thing}在运行满{n * 100}小时之后需要更换，否则温度会升到{40 + n}度。"
        for n, thing in enumerate(THINGS, start=1)
    ]
    body = "".join(f"<p>{sentence}</p>" for sentence in [*said, *more])
    return (
        f"<html><head><title>{case}</title></head><body><article><h1>{case}</h1>{body}</article></body></html>".encode()
    )


def drawn(lines: list[str]) -> bytes:
    picture = Image.new("RGB", (1_000, 90 * (len(lines) + 1)), "white")
    pen, font = ImageDraw.Draw(picture), ImageFont.truetype(str(FONT), 40)
    for n, line in enumerate(lines):
        pen.text((40, 40 + 90 * n), line, fill="black", font=font)
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


def near(web: SimulatedWeb) -> dict[str, str]:
    """The one private address the owner allows."""
    return {"FETCH_ALLOW_PRIVATE": f"127.0.0.1:{web.port}"}


RUN = """
SELECT r.state, r.attempts, r.error_reason, v.id AS revision FROM generation_run r
  JOIN episode_revision v ON v.id = r.revision_id JOIN source s ON s.id = r.source_id
 WHERE (s.origin = $1 OR s.name = $1) AND r.kind = 'GENERATE'
"""


async def ended(connection: asyncpg.Connection, of: str) -> asyncpg.Record | None:
    row = await connection.fetchrow(RUN, of)
    return row if row is not None and row["state"] in ("SUCCEEDED", "FAILED") else None


@pytest.mark.parametrize("point", FETCH_POINTS)
async def test_a_link_killed_at(point: str, folder: Path) -> None:
    """RUN-8: fetched again where no capture was committed, and never where one was; one note in the end."""
    async with simulated_web() as web:
        address = web.serve(f"/{point}", page(article(point)))
        async with product(folder, CRASH_AT=point, **near(web)) as first, visitor(first) as someone:
            assert (await someone.send(f"{address} 讲要点")).status_code < 400
            assert await first.killed() == -signal.SIGKILL
        async with product(folder, **near(web)), database(folder) as connection:
            done = await until(lambda: ended(connection, address))
            assert done["state"] == "SUCCEEDED", done["error_reason"]
            captures = await connection.fetchval(
                "SELECT count(*) FROM source_capture k JOIN source s ON s.id = k.source_id WHERE s.origin = $1", address
            )
            assert captures == 1
            assert len(web.asked(f"/{point}")) == (
                1 if point in ("fetch_committed", "read_before_parse", "fetch_before") else 2
            )


async def test_a_page_that_changed_killed_while_that_became_true(folder: Path) -> None:
    """SRC-3: the new version stands, its old note says so, and nothing is looked at twice."""
    async with simulated_web() as web:
        address = web.serve("/changes", page(article("换版")))
        async with product(folder, CRASH_AT="refreshed", **near(web)) as first, visitor(first) as someone:
            await someone.send(f"{address} 讲要点")
            async with database(folder) as connection:
                done = await until(lambda: ended(connection, address))
                web.serve("/changes", page(article("换版", "后来又补充了一条，旧的水泵不再更换。")))
                message = await connection.fetchval(
                    "SELECT id FROM chat_message WHERE kind = 'receipt' AND subject_id = $1", done["revision"]
                )
                await someone.press("refetch", message, revision=done["revision"])
                assert await first.killed() == -signal.SIGKILL
        async with product(folder, **near(web)), database(folder) as connection:

            async def told() -> bool:
                said = await connection.fetch(
                    "SELECT payload->>'text' AS said FROM chat_message WHERE kind = 'refresh'"
                )
                foot = await connection.fetchval(
                    "SELECT payload->'card'->>'foot' FROM chat_message WHERE kind = 'receipt' AND subject_id = $1",
                    done["revision"],
                )
                return len(said) == 1 and "多了 1 行" in said[0]["said"] and "旧版" in (foot or "")

            await until(told)
            assert len(web.asked("/changes")) == 3
            assert await connection.fetchval("SELECT count(*) FROM generation_run WHERE kind = 'REFRESH'") == 1


@pytest.mark.skipif(not FONT.exists(), reason="the Noto CJK font is not installed: no picture can be drawn")
async def test_a_picture_killed_after_it_was_looked_at_is_not_looked_at_again(folder: Path) -> None:
    """SRC-5, RUN-8: a screenshot is read by OCR, and says so wherever it is quoted."""
    lines = ["机房公告", *(f"{thing}检修时间改为第{n}周的周三上午" for n, thing in enumerate(THINGS[:6], start=1))]
    async with product(folder, CRASH_AT="page_recognised") as first, visitor(first) as someone:
        await someone.send("水泵的检修时间改到什么时候？", ("公告.png", drawn(lines)))
        assert await first.killed() == -signal.SIGKILL
    async with product(folder), database(folder) as connection:
        done = await until(lambda: ended(connection, "公告.png"), timeout_s=90)
        assert done["state"] == "SUCCEEDED", done["error_reason"]
        assert await connection.fetchval("SELECT count(*) FROM stage_artifact WHERE kind = 'ocr'") == 1
        version = await connection.fetchrow(
            "SELECT v.text, v.recognised::text AS pages, v.boxes::text AS boxes FROM source_version v"
            " JOIN source s ON s.version_id = v.id WHERE s.name = '公告.png'"
        )
        assert "水泵检修时间改为第1周的周三上午" in "".join(version["text"].split())
        assert version["pages"] == "[1]"
        assert version["boxes"].count("x0") >= 6


async def test_a_link_that_leads_inside_is_refused_and_the_way_out_works(folder: Path) -> None:
    """SRC-5, SRC-6: a redirect to a private address fetches nothing there; the pasted text continues the source."""
    async with simulated_web() as web, simulated_web() as inside:
        secret = inside.serve("/secret", page(article("内部")))
        address = web.serve("/out", redirect(secret))
        async with product(folder, **near(web)) as running, visitor(running) as someone:
            await someone.send(f"{address} 讲要点")
            async with database(folder) as connection:
                refused = await until(lambda: ended(connection, address))
                assert (refused["state"], refused["error_reason"]) == ("FAILED", "address_refused")
                assert inside.requests == []
                message = await connection.fetchval(
                    "SELECT id FROM chat_message WHERE kind = 'receipt' AND subject_id = $1", refused["revision"]
                )
                await someone.press("paste_body", message, revision=refused["revision"])
                text = "\n".join(f"粘贴的第{n}条：{thing}每月检查一次。" for n, thing in enumerate(THINGS, start=1))
                await someone.send(text)

                async def made() -> bool:
                    row = await connection.fetchrow(RUN, address)
                    return bool(row["state"] == "SUCCEEDED")

                await until(made)
                origin = await connection.fetchrow("SELECT origin, input_type FROM source WHERE origin = $1", address)
                assert tuple(origin) == (address, "paste")
