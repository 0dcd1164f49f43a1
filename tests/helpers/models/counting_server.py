"""A server in a process of its own that answers after a drawn delay and counts how often each prompt was asked.

``python counting_server.py --delay 0.01`` prints its address. It speaks OpenAI's protocol as far as written
answers go (``/v1/chat/completions``, and ``/v1/completions`` with one prompt or a list of them), and tells the
counts at ``/counts``.
"""

import argparse
import asyncio
import json
import random
import subprocess
import sys
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple


class Counts(NamedTuple):
    """How often prompts were asked."""

    n_prompts: int
    """Different prompts."""
    n_asked: int
    """How often they were asked, all together."""
    most: int
    """How often the one that was asked most."""


class CountingServer:
    """Counts prompts; see the module."""

    def __init__(self, delay_s: float, poison: str, least_s: float = 0.0, seed: int = 0) -> None:
        self._delay_s, self._least_s = delay_s, least_s
        self._poison = poison
        self._draw = random.Random(seed)
        self._asked: Counter[str] = Counter()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        try:
            while head := (await reader.readuntil(b"\r\n\r\n")).decode():
                fields = dict(line.split(": ", 1) for line in head.lower().split("\r\n") if ": " in line)
                length = int(fields.get("content-length", 0))
                body = await reader.readexactly(length)
                status, reply = await self._reply(head.split(" ")[1], body)
                content = json.dumps(reply).encode()
                writer.write(
                    f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n"
                    f"Content-Length: {len(content)}\r\n\r\n".encode()
                    + content
                )
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _reply(self, path: str, body: bytes) -> tuple[int, dict[str, Any]]:
        if path == "/counts":
            return 200, {
                "n_prompts": len(self._asked),
                "n_asked": self._asked.total(),
                "most": max(self._asked.values(), default=0),
            }
        asked = json.loads(body)
        in_chat = "messages" in asked
        prompts = asked["messages"][-1]["content"] if in_chat else asked["prompt"]
        prompts = [prompts] if isinstance(prompts, str) else prompts
        self._asked.update(prompt for prompt in prompts if prompt != "Hi")
        if self._least_s:
            await asyncio.sleep(self._draw.uniform(self._least_s, self._delay_s))
        else:
            await asyncio.sleep(self._draw.expovariate(1 / self._delay_s) if self._delay_s else 0)
        if self._poison and any(self._poison in prompt for prompt in prompts):
            return 400, {"error": {"message": "this cannot be answered", "type": "invalid_request_error"}}
        choices = [
            {"index": n, "finish_reason": "stop"}
            | ({"message": {"role": "assistant", "content": answer(p)}} if in_chat else {"text": answer(p)})
            for n, p in enumerate(prompts)
        ]
        usage = {"prompt_tokens": 10 * len(prompts), "completion_tokens": 5 * len(prompts)}
        return 200, {"id": "1", "model": asked["model"], "choices": choices, "usage": usage}


def answer(prompt: str) -> str:
    """What the server says to a prompt."""
    return f"It is {len(prompt)} characters, and ends in {prompt[-12:]}."


class Served(NamedTuple):
    """A server that runs."""

    url: str
    """Its address, as `run_task` takes it."""
    root: str
    """Its address without a path."""

    def counts(self) -> Counts:
        """What was asked until now."""
        with urllib.request.urlopen(f"{self.root}/counts") as reply:
            return Counts(**json.load(reply))


@contextmanager
def counting(delay_s: float = 0.0, poison: str = "", least_s: float = 0.0) -> Iterator[Served]:
    """A server while the block runs."""
    command = [sys.executable, __file__, "--delay", str(delay_s), "--least", str(least_s), "--poison", poison]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        root = process.stdout.readline().strip()
        yield Served(f"{root}/v1", root)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


async def _main(delay_s: float, poison: str, least_s: float) -> None:
    server = await asyncio.start_server(
        CountingServer(delay_s, poison, least_s).serve, "127.0.0.1", 0, limit=1 << 26, backlog=4096
    )
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--delay", type=float, default=0.0)
    parser.add_argument("--least", type=float, default=0.0, help="delays are even from here to --delay then")
    parser.add_argument("--poison", default="")
    options = parser.parse_args()
    asyncio.run(_main(options.delay, options.poison, options.least))
