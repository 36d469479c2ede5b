"""``python -m eval.bench``: every bench after the other; each prints ratios of one run and the machine's load."""

from __future__ import annotations

import subprocess
import sys

BENCHES = ("eval.bench.extract", "eval.bench.intake", "eval.bench.audio", "eval.bench.chat", "eval.bench.product")


def main() -> int:
    worst = 0
    for name in BENCHES:
        print(f"== {name}", flush=True)
        worst = max(worst, subprocess.run([sys.executable, "-m", name, *sys.argv[1:]], check=False).returncode)
    return worst


if __name__ == "__main__":
    sys.exit(main())
