"""The client of the model host, against a real child process with toy abilities (rule RUN-9)."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys

import pytest

from pipeline.domain.errors import ChildDied, Refused
from pipeline.providers import model_frames
from pipeline.providers.model_host import ModelHost

TOY = (sys.executable, "-m", "tests.support.toy_models")


@pytest.fixture
async def host():
    made = ModelHost(TOY)
    yield made
    await made.close()


async def test_an_answer_brings_its_own_body_back(host: ModelHost) -> None:
    assert host.pid is None
    header, body = await host.call("echo", {"say": "好\ud800"}, b"\0\n\xff" * 100_000, timeout_s=20)
    assert header["said"] == "好\ud800"
    assert body == b"\0\n\xff" * 100_000
    assert host.starts == 1
    assert host.pid is not None


async def test_many_callers_each_get_their_own_answer(host: ModelHost) -> None:
    answers = await asyncio.gather(*(host.call("echo", {}, str(n).encode(), timeout_s=20) for n in range(50)))
    assert [body for _, body in answers] == [str(n).encode() for n in range(50)]
    assert host.starts == 1


async def test_one_ability_does_not_wait_for_another(host: ModelHost) -> None:
    """Embedding never waits for speech."""
    slow = asyncio.create_task(host.call("wait", {}, timeout_s=20))
    await host.call("echo", {}, timeout_s=20)
    assert not slow.done()
    await host.call("release", {}, timeout_s=20)
    assert (await slow)[1] == b"waited"


async def test_no_is_an_answer_and_the_host_lives_on(host: ModelHost) -> None:
    with pytest.raises(Refused, match="not this one"):
        await host.call("refuse", {}, timeout_s=20)
    with pytest.raises(Refused, match="no such op"):
        await host.call("sing", {}, timeout_s=20)
    await host.call("echo", {}, timeout_s=20)
    assert host.starts == 1


async def test_what_a_library_prints_does_not_break_the_frames(host: ModelHost) -> None:
    assert (await host.call("print", {}, timeout_s=20))[1] == b"printed"


@pytest.mark.parametrize(("op", "word"), [("crash", "ZeroDivisionError"), ("kill", "signal 9")])
async def test_death_reaches_every_waiting_caller_and_the_next_call_starts_anew(
    host: ModelHost, op: str, word: str
) -> None:
    waiting = asyncio.create_task(host.call("wait", {}, timeout_s=20))
    await host.call("echo", {}, timeout_s=20)
    with pytest.raises(ChildDied, match=word) as died:
        await host.call(op, {}, timeout_s=20)
    assert died.value.reason == "crash"
    with pytest.raises(ChildDied):
        await waiting
    assert host.pid is None
    assert (await host.call("echo", {}, b"again", timeout_s=20))[1] == b"again"
    assert host.starts == 2


async def test_a_call_that_takes_too_long_ends_the_child(host: ModelHost) -> None:
    await host.call("echo", {}, timeout_s=20)
    with pytest.raises(ChildDied) as died:
        await host.call("wait", {}, timeout_s=0.05)
    assert died.value.reason == "timeout"
    assert host.pid is None
    await host.call("echo", {}, timeout_s=20)


async def test_a_cancelled_caller_takes_nobody_with_it(host: ModelHost) -> None:
    slow = asyncio.create_task(host.call("wait", {}, timeout_s=20))
    await host.call("echo", {}, timeout_s=20)
    slow.cancel()
    with pytest.raises(asyncio.CancelledError):
        await slow
    await host.call("release", {}, timeout_s=20)
    assert (await host.call("wait", {}, timeout_s=20))[1] == b"waited"
    assert host.starts == 1


async def test_a_command_that_does_not_start_is_a_death() -> None:
    for command in (("/no/such/program",), (sys.executable, "-c", "import sys; sys.exit('no model here')")):
        host = ModelHost(command)
        with pytest.raises(ChildDied):
            await host.call("echo", {}, timeout_s=20)
        await host.close()


async def test_closing_ends_the_child_and_may_be_done_twice() -> None:
    host = ModelHost(TOY)
    await host.call("echo", {}, timeout_s=20)
    pid = host.pid
    waiting = asyncio.create_task(host.call("wait", {}, timeout_s=20))
    await host.call("echo", {}, timeout_s=20)
    await host.close()
    await host.close()
    with pytest.raises(ChildDied):
        await waiting
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_the_host_ends_by_itself_when_its_parent_is_gone() -> None:
    """The parent's end of stdin closes, however the parent died; even in the middle of a call."""
    child = subprocess.Popen(TOY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(model_frames.packed({"op": "wait", "id": 1}))
    child.stdin.write(model_frames.packed({"op": "echo", "id": 2}))
    child.stdin.flush()
    frame = model_frames.read(child.stdout)
    assert frame is not None
    assert frame[0]["id"] == 2
    child.stdin.close()
    assert child.wait(timeout=20) == 0
    child.stdout.close()
