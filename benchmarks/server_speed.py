"""How fast a server of models is asked, next to a plain loop over the client of OpenAI's package.

A stub on this machine answers every prompt after a drawn delay, so that only the asking costs. Each measurement
is a process of its own; its processor time counts everything that it does, imports among it.

    python benchmarks/server_speed.py --concurrency 32 128
"""

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from helpers.models.http_server import HttpServer, Reply, Request
from helpers.models.model_servers import saying

DELAYS_S = (0.05, 0.2)
"""Shortest and longest time until the stub answers."""


class Stub(HttpServer):
    """Answers every prompt after a drawn delay."""

    def reply(self, request: Request) -> Reply:
        """The same to each."""
        time.sleep(random.uniform(*DELAYS_S))
        return saying("Rice.", model=request.json()["model"])


def main() -> None:
    """Ask the stub by each way, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=5252)
    parser.add_argument(
        "--concurrency", type=int, nargs="+", default=[32, 128], help="requests under way at a time"
    )
    parser.add_argument("--rounds", type=int, default=1, help="measurements of each, in turns")
    parser.add_argument("--ask", nargs=4, metavar=("WAY", "URL", "N", "CONCURRENCY"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.ask:
        way, url, n, concurrency = options.ask
        asked(WAYS[way], url, int(n), int(concurrency))
        return
    print("| way | under way | CPU seconds of the process | seconds of asking | answers a second |")
    print("|---|---|---|---|---|")
    with Stub().serving() as server:
        for _ in range(options.rounds):
            for concurrency in options.concurrency:
                for way in WAYS:
                    measure(way, server.url, options.questions, concurrency)


def measure(way: str, url: str, n: int, concurrency: int) -> None:
    """Print what one process took."""
    command = [sys.executable, __file__, "--ask", way, url, str(n), str(concurrency)]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, check=True, env=os.environ | {"OPENAI_API_KEY": "none"}
    )
    took: dict[str, float] = json.loads(done.stdout)
    a_second = n / took["asking_s"]
    figures = f"{took['cpu_s']:.2f} | {took['asking_s']:.1f} | {a_second:,.0f}"
    print(f"| {way} | {concurrency} | {figures} |", flush=True)


def asked(
    ask: Callable[[str, list[str], int, Callable[[int, str], Any]], None], url: str, n: int, lanes: int
) -> None:
    """Ask, write every answer to a file when it comes, and print what that took."""
    prompts = [
        f"What do people in region {number} usually eat for breakfast on a workday?" for number in range(n)
    ]
    got = set[int]()
    with tempfile.TemporaryFile("w", encoding="utf-8") as file:

        def keep(number: int, text: str) -> None:
            got.add(number)
            file.write(json.dumps({"item": number, "text": text}) + "\n")
            file.flush()

        # What is loaded at first use is loaded before.
        ask(url, prompts[:1], 1, keep)
        began_s = time.monotonic()
        ask(url, prompts, lanes, keep)
        asking_s = time.monotonic() - began_s
    assert len(got) == n
    print(json.dumps({"cpu_s": time.process_time(), "asking_s": asking_s}))


def ask_by_blend(url: str, prompts: list[str], lanes: int, keep: Callable[[int, str], Any]) -> None:
    """Ask as `blend eval run` does."""
    from blend.eval.models.server import open_server

    model = open_server("m", url, concurrency=lanes)
    model.generate(
        prompts, keep=lambda items, answers: [keep(i, a.text) for i, a in zip(items, answers, strict=True)]
    )


def ask_by_openai(url: str, prompts: list[str], lanes: int, keep: Callable[[int, str], Any]) -> None:
    """Ask in a plain loop."""
    from openai import AsyncOpenAI

    async def lane(client: AsyncOpenAI, waiting: Any) -> None:
        for number, prompt in waiting:
            reply = await client.chat.completions.create(
                model="m", messages=[{"role": "user", "content": prompt}], max_tokens=128, temperature=0
            )
            keep(number, reply.choices[0].message.content or "")

    async def ask_all() -> None:
        async with AsyncOpenAI(base_url=url, max_retries=5) as client:
            waiting = iter(enumerate(prompts))
            await asyncio.gather(*(lane(client, waiting) for _ in range(lanes)))

    asyncio.run(ask_all())


WAYS = {"blend": ask_by_blend, "openai": ask_by_openai}
"""Ways to ask, by name."""

if __name__ == "__main__":
    main()
