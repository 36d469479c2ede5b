"""``python -m eval.simulators.botapi --port 0``: prints its address, and ends when its standard input does."""

from __future__ import annotations

import argparse
import asyncio
import sys

from eval.simulators.botapi.clock import Clock
from eval.simulators.botapi.server import Server
from eval.simulators.botapi.simulator import Simulator


async def serve(port: int, speed: float) -> None:
    server = Server(Simulator(Clock(factor=speed)), port)
    print(await server.start(), flush=True)
    try:
        # Whoever started this holds the other end; a killed parent closes it as surely as one that says goodbye.
        reader = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        await reader.read()
    finally:
        await server.stop()


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m eval.simulators.botapi", description="Telegram's Bot API, simulated"
    )
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--speed", type=float, default=1.0, help="simulated seconds per second; 0: moved by hand")
    given = parser.parse_args()
    asyncio.run(serve(given.port, given.speed))


if __name__ == "__main__":
    main()
