"""SemEval-2026 Task 7's files: every irregularity, on invented content of the same shape."""

from pathlib import Path

import pytest

from blend.loaders.upstream.semeval import read_semeval, semeval_files
from blend.loaders.upstream.semeval.task_files import is_non_answer
from blend.schemas.errors import InputError
from helpers.messages import message_of
from helpers.semeval_files import MCQ_CODES, N_MCQS, write_development, write_semeval, write_trial


@pytest.fixture
def tables(tmp_path: Path):
    return read_semeval(write_semeval(tmp_path))


def groups(tables, template_id: str) -> list[tuple[list[str], list[str], int | None]]:
    row = tables.annotations.filter(template_id=template_id).row(0, named=True)
    return [(group["answers"], group["en_answers"], group["count"]) for group in row["annotations"]]


def test_a_question_has_its_english_one_beside_it(tables):
    row = tables.questions.filter(template_id="am-ET_001").row(0, named=True)
    assert (row["locale"], row["language"]) == ("am-ET", "am")
    assert (row["question"], row["en_question"]) == ("ቡና ከምን ጋር ይጠጣል?", "What is coffee had with in Ethiopia?")
    assert set(tables.questions["locale"]) == {"am-ET", "en-AU", "en-SG", "ga-IE", "ms-SG"}
    malay = tables.questions.filter(template_id="msa-SG_001").row(0, named=True)
    assert malay["en_question"] == tables.questions.filter(template_id="en-SG_001")["question"][0]


def test_accepted_answers_have_no_votes(tables):
    assert groups(tables, "am-ET_002") == [
        (["3"], [], None),
        (["4"], [], None),
        ([], ["3"], None),
        ([], ["4"], None),
    ]
    assert groups(tables, "en-AU_001") == [(["tea"], ["tea"], None), (["flat white"], ["flat white"], None)]
    idks = tables.annotations["idks"].to_list()
    assert {(one["idk"], one["no-answer"], one["not-applicable"]) for one in idks} == {(None, None, None)}


def test_rows_on_two_lines_and_carriage_returns_are_read(tables):
    assert groups(tables, "am-ET_001")[:2] == [(["ፈንዲሻ"], [], None), (['"ስኳር ወይም ማር'], [], None)]
    assert groups(tables, "ga-IE_001")[:2] == [(["tae"], [], None), (["uisce"], [], None)]


def test_choices_are_as_given(tables):
    assert tables.mcqs.height == len(MCQ_CODES) * N_MCQS
    row = tables.mcqs.row(0, named=True)
    assert (row["mcq_id"], row["locale"], row["answer"]) == ("am-ET_0001", "am-ET", 1)
    assert row["options"] == ["thing 1a", "thing 1b", "thing 1c", "thing 1d"]
    # The English short answer of the locale is the template of what asks the same; others share one of theirs.
    assert tables.mcqs["template_id"].to_list()[:4] == ["am-ET_001"] * 4
    assert tables.mcqs["template_id"].to_list()[4:8] == ["am-ET_0005"] * 3 + ["am-ET_0008"]


def test_every_irregularity_is_a_finding(tables):
    counts = dict(tables.findings["kind"].value_counts().iter_rows())
    assert counts == {
        "control-character": 2,
        "not-nfc": 1,
        "semeval-doubled-id": 1,
        "semeval-equal-options": 1,
        "semeval-locale-spelling": 1,
        "semeval-non-answer": 2,
        "semeval-only-non-answers": 2,
        "semeval-positions": 1,
        "semeval-split-row": 1,
        "semeval-unasked": 1,
    }
    skewed = tables.findings.filter(kind="semeval-positions").row(0, named=True)
    assert skewed["locale"] == "ga-IE"
    assert "A 0.0 %, B 0.0 %, C 0.0 %, D 100.0 %" in skewed["detail"]


def test_without_gold_it_is_said_what_is_missing(tmp_path: Path):
    tables = read_semeval(write_semeval(tmp_path, gold=False))
    missing = tables.findings.filter(kind="semeval-missing-file")
    assert dict(missing.select("source", "detail").iter_rows()) == {
        "final_1_saq_reference.tsv": "the file is not there, and with it there are no accepted answers; no "
        "short answer can be asked or scored",
        "final_2_mcq_reference.tsv": "the file is not there, and with it there are no keys; no "
        "multiple-choice question can be built",
    }
    assert tables.questions.height == 15
    assert tables.mcqs.is_empty()
    assert tables.annotations["annotations"].list.len().to_list() == [0] * 15


def test_partial_gold_and_a_question_without_english(tmp_path: Path):
    write_semeval(tmp_path)
    gold = tmp_path / "final_2_mcq_reference.tsv"
    gold.write_text("id\tanswer\nga-IE_0001\tD\nga-IE_0002\tE\n", encoding="utf-8")
    with (tmp_path / "track_1_saq_input.tsv").open("a", encoding="utf-8") as file:
        file.write("ga-IE_007\tCé hé?\nga-IE_008\t\nen-AU_004\tWho in Australia?\n")
    accepted = tmp_path / "final_1_saq_reference.tsv"
    text = accepted.read_text(encoding="utf-8").replace("en-ET_003\tno answer;running\n", "")
    accepted.write_text(text.replace("en-IE_002\t2\n", "en-IE_002\t \n"), encoding="utf-8")
    tables = read_semeval(tmp_path)
    assert tables.mcqs["mcq_id"].to_list() == ["ga-IE_0001"]
    found = dict(tables.findings.select("template_id", "detail").iter_rows())
    assert found["ga-IE_0002"] == "the key of 'ga-IE_0002' is 'E'; the question is left out"
    assert found["ga-IE_0003"] == "the key of 'ga-IE_0003' is ''; the question is left out"
    without = tables.findings.filter(kind="semeval-no-english")
    found_english = dict(without.select("template_id", "detail").iter_rows())
    assert found_english == {
        "ga-IE_007": "there is no 'en-IE_007', the same in English; kept without it",
        "ga-IE_008": (
            "there is no 'en-IE_008', the same in English; the question is blank as well and left out"
        ),
    }
    kept = tables.questions.filter(template_id="ga-IE_007").row(0, named=True)
    assert (kept["question"], kept["en_question"]) == ("Cé hé?", "")
    # Whether its row is missing or blank, and in English as well as in the local language.
    for row_id in ("en-AU_004", "en-ET_003", "en-IE_002"):
        assert found[row_id] == f"{row_id!r} accepts nothing; it cannot be scored"


def test_gold_that_spells_a_locale_otherwise_than_the_questions_is_theirs(tmp_path: Path):
    write_semeval(tmp_path)
    gold = tmp_path / "final_2_mcq_reference.tsv"
    gold.write_text(gold.read_text(encoding="utf-8").replace("ms-SG_", "msa-SG_"), encoding="utf-8")
    accepted = tmp_path / "final_1_saq_reference.tsv"
    accepted.write_text(accepted.read_text(encoding="utf-8").replace("msa-SG_", "ms-SG_"), encoding="utf-8")
    tables = read_semeval(tmp_path)
    assert tables.mcqs.height == len(MCQ_CODES) * N_MCQS
    assert groups(tables, "msa-SG_001")[:2] == [(["kopi"], [], None), (["teh"], [], None)]
    spelled = tables.findings.filter(kind="semeval-locale-spelling").select("source", "detail").rows()
    assert spelled[:2] == [
        ("final_1_saq_reference.tsv:19", "'ms-SG_001' is read as the questions' 'msa-SG_001'"),
        ("final_2_mcq_reference.tsv:50", "'msa-SG_0001' is read as the questions' 'ms-SG_0001'"),
    ]


def test_trial_data_alone_are_built_and_beside_others_left_out(tmp_path: Path):
    trial = read_semeval(write_trial(tmp_path / "trial"))
    # As the task's own files write index 8 of ta-SG; kept also without the English question.
    english = dict(trial.questions.select("template_id", "en_question").iter_rows())
    assert english == {
        "am-ET_001": "",
        "en-AU_001": "What is drunk in Australia?",
        "en-SG_001": "What is drunk in Singapore?",
        "ga-IE_001": "",
        "ms-SG_001": "What is drunk in Singapore?",
        "ta-SG_008": "",
        "ta-SG_012": "",
    }
    assert trial.questions.filter(template_id="ta-SG_012")["question"].to_list() == ['"என்ன உண்பார்கள்?']
    assert groups(trial, "ta-SG_008") == [(["காபி"], [], None), (["தேநீர்"], [], None)]
    assert trial.mcqs.select("mcq_id", "answer").rows() == [("ga-IE_001", 0), ("ga-IE_002", 1)]
    assert trial.mcqs["options"][1].to_list() == ["sumo", "hurling", "pelota vasca", "kabaddi"]
    few = trial.findings.filter(kind="semeval-few-options").select("source", "detail").rows()
    what = "'ga-IE_003' has other than 4 options; the question is left out"
    assert few == [("trial_data_multiple_choice.tsv:10", what)]
    assert trial.findings.filter(kind="control-character").height == 2
    assert trial.mcqs["options"][0].to_list() == ["tea", "kvass", "mate", "sake"]
    write_semeval(tmp_path / "trial")
    both = read_semeval(tmp_path / "trial")
    assert both.findings.filter(kind="semeval-trial").height == 2
    assert both.questions.height == 15


def test_a_folder_around_that_of_the_files_is_told_so(tmp_path: Path):
    write_semeval(tmp_path / "archive" / "data")
    assert message_of(InputError, lambda: semeval_files(tmp_path)) == (
        f"{tmp_path}: no questions of SemEval-2026 Task 7; name {tmp_path / 'archive' / 'data'}, which has them"
    )


def test_spellings_of_non_answers():
    texts = ("No Answer", "I don’t know ", "idk", "not applicable", "no")
    assert [text for text in texts if not is_non_answer(text)] == ["no"]


def test_files_of_the_development_phase_are_read(tmp_path: Path):
    tables = read_semeval(write_development(tmp_path))
    assert tables.questions.height == 5
    assert tables.mcqs["mcq_id"].to_list() == ["ga-IE_001"]
    few = tables.findings.filter(kind="semeval-few-options")["detail"].to_list()
    assert few == ["'ga-IE_003' has other than 4 options; the question is left out"]
