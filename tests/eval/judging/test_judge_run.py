"""Judges of a run's replies: what they are asked, that they are asked once, and what the rule makes of it."""

from pathlib import Path

import polars as pl
import pytest

import blend
from blend.eval.judging import VERDICTS, judges_of, read_verdicts
from blend.eval.judging.judge_run import judge_run
from blend.eval.judging.reply_sheet import draw_replies
from blend.eval.models import Generation
from blend.eval.release_items import read_run
from blend.eval.runs.answers import write_answers
from blend.eval.scores_json import read_scores
from blend.loaders.recipes import read_recipe, write_starter
from helpers.judged_runs import KINDS, OwnJudge, answered_run, finds_the_answer, says
from helpers.messages import wrong
from helpers.models.model_servers import SayingServer

pytestmark = pytest.mark.filterwarnings("ignore::blend.BlendWarning")  # a quarter of the replies is blank


@pytest.fixture
def run(mini_release: Path, tmp_path: Path) -> blend.Run:
    return answered_run(mini_release, tmp_path)


def kinds(run: blend.Run) -> pl.DataFrame:
    items = run.items("item_id")
    return items.with_columns(kind=pl.Series([KINDS[i % len(KINDS)] for i in range(items.height)]))


@pytest.mark.landing
def test_a_judge_is_asked_once_what_the_rule_is_not_sure_of_and_its_verdicts_are_the_scores(run: blend.Run):
    judge, again = (OwnJudge("strict", finds_the_answer) for _ in range(2))
    kept = judge_run(run, model=judge)
    verdicts = read_verdicts(run)
    assert verdicts.schema == VERDICTS
    sure = verdicts.join(kinds(run), on="item_id").filter(decided_by="rule")
    assert dict(sure.select("kind", "verdict").unique().iter_rows()) == {"exact": "correct", "blank": "wrong"}
    assert len(judge.prompts) == kept.description.n_items == verdicts["asked_as"].drop_nulls().n_unique()
    assert len(set(judge.prompts)) == len(judge.prompts)
    assert not [prompt for prompt in judge.prompts if 'Reply: ""' in prompt]
    judge_run(run, model=again)
    assert (again.prompts, judges_of(run)) == ([], ("strict",))
    scored = blend.score_run(run, rule="judge")
    rows = pl.read_parquet(scored.run.directory / "decisions.parquet").join(kinds(run), on="item_id")
    assert rows.filter(correct=True)["kind"].unique().sort().to_list() == ["exact", "sentence"]
    assert rows.filter(correct=False)["kind"].unique().sort().to_list() == ["blank", "other"]
    assert 100 * rows["correct"].mean() == pytest.approx(scored.overall("sem-b").value)
    assert scored.overall("sem-w") is None
    assert "|judge:strict#" in scored.scores.signature
    assert "|rule:judge|" in scored.scores.signature


@pytest.mark.landing
def test_of_several_judges_one_is_named(run: blend.Run):
    judge_run(run, model=OwnJudge("strict", finds_the_answer))
    by_the_first = blend.score_run(run, rule="judge").scores
    judge_run(run, model=OwnJudge("kind", lambda _: says("correct")))
    assert read_scores(run) == by_the_first
    assert wrong(lambda: blend.score_run(run, rule="judge")) == (
        f"{run.directory}: several judges have been asked (kind, strict); name one, such as `rule=judge:kind`"
    )
    blend.score_run(run, rule="judge:kind")
    decided = pl.read_parquet(run.directory / "decisions.parquet")
    assert {*decided.filter(decided_by="judge")["verdict"]} == {"correct"}


@pytest.mark.slow
def test_a_region_of_ones_own_is_called_by_its_name(tmp_path: Path):
    write_starter(tmp_path / "project")
    recipe = read_recipe(tmp_path / "project/recipe.toml")
    blend.build_release(recipe, tmp_path / "release", base=tmp_path / "project")
    run, judge = answered_run(tmp_path / "release", tmp_path), OwnJudge("strict", finds_the_answer)
    judge_run(run, model=judge)
    assert {"People from New Zealand", "People from the UK"} == {
        prompt[prompt.index("People from") : prompt.index(" have answered")] for prompt in judge.prompts
    }
    drawn = draw_replies([blend.score_run(run)], sample=9)
    assert {*drawn["region"]} == {"New Zealand", "United Kingdom"}


@pytest.mark.integration
@pytest.mark.nightly
def test_a_served_model_judges(run: blend.Run, tmp_path: Path):
    with SayingServer(lambda prompt, _: (finds_the_answer(prompt), "stop")).serving() as server:
        model = blend.Server(name="tiny", url=server.url)
        kept = judge_run(run, model=model, on_progress=lambda *_: None)
    assert kept.outcome.n_missing == 0
    usage = kept.outcome.usage
    assert usage.requests == kept.description.n_items
    assert usage.tokens_out
    assert read_verdicts(run)["verdict"].null_count() == 0


@pytest.mark.landing
def test_one_whose_verdicts_cannot_be_read_decides_nothing_in_silence(run: blend.Run):
    judge_run(run, model=OwnJudge("mute", lambda prompt: "" if "zzz" in prompt else finds_the_answer(prompt)))
    with pytest.warns(blend.BlendWarning) as heard:
        scored = blend.score_run(run, rule="judge")
    unread = read_verdicts(run)["verdict"].null_count()
    asked = read_verdicts(run).filter(decided_by="judge").height
    assert str(heard[0].message) == (
        f"{unread} of {asked} verdicts of mute cannot be read, so no figure counts these replies; take another "
        "judge, or a server that holds it to JSON (docs/short-answers.md)"
    )
    assert scored.overall("sem-b").n == run.description.n_items - unread
    decided = pl.read_parquet(run.directory / "decisions.parquet")
    assert set(decided.filter(pl.col("correct").is_null())["why"]) == {"not judged"}


@pytest.mark.landing
def test_a_run_without_verdicts_is_not_scored_by_them(run: blend.Run):
    assert wrong(lambda: blend.score_run(run, rule="judge")) == (
        f"{run.directory}: nobody has judged this run yet; ask a judge with "
        f"`blend eval judge {run.directory} --model MODEL`"
    )
    judge_run(run, model=Failing())
    n = read_run(run.directory / "judges" / "Failing").description.n_items
    assert wrong(lambda: blend.score_run(run, rule="judge")) == (
        f"{run.directory}/judges/Failing: the judge has not answered {n} of {n} questions; run the same "
        "`blend eval judge` again to ask them"
    )
    unknown = wrong(lambda: blend.score_run(run, rule="judge:none"))
    assert unknown == "unknown judge 'none'; choose one of: Failing"
    assert wrong(lambda: blend.score_run(run, rule="paper:x")).startswith("unknown rule 'paper:x'")


class Failing:
    """A judge that fails on everything that it is asked."""

    def generate(self, prompts: list[str]) -> list[Generation]:
        return [Generation.failed("timed out") for _ in prompts]


@pytest.mark.landing
def test_what_cannot_be_asked_is_refused(run: blend.Run, mini_release: Path, tmp_path: Path):
    judge = OwnJudge("strict", finds_the_answer)
    assert wrong(lambda: judge_run(run, model=judge, name="../x")) == (
        "`name`: '../x' is not possible (letters, digits, dots, hyphens, underscores)"
    )
    options = {"style": "json", "limit": 1}
    model = OwnJudge("other", finds_the_answer)
    other = blend.run_task(mini_release, "multiple-choice", model, tmp_path / "choice", **options)
    assert wrong(lambda: judge_run(other, model=judge)) == (
        f"{other.directory}: answers to multiple-choice are not judged; short answers are"
    )


@pytest.mark.landing
def test_a_judge_is_one_of_the_replies_that_it_began_with(run: blend.Run):
    judge_run(run, model=OwnJudge("strict", finds_the_answer))
    folder = run.directory / "judges" / "strict"
    write_answers(run.answers_folder / "other.jsonl", run.answers().with_columns(text=pl.lit("other")))
    told = wrong(lambda: judge_run(run, model=OwnJudge("strict", finds_the_answer)))
    assert "choose another `name`, or ask for the same again" in told
    assert wrong(lambda: read_verdicts(run)) == (
        f"{folder}: judges other replies than the run holds now; have them judged again under another name"
    )
