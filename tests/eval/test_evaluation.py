"""Evaluation from Python: models of all kinds, a caller's own among them; what is refused, and how."""

import html
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import blend
from helpers.asking import ask, score
from helpers.models.own_models import Chooser, Reader, Saying, refused


@pytest.mark.slow
def test_a_run_goes_on_and_asks_nothing_twice(asked: Callable[..., blend.Run], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("blend.eval.models.chosen.PROMPTS_AT_A_TIME", 5)

    class Dying(Reader):
        def generate(self, prompts: list[str]) -> list[str]:
            if len(self.asked) == 2:
                raise ConnectionError("gone")
            return super().generate(prompts)

    Dying.__name__ = "Reader"
    first, second, third = Dying(), Reader(), Reader()
    with pytest.raises(ConnectionError, match="gone"):
        asked(first)
    run = asked(second)
    assert first.asked == [5, 5]
    assert run.outcome is not None
    assert sum(second.asked) == run.outcome.n_asked == run.outcome.n_items - 10
    assert run.outcome.n_missing == 0
    assert asked(third).outcome.n_asked == 0
    assert third.asked == []
    # What only writes is asked in the published style.
    assert run.description.options["style"] == "json"
    assert blend.score_run(run).overall("unparsable").value == 0


def test_progress_is_heard(asked: Callable[..., blend.Run], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("blend.eval.models.chosen.PROMPTS_AT_A_TIME", 7)
    heard: list[tuple[str, int, int]] = []
    run = asked(Reader(), on_progress=lambda *step: heard.append(step))
    n = run.description.n_items
    assert heard[0] == ("ask", 0, n)
    assert heard[1] == ("ask", 7, n)
    assert heard[-1] == ("ask", n, n)


@pytest.mark.landing
@pytest.mark.integration  # a model computes
def test_a_model_that_was_opened_before_is_asked_as_it_is(asked: Callable[..., blend.Run], shared: Path):
    from blend.eval.models.local_model import open_local

    model = open_local(str(shared / "models" / "tiny-gpt2"))
    opened, named = asked(model, out="a"), asked(shared / "models" / "tiny-gpt2", out="b")
    assert opened.description.model == named.description.model
    assert opened.answers().equals(named.answers())


AT_LEAST = "is not possible (Input should be greater than or equal to"
REFUSED: dict[str, Callable[[Callable[..., blend.Run]], Any]] = {
    f"`temperature`: -1 {AT_LEAST} 0)": lambda asked: asked(Reader(), temperature=-1),
    f"`max_tokens`: 0 {AT_LEAST} 1)": lambda asked: asked(Reader(), max_tokens=0),
    f"`seed`: -1 {AT_LEAST} 0)": lambda asked: asked(Reader(), seed=-1),
    "`budget` needs a `price`, by which it is known what is spent": lambda asked: asked(Reader(), budget=1),
    **{
        f"`price={price}`: expected two numbers from 0 on such as 0.15,0.60, of a million tokens in and out": (
            lambda asked, price=price: asked(Reader(), price=price)
        )
        for price in ("1", "1,x", "1,-2")
    },
    **{
        f"`shard={shard}`: expected two numbers such as 2/4, the second of four machines": (
            lambda asked, shard=shard: asked(Reader(), shard=shard)
        )
        for shard in ((3, 2), "3/2", "2", "x/2")
    },
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
}


@pytest.mark.parametrize("message", REFUSED)
def test_options_that_cannot_be(asked: Callable[..., blend.Run], message: str):
    assert refused(lambda: REFUSED[message](asked)) == message


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "style", "other"),
    [
        (
            "multiple-choice",
            "json",
            "examples (`shots`), or to have its options compared (`style=letters`)",
        ),
        ("true-false", "written", "or to have its options compared (`style=texts`)"),
    ],
)
def test_replies_that_name_no_option_are_told_when_asked_and_when_scored(
    rungs_release: Path, tmp_path: Path, task: str, style: str, other: str
):
    heard: list[str] = []
    lost = Saying(lambda prompts: ["Sure! Food is a rich topic." for _ in prompts])
    run = ask(rungs_release, task, tmp_path / "run", model=lost, limit=2, style=style, on_warning=heard.append)
    n, first = run.description.n_items, run.items("item_id")["item_id"][0]
    said = (
        f"name no option, and count as wrong: the first, to {first}, says 'Sure! Food is a rich topic.'; read "
        f"others in {run.answers_folder}. Perhaps the model needs its chat template (`chat`), more room "
        f"(`max_tokens`), {other}"
    )
    assert heard == [f"{n} of {n} replies looked at {said}"]
    score(run, on_warning=heard.append)
    assert heard[1:] == [f"{n} of {n} answers (100.0 %) {said}"]


def test_several_regions_may_stand_in_one_text(asked: Callable[..., blend.Run]):
    regions = {*asked(Reader(), style="json", locales="KR, US").items()["region"]}
    assert regions == {"KR", "US"}
    assert {*asked(Reader(), out="b", style="json", locales=["KR,US"]).items()["region"]} == regions


@pytest.mark.landing
@pytest.mark.slow
def test_a_warning_points_to_who_asked(mini_release: Path, tmp_path: Path):
    answers = tmp_path / "answers.csv"
    run = ask(mini_release, "multiple-choice", model=Reader(), out=tmp_path / "run", limit=2)
    run.items("item_id").with_columns(response=pl.lit("")).write_csv(answers)
    recorded = blend.Recorded(path=answers)
    with pytest.warns(UserWarning, match=r"^answers\.csv: ") as caught:
        kept = blend.run_task(mini_release, "multiple-choice", recorded, tmp_path / "kept", limit=2)
    assert caught[0].filename == __file__
    assert kept.outcome.warnings == tuple(str(one.message) for one in caught)


@pytest.mark.landing
@pytest.mark.slow
def test_runs_that_cannot_be_compared(asked: Callable[..., blend.Run], tmp_path: Path):
    one = asked(Reader())
    blend.score_run(one)
    with pytest.raises(blend.InputError, match=r"^one run cannot be compared; name two or more$"):
        blend.compare_runs([one])
    with pytest.raises(blend.InputError, match=r"^run: the run is named twice; name every run once$"):
        blend.compare_runs([one, tmp_path / "run"])
    other = asked(Reader(), out="other")
    with pytest.raises(blend.InputError) as caught:
        blend.compare_runs([one, other])
    folder = tmp_path / "other"
    assert str(caught.value) == (
        f"{folder}: the run is not scored yet; score it first: blend eval score {folder}"
    )


@pytest.mark.landing
@pytest.mark.slow
def test_what_results_say_of_themselves(asked: Callable[..., blend.Run]):
    run = asked(Chooser(), style="texts")
    n = run.description.n_items
    assert repr(run) == (
        f"<Run: multiple-choice of blend-sample@0.1.0, asked of longest, {n} of {n} items answered>"
    )
    scored = blend.score_run(run)
    assert repr(scored) == "<ScoredRun: longest on blend-sample@0.1.0, multiple-choice, rule default>"
    Chooser.name, before = "<b>", Chooser.name
    try:
        other = blend.score_run(asked(Chooser(), out="other", style="texts"))
    finally:
        Chooser.name = before
    found = blend.compare_runs([scored, other])
    assert repr(found) == "<ModelComparison: multiple-choice, 2 models, 0 of 1 pair shown to differ>"
    assert html.escape("<b>") in found._repr_html_()
    assert "<b>" not in found._repr_html_() + other._repr_html_()


@pytest.mark.slow
def test_a_task_rule_or_option_that_is_not_there_is_answered_with_those_that_are(
    asked: Callable[..., blend.Run], tmp_path: Path
):
    with pytest.raises(
        blend.UnknownNameError, match=r"^unknown task 'short-anser'; did you mean 'short-answer'\?"
    ):
        asked(Reader(), "short-anser")
    assert refused(lambda: asked(Chooser(), max_tokens=3)) == (
        "`max_tokens=3` makes sense only where answers are written, and here the likeliest option or "
        "candidate is the answer; leave it out"
    )
    assert not (tmp_path / "run").exists()
    run = asked(Reader())
    with pytest.raises(blend.UnknownNameError) as unknown:
        blend.score_run(run, rule="contains")
    assert (
        str(unknown.value)
        == "unknown rule 'contains'; choose one of: byte, default, semeval, strict, sum, token"
    )
    assert refused(lambda: blend.score_run(run, lemmas="none")) == (
        "`lemmas`: the task multiple-choice has no such option; it has none"
    )
