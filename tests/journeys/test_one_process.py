"""One ``earmark up`` per data folder, and only a living one has an address."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time

import pytest

from eval.simulators.product import ROOT
from tests.support.product import product

pytestmark = pytest.mark.slow


async def earmark(*arguments: str) -> tuple[int | None, str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot", *arguments, env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    output, _ = await asyncio.wait_for(process.communicate(), 60)
    return process.returncode, output.decode()


async def test_a_second_up_points_to_the_first_and_changes_nothing(tmp_path):
    """CHT-3: one sender per channel. The lock is the kernel's, so a killed ``up`` leaves none behind."""
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_mode & 0o001 == 0:
            folder.chmod(folder.stat().st_mode | 0o011)
    data = tmp_path / "data"
    async with product(data) as first:
        code, said = await earmark("up", "--data", str(data), "--port", "0")
        assert (code, first.base in said, "earmark signin" in said) == (1, True, True)
        code, said = await earmark("signin", "--data", str(data))
        assert (code, first.base in said) == (0, True)
        first.process.send_signal(signal.SIGKILL)
        await first.killed()
    code, said = await earmark("signin", "--data", str(data))
    assert (code, first.base in said) == (1, False)
    began = time.perf_counter()
    async with product(data) as last:
        starting_s, asked = time.perf_counter() - began, time.perf_counter()
        last.process.send_signal(signal.SIGTERM)
        assert await last.killed() == 0
        # Against the start, so that a busy machine is slow on both sides: nobody sits out a scan interval of 5 s.
        assert time.perf_counter() - asked < starting_s + 2.5
