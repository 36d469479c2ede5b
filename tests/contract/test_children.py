"""The judges of processes can say no: what was planted is found, what was there before and what is no Python is not."""

import asyncio
import os
import signal
import subprocess
import sys

import psutil
import pytest

from eval.simulators.crew import Crew
from pipeline.domain.source import SourceLimits
from pipeline.providers import limited_child
from pipeline.providers.model_host import ModelHost, command
from pipeline.providers.ocr_rapid import RapidRecogniser
from pipeline.providers.parse_child import ParseChild
from tests.support.children import Children

SLEEPS = [sys.executable, "-c", "import time; time.sleep(60)"]
LIMITS = SourceLimits()


@pytest.fixture
def planted():
    """Processes that a test leaves behind on purpose, ended after it has looked."""
    processes = []
    yield processes
    for process in processes:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    "module",
    [ParseChild(LIMITS).command, RapidRecogniser(LIMITS).command],
    ids=["parser", "recogniser"],
)
async def test_a_child_that_is_not_ended_is_found_by_its_command(children, module):
    """SEC-3: a real child that waits for its request."""
    process = await limited_child.start(module)
    (left,) = children.left()
    assert left.startswith(f"{process.pid} ")
    assert module[-1] in left
    await limited_child.end(process)
    assert children.left() == []


async def test_a_model_host_that_is_not_closed_is_found(children, tmp_path):
    """RUN-9."""
    host = ModelHost(command(tmp_path))
    starting = asyncio.create_task(host.call("no such op", {}, timeout_s=60))
    while host.pid is None:
        await asyncio.sleep(0.01)
    (left,) = children.left()
    assert "pipeline.worker.models" in left
    starting.cancel()
    await host.close()
    assert children.left() == []


def test_a_child_of_a_child_is_found(children, planted):
    code = f"import subprocess, sys; p = subprocess.Popen({SLEEPS!r}); print(p.pid, flush=True); p.wait()"
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    planted.append(parent)
    with parent.stdout:
        grandchild = psutil.Process(int(parent.stdout.readline()))
    planted.append(grandchild)
    assert {int(line.split()[0]) for line in children.left()} == {parent.pid, grandchild.pid}


def test_a_child_that_nobody_reaped_is_found(children, planted):
    dead = subprocess.Popen([sys.executable, "-c", ""])
    planted.append(dead)
    os.waitid(os.P_PID, dead.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and is not reaped by this look
    assert children.left() == [f"{dead.pid} zombie: "]


def test_what_was_there_before_and_what_is_no_python_is_not_counted(planted):
    planted.append(subprocess.Popen(SLEEPS))
    children = Children()
    planted.append(subprocess.Popen(["sleep", "60"]))
    assert children.left() == []


async def test_whoever_stops_killing_leaves_the_frozen_worker_to_the_crew(children):
    """A worker that was frozen when the chaos run ended stayed behind, stopped, for good."""
    crew = Crew()
    frozen = await crew.start(SLEEPS)
    await crew.start(SLEEPS)

    async def kill_slowly() -> None:
        crew.freeze(frozen)
        await asyncio.sleep(60)
        await crew.kill(frozen)

    killing = asyncio.create_task(kill_slowly())
    while psutil.Process(frozen.pid).status() != psutil.STATUS_STOPPED:
        await asyncio.sleep(0.01)
    killing.cancel()
    assert len(children.left()) == 2
    await crew.end()
    await crew.end()
    assert frozen.returncode == -signal.SIGKILL
    assert children.left() == []
