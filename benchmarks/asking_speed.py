"""How fast servers that serve only so much are asked: the pace that adapts, against sixteen requests at a time.

Each server runs here, over HTTP, and waits instead of computing. Sixteen at a time is what the openai package
alone does: each request is repeated for itself, after the pause that the server asks for.

    python benchmarks/asking_speed.py
"""

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from openai import AsyncOpenAI, RateLimitError

from blend.eval.models.server import open_server
from helpers.models.limiting_server import LimitingServer, Limits, limiting

FIXED = 16

CASES = {
    "serves 64 at a time, queues others": Limits(workers=64, service_s=0.5),
    "serves 64 at a time, refuses others": Limits(at_a_time=64, service_s=0.5, retry_after="1"),
    "serves 4 at a time, refuses others": Limits(at_a_time=4, service_s=0.1, retry_after="1"),
    "serves 4 at a time, no Retry-After": Limits(at_a_time=4, service_s=0.1),
    "serves 50 in 2 s, says so": Limits(per_window=50, window_s=2, service_s=0.3, tells=True, retry_after="2"),
    "serves 50 in 2 s, says Retry-After": Limits(per_window=50, window_s=2, service_s=0.3, retry_after="2"),
}


def adapting(server: LimitingServer, prompts: list[str]) -> int:
    """Ask as an evaluation does; return how many have no answer."""
    answers = open_server("m", server.url).generate(prompts)
    return sum(answer.error is not None for answer in answers)


def fixed(server: LimitingServer, prompts: list[str]) -> int:
    """Ask sixteen at a time; return how many have no answer."""

    async def lane(client: AsyncOpenAI, waiting: list[str]) -> int:
        n_failed = 0
        while waiting:
            message = {"role": "user", "content": waiting.pop()}
            try:
                await client.post("/chat/completions", cast_to=object, body={"messages": [message]})
            except RateLimitError:
                n_failed += 1
        return n_failed

    async def ask() -> int:
        async with AsyncOpenAI(base_url=server.url, max_retries=5) as client:
            waiting = list(prompts)
            return sum(await asyncio.gather(*(lane(client, waiting) for _ in range(FIXED))))

    return asyncio.run(ask())


def measured(
    ask: Callable[[LimitingServer, list[str]], int], limits: Limits, n_items: int
) -> tuple[float, int, int]:
    """Answers a second, requests refused, and items without an answer."""
    with limiting(limits) as server:
        began_s = time.perf_counter()
        n_failed = ask(server, [f"item {number}" for number in range(n_items)])
        seconds = time.perf_counter() - began_s
    return (n_items - n_failed) / seconds, len(server.seen.refused_s), n_failed


def main() -> None:
    """Print, for each server, answers a second and refusals of both, and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=1000, help="requests that are to be answered")
    options = parser.parse_args()
    os.environ["OPENAI_API_KEY"] = "none"
    print(f"{options.items} items; answers a second, refused requests, items without an answer")
    for name, limits in CASES.items():
        results = [measured(ask, limits, options.items) for ask in (fixed, adapting)]
        both = "   ".join(f"{rate:6.1f}/s {refused:5d} {failed:4d}" for rate, refused, failed in results)
        print(f"{name:36} fixed, adapting: {both}   ratio {results[1][0] / results[0][0]:.2f}", flush=True)


if __name__ == "__main__":
    main()
