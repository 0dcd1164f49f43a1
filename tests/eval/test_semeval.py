"""SemEval-2026 Task 7: from its files to scores, and back to a file for its site."""

import re
import zipfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import blend
from blend.builders.release import build_release
from blend.builders.validate import validate_release
from blend.eval.evaluation import export_predictions, run_task, score_run, write_report
from blend.eval.models.chosen import Recorded
from blend.eval.release_items import read_items
from blend.eval.tasks import task_of
from blend.loaders.recipes import semeval_recipe
from blend.schemas.recipe import McqOptions
from helpers.asking import recorded
from helpers.in_process import run as command
from helpers.messages import wrong
from helpers.semeval_files import keys, write_semeval, write_trial

MCQ_TSV, SAQ_TSV = "track_2_mcq_prediction.tsv", "track_1_saq_prediction.tsv"


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("semeval")
    files = write_semeval(folder / "files")
    recipe = semeval_recipe(files).model_copy(update={"mcq": McqOptions(rebalance=True)})
    build_release(recipe, folder / "release", source_paths={files.name: files})
    return folder / "release"


def mcq_file(folder: Path) -> Path:
    """Predictions that are correct but for the first questions: one wrong, two marks, none, and one missing."""
    odd = {"am-ET_0001": "1000", "am-ET_0002": "1100", "am-ET_0003": "0000"}
    rows = []
    for row_id, key in keys().items():
        if row_id != "am-ET_0004":
            cells = odd.get(row_id, "".join("1" if letter == key else "0" for letter in "ABCD"))
            rows.append("\t".join([row_id, *cells]))
    # A wrong row before the one that counts.
    rows.insert(0, "ga-IE_0001\t1\t0\t0\t0")
    path = folder / MCQ_TSV
    path.write_text("\n".join(["id\tA\tB\tC\tD", *rows]) + "\n", encoding="utf-8")
    return path


SAQ_ROWS = {
    "am-ET_001": "ፈንዲሻ",
    "am-ET_003": "no answer",
    "en-ET_003": "running",
    "ga-IE_001": "Uisce, is dócha",
    "en-IE_002": "3",
    "en-SG_001": "Kopi",
    "msa-SG_002": "3",
}


def submitted(run: blend.Run, path: Path, n: int) -> list[str]:
    """The rows of what is exported for the task's site, ``n`` without the header."""
    assert export_predictions(run, path) == n
    with zipfile.ZipFile(path) as archive:
        (name,) = archive.namelist()
        assert name == f"prediction/{MCQ_TSV if run.description.task == 'multiple-choice' else SAQ_TSV}"
        return archive.read(name).decode().splitlines()


def figures(run: Any) -> dict[tuple[str, str], float | None]:
    return {(one.metric, one.key): one.value for one in run.scores.scores}


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore:track_2_mcq_prediction.tsv")
@pytest.mark.filterwarnings("ignore:mcq.zip")
def test_multiple_choice_from_a_file_to_the_site(release: Path, tmp_path: Path):
    run = run_task(release, "multiple-choice", Recorded(path=mcq_file(tmp_path)), tmp_path / "run")
    assert run.outcome.warnings == (
        f"{MCQ_TSV}: rows whose id stands in a later row again, left out: 1",
        f"{MCQ_TSV}: items without an answer in the file: 1",
    )
    scored = figures(score_run(run, rule="semeval"))
    assert scored["accuracy", "ET"] == pytest.approx(100 * 20 / 24)
    assert scored["accuracy", "IE"] == 100
    assert scored["accuracy-macro", "all"] == pytest.approx((100 * 20 / 24 + 200) / 3)
    # Of the 71 answers that there are, the two that mark no single letter cannot be read.
    assert scored["unparsable", "all"] == pytest.approx(100 * 2 / 71)
    # Ours leaves out what has no answer.
    assert scored["accuracy-default", "ET"] == pytest.approx(100 * 20 / 23)
    with zipfile.ZipFile(tmp_path / "mine.zip", "w") as archive:
        archive.writestr("prediction/notes.txt", "mine")
    told = wrong(lambda: export_predictions(run, tmp_path / "mine.zip"))
    assert "is not an archive of such predictions that blend wrote" in told
    assert zipfile.ZipFile(tmp_path / "mine.zip").namelist() == ["prediction/notes.txt"]
    for _ in range(2):  # its own is replaced
        rows = submitted(run, tmp_path / "mcq.zip", 72)
    assert rows[:5] == [
        "id\tA\tB\tC\tD",
        "am-ET_0001\t1\t0\t0\t0",
        *(f"am-ET_000{number}\t0\t0\t0\t0" for number in (2, 3, 4)),
    ]
    again = run_task(release, "multiple-choice", Recorded(path=tmp_path / "mcq.zip"), tmp_path / "again")
    assert figures(score_run(again, rule="semeval"))["accuracy-macro", "all"] == scored["accuracy-macro", "all"]
    page = write_report([run], tmp_path / "report.html").read_text(encoding="utf-8")
    assert "official figure, mean over codes, %" in page
    assert "rule <code>semeval</code>" in page
    # The terms of the task forbid to pass its questions on.
    assert "What is coffee had with" not in page
    assert "forbid to pass its questions and answers on" in page
    asked = write_report([run], tmp_path / "own.html", semeval_questions=True).read_text(encoding="utf-8")
    assert "Single questions" in asked
    assert "forbid to pass" not in asked


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore:track_1_saq_prediction.tsv")
@pytest.mark.filterwarnings("ignore:the task's scorer")
def test_short_answers_from_a_file_to_the_site(release: Path, tmp_path: Path):
    lines = ["id\tprediction", *("\t".join(row) for row in SAQ_ROWS.items())]
    (tmp_path / SAQ_TSV).write_text("\n".join(lines) + "\n", encoding="utf-8")
    run = run_task(release, "short-answer", Recorded(path=tmp_path / SAQ_TSV), tmp_path / "run")
    assert "items have no answer" in wrong(lambda: score_run(run))
    scored = figures(score_run(run, rule="semeval"))
    thirds = {"am-ET": 2, "en-ET": 1, "ga-IE": 1, "en-IE": 0, "en-SG": 1, "ms-SG": 1}
    expected = {code: pytest.approx(100 * n / 3) for code, n in thirds.items()}
    assert {code: scored["accuracy", code] for code in thirds} == expected
    assert scored["accuracy-macro", "all"] == pytest.approx(600 / 3 / 7)
    assert ("sem-w", "all") not in scored
    assert ("sem-b-default", "all") in scored
    rows = submitted(run, tmp_path / "saq.zip", 21)
    held = dict(row.split("\t") for row in rows[1:])
    assert {row_id: text for row_id, text in held.items() if text} == SAQ_ROWS
    page = write_report([run], tmp_path / "report.html").read_text(encoding="utf-8")
    assert "official figure, mean over codes, %" in page
    # The table by code, with the English ones.
    assert re.search(r"<bdi>en-ET</bdi>.*?33\.3", page, re.DOTALL)
    assert "ፈንዲሻ" not in page


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore::blend.BlendWarning")
def test_of_several_samples_each_counts_and_the_first_is_submitted(release: Path, tmp_path: Path):
    def right_at_first(row: dict[str, Any]) -> str:
        if row["sample"]:
            return "zzz" if row["answer"] is None else f'{{"answer_choice": "{"ABCD"[row["answer"] - 1]}"}}'
        if row["answer"] is not None:
            return f'{{"answer_choice": "{"ABCD"[row["answer"]]}"}}'
        first = row["annotations"][0]
        return (first["en_answers" if row["language"] == "en" else "answers"] or first["answers"])[0]

    for task, name in (("short-answer", "saq"), ("multiple-choice", "mcq")):
        asked = read_items(release, task_of(task), samples=2, **task_of(task).of_texts).asked
        keys = ["item_id"] if task == "multiple-choice" else ["template_id", "locale"]
        gold = asked.gold.select(*keys, *({"answer", "annotations"} & {*asked.gold.columns}))
        rows = asked.items.join(gold, on=keys).with_columns(
            answer=pl.col("answer") if "answer" in gold else None
        )
        said = [
            {"item_id": row["item_id"], "response": right_at_first(row)} for row in rows.iter_rows(named=True)
        ]
        run = recorded(release, task, pl.DataFrame(said), tmp_path / name, samples=2)
        scored = figures(score_run(run, rule="semeval"))["accuracy-macro", "all"]
        export_predictions(run, tmp_path / f"{name}.zip")
        again = run_task(release, task, Recorded(path=tmp_path / f"{name}.zip"), tmp_path / f"{name}-again")
        assert scored == figures(score_run(again, rule="semeval"))["accuracy-macro", "all"] / 2 > 0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:saq.csv")
@pytest.mark.filterwarnings("ignore:the task's scorer")
def test_trial_data_from_their_files_to_the_site(tmp_path: Path):
    files = write_trial(tmp_path / "files")
    built = tmp_path / "release"
    build_release(semeval_recipe(files), built, source_paths={files.name: files})
    assert validate_release(built).errors == 0
    card = (built / "README.md").read_text(encoding="utf-8")
    assert "how many gave each" not in card
    assert "ousidhoum2026semeval" in card
    # As a system of the development phase writes them: ids with zeros, letters in CSV.
    (tmp_path / "saq.csv").write_text(
        'id,prediction\nta-SG_008,"காபி, தேநீர்"\nam-ET_001,ሻይ\nen-SG_001,kopi\nga-IE_1,uisce\n', encoding="utf-8"
    )
    run = run_task(built, "short-answer", Recorded(path=tmp_path / "saq.csv"), tmp_path / "saq")
    # The English question on Singapore, which Malay has beside it as well, is asked and counted once.
    assert run.outcome.n_items == 7
    scored = figures(score_run(run, rule="semeval"))
    codes = {key: value for (metric, key), value in scored.items() if metric == "accuracy"}
    assert codes == {"am-ET": 0, "en-AU": 0, "en-SG": 100, "ga-IE": 100, "ms-SG": 0, "ta-SG": 50}
    submitted(run, tmp_path / "saq.zip", 7)
    (tmp_path / "mcq.csv").write_text("id,prediction\nga-IE_001,A\nga-IE_002,C\n", encoding="utf-8")
    run = run_task(built, "multiple-choice", Recorded(path=tmp_path / "mcq.csv"), tmp_path / "mcq")
    assert figures(score_run(run, rule="semeval"))["accuracy-macro", "all"] == 50
    rows = submitted(run, tmp_path / "mcq.zip", 2)
    assert rows == ["id\tA\tB\tC\tD", "ga-IE_001\t1\t0\t0\t0", "ga-IE_002\t0\t0\t1\t0"]


def test_predictions_of_other_data_have_no_site(sample_release: Path, tmp_path: Path):
    rows = pl.read_parquet(sample_release / "data" / "multiple-choice-questions" / "*.parquet")
    rows.select("MCQID", response="answer_idx").write_csv(tmp_path / "answers.csv")
    run = run_task(sample_release, "multiple-choice", Recorded(path=tmp_path / "answers.csv"), tmp_path / "run")
    assert wrong(lambda: export_predictions(run, tmp_path / "out.zip")) == (
        f"{tmp_path / 'run'}: asks {run.items('template_id').item(0, 0)!r}, which is no question of SemEval's; "
        "run on a release made with `blend build --semeval`"
    )


def test_options_of_harnesses_are_refused():
    told = wrong(lambda: command("eval", "export", "run", "--to", "semeval", "--out", "x.zip", "--limit", "1"))
    assert "--locales and --limit are for lm-eval; predictions are those of the run" in told
