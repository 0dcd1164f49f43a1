"""Directories of runs: what stands in the way of one, its files that are not as it made them, and shards."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from blend.eval.models.chosen import Shard
from blend.eval.release_items import read_run
from blend.eval.runs import go_on_with
from blend.eval.runs.ask_model import ask_model
from blend.eval.runs.run_directory import open_run
from blend.eval.scoring import score_answers
from helpers.kill_points import N_ITEMS, Echo, asked, digest, run_all
from helpers.messages import wrong

RESTORE = "restore it from a copy, or run again into another directory"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("made") / "run"
    run_all(out, Echo())
    return out


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "run"))


@pytest.mark.slow
def test_a_failed_item_is_an_error_until_it_is_answered(made: Path, tmp_path: Path):
    out = tmp_path / "run"
    first, second, third = Echo(fails=True), Echo(), Echo()
    run = open_run(out, asked(), first.describe(), None)
    outcome = ask_model(run, first)
    assert (outcome.n_items, outcome.n_missing) == (N_ITEMS, 1)
    assert outcome.first_error == "timed out"
    kept = read_run(out).answers()
    assert kept.filter(kept["error"].is_not_null())["item_id"].to_list() == ["i7"]
    run_all(out, second)
    run_all(out, third)
    assert (second.asked, third.asked) == ([("prompt 7\n", 0)], [])
    assert digest(out) == digest(made)


def test_a_second_process_is_refused(tmp_path: Path):
    run = tmp_path / "run"
    # The lock is the operating system's, so a second opening in this process stands for another one.
    begun = open_run(run, asked(), Echo().describe(), None)
    with begun.answer_file():
        assert wrong(lambda: run_all(run, Echo())) == (
            f"{run}/answers/main.jsonl: another process writes its answers there; wait for it, or choose "
            "another `out`"
        )


def test_another_run_is_refused_by_what_differs(run: Path):
    before = digest(run)
    other = Echo().describe().model_copy(update={"id": "gpt-x", "revision": "v" * 80})
    assert wrong(lambda: open_run(run, asked(version="1.1.0"), other, None)) == (
        f"{run}: holds another run, which differs in\n"
        "  release.version: 1.0.0 there, 1.1.0 now\n"
        "  model.id: echo there, gpt-x now\n"
        f"  model.revision: absent there, {'v' * 60}… now\n"
        "choose another `out`, or ask for the same again to go on with this one"
    )
    assert digest(run) == before


def put(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("x")


NO_RUN: dict[str, Callable[[Path], object]] = {
    "{run}: is not a folder; choose another `out`": lambda run: (shutil.rmtree(run), put(run)),
    "{run}: holds 'thesis.doc' and is not the directory of a run, so nothing is written there; choose another "
    "`out` or empty it yourself": lambda run: (shutil.rmtree(run), put(run / "thesis.doc")),
    "{run}: holds answers and no run.json, so nobody knows whose they are; restore it from a copy, or choose "
    "another `out`": lambda run: (run / "run.json").unlink(),
    f"{{run}}/answers: no such folder, so all would be asked again; {RESTORE}": (
        lambda run: shutil.rmtree(run / "answers")
    ),
}


@pytest.mark.parametrize("message", NO_RUN)
def test_a_directory_that_cannot_be_gone_on_with_is_left_alone(run: Path, message: str):
    NO_RUN[message](run)
    assert wrong(lambda: run_all(run, Echo())) == message.format(run=run)


@pytest.mark.parametrize("name", ["gold.parquet", "answers"])
def test_what_is_gone_is_told_when_a_run_is_scored(run: Path, name: str):
    shutil.rmtree(run / name) if name == "answers" else (run / name).unlink()
    what = "no such folder, so all would be asked again" if name == "answers" else "no such file"
    assert wrong(lambda: score_answers(read_run(run))) == f"{run}/{name}: {what}; {RESTORE}"


def test_items_that_have_changed_are_refused(run: Path):
    pl.read_parquet(run / "gold.parquet").clear().write_parquet(run / "gold.parquet")
    changed = f"{run}/gold.parquet: has changed since it was written; {RESTORE}"
    assert wrong(lambda: score_answers(read_run(run))) == changed
    (run / "items.parquet").unlink()
    why = "release.location: null, and no items.parquet is beside it"
    assert f"{run}/run.json: not a description that this version of blend-sdk reads ({why})" in wrong(
        lambda: score_answers(read_run(run))
    )


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"n_items": -1}, "n_items: Input should be greater than or equal to 1"),
        ({"task": "xyz"}, "unknown task 'xyz'; choose one of: "),
        ({"options": {"style": 7}}, "`style`: input should be 'letters', 'texts' or 'json', not 7"),
        ({"options": {"no": 1}}, "`no`: the task multiple-choice has no such option; it has `locales`, "),
    ],
)
def test_a_description_that_cannot_be_is_refused(run: Path, change: dict[str, object], why: str):
    path = run / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    told = wrong(lambda: read_run(run))
    assert told.startswith(f"{path}: not a description that this version of blend-sdk reads ({why}")
    assert told.endswith("; use the version that made it, or run again into another directory")


def test_what_answers_under_two_names_is_two_models(run: Path):
    kept = read_run(run).description
    first, second = (
        kept.model_copy(update={"model": kept.model.model_copy(update={"served_as": name})})
        for name in ("m-2026-01", "m-2026-02")
    )
    # What a run does not know yet of its model it learns.
    assert go_on_with(run, first).model.served_as == "m-2026-01"
    (run / "run.json").write_text(first.model_dump_json())
    assert go_on_with(run, kept).model.served_as == "m-2026-01"
    assert "  model.served_as: m-2026-01 there, m-2026-02 now" in wrong(lambda: go_on_with(run, second))


# Runs that several machines share, side by side or one after the other.

SAMPLES = 3


def ran(folder: Path, shard: Shard | None = None) -> list[tuple[str, int]]:
    """What is asked of the run, as prompts and draws."""
    model = Echo()
    run = open_run(folder, asked(samples=SAMPLES), model.describe(), None, shard=shard)
    ask_model(run, model)
    return model.asked


@pytest.mark.slow
@pytest.mark.parametrize("order", [(1, 2, 3), (3, 1, 2)])
def test_shards_together_are_one_run(tmp_path: Path, order: tuple[int, ...]):
    # Every sample is a draw of its own.
    assert [draw for _, draw in ran(tmp_path / "one")] == [0, 1, 2] * N_ITEMS
    of_shards = [ran(tmp_path / "shards", Shard(number, 3)) for number in order]
    assert [len(one) for one in of_shards] == [N_ITEMS] * 3
    one, shards = (read_run(tmp_path / name).answers("item_id", "text") for name in ("one", "shards"))
    assert dict(one.rows()) == dict(shards.rows())
    files = sorted(path.name for path in (tmp_path / "shards" / "answers").glob("*.jsonl"))
    assert files == [f"{number}of3.jsonl" for number in (1, 2, 3)]


def test_a_shard_asks_nothing_that_another_division_has_answered(tmp_path: Path):
    first, second = ran(tmp_path / "run", Shard(1, 2)), ran(tmp_path / "run")
    assert len(first) == len(second) == N_ITEMS * SAMPLES // 2
    assert not {*first} & {*second}
