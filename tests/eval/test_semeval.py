"""SemEval-2026 Task 7: its rules recomputed, its files of predictions written and read back."""

import io
import re
import zipfile
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from blend.builders.mcq.published_mcqs import given_rows
from blend.builders.release import build_release
from blend.cli import app
from blend.eval.evaluation import export_predictions, run_task, score_run, write_report
from blend.eval.items import TaskItems
from blend.eval.registry import task_of
from blend.eval.runs.prediction_files import Predictions, is_predictions, read_predictions
from blend.eval.tasks.multiple_choice import ChoiceOptions
from blend.eval.tasks.multiple_choice.choice_items import choice_items
from blend.eval.tasks.multiple_choice.choice_scores import score_choices
from blend.eval.tasks.short_answer.semeval_rule import THEIRS, not_repeated
from blend.eval.tasks.short_answer.short_answer_decisions import decide_short_answers
from blend.loaders.recipes.ready import semeval_recipe
from blend.loaders.upstream.semeval.task_files import spelled_otherwise
from blend.schemas.errors import BlendError, InputError
from blend.schemas.language.locales import registry
from blend.schemas.recipe.recipe import McqOptions
from blend.schemas.rows.frame_columns import GIVEN_MCQS
from helpers.semeval_files import keys, write_semeval

MCQ_TSV = "track_2_mcq_prediction.tsv"
SAQ_TSV = "track_1_saq_prediction.tsv"


def form_of(task: str) -> Predictions:
    form = task_of(task).predictions()
    assert form is not None
    return form


# Multiple choice: the published rule, recomputed

CODES = ("am-ET", "ga-IE")
GOLD = {f"{code}_{i:04}": "ABCD"[i % 4] for code, n in zip(CODES, (5, 3), strict=True) for i in range(n)}
Prediction = tuple[str, Sequence[str]]


def asked(*, rebalance: bool) -> TaskItems:
    rows = [
        (
            row_id,
            row_id,
            row_id[:5],
            "-",
            f"What is {row_id}?",
            list("wxyz"),
            "ABCD".index(key),
            "semeval",
            "f:1",
        )
        for row_id, key in GOLD.items()
    ]
    given = pl.DataFrame(rows, GIVEN_MCQS, orient="row")
    mcqs = given_rows(given, rebalance=rebalance, seed=3, locales=registry())
    return choice_items(mcqs.with_columns(region="locale"), ChoiceOptions(style="json"))


ASKED = {rebalance: asked(rebalance=rebalance) for rebalance in (False, True)}


def published(predictions: Sequence[Prediction]) -> tuple[dict[str, bool], dict[str, Fraction], Fraction]:
    """The published scorer in its own words: what is correct, accuracy per code, and their plain mean."""
    last: dict[str, Sequence[str]] = {}
    for row_id, marks in predictions:
        last[row_id] = marks
    correct = {}
    for row_id, key in GOLD.items():
        marks = last.get(row_id, ())
        one_hot = len(marks) == 4 and set(marks) <= {"0", "1"} and list(marks).count("1") == 1
        correct[row_id] = one_hot and "ABCD"[list(marks).index("1")] == key
    of_code = {
        code: Fraction(100 * sum(correct[i] for i in GOLD if i[:5] == code), sum(i[:5] == code for i in GOLD))
        for code in CODES
    }
    return correct, of_code, sum(of_code.values(), Fraction()) / len(of_code)


def marks() -> st.SearchStrategy[Sequence[str]]:
    one = st.sampled_from(
        [["1", "0", "0", "0"], ["0", "1", "0", "0"], ["0", "0", "1", "0"], ["0", "0", "0", "1"]]
    )
    return one | st.lists(st.sampled_from(["0", "1", "", "2", "0.5", "A"]), min_size=4, max_size=4)


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from([*GOLD, "ga-IE_0999"]), marks()), max_size=16), st.booleans())
def test_multiple_choice_is_scored_exactly_as_published(
    tmp_path_factory: pytest.TempPathFactory, predictions: list[Prediction], rebalance: bool
):
    # A file in which nothing is asked under any id is refused.
    assume(any(row_id in GOLD for row_id, _ in predictions))
    path = tmp_path_factory.mktemp("predictions") / MCQ_TSV
    lines = ["id\tA\tB\tC\tD", *("\t".join([row_id, *cells]) for row_id, cells in predictions)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    items = ASKED[rebalance]
    answers = read_predictions(path, items, form_of("multiple-choice")).answers
    scored = score_choices([(items.items, answers)], [items.gold], style="json", rule="semeval")
    correct, of_code, overall = published(predictions)
    assert dict(scored.decisions.select("question_id", "correct").iter_rows()) == correct
    figures = {(one.metric, one.scope, one.key): one for one in scored.scores}
    for code, share in of_code.items():
        assert figures["accuracy", "region", code].value == pytest.approx(float(share), abs=1e-9)
        assert figures["accuracy", "region", code].n == sum(i[:5] == code for i in GOLD)
    assert figures["accuracy-macro", "overall", "all"].value == pytest.approx(float(overall), abs=1e-9)


def test_a_prediction_that_marks_no_single_letter_chooses_nothing_by_any_rule(tmp_path: Path):
    path = tmp_path / MCQ_TSV
    path.write_text("id\tA\tB\tC\tD\nam-ET_0000\t1\t1\t0\t0\nam-ET_0001\t0\t0\t0\t0\n", encoding="utf-8")
    read = read_predictions(path, ASKED[False], form_of("multiple-choice"))
    assert read.answers["text"].to_list() == ["–", "–"]
    assert read.warnings == ("items without an answer in the file: 6",)
    for rule in ("default", "strict"):
        scored = score_choices(
            [(ASKED[False].items, read.answers)], [ASKED[False].gold], style="json", rule=rule
        )
        assert scored.decisions["chosen"].to_list() == [None] * 8


# Short answers


def annotated(*groups: tuple[list[str], list[str]]) -> pl.DataFrame:
    row = {
        "template_id": "ga-IE_001",
        "locale": "ga-IE",
        "language": "ga",
        "en_question": "What?",
        "annotations": [{"answers": a, "en_answers": e, "count": None} for a, e in groups],
        "idks": {"idk": None, "no-answer": None, "not-applicable": None, "others": []},
    }
    return pl.DataFrame([row], schema_overrides={"annotations": _GROUPS, "idks": _IDKS})


_GROUPS = pl.List(
    pl.Struct({"answers": pl.List(pl.String), "en_answers": pl.List(pl.String), "count": pl.Int64})
)
_IDKS = pl.Struct(
    {
        **dict.fromkeys(("idk", "no-answer", "not-applicable"), pl.Int64),
        "others": pl.List(pl.Struct({"reason": pl.String, "count": pl.Int64})),
    }
)


def decided(response: str, annotations: pl.DataFrame, rule: str, language: Any = "local") -> tuple[Any, ...]:
    row = ("i", "ga-IE", "ga-IE_001", "question", "?", response)
    names = ("item_id", "locale", "template_id", "prompt_id", "prompt", "response")
    made = decide_short_answers(
        pl.DataFrame([row], names, orient="row"), annotations, rule=rule, lemmas="none", language=language
    )
    return made.select("correct", "weight", "why").row(0)


def test_a_non_answer_counts_by_the_tasks_rule_alone():
    both = annotated((["tae"], []), (["no answer"], []))
    assert decided("No answer", both, "semeval")[0] is True
    assert decided("No answer", both, "default")[0] is False
    only = annotated((["idk"], []), ([], ["I don't know"]))
    assert decided("idk", only, "semeval")[0] is True
    assert decided("idk", only, "default") == (None, None, "not scored")
    assert decided("idk", only, "paper") == (None, None, "not scored")


def test_the_tasks_rule_takes_answers_in_the_language_asked_in_alone_whatever_the_case():
    groups = annotated((["Tae"], []), ([], ["Tea"]))
    assert decided("tae", groups, "semeval") == (True, None, "containment")
    assert decided("tea", groups, "semeval") == (False, None, "no match")
    assert decided("tea", groups, "semeval", "english")[0] is True
    assert decided("tea", groups, "default")[0] is True
    # Nothing is accepted in English, so that there is nothing to score.
    assert decided("tae", annotated((["tae"], [])), "semeval", "english") == (None, None, "not scored")


def test_what_cannot_be_repeated_is_named_by_language():
    warning = not_repeated(["ko=particles-1", "ga=simplemma-2.0.0"])
    assert (
        "(ko: KoNLPy, here particles-1; ga: spaCy, stanza, cltk or Spark NLP, here simplemma-2.0.0)" in warning
    )
    assert set(THEIRS) <= {one.language for one in registry()}


# From files to scores and back


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


def saq_file(folder: Path) -> Path:
    path = folder / SAQ_TSV
    lines = ["id\tprediction", *("\t".join(row) for row in SAQ_ROWS.items())]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def figures(run: Any) -> dict[tuple[str, str], float | None]:
    return {(one.metric, one.key): one.value for one in run.scores.scores}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:track_2_mcq_prediction.tsv")
@pytest.mark.filterwarnings("ignore:mcq.zip")
def test_multiple_choice_from_a_file_to_the_site(release: Path, tmp_path: Path):
    run = run_task(release, "multiple-choice", answers=mcq_file(tmp_path), out=tmp_path / "run")
    assert run.outcome is not None
    assert run.outcome.warnings == (
        f"{MCQ_TSV}: rows whose id stands in a later row again, left out: 1",
        f"{MCQ_TSV}: items without an answer in the file: 1",
    )
    scored = figures(score_run(run, rule="semeval"))
    assert scored["accuracy", "ET"] == pytest.approx(100 * 20 / 24)
    assert scored["accuracy", "IE"] == 100
    assert scored["accuracy-macro", "all"] == pytest.approx((100 * 20 / 24 + 200) / 3)
    # Of the 71 answers that there are, the two that mark no single letter cannot be read.
    assert scored["parsed", "all"] == pytest.approx(100 * 69 / 71)
    # Ours leaves out what has no answer.
    assert scored["accuracy-default", "ET"] == pytest.approx(100 * 20 / 23)
    assert export_predictions(run, tmp_path / "mcq.zip") == 72
    with zipfile.ZipFile(tmp_path / "mcq.zip") as archive:
        assert archive.namelist() == [f"prediction/{MCQ_TSV}"]
        rows = archive.read(f"prediction/{MCQ_TSV}").decode().splitlines()
    assert rows[:5] == [
        "id\tA\tB\tC\tD",
        *(
            "am-ET_0001\t1\t0\t0\t0",
            "am-ET_0002\t0\t0\t0\t0",
            "am-ET_0003\t0\t0\t0\t0",
            "am-ET_0004\t0\t0\t0\t0",
        ),
    ]
    again = run_task(release, "multiple-choice", answers=tmp_path / "mcq.zip", out=tmp_path / "again")
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


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:track_1_saq_prediction.tsv")
@pytest.mark.filterwarnings("ignore:the task's scorer")
def test_short_answers_from_a_file_to_the_site(release: Path, tmp_path: Path):
    run = run_task(release, "short-answer", answers=saq_file(tmp_path), out=tmp_path / "run")
    with pytest.raises(InputError, match="items have no answer"):
        score_run(run)
    scored = figures(score_run(run, rule="semeval"))
    assert {
        code: scored["accuracy", code] for code in ("am-ET", "en-ET", "ga-IE", "en-IE", "en-SG", "ms-SG")
    } == {
        "am-ET": pytest.approx(200 / 3),
        "en-ET": pytest.approx(100 / 3),
        "ga-IE": pytest.approx(100 / 3),
        "en-IE": 0,
        "en-SG": pytest.approx(100 / 3),
        "ms-SG": pytest.approx(100 / 3),
    }
    assert scored["accuracy-macro", "all"] == pytest.approx(600 / 3 / 7)
    assert ("sem-w", "all") not in scored
    assert ("sem-b-default", "all") in scored
    assert export_predictions(run, tmp_path / "saq.zip") == 21
    with zipfile.ZipFile(tmp_path / "saq.zip") as archive:
        rows = archive.read(f"prediction/{SAQ_TSV}").decode().splitlines()
    held = dict(row.split("\t") for row in rows[1:])
    assert {row_id: text for row_id, text in held.items() if text} == SAQ_ROWS
    page = write_report([run], tmp_path / "report.html").read_text(encoding="utf-8")
    assert "official figure, mean over codes, %" in page
    # The table by code, with the English ones.
    assert re.search(r"<bdi>en-ET</bdi>.*?33\.3", page, re.DOTALL)
    assert "ፈንዲሻ" not in page
    result = CliRunner().invoke(app, ["eval", "score", str(tmp_path / "run"), "--allow-missing"])
    assert result.exit_code == 0
    assert "the scores by rule semeval are replaced; a run holds those of one rule" in result.output


@pytest.mark.slow
def test_predictions_of_other_data_have_no_site(sample_release: Path, tmp_path: Path):
    rows = pl.read_parquet(sample_release / "data" / "multiple-choice-questions" / "*.parquet")
    rows.select("MCQID", response="answer_idx").write_csv(tmp_path / "answers.csv")
    run = run_task(sample_release, "multiple-choice", answers=tmp_path / "answers.csv", out=tmp_path / "run")
    with pytest.raises(InputError) as caught:
        export_predictions(run, tmp_path / "out.zip")
    assert str(caught.value) == (
        f"{tmp_path / 'run'}: asks questions that are not SemEval's, whose site knows other ids; run on a "
        "release made with `blend build --semeval`"
    )


# Files that are none


def archive_of(path: Path, *names: str) -> Path:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name in names:
            archive.writestr(name, "id\tA\tB\tC\tD\n")
    path.write_bytes(content.getvalue())
    return path


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            archive_of,
            "{path}: expected one file prediction/track_2_mcq_prediction.tsv; the archive holds nothing",
        ),
        (
            lambda path: archive_of(path, f"a/{MCQ_TSV}", f"b/{MCQ_TSV}"),
            f"{{path}}: expected one file prediction/{MCQ_TSV}; the archive holds a/{MCQ_TSV}, b/{MCQ_TSV}",
        ),
        (
            lambda path: path.write_bytes(b"no archive"),
            "{path}: cannot be read as a zip archive (File is not a zip file); write it again",
        ),
        (lambda path: None, "{path}: no such file; `answers` names a file of answers"),
    ],
)
def test_archives_that_hold_no_predictions(tmp_path: Path, make: Callable[[Path], object], message: str):
    path = tmp_path / "predictions.zip"
    make(path)
    with pytest.raises(BlendError) as caught:
        read_predictions(path, ASKED[False], form_of("multiple-choice"))
    assert str(caught.value) == message.format(path=path)


def test_a_damaged_archive_is_refused_or_read(tmp_path: Path):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"prediction/{MCQ_TSV}", "id\tA\tB\tC\tD\n" + "am-ET_0001\t1\t0\t0\t0\n" * 20)
    whole, path = content.getvalue(), tmp_path / "predictions.zip"
    refused: list[str] = []
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        try:
            read_predictions(path, ASKED[False], form_of("multiple-choice"))
        except BlendError as error:
            refused.append(str(error))
    assert len(refused) > len(whole) / 2
    assert all(message.startswith((str(path), MCQ_TSV)) for message in refused)


def test_rows_that_cannot_be_read(tmp_path: Path):
    path = tmp_path / MCQ_TSV
    path.write_text("id\tA\tB\tC\tD\nam-ET_0001\t1\t0\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_predictions(path, ASKED[False], form_of("multiple-choice"))
    assert str(caught.value) == (
        f"{MCQ_TSV}:2: 3 cells, but the header has 5; write one row per id, with tabs between the cells"
    )


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("suffix", [".tsv", ".txt"])
def test_a_file_of_predictions_is_read_as_people_save_it(tmp_path: Path, encoding: str, suffix: str):
    path = tmp_path / f"my{suffix}"
    path.write_bytes("id\tA\tB\tC\tD\r\nam-ET_0000\t1\t0\t0\t0\r\n".encode(encoding))
    form = form_of("multiple-choice")
    assert is_predictions(path, form, ASKED[False])
    read = read_predictions(path, ASKED[False], form)
    assert read.answers.select("item_id", "text").rows() == [("am-ET_0000", '{"answer_choice":"A"}')]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("id,A,B,C,D\nam-ET_0000,1,0,0,0\n", "the header is 'id,A,B,C,D', with commas where tabs are expected"),
        ("id\ta\tb\tc\td\n", r"the header is 'id\ta\tb\tc\td'"),
        ("am-ET_0000\t1\t0\t0\t0\n", r"the header is 'am-ET_0000\t1\t0\t0\t0'"),
        ("", "the file has no header"),
    ],
)
def test_a_header_that_is_none_is_quoted_beside_the_tasks(tmp_path: Path, text: str, what: str):
    path = tmp_path / MCQ_TSV
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        is_predictions(path, form_of("multiple-choice"), ASKED[False])
    assert str(caught.value) == (
        f"{MCQ_TSV}:1: {what}; the columns of {MCQ_TSV} are id, A, B, C, D, with tabs between them; a table of "
        "other answers has the columns item_id, true_false_id, region_question_id, MCQID or ID, and response"
    )


def test_which_files_are_predictions(tmp_path: Path):
    for name, header in {
        "a.tsv": " id\tA\tB\tC\tD",
        "b.tsv": "id\tprediction",
        "c.tsv": "item_id\tresponse",
        "d.csv": "MCQID,response",
    }.items():
        (tmp_path / name).write_text(header + "\n", encoding="utf-8")
    form, paths = form_of("multiple-choice"), ("a.tsv", "b.tsv", "c.tsv", "d.csv", "e.tsv", "f.zip")
    found = [is_predictions(tmp_path / name, form, ASKED[False]) for name in paths]
    assert found == [True, True, False, False, False, True]


def mcq_rows(path: Path, *ids: str) -> Path:
    lines = ["id\tA\tB\tC\tD", *(f"{row_id}\t1\t0\t0\t0" for row_id in ids)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("ids", "what"),
    [
        ((), "no row follows the header"),
        (
            ("xx-YY_1", "xx-YY_2", "ko-KR_1", "ko-KR_2"),
            (
                "nothing is asked under 'xx-YY_1' (line 2), 'xx-YY_2' (line 3), 'ko-KR_1' (line 4) …; by code: "
                "xx-YY 2, ko-KR 2"
            ),
        ),
    ],
)
def test_a_file_about_nothing_that_is_asked_is_refused(tmp_path: Path, ids: tuple[str, ...], what: str):
    path = mcq_rows(tmp_path / MCQ_TSV, *ids)
    with pytest.raises(InputError) as caught:
        read_predictions(path, ASKED[False], form_of("multiple-choice"))
    assert str(caught.value) == (
        f"{MCQ_TSV}: {what}; ids are like 'am-ET_0000'; check that release and task are those of the file"
    )


def test_ids_that_nothing_is_asked_under_are_named_and_other_spellings_are_read(tmp_path: Path):
    path = mcq_rows(tmp_path / MCQ_TSV, "gle-IE_0000", "am-ET_0000", "am-ET_9", "eu-PV_0000")
    read = read_predictions(path, ASKED[False], form_of("multiple-choice"))
    assert read.warnings == (
        (
            "rows with ids that nothing is asked under, left out: 3 ('gle-IE_0000' (line 2), 'am-ET_9' "
            "(line 4), 'eu-PV_0000' (line 5); by code: gle-IE 1, am-ET 1, eu-PV 1)"
        ),
        "items without an answer in the file: 7",
    )
    malay = {"ms-SG_1": None, "ms-SG_2": None}
    # Where a question is answered in both spellings, the one it is asked in counts.
    assert spelled_otherwise(["msa-SG_1", "msa-SG_2", "ms-SG_2", "msa-SG_3"], malay, registry()) == {
        "msa-SG_1": "ms-SG_1"
    }
    assert spelled_otherwise(["ms-SG_1"], ["msa-SG_1"], registry()) == {"ms-SG_1": "msa-SG_1"}


def test_options_of_harnesses_are_refused():
    result = CliRunner().invoke(
        app, ["eval", "export", "run", "--to", "semeval", "--out", "x.zip", "--limit", "1"]
    )
    assert result.exit_code != 0
    assert "--locales and --limit are for harnesses; predictions are those of the run" in str(result.exception)
