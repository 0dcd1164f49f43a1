"""Judges of a run's replies: what they are asked, that they are asked once, and what the rule makes of it."""

from pathlib import Path

import polars as pl
import pytest

import blend
from blend.eval.judging.judge_run import judge_run
from blend.eval.judging.verdicts import VERDICTS, judges_of, read_verdicts
from blend.eval.models.tiny_model import make_tiny_model
from helpers.judged_runs import KINDS, OwnJudge, answered_run, finds_the_answer, says
from helpers.models.judge_server import serving_judge


@pytest.fixture
def run(mini_release: Path, tmp_path: Path) -> blend.Run:
    return answered_run(mini_release, tmp_path)


def kinds(run: blend.Run) -> pl.DataFrame:
    items = run.items("item_id")
    return items.with_columns(kind=pl.Series([KINDS[i % len(KINDS)] for i in range(items.height)]))


def test_what_the_default_rule_is_sure_of_is_not_sent(run: blend.Run):
    judge = OwnJudge("strict", finds_the_answer)
    kept = judge_run(run, model=judge, reordered=0)
    verdicts = read_verdicts(run)
    assert verdicts.schema == VERDICTS
    sure = verdicts.join(kinds(run), on="item_id").filter(decided_by="rule")
    assert dict(sure.select("kind", "verdict").unique().iter_rows()) == {"exact": "correct", "blank": "wrong"}
    assert len(judge.prompts) == kept.description.n_items == verdicts["asked_as"].drop_nulls().n_unique()
    assert not [prompt for prompt in judge.prompts if 'Reply: ""' in prompt]
    assert judges_of(run) == ("strict",)


def test_scores_by_a_judge_are_its_verdicts(run: blend.Run):
    judge_run(run, model=OwnJudge("strict", finds_the_answer))
    scored = blend.score_run(run, rule="judge", on_warning=lambda _: None)
    decided = scored.run.directory / "decisions.parquet"
    rows = pl.read_parquet(decided).join(kinds(run), on="item_id")
    assert rows.filter(correct=True)["kind"].unique().sort().to_list() == ["exact", "sentence"]
    assert rows.filter(correct=False)["kind"].unique().sort().to_list() == ["blank", "other"]
    assert 100 * rows["correct"].mean() == pytest.approx(scored.overall("sem-b").value)
    assert scored.overall("sem-w") is None
    assert "|judge:strict#" in scored.scores.signature
    assert "|rule:judge|" in scored.scores.signature


def test_a_judge_is_asked_once(run: blend.Run):
    first, second = (OwnJudge("strict", finds_the_answer) for _ in range(2))
    judge_run(run, model=first)
    judge_run(run, model=second)
    assert len(first.prompts) == len(set(first.prompts)) > 0
    assert second.prompts == []


def test_a_judge_of_the_models_own_family_is_refused_unless_told(run: blend.Run):
    own = OwnJudge("org/Echo-70B-Instruct", finds_the_answer)
    with pytest.raises(blend.ArgumentError) as raised:
        judge_run(run, model=own)
    assert str(raised.value) == (
        "org/Echo-70B-Instruct would judge echo-7b, a model of its own family (echo), and judges prefer their "
        "own; name another judge, or say that it may with `own_family=True`"
    )
    assert judges_of(run) == ()
    judge_run(run, model=own, own_family=True)
    scored = blend.score_run(run, rule="judge", on_warning=lambda _: None)
    assert "|own-family:echo|" in scored.scores.signature


def test_several_judges_agree_as_far_as_they_do(run: blend.Run):
    judge_run(run, model=OwnJudge("strict", finds_the_answer))
    judge_run(run, model=OwnJudge("kind", lambda _: says("correct")))
    with pytest.raises(blend.InputError) as raised:
        blend.score_run(run, rule="judge")
    assert str(raised.value) == (
        f"{run.directory}: several judges have been asked (kind, strict); name one, such as `rule=judge:kind`"
    )
    scored = blend.score_run(run, rule="judge:kind", on_warning=lambda _: None)
    mine, theirs = (
        read_verdicts(run, f"judge:{name}").filter(decided_by="judge")["verdict"] for name in ("kind", "strict")
    )
    assert scored.of("judges-pairs", "judge")["strict"].value == pytest.approx(100 * (mine == theirs).mean())


def test_a_served_model_held_to_json_judges(run: blend.Run, tmp_path: Path):
    make_tiny_model(tmp_path / "tiny")
    with serving_judge(tmp_path / "tiny") as server:
        kept = judge_run(run, model="tiny", server=server.url, price=(1.0, 2.0), on_progress=lambda *_: None)
    assert kept.outcome is not None
    assert kept.outcome.n_missing == 0
    usage = kept.outcome.usage
    assert usage is not None
    assert usage.requests == kept.description.n_items
    assert usage.cost == pytest.approx((usage.tokens_in + 2 * usage.tokens_out) / 1e6)
    assert read_verdicts(run)["verdict"].null_count() == 0
    scored = blend.score_run(run, rule="judge", on_warning=lambda _: None)
    assert scored.overall("judge-unreadable").value == 0
