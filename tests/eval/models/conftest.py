"""Tiny models: the one kept beside the checkout, and random ones of other architectures made here."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from helpers.models.model_servers import ModelServer
from helpers.models.tiny_models import CHAT_TEMPLATE, copied, make_model


@pytest.fixture(scope="session")
def tiny_gpt2(shared: Path, one_thread: None) -> Path:
    """A GPT-2 of two layers with 4,000 tokens and a context of 256, without chat template and pad token."""
    return shared / "models" / "tiny-gpt2"


@pytest.fixture(scope="session")
def made_model(tiny_gpt2: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Makes a random model of one of `ARCHITECTURES`, with the tokenizer of `tiny_gpt2`; each once."""
    return cache(lambda name: make_model(name, tiny_gpt2, tmp_path_factory.mktemp(name) / name))


@pytest.fixture(scope="session")
def chat_model(tiny_gpt2: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`tiny_gpt2` with a chat template."""
    folder = copied(tiny_gpt2, tmp_path_factory.mktemp("chat") / "tiny-chat")
    (folder / "chat_template.jinja").write_text(CHAT_TEMPLATE)
    return folder


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A server that says what a test writes for it, with a key that nobody else may see."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    with ModelServer().serving() as server:
        yield server
