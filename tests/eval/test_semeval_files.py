"""SemEval-2026 Task 7's files of predictions: which are, what is read, and what is refused."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from blend.eval.recorded_answers import is_predictions, read_predictions
from blend.loaders.upstream.semeval.task_files import spelled_otherwise
from blend.schemas.errors import BlendError, InputError
from blend.schemas.locales import registry
from helpers.semeval_predictions import ASKED, MCQ_TSV, form_of


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
        ("id,a,b,c,d\nam-ET_0000,1,0,0,0\n", "the header is 'id,a,b,c,d'"),
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
        f"{MCQ_TSV}:1: {what}; the columns of {MCQ_TSV} are id, A, B, C, D, or id and prediction, one of A, B, "
        "C, D, with tabs or commas between them; a table of other answers has the columns item_id, "
        "true_false_id, MCQID or ID, and response"
    )


@pytest.mark.parametrize("separator", ["\t", ",", ";"])
def test_letters_are_read_as_participants_keep_them(tmp_path: Path, separator: str):
    path = tmp_path / "letters.csv"
    rows = [
        ("id", "prediction"),
        ("am-ET_0000", "B"),
        ("am-ET_0001", '"C"'),
        ("am-ET_2", "D"),
        ("ga-IE_0000", ""),
    ]
    rows[2] = ("am-ET_0001", "C") if separator == "\t" else rows[2]
    path.write_text("\n".join(map(separator.join, rows)) + "\n", encoding="utf-8")
    form = form_of("multiple-choice")
    assert is_predictions(path, form, ASKED[True])
    read = read_predictions(path, ASKED[True], form)
    order = dict(ASKED[True].gold.select("item_id", "source_order").iter_rows())
    given = {"am-ET_0000": "B", "am-ET_0001": "C", "am-ET_0002": "D"}
    # The letters of the organisers' files, wherever the release has moved the options.
    texts = {one: f'{{"answer_choice":"{"ABCD"[order[one].index(letter)]}"}}' for one, letter in given.items()}
    assert dict(read.answers.select("item_id", "text").iter_rows()) == texts | {"ga-IE_0000": "–"}
    assert read.warnings[0] == (
        "rows whose id spells locale or number otherwise, read as what is asked: 1 ('am-ET_2' as 'am-ET_0002')"
    )


def test_ids_that_nothing_is_asked_under_are_named_and_other_spellings_are_read(tmp_path: Path):
    path = tmp_path / MCQ_TSV
    path.write_text("id,prediction\ngle-IE_0000,A\nam-ET_0000,A\nam-ET_9,A\neu-PV_0000,A\n", encoding="utf-8")
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
    # The trial data's numbers have no zeros; with another number of zeros, other questions are counted.
    asked = ["ta-SG_008", "en-ET_010", "am-ET_001"]
    given = ["ta-SG_8", "en-ET_10", "am-ET_0001"]
    assert spelled_otherwise(given, asked, registry()) == {"ta-SG_8": "ta-SG_008", "en-ET_10": "en-ET_010"}


REFUSED = {
    "id\tA\tB\tC\tD\nam-ET_0001\t1\t0\n": (
        f"{MCQ_TSV}:2: 3 cells, but the header has 5; write one row per id, with tabs between the cells"
    ),
    "id,prediction\nam-ET_0000,tea\nam-ET_0001,A\n": (
        f"{MCQ_TSV}:2, column prediction: 'tea' is not one of A, B, C, D; write the letter of an option"
    ),
    "id\tA\tB\tC\tD\n": (
        f"{MCQ_TSV}: no row follows the header; ids are like 'am-ET_0000'; check that release and task are "
        "those of the file"
    ),
    "id,prediction\nxx-YY_1,A\nxx-YY_2,A\nko-KR_1,A\nko-KR_2,A\n": (
        f"{MCQ_TSV}: nothing is asked under 'xx-YY_1' (line 2), 'xx-YY_2' (line 3), 'ko-KR_1' (line 4) …; by "
        "code: xx-YY 2, ko-KR 2; ids are like 'am-ET_0000'; check that release and task are those of the file"
    ),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.items())
def test_rows_that_cannot_be_read(tmp_path: Path, text: str, message: str):
    path = tmp_path / MCQ_TSV
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_predictions(path, ASKED[False], form_of("multiple-choice"))
    assert str(caught.value) == message
