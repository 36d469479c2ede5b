"""The product as a whole: starts, receipts, a run without its synthesis, memory by process.

``python -m eval.bench.product`` prints one JSON object. Wall-clock figures are reported with the machine's load and
never asserted; what can be compared across machines is a ratio within this run.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from eval.simulators.product import Visitor, product, until, visitor

SUBJECTS = ["水库", "林场", "码头", "车站", "学校", "医院", "工厂", "集市", "邮局", "电站"]


def article(chars: int, *, salt: str) -> bytes:
    """A Chinese article of about ``chars`` characters in sections; ``salt`` makes every sentence new."""
    lines, size, n = ["# 巡查记录"], 0, 0
    while size < chars:
        subject = SUBJECTS[n % len(SUBJECTS)]
        if n % 10 == 0:
            lines.append(f"## 第{n // 10 + 1}次巡查")
        line = (
            f"{subject}的值班员{salt}说，第{n + 1}号设备在当天下午检修了{n % 7 + 2}个小时，"
            f"更换的零件已经登记，下次检查定在{n % 28 + 1}日。"
        )
        lines.append(line)
        size, n = size + len(line), n + 1
    return "\n\n".join(lines).encode()


def memory(pid: int) -> dict[str, float]:
    """Resident MB of the process and its children, by what they are."""
    found: dict[str, float] = {}
    for process in [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]:
        try:
            line = " ".join(process.cmdline())
            name = next(
                (
                    key
                    for key in ("pipeline.worker.models", "pipeline.worker.child", "postgres", "bot up")
                    if key in line
                ),
                "other",
            )
            found[name] = round(found.get(name, 0.0) + process.memory_info().rss / 1e6, 1)
        except psutil.NoSuchProcess:
            continue
    return found


async def measured_start(data: Path) -> dict[str, float]:
    began = time.perf_counter()
    async with product(data) as running:
        printed = time.perf_counter() - began
        async with visitor(running):
            return {"address_s": round(printed, 2), "first_page_s": round(time.perf_counter() - began, 2)}


async def one_run(someone: Visitor, name: str, data: bytes, question: str, *, wait_s: float) -> dict[str, float]:
    """Seconds from the press of the button to the receipt, and to the voice note."""
    began = time.perf_counter()
    (await someone.send(question, (name, data), key=str(uuid.uuid4()))).raise_for_status()

    async def page() -> str:
        return (await someone.client.get("/chat")).text

    async def receipts() -> bool:
        return (await page()).count('class="stages"') > before

    async def voices() -> bool:
        text = await page()
        return len(re.findall(r'src="/media/\d+\.', text)) > before_voices

    text = await page()
    before, before_voices = 0, len(re.findall(r'src="/media/\d+\.', text))
    await until(receipts, timeout_s=30, every_s=0.02)
    receipt = time.perf_counter() - began
    await until(voices, timeout_s=wait_s, every_s=0.5)
    return {"receipt_s": round(receipt, 2), "voice_note_s": round(time.perf_counter() - began, 2)}


@contextmanager
def walkable_folder() -> Iterator[Path]:
    """A temporary folder that the database's own account may walk into."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


async def bench(*, speech: bool) -> dict[str, Any]:
    result: dict[str, Any] = {"load_before": os.getloadavg()[0], "cores": os.cpu_count()}
    with walkable_folder() as folder:
        data = folder / "data"
        result["first_start"] = await measured_start(data)
        result["second_start"] = await measured_start(data)
        async with product(data) as running, visitor(running) as someone:
            result["memory_idle_mb"] = memory(running.pid)
            await one_run(someone, "warm.md", article(600, salt="甲"), "讲要点", wait_s=120)
            result["run_without_speech"] = await one_run(
                someone, "a.md", article(3000, salt="乙"), "讲要点", wait_s=120
            )
        if speech:
            async with product(data, SPEECH_FAKE="0") as running, visitor(running) as someone:
                peak = asyncio.create_task(_peak(running.pid))
                result["run_with_speech"] = await one_run(
                    someone, "b.md", article(3000, salt="丙"), "讲要点", wait_s=600
                )
                peak.cancel()
                result["memory_at_work_mb"] = await asyncio.gather(peak, return_exceptions=True) and _seen
    result["load_after"] = os.getloadavg()[0]
    return result


_seen: dict[str, float] = {}


async def _peak(pid: int) -> None:
    while True:
        for name, size in memory(pid).items():
            _seen[name] = max(_seen.get(name, 0.0), size)
        await asyncio.sleep(0.5)


if __name__ == "__main__":
    print(json.dumps(asyncio.run(bench(speech="--speech" in sys.argv)), ensure_ascii=False, indent=2))
