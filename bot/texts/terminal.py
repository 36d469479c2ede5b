"""What the command line says."""

from __future__ import annotations

from bot.texts.words import Text

SERVING = Text(
    zh="打开这个地址开始（只能用一次，一小时内有效）：\n  {address}",
    en="Open this address to begin (good once, for an hour):\n  {address}",
)
STOP_HINT = Text(
    zh="按 Ctrl+C 停止。另要一个地址：earmark signin", en="Ctrl+C stops it. For another address: earmark signin"
)
MIGRATED = Text(zh="数据库已是最新。", en="The database is up to date.")
NOT_RUNNING = Text(
    zh="这个数据文件夹没有正在运行的 Earmark。先运行 make up（或 earmark up）。",
    en="No Earmark is running on this data folder. Start it first: make up (or earmark up).",
)
MADE = Text(zh="做好了，{span}，在 {folder}", en="Done, {span}, in {folder}")
ALREADY_RUNNING = Text(
    zh="这个数据文件夹已经有一个 earmark up 在运行{where}。要登录地址请用 earmark signin；要另开一个，请用 --data 指定别的文件夹。",
    en="An earmark up already runs on this data folder{where}. For a sign-in address use earmark signin; for another installation give another folder with --data.",
)
NOT_A_FILE = Text(
    zh="打不开 {path}。请检查路径对不对、有没有读的权限。",
    en="Cannot open {path}. Please check the path, and that you may read it.",
)
NOT_A_FOLDER = Text(
    zh="{path} 不是文件夹，结果放不进去。请用 --out 指定一个文件夹。",
    en="{path} is not a folder, so the results cannot go there. Please name a folder with --out.",
)

# ── runs ──
NO_RUN = Text(
    zh="没有第 {run} 号任务。earmark runs list 列出现有的。",
    en="There is no run {run}. “earmark runs list” shows those there are.",
)
COLLECTED = Text(
    zh="清掉了 {n:,} 份没人用的存储内容。", en="Removed {n:stored object|stored objects} that nothing named."
)
WOULD_COLLECT = Text(
    zh="有 {n:,} 份存储内容没人用；加上 --apply 就会清掉。",
    en="Nothing names {n:stored object|stored objects}; --apply removes them.",
)
RUN_RETRIED = Text(zh="第 {run} 号任务重新排队了。", en="Run {run} is back in the queue.")
RUN_NOT_RETRIED = Text(
    zh="第 {run} 号任务是 {state}，没有可重试的。", en="Run {run} is {state}; there is nothing to try again."
)
RUN_CANCELLED = Text(
    zh="第 {run} 号任务停下了，做好的部分都留着。", en="Run {run} is stopped; what was finished is kept."
)
RUN_NOT_CANCELLED = Text(zh="第 {run} 号任务是 {state}，已经结束了。", en="Run {run} is {state}; it had ended already.")
