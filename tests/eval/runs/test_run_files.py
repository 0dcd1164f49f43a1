"""Files of a run that are not as it has made them: each is told with what to do."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from blend.eval.release_items import read_run
from blend.eval.runs.run_description import go_on_with
from blend.eval.scoring import score_answers
from blend.schemas.errors import BlendError
from helpers.kill_points import Echo, run_all

RESTORE = "restore it from a copy, or run again into another directory"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("tables") / "run"
    run_all(out, Echo())
    return out


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "run"))


def refused(call: Callable[[], object]) -> str:
    with pytest.raises(BlendError) as reword:
        call()
    return str(reword.value)


def test_a_table_that_is_gone_is_told(run: Path):
    (run / "gold.parquet").unlink()
    assert refused(lambda: score_answers(read_run(run))) == f"{run}/gold.parquet: no such file; {RESTORE}"


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("n_items", -1, "n_items: Input should be greater than or equal to 1"),
        ("task", "xyz", "unknown task 'xyz'; choose one of: "),
        ("options", {"style": 7}, "`style`: input should be 'letters', 'texts' or 'json', not 7"),
        (
            "options",
            {"no": 1},
            "`no`: the task multiple-choice has no such option; it has `locales`, ",
        ),
        ("options", {"style": "letters"}, "options: 'locales' is missing"),
    ],
)
def test_a_description_that_cannot_be_is_refused(run: Path, key: str, value: object, why: str):
    path = run / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {key: value}))
    reword = refused(lambda: score_answers(read_run(run)))
    assert reword.startswith(f"{path}: not a description that this version of blend-sdk reads ({why}")
    assert reword.endswith("; use the version that made it, or run again into another directory")


@pytest.mark.parametrize("use", [lambda run: run_all(run, Echo()), lambda run: score_answers(read_run(run))])
def test_a_run_whose_folder_of_answers_is_gone_says_so(run: Path, use: Callable[[Path], object]):
    shutil.rmtree(run / "answers")
    assert refused(lambda: use(run)) == (
        f"{run}/answers: no such folder, so all would be asked again; restore it from a copy, or run again "
        "into another directory"
    )


def test_answers_without_a_description_are_nobodys(run: Path):
    (run / "run.json").unlink()
    assert refused(lambda: run_all(run, Echo())) == (
        f"{run}: holds answers and no run.json, so nobody knows whose they are; restore it from a copy, or "
        "choose another `out`"
    )


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
    assert "  model.served_as: m-2026-01 there, m-2026-02 now" in refused(lambda: go_on_with(run, second))
