"""SemEval-2026 Task 7: its files of predictions, which are read as participants keep them, and its rules."""

import io
import zipfile
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from blend.builders.mcq.published_mcqs import given_rows
from blend.eval.items import TaskItems
from blend.eval.recorded_answers import ReadAnswers, is_predictions, read_predictions
from blend.eval.runs.answers import ANSWERS
from blend.eval.task import ScoringOptions
from blend.eval.tasks import task_of
from blend.eval.tasks.multiple_choice import ChoiceOptions
from blend.eval.tasks.multiple_choice.choice_scores import score_choice_run
from blend.eval.tasks.multiple_choice.choices import choice_items
from blend.loaders.upstream.semeval.task_files import spelled_otherwise
from blend.schemas.frames import GIVEN_MCQS
from blend.schemas.locales import registry
from helpers.answered_run import answered_run
from helpers.messages import wrong
from helpers.questions.short_answer_inputs import annotated, decision

MCQ_TSV = "track_2_mcq_prediction.tsv"
CODES = ("am-ET", "ga-IE")
GOLD = {f"{code}_{i:04}": "ABCD"[i % 4] for code, n in zip(CODES, (5, 3), strict=True) for i in range(n)}


def items_of(*, rebalance: bool) -> TaskItems:
    rows = [
        (i, i, i[:5], "-", f"What is {i}?", list("wxyz"), "ABCD".index(key), "semeval", "f:1")
        for i, key in GOLD.items()
    ]
    given = pl.DataFrame(rows, GIVEN_MCQS, orient="row")
    mcqs = given_rows(given, rebalance=rebalance, seed=3, locales=registry())
    tables = {"multiple-choice-questions": mcqs.with_columns(region="locale")}
    return choice_items(tables, ChoiceOptions(style="json"))


ASKED = {rebalance: items_of(rebalance=rebalance) for rebalance in (False, True)}


def read(path: Path, *, rebalance: bool = False) -> ReadAnswers:
    """Predictions about multiple-choice questions."""
    form = task_of("multiple-choice").predictions()
    assert is_predictions(path)
    return read_predictions(path, ASKED[rebalance], form)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("suffix", [".tsv", ".txt"])
def test_a_file_of_predictions_is_read_as_people_save_it(tmp_path: Path, encoding: str, suffix: str):
    path = tmp_path / f"my{suffix}"
    path.write_bytes("id\tA\tB\tC\tD\r\nam-ET_0000\t1\t0\t0\t0\r\n".encode(encoding))
    assert read(path).answers.select("item_id", "text").rows() == [("am-ET_0000", '{"answer_choice":"A"}')]


@pytest.mark.parametrize("separator", ["\t", ",", ";"])
def test_letters_are_read_as_participants_keep_them(tmp_path: Path, separator: str):
    path = tmp_path / "letters.csv"
    rows = ["id|prediction", "am-ET_0000|B", 'am-ET_0001|"C"', "am-ET_2|D", "ga-IE_0000|", ""]
    text = "\n".join(rows).replace("|", separator)
    path.write_text(text.replace('"', "") if separator == "\t" else text, encoding="utf-8")
    found = read(path, rebalance=True)
    order = dict(ASKED[True].gold.select("item_id", "source_order").iter_rows())
    given = {"am-ET_0000": "B", "am-ET_0001": "C", "am-ET_0002": "D"}
    # The letters of the organisers' files, wherever the release has moved the options.
    texts = {one: f'{{"answer_choice":"{"ABCD"[order[one].index(letter)]}"}}' for one, letter in given.items()}
    assert dict(found.answers.select("item_id", "text").iter_rows()) == texts | {"ga-IE_0000": "–"}
    assert found.warnings[0] == (
        "rows whose id spells locale or number otherwise, read as what is asked: 1 ('am-ET_2' as 'am-ET_0002')"
    )


def test_ids_that_nothing_is_asked_under_are_named_and_other_spellings_are_read(tmp_path: Path):
    path = tmp_path / MCQ_TSV
    path.write_text("id,prediction\ngle-IE_0000,A\nam-ET_0000,A\nam-ET_9,A\neu-PV_0000,A\n", encoding="utf-8")
    assert read(path).warnings == (
        (
            "rows with ids that nothing is asked under, left out: 3 ('gle-IE_0000' (line 2), 'am-ET_9' "
            "(line 4), 'eu-PV_0000' (line 5))"
        ),
        "items without an answer in the file: 7",
    )


@pytest.mark.parametrize(
    ("given", "asked", "found"),
    [
        # Where a question is answered in both spellings, the one it is asked in counts.
        (["msa-SG_1", "msa-SG_2", "ms-SG_2", "msa-SG_3"], ["ms-SG_1", "ms-SG_2"], {"msa-SG_1": "ms-SG_1"}),
        (["ms-SG_1"], ["msa-SG_1"], {"ms-SG_1": "msa-SG_1"}),
        # The trial data's numbers have no zeros; with another number of zeros, other questions are counted.
        (
            ["ta-SG_8", "en-ET_10", "am-ET_0001"],
            ["ta-SG_008", "en-ET_010", "am-ET_001"],
            {"ta-SG_8": "ta-SG_008", "en-ET_10": "en-ET_010"},
        ),
    ],
)
def test_ids_that_are_spelled_otherwise(given: list[str], asked: list[str], found: dict[str, str]):
    assert spelled_otherwise(given, asked, registry()) == found


def archive(*names: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as held:
        for name in names:
            held.writestr(name, "id\tA\tB\tC\tD\n")
    return content.getvalue()


CHECK = "ids are like 'am-ET_0000'; check that release and task are those of the file"
REFUSED: dict[str, str | bytes | None] = {
    "{path}: expected one file prediction/track_2_mcq_prediction.tsv; the archive holds nothing": archive(),
    f"{{path}}: expected one file prediction/{MCQ_TSV}; the archive holds a/{MCQ_TSV}, b/{MCQ_TSV}": (
        archive(f"a/{MCQ_TSV}", f"b/{MCQ_TSV}")
    ),
    "{path}: cannot be read as a zip archive (File is not a zip file); write it again": b"no archive",
    "{path}: no such file; `answers` names a file of answers": None,
    f"{MCQ_TSV}: no row follows the header; {CHECK}": "id\tA\tB\tC\tD\n",
    f"{MCQ_TSV}: nothing is asked under 'xx-YY_1' (line 2), 'xx-YY_2' (line 3), 'ko-KR_1' (line 4) …; "
    f"{CHECK}": "id,prediction\nxx-YY_1,A\nxx-YY_2,A\nko-KR_1,A\nko-KR_2,A\n",
}
"""What is said of a table or an archive; what is wrong in a row of a table stands in `tests/told.toml`."""


@pytest.mark.parametrize("message", REFUSED)
def test_what_holds_no_predictions_is_refused(tmp_path: Path, message: str):
    content = REFUSED[message]
    path = tmp_path / (MCQ_TSV if isinstance(content, str) else "predictions.zip")
    if content is not None:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    assert wrong(lambda: read(path)) == message.format(path=path)


# The published rules, recomputed

Prediction = tuple[str, Sequence[str]]


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


ONE_HOT = [["1" if letter == marked else "0" for letter in "ABCD"] for marked in "ABCD"]
MARKS = st.sampled_from(ONE_HOT) | st.lists(
    st.sampled_from(["0", "1", "", "2", "0.5", "A"]), min_size=4, max_size=4
)


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from([*GOLD, "ga-IE_0999"]), MARKS), max_size=16), st.booleans())
def test_multiple_choice_is_scored_exactly_as_published(
    tmp_path_factory: pytest.TempPathFactory, predictions: list[Prediction], rebalance: bool
):
    # A file in which nothing is asked under any id is refused.
    assume(any(row_id in GOLD for row_id, _ in predictions))
    path = tmp_path_factory.mktemp("predictions") / MCQ_TSV
    lines = ["id\tA\tB\tC\tD", *("\t".join([row_id, *cells]) for row_id, cells in predictions)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    items = ASKED[rebalance]
    # With every column that answers can have.
    answers = pl.concat([pl.DataFrame(schema=ANSWERS), read(path, rebalance=rebalance).answers], how="diagonal")
    run = answered_run([(items.items, answers)], [items.gold], style="json", rotations=1, confidence=False)
    scored = score_choice_run(run, ScoringOptions(rule="semeval"), lambda *_: None)
    correct, of_code, overall = published(predictions)
    assert dict(scored.decisions.select("question_id", "correct").iter_rows()) == correct
    figures = {(one.metric, one.scope, one.key): one for one in scored.scores}
    for code, share in of_code.items():
        assert figures["accuracy", "region", code].value == pytest.approx(float(share), abs=1e-9)
        assert figures["accuracy", "region", code].n == sum(i[:5] == code for i in GOLD)
    assert figures["accuracy-macro", "overall", "all"].value == pytest.approx(float(overall), abs=1e-9)


def decided(response: str, annotations: pl.DataFrame, rule: str, language: str = "local") -> tuple[Any, ...]:
    made = decision(response, annotations, prompt="?", rule=rule, lemmas="none", language=language)
    return made["correct"], made["weight"], made["why"]


def accepted(*groups: tuple[list[str], list[str]]) -> pl.DataFrame:
    """Answers as the task has them: nobody knows how many people gave them."""
    return annotated(*groups, locale="ga-IE", votes=None)


def test_a_non_answer_counts_by_the_tasks_rule_alone():
    both = accepted((["tae"], []), (["no answer"], []))
    assert decided("No answer", both, "semeval")[0] is True
    assert decided("No answer", both, "default")[0] is False
    only = accepted((["idk"], []), ([], ["I don't know"]))
    assert decided("idk", only, "semeval")[0] is True
    assert decided("idk", only, "default") == (None, None, "not scored")
    assert decided("idk", only, "paper") == (None, None, "not scored")


def test_the_tasks_rule_takes_answers_in_the_language_asked_in_alone_whatever_the_case():
    groups = accepted((["Tae"], []), ([], ["Tea"]))
    assert decided("tae", groups, "semeval") == (True, None, "containment")
    assert decided("tea", groups, "semeval") == (False, None, "no match")
    assert decided("tea", groups, "semeval", "english")[0] is True
    assert decided("tea", groups, "default")[0] is True
    # Nothing is accepted in English, so that there is nothing to score.
    assert decided("tae", accepted((["tae"], [])), "semeval", "english") == (None, None, "not scored")
