"""A chat server for tests of judges, and of options that a model reads."""

from collections.abc import Iterator

import pytest

from helpers.models.chat_server import SECRET, Chat, served


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> Iterator[Chat]:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    with served() as chat:
        yield chat
