"""Evaluation from Python: models of all kinds, a caller's own among them; what is refused, told, and shown."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import blend
from blend.eval.asking import THINKING_TOKENS
from blend.eval.models import Generation
from helpers.asking import ask, score
from helpers.messages import wrong
from helpers.models.http_server import Reply
from helpers.models.model_servers import ModelServer
from helpers.models.own_models import Chooser, Ranker, Reader, Saying
from helpers.models.tiny_models import make_thinking_model

Asked = Callable[..., blend.Run]


def test_a_run_goes_on_and_asks_nothing_twice(asked: Asked, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("blend.eval.models.chosen.PROMPTS_AT_A_TIME", 5)

    class Dying(Reader):
        def generate(self, prompts: list[str]) -> list[str]:
            if self.asked:
                raise ConnectionError("gone")
            return super().generate(prompts)

    Dying.__name__ = "Reader"
    first, second, third = Dying(), Reader(), Reader()
    heard: list[tuple[str, int, int]] = []
    with pytest.raises(ConnectionError, match="gone"):
        asked(first)
    run = asked(second, on_progress=lambda *step: heard.append(step))
    assert first.asked == [5]
    n = run.outcome.n_items
    assert sum(second.asked) == n - 5
    assert run.outcome.n_missing == 0
    assert heard == [("ask", 5, n), ("ask", 10, n), ("ask", n, n)]
    asked(third)
    assert third.asked == []
    # What only writes is asked in the published style.
    assert run.description.options["style"] == "json"
    assert blend.score_run(run).overall("unparsable").value == 0


@pytest.mark.integration  # the dishes
def test_an_object_ranks_candidates(food_release: Path, tmp_path: Path):
    run = ask(food_release, "probing", model=Ranker(), out=tmp_path / "run", config="food-aligned", limit=2)
    scores = blend.score_run(run)
    figures = {row["metric"]: row["value"] for row in scores.frame.filter(scope="overall").rows(named=True)}
    assert 0 < figures["mAP"] < 100
    assert "unknown-tokens" not in figures  # how an object divides a text is not known
    ranked = scores.decisions()
    assert (ranked["n_ranked"] > 0).all()
    # The shortest name first, and of equal ones by code point.
    assert all(list(top) == sorted(top, key=lambda text: (len(text), text)) for top in ranked["top"])


def test_answers_may_come_one_by_one_and_regions_in_one_text(asked: Asked):
    run = asked(Saying(lambda prompts: ("A" for _ in prompts)), style="json", locales="KR, US")
    assert run.outcome.n_missing == 0
    assert {*run.items()["region"]} == {"KR", "US"}
    assert {*asked(Reader(), out="b", style="json", locales=["KR,US"]).items()["region"]} == {"KR", "US"}


# What is refused from Python alone: what the command line refuses as well stands in its own table


class Odd:
    """Says the same numbers of every prompt."""

    def __init__(self, row: Any) -> None:
        self.row = row

    def option_logprobs(self, prompts: Sequence[str], options: Sequence[Sequence[str]]) -> Any:
        return [self.row for _ in prompts]


AT_LEAST = "is not possible (Input should be greater than or equal to"
ONLY_WRITTEN = (
    "makes sense only where answers are written, and here the likeliest option or candidate is the answer; "
    "leave it out"
)
HAS_NO_METHOD = "which this task asks with; add it, or name a model"
LIST = "return a list with one answer per prompt, in their order"
TEXT = (
    "in place of a text; return a text in valid Unicode per prompt, an empty one where the model says nothing"
)
NO_TEXTS: dict[str, Callable[[list[str]], Any]] = {
    f"an object of type str to 4 prompts; {LIST}": lambda prompts: "yes",
    f"an object of type NoneType to 4 prompts; {LIST}": lambda prompts: None,
    f"an object of type dict to 4 prompts; {LIST}": lambda prompts: dict.fromkeys(prompts, "a"),
    f"3 answers to 4 prompts; {LIST}": lambda prompts: ["a"] * 3,
    f"1 answer to 4 prompts; {LIST}": lambda prompts: ["a"],
    f"None {TEXT}": lambda prompts: ["a", None, "b", "c"],
    f"'\\ud800' {TEXT}": lambda prompts: ["\ud800"] * 4,
}
NO_NUMBERS = (
    [-1.0, -2.0],
    ["a", "b", "c", "d"],
    -1.0,
    [-1.0, None, -2.0, -3.0],
    [-1.0, -2.0, float("-inf"), -3.0],
    [0.4, 0.3, 0.2, 0.1],  # probabilities
)
REFUSED: dict[str, Callable[[Asked], Any]] = {
    f"`temperature`: -1 {AT_LEAST} 0)": lambda asked: asked(Reader(), temperature=-1),
    f"`max_tokens`: 0 {AT_LEAST} 1)": lambda asked: asked(Reader(), max_tokens=0),
    f"`seed`: -1 {AT_LEAST} 0)": lambda asked: asked(Reader(), seed=-1),
    f"`samples=2` {ONLY_WRITTEN}": lambda asked: asked(Chooser(), samples=2),
    **{
        f"`{name}={value}` makes sense only for a model that is loaded or on a server, and `model` is an "
        "object; leave it out": lambda asked, name=name, value=value: asked(Reader(), **{name: value})
        for name, value in {"system": "Be short.", "thinking": "on"}.items()
    },
    "`causal=statement` makes sense only for a model that is loaded, and `model` is an object; leave it out": (
        lambda asked: asked(Chooser(), "probing", causal="statement")
    ),
    "`styles`: the task multiple-choice has no such option; did you mean 'style'? it has `locales`, `limit`, "
    "`samples`, `shots`, `shots_seed`, `style`, `rotations`, `confidence`": (
        lambda asked: asked(Reader(), styles="json")
    ),
    "`locales`: ['K\\udcff'] is not possible (it is not text in UTF-8)": (
        lambda asked: asked(Reader(), locales="K\udcff")
    ),
    "`dtype`: 'float64' is not possible (Input should be 'float32', 'bfloat16' or 'float16')": (
        lambda _: blend.Local(path="m", dtype="float64")
    ),
    f"`concurrency`: 0 {AT_LEAST} 1)": lambda _: blend.Server(name="m", concurrency=0),
    "`extra_body`: 'prompt' is not possible, since a run decides about it itself; leave it out (there are "
    "parameters for model, max_tokens, temperature, seed and thinking)": (
        lambda _: blend.Server(name="m", extra_body={"prompt": "x"})
    ),
    # A field of `Decoding`.
    "`temperature`: the task multiple-choice has no such option; it has `locales`, `limit`, `samples`, "
    "`shots`, `shots_seed`, `style`, `rotations`, `confidence`": (
        lambda _: blend.run_task("r", "multiple-choice", Reader(), "run", temperature=1)
    ),
    f"`model`: an object of type object has no method option_logprobs, {HAS_NO_METHOD}": (
        lambda asked: asked(object())
    ),
    f"`model`: an object of type Chooser has no method generate, {HAS_NO_METHOD}": (
        lambda asked: asked(Chooser(), "short-answer")
    ),
    "`model`: Reader is a class; hand over an object of it, Reader(…)": lambda asked: asked(Reader),
    **{
        f"`model`: generate gave {gave}": lambda asked, found=found: asked(Saying(found))
        for gave, found in NO_TEXTS.items()
    },
    **{
        f"`model`: option_logprobs gave {row} for a prompt with 4 options; give a finite logarithm of its "
        "probability, 0 at most, for each": lambda asked, row=row: asked(Odd(row))
        for row in NO_NUMBERS
    },
    "unknown rule 'contains'; choose one of: default, semeval, strict, sum": (
        lambda asked: blend.score_run(asked(Reader()), rule="contains")
    ),
    "`seed`: input should be greater than or equal to 0, not -1": (
        lambda asked: blend.score_run(asked(Reader()), seed=-1)
    ),
    "`lemmas`: the task multiple-choice has no such option; it has none": (
        lambda asked: blend.score_run(asked(Reader()), lemmas="none")
    ),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_cannot_be_is_refused(asked: Asked, message: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("blend.eval.models.chosen.PROMPTS_AT_A_TIME", 4)
    assert wrong(lambda: REFUSED[message](asked)) == message


@pytest.mark.landing
def test_runs_that_cannot_be_compared(asked: Asked, tmp_path: Path):
    one = asked(Reader())
    blend.score_run(one)
    assert wrong(lambda: blend.compare_runs([one])) == "one run cannot be compared; name two or more"
    assert wrong(lambda: blend.compare_runs([one, tmp_path / "run"])) == (
        "run: the run is named twice; name every run once"
    )
    other = asked(Reader(), out="other")
    folder = tmp_path / "other"
    assert wrong(lambda: blend.compare_runs([one, other])) == (
        f"{folder}: the run is not scored yet; score it first: blend eval score {folder}"
    )


# What is told

WRITES = "the model writes answers, and does not say how likely an option is"


@pytest.mark.parametrize(("task", "style"), [("multiple-choice", "json"), ("true-false", "written")])
def test_replies_that_name_no_option_are_told_when_scored(
    rungs_release: Path, tmp_path: Path, task: str, style: str
):
    heard: list[str] = []
    lost = Saying(lambda prompts: ["Sure! Food is a rich topic." for _ in prompts])
    run = ask(rungs_release, task, tmp_path / "run", model=lost, limit=2, style=style, on_warning=heard.append)
    assert heard == []
    n, first = run.description.n_items, run.items("item_id")["item_id"][0]
    score(run, on_warning=heard.append)
    assert heard == [
        (
            f"{n} of {n} answers (100.0 %) name no option, and count as wrong: the first, to {first}, says "
            f"'Sure! Food is a rich topic.'; read others in {run.answers_folder}. Asked again, a model may "
            "need its chat template (`chat`), more room (`max_tokens`), not to think (`thinking=off`), "
            "examples (`shots`), or a `style` that compares options, where the task has one"
        )
    ]


def test_a_server_that_answers_in_another_name_is_told(asked: Asked):
    heard: list[str] = []
    with ModelServer().serving() as server:
        asked("other", server=server.url, max_tokens=8, task="short-answer", on_warning=heard.append)
    assert heard == ["the server answers as 'm', and 'other' was asked; check which model it is"]


def test_an_object_that_writes_alone_is_asked_in_words_and_that_is_said(mini_release: Path, tmp_path: Path):
    with pytest.warns(blend.BlendWarning) as caught:
        run = blend.run_task(mini_release, "multiple-choice", Reader(), tmp_path / "run", limit=1)
    assert run.description.options["style"] == "json"
    assert [str(one.message) for one in caught] == [f"{WRITES}; asked with `style=json`"]


# Models that think: what they thought is never scored, and what is no answer is counted.


@pytest.mark.landing
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
            "in the others the model said nothing, did not finish a thought, or was cut at the length allowed; "
            "let it write more (`max_tokens`), or not think (`thinking`)"
        )
    ]


@pytest.mark.nightly
@pytest.mark.integration  # a model computes
def test_a_model_that_thinks_has_room_for_thoughts_and_can_be_told_not_to(
    asked: Asked, shared: Path, tmp_path: Path
):
    thinking = make_thinking_model(shared / "models" / "tiny-gpt2", tmp_path / "thinking")
    with pytest.warns(UserWarning, match="thinks before it answers") as caught:
        run = asked(thinking)
    reason = (
        "the model thinks before it answers, so what is likeliest right behind a question is not its answer"
    )
    assert str(caught[0].message) == f"{reason}; asked with `style=json`"
    assert run.outcome.warnings == tuple(str(one.message) for one in caught)
    assert run.description.options["style"] == "json"
    assert run.description.decoding.max_tokens == THINKING_TOKENS
    written = run.answers("item_id", "text", "thought", "error")
    assert {*written.select("text", "thought").rows()} == {("Nachos", "popcorn")}
    heard: list[str] = []
    letters = asked(thinking, out="letters", style="letters", on_warning=heard.append)
    assert heard == [f"{reason}; give `style=json` to have it answer"]
    assert letters.description.kind == "logprobs"
    untold = asked(thinking, out="untold", thinking="off")
    assert (untold.description.kind, untold.outcome.warnings) == ("logprobs", ())
    assert "|think:off|" in blend.score_run(untold).signature
    how = {"out": "json", "style": "json", "thinking": "off", "on_warning": lambda _: None}
    short = asked(thinking, system="Be short.", **how)
    assert short.description.decoding.max_tokens == 128
    assert {*short.answers("item_id", "thought", "error")["thought"]} == {None}
    assert "chat_options.system: Be short. there, absent now" in wrong(lambda: asked(thinking, **how))


def reply(**message: Any) -> Reply:
    return Reply({"model": "m", "choices": [{"message": message, "finish_reason": "stop"}]})


@pytest.mark.landing
@pytest.mark.integration
@pytest.mark.parametrize("task", ["short-answer", "multiple-choice"])
def test_a_server_whose_first_reply_thinks(asked: Asked, monkeypatch: pytest.MonkeyPatch, task: str):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    with ModelServer().serving() as server:
        heard: list[str] = []
        how = {"server": server.url, "limit": 1, "concurrency": 1, "on_warning": heard.append}
        answers = [reply(content="B", reasoning="C?")] * 200
        server.script = [reply(content=None, reasoning="Okay"), *answers]
        run = asked("m", task, **how)
        assert run.description.decoding.max_tokens == THINKING_TOKENS
        assert run.description.options.get("style", "json") == "json"
        assert heard == [f"{WRITES}; asked with `style=json`"] * (task == "multiple-choice")
        assert {*run.answers("item_id", "text", "thought", "error").select("text", "thought").rows()} == {
            ("B", "C?")
        }
        assert server.bodies[-1]["max_tokens"] == THINKING_TOKENS
        # What its first reply shows next time changes nothing.
        n_requests = len(server.requests)
        server.script = [reply(content="Hello!")] * 200
        again = asked("m", task, **how, **({"style": "json"} if task == "multiple-choice" else {}))
        assert again.description == run.description
        assert len(server.requests) == n_requests + 1
