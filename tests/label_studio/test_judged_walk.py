"""The whole way of a short-answer run: rule, judge on a server, two natives in Label Studio, labels, report."""

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from click.testing import Result
from typer.testing import CliRunner

from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.syncing import sync_project
from blend.cli import app
from blend.eval.evaluation import read_scored
from blend.eval.judging.reply_sheet import read_drawn
from blend.eval.models.tiny_model import make_tiny_model
from blend.eval.runs.labels import read_labels
from blend.views.annotation import push_lines
from helpers.judged_runs import answered_run
from helpers.label_studio.annotation_projects import push
from helpers.label_studio.studio_fixtures import StudioForTests, chosen
from helpers.models.judge_server import serving_judge

pytestmark = pytest.mark.integration  # a real Label Studio, and a real model on a server


def evaluate(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(app, ["eval", *map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def knows(reply: str) -> str:
    """What somebody says who knows the answer: `judged_runs.reply` gives it, alone or in a sentence, or zzz."""
    return "wrong" if reply == "zzz" else "correct"


def knows_right(reply: str) -> bool:
    """Whether a reply, or none, is correct."""
    return bool(reply.strip()) and knows(reply) == "correct"


def of_korea(run: Path) -> list[str]:
    """What the run replied to each item about Korea."""
    [scored] = read_scored([run])
    answers = scored.task.single_answers(scored)
    assert answers is not None
    rows = scored.decisions().select("item_id", "region").join(answers, on="item_id")
    return [answer or "" for answer in rows.filter(region="KR")["answer"]]


def test_from_a_run_to_what_natives_say(
    label_studio: StudioForTests, project: Callable[..., ProjectFile], mini_release: Path, tmp_path: Path
):
    run = answered_run(mini_release, tmp_path).directory
    make_tiny_model(tmp_path / "tiny")
    with serving_judge(tmp_path / "tiny") as server:
        evaluate("judge", run, "--model", "tiny", "--server", server.url, "--max-tokens", "64")
    evaluate("score", run, "--rule", "judge")
    sheet = tmp_path / "replies.csv"
    evaluate("judge-sheet", run, "--locale", "ko-KR", "--sample", "12", "--out", sheet)
    [scored] = read_scored([run])
    drawn = read_drawn(scored).sort("id")
    assert {stratum.count("/") for stratum in drawn["stratum"]} <= {1, 2}
    # The sheet becomes a project; nobody there learns which model replied, or what rule and judge said.
    sheets = {"sheets": f'{{ replies = "{sheet}" }}'}
    file = project(label_studio.url, locales=["ko-KR"], stages='["replies"]', **sheets)
    push(file.path)
    title = f"{file.project.name} replies ko-KR"
    tasks = label_studio.tasks(title)
    assert sorted(tasks) == [f"replies/ko-KR/{name}" for name in drawn["id"]]
    shown = label_studio.sdk.tasks.get(str(next(iter(tasks.values())))).data
    assert not {"model", "stratum"} & set(shown)
    # Two people; the second one errs on the first reply, and does not know the last one.
    mina, jun, han = (label_studio.person(one) for one in ("mina", "jun", "han"))
    replied = {f"replies/ko-KR/{name}": reply for name, reply in drawn.select("id", "reply").iter_rows()}
    first, *_, last = sorted(tasks)
    for name, task in tasks.items():
        label_studio.annotate(task, mina, chosen(knows(replied[name]), control="choice"))
        other = "partly" if name == first else "idk" if name == last else knows(replied[name])
        label_studio.annotate(task, jun, chosen(other, control="choice"))
    assert push_lines(sync_project(file.path).plans or (), dry_run=False) == [f"{title}: more asked of 1 task"]
    back = file.base / "decided" / "labels.jsonl"
    assert "1 tie;" in " ".join(evaluate("judged", run, back).stdout.split())
    label_studio.annotate(tasks[first], han, chosen(knows(replied[first]), control="choice"))
    sync_project(file.path)
    said = " ".join(evaluate("judged", run, back).stdout.split())
    assert (
        f"3 annotators, {drawn.height} of {drawn.height} drawn replies judged, 1 by one person; 0 ties;" in said
    )
    labels = read_labels(run)
    assert labels is not None
    answers = scored.task.single_answers(scored)
    assert answers is not None
    locales = scored.run.items("item_id", "locale")
    known = labels.join(answers.select("item_id", "answer"), on="item_id").join(locales, on="item_id")
    assert set(known["locale"]) == {"ko-KR"}
    assert known.height == labels.height
    assert known.select((pl.col("verdict") == pl.col("answer").map_elements(knows, pl.String)).all()).item()
    # Scored again, the figures of Korea are corrected by what people say, and only those.
    evaluate("score", run, "--rule", "judge")
    [corrected] = read_scored([run])
    of_regions = corrected.of("sem-b-corrected", "region")
    assert set(of_regions) == {"KR"}
    truth = 100 * sum(map(knows_right, of_korea(run))) / len(of_korea(run))
    low, high = of_regions["KR"].low, of_regions["KR"].high
    assert low is not None
    assert high is not None
    assert low <= truth <= high
    # The report shows the replies on which the three differ.
    evaluate("report", run, "--out", tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Where rule, judge and people differ" in page
    # The three other regions, and the sentence that says what the word means.
    assert page.count("uncorrected") >= 4
    assert f"of {drawn.height} judged answers, the string rule differs from people on" in page
