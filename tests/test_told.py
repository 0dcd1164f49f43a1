"""What every reader of a file is told of a wrong one, whole: a case is a line of `told.toml`."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from blend.eval.evaluation import run_task
from blend.eval.models.chosen import Recorded
from blend.eval.recorded_answers import is_predictions, read_predictions, read_recorded
from blend.eval.tasks import TASKS
from blend.eval.tasks.probing.ranking import read_vectors
from blend.loaders.files.toml import known_domains, read_toml, registry_with
from blend.loaders.recipes.sources import load_source
from blend.loaders.surveys import read_survey
from blend.loaders.topics import read_forms, read_topics
from blend.loaders.upstream.blend import read_blend
from blend.loaders.upstream.fmlama import read_fmlama
from blend.loaders.upstream.semeval import read_semeval
from blend.loaders.wikidata.prompts import parse_templates
from blend.schemas.recipe import Source
from blend.schemas.reports import datasheet_model
from helpers.asking import texts_asked
from helpers.messages import wrong

TWO = texts_asked(("a1", "ko-KR", "t1"), ("a2", "ko-KR", "t2"), skipped=("t3",))
OF_THE_TASK = texts_asked(("am-ET_0000", "am-ET", "am-ET_000"))


def only(folder: Path, absent: str = "") -> Path:
    """The one file in a folder; where there is none, one of this name that is not there."""
    return next(folder.iterdir(), folder / absent)


def predictions(folder: Path) -> object:
    """Predictions of SemEval's Task 7 about multiple-choice questions."""
    form = TASKS["multiple-choice"].predictions()
    assert is_predictions(only(folder))
    return read_predictions(only(folder), OF_THE_TASK, form)


READERS: dict[str, Callable[[Path], object]] = {
    "survey": lambda folder: read_survey(only(folder), "own"),
    "topics": lambda folder: read_topics(folder if any(folder.iterdir()) else folder / "topics"),
    "forms": lambda folder: read_forms(folder / "forms.tsv"),
    "semeval": read_semeval,
    "fmlama": read_fmlama,
    "blend": read_blend,
    "locales": lambda folder: registry_with(only(folder)),
    "prompt_templates": lambda folder: parse_templates(only(folder).read_text("utf-8"), source="own.toml"),
    "domains": lambda folder: known_domains(only(folder)),
    "predictions": predictions,
    "answers": lambda folder: read_recorded(only(folder, "answers.csv"), TWO),
    "source": lambda folder: load_source(
        Source(**tomllib.loads((folder / "source.toml").read_text("utf-8"))), folder
    ),
    "datasheet": lambda folder: read_toml(only(folder), datasheet_model(), what="datasheet"),
    "texts": lambda folder: run_task(
        "no-release", "cultural-prompts", Recorded(path=only(folder)), folder / "run"
    ),
    "vectors": lambda folder: read_vectors(only(folder, "words.vec"), ("egg",)),
}
CASES: dict[str, list[dict[str, Any]]] = tomllib.loads(
    Path(__file__).with_name("told.toml").read_text(encoding="utf-8")
)


@pytest.mark.parametrize(
    ("reader", "number"), [(name, number) for name, cases in CASES.items() for number in range(len(cases))]
)
def test_what_a_wrong_file_is_told(tmp_path: Path, reader: str, number: int):
    case = CASES[reader][number]
    for name, text in case["files"].items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    before = sorted(tmp_path.rglob("*"))
    assert wrong(lambda: READERS[reader](tmp_path)) == case["told"].replace("{folder}", str(tmp_path))
    assert sorted(tmp_path.rglob("*")) == before
