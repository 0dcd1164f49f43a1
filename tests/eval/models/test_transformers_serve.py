"""`transformers serve`, a real OpenAI-compatible server: the same texts as of the model itself."""

import importlib.util
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from blend.eval.models import Decoding
from blend.eval.models.chosen import Local
from blend.eval.models.local_model import open_local
from blend.eval.models.server import open_server

pytestmark = [pytest.mark.integration, pytest.mark.nightly]

PROMPTS = ["What do people in Korea eat for breakfast?", "ሰላም", "Which fruit is eaten most in West Java?"]
DECODING = Decoding(max_tokens=8)
COMMAND = "from transformers.cli.transformers import main; main()"
LONGEST_START_S = 400


@pytest.fixture(scope="module")
def served(
    chat_model: Path, tmp_path_factory: pytest.TempPathFactory, missing: Callable[[str], None]
) -> Iterator[str]:
    """Address of a server of `chat_model`."""
    if importlib.util.find_spec("fastapi") is None or importlib.util.find_spec("uvicorn") is None:
        missing("transformers[serving]")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("serve") / "log"
    command = [sys.executable, "-c", COMMAND, "serve", str(chat_model), "--host", "127.0.0.1"]
    options = ["--port", str(port), "--device", "cpu", "--dtype", "float32"]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    with log.open("w") as out:
        process = subprocess.Popen([*command, *options], stdout=out, stderr=out, env=environment)
    try:
        for _ in range(LONGEST_START_S):
            assert process.poll() is None, log.read_text()
            with suppress(urllib.error.URLError, ConnectionError, TimeoutError):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=10).close()
                break
            time.sleep(1)
        else:
            pytest.fail(log.read_text())
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait()


@pytest.mark.landing
@pytest.mark.sampled
@pytest.mark.parametrize("chat", [True, False])
def test_a_real_server_gives_the_texts_of_the_model_itself(served: str, chat_model: Path, chat: bool):
    there = open_server(str(chat_model), served, chat=chat, decoding=DECODING)
    here = open_local(Local(path=str(chat_model), device="cpu", chat=chat), decoding=DECODING)
    assert [answer.text for answer in there.generate(PROMPTS)] == [
        answer.text for answer in here.generate(PROMPTS)
    ]
    assert there.describe().served_as is not None
