"""Runs of models that think: what they thought is never scored, and what is no answer is counted."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import blend
from blend.eval.asking import THINKING_TOKENS
from blend.eval.models.protocols import Generation
from helpers.asking import score
from helpers.models.faulty_server import scripted
from helpers.models.http_server import Reply
from helpers.models.own_models import Reader, Saying, refused
from helpers.models.tiny_models import make_thinking_model

Asked = Callable[..., blend.Run]


@pytest.mark.landing
@pytest.mark.slow
def test_why_answers_are_none_is_told_apart(asked: Asked):
    stopped, cut = Generation("A", 1, 1, "content_filter"), Generation("", 1, 128, "length", thought="Maybe")
    answers = iter([stopped, stopped, cut])
    run = asked(Saying(lambda prompts: [next(answers, "A") for _ in prompts]))
    n, heard = run.description.n_items, list[str]()
    assert run.outcome.usage.filtered == 2
    assert score(run, on_warning=heard.append).overall("unanswered").n == n
    assert heard == [
        (
            f"3 of {n} answers ({300 / n:.1f} %) are unanswered: a content filter stopped 2, and would again; "
            "in 1 the model said nothing, did not finish a thought, or was cut at the length allowed; let it "
            "write more (`max_tokens`), or not think (`thinking`)"
        )
    ]


@pytest.mark.parametrize("options", [{"system": "Be short."}, {"thinking": "on"}])
def test_an_object_speaks_for_itself(asked: Asked, options: dict[str, str]):
    [(name, value)] = options.items()
    assert refused(lambda: asked(Reader(), **options)) == (
        f"`{name}={value}` makes sense only for a model that is loaded or on a server, and `model` is an "
        "object; leave it out"
    )


@pytest.fixture(scope="module")
def thinking(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_thinking_model(shared / "models" / "tiny-gpt2", tmp_path_factory.mktemp("thinks") / "thinking")


@pytest.mark.nightly
@pytest.mark.integration  # a model computes
def test_a_model_that_thinks_is_asked_for_json_and_has_room_for_thoughts(asked: Asked, thinking: Path):
    with pytest.warns(UserWarning, match="thinks before it answers") as caught:
        run = asked(thinking)
    reason = (
        "the model thinks before it answers, so what is likeliest right behind a question is not its answer"
    )
    assert str(caught[0].message) == f"{reason}; asked with `style=json`"
    # And that no reply names an option.
    assert run.outcome.warnings == tuple(str(one.message) for one in caught)
    assert run.description.options["style"] == "json"
    assert run.description.decoding.max_tokens == THINKING_TOKENS
    written = run.answers("item_id", "text", "thought", "error")
    assert {*written["text"]} == {"Nachos"}
    assert {*written["thought"]} == {"popcorn"}
    heard: list[str] = []
    letters = asked(thinking, out="letters", style="letters", on_warning=heard.append)
    assert heard == [f"{reason}; give `style=json` to have it answer"]
    assert letters.description.kind == "logprobs"


@pytest.mark.nightly
@pytest.mark.integration  # a model computes
def test_a_model_that_is_told_not_to_think(asked: Asked, thinking: Path):
    letters = asked(thinking, thinking="off")
    assert (letters.description.kind, letters.outcome.warnings) == ("logprobs", ())
    assert "|think:off|" in blend.score_run(letters).signature
    how = {"style": "json", "system": "Be short.", "on_warning": lambda _: None}
    written = asked(thinking, out="json", thinking="off", **how)
    assert written.description.decoding.max_tokens == 128
    assert {*written.answers("item_id", "thought", "error")["thought"]} == {None}
    with pytest.raises(blend.InputError) as caught:
        asked(thinking, out="json", style="json", thinking="off")
    assert "chat_options.system: Be short. there, absent now" in str(caught.value)


def reply(**message: Any) -> Reply:
    return Reply({"model": "m", "choices": [{"message": message, "finish_reason": "stop"}]})


@pytest.mark.landing
@pytest.mark.integration
@pytest.mark.parametrize("task", ["short-answer", "multiple-choice"])
def test_a_server_whose_first_reply_thinks(asked: Asked, monkeypatch: pytest.MonkeyPatch, task: str):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    with scripted() as server:
        heard: list[str] = []
        how = {"server": server.url, "limit": 1, "concurrency": 1, "on_warning": heard.append}
        answers = [reply(content="B", reasoning="C?")] * 200
        server.script = [reply(content=None, reasoning="Okay"), *answers]
        run = asked("m", task, **how)
        assert run.description.decoding.max_tokens == THINKING_TOKENS
        assert run.description.options.get("style", "json") == "json"
        why = "a server writes answers, and does not say how likely an option is; asked with `style=json`"
        assert heard == [why] * (task == "multiple-choice")
        assert {*run.answers("item_id", "text", "thought", "error").select("text", "thought").rows()} == {
            ("B", "C?")
        }
        assert server.requests[-1][1]["max_tokens"] == THINKING_TOKENS
        # What its first reply shows next time changes nothing.
        n_requests = len(server.requests)
        server.script = [reply(content="Hello!")] * 200
        again = asked("m", task, **{**how, **({"style": "json"} if task == "multiple-choice" else {})})
        assert (again.outcome.n_asked, again.description) == (0, run.description)
        assert len(server.requests) == n_requests + 1
