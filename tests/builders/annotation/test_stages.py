"""The stages beside answering and reviewing: what people choose becomes rows of the files that builds read."""

from datetime import date
from pathlib import Path
from xml.etree.ElementTree import fromstring, tostring

import polars as pl
import pytest

from blend.builders.annotation.project import ORDER, Project
from blend.builders.annotation.sheets import read_predictions, read_replies
from blend.builders.annotation.stages import STAGES
from blend.builders.annotation.stages.model import MAX_TITLE, Material
from blend.builders.annotation.stages.predictions import PREDICTIONS
from blend.builders.annotation.ui_strings import PageTexts, texts_of, ui_strings_of
from blend.builders.templates import review_sheet
from blend.eval.judging.reply_labels import read_reply_verdicts
from blend.eval.judging.reply_sheet import write_replies
from blend.eval.triples.people_judgements import read_judgements
from blend.eval.triples.prediction_sheet import SHEET as JUDGE_SHEET
from blend.eval.triples.prediction_sheet import write_sheet
from blend.loaders.responses.decisions import Decision, append_decisions, read_decisions
from blend.loaders.responses.templates import read_native_questions, read_translations
from blend.schemas.errors import InputError, RowError, RowErrors
from blend.schemas.language.locales import registry
from blend.schemas.sheets.pair_sheets import PAIR_SHEET, pair_mark
from helpers.label_studio.exported import (
    KOREAN,
    PLACE,
    PROJECT,
    A,
    B,
    annotation,
    chosen,
    done,
    read,
    several,
    told,
    typed,
    write_lines,
)


@pytest.mark.parametrize("stage", ORDER)
@pytest.mark.parametrize("tag", ["ko-KR", "fa-IR", "ar-DZ", "am-ET", "as-AS", "zh-CN", "en-GB"])
def test_only_scripts_from_right_to_left_run_that_way(stage, tag):
    config = STAGES[stage].config(PROJECT, registry().get(tag), texts_of("en", stage))
    assert ("direction: rtl" in config) == (tag in ("fa-IR", "ar-DZ"))


@pytest.mark.parametrize("stage", ORDER)
def test_every_control_has_a_name_of_its_own_and_every_key_one_meaning(stage):
    root = fromstring(STAGES[stage].config(PROJECT, KOREAN, PageTexts("**folded** & <b>", ui_strings_of("ko"))))
    names = [node.get("name") for node in root.iter() if node.get("name") and node.tag != "Bucket"]
    keys = [node.get("hotkey") for node in root.iter() if node.get("hotkey")]
    assert len(names) == len(set(names))
    assert len(keys) == len(set(keys))
    objects = {node.get("name") for node in root.iter() if node.tag in ("Text", "List")}
    assert {node.get("toName") for node in root.iter() if node.get("toName")} <= objects
    (shown,) = root.findall("Collapse/Panel/HyperText")
    assert " ".join(tostring(shown, encoding="unicode").split()) == (
        '<HyperText name="instruction" inline="true"> <p> '
        "<strong>folded</strong> &amp; &lt;b&gt;</p> </HyperText>"
    )
    assert root.find("Collapse").get("open") == "false"


def test_english_pages_of_others_run_from_left_to_right():
    persian = registry().get("fa-IR")
    local, english = (
        STAGES["answer"].config(PROJECT, persian, texts_of("fa", "answer")._replace(in_english=untranslated))
        for untranslated in (False, True)
    )
    rule = "{ direction: rtl; text-align: right; }"
    assert f".blend, .blend input, .blend textarea {rule}" in local
    assert f".blend-question, .blend-reply, .htx-ranker-item, .blend input, .blend textarea {rule}" in english
    assert texts_of("ur", "answer").in_english
    assert not texts_of("en-GB", "answer").in_english


def test_english_stands_below_questions_in_other_languages_only():
    for stage in ("answer", "review"):
        shown = [
            STAGES[stage].config(PROJECT, registry().get(tag), texts_of("en", stage))
            for tag in ("ko-KR", "en-GB")
        ]
        assert ["$en_question" in config for config in shown] == [True, False]


def test_titles_are_short_and_never_the_same():
    long = "x-" + "y" * 22
    project = Project.model_validate({"name": long, "locales": [{"locale": "ko-KR"}]})
    titles = [
        stage.title(project, tag) for stage in STAGES.values() for tag in (*registry().tags, "qaa-" + "Z" * 40)
    ]
    assert max(map(len, titles)) <= MAX_TITLE
    assert len(set(titles)) == len(titles)
    assert STAGES["answer"].title(PROJECT, "ko-KR") == "trial answer ko-KR"


def test_questions_of_natives_go_on_to_templates(tmp_path: Path):
    project = PROJECT.model_copy(update={"topics": ("Work life",), "questions_per_topic": 2})
    tasks = STAGES["collect"].tasks(project, KOREAN, Material())
    assert [task.blend_id for task in tasks] == [f"collect/ko-KR/work-life/0{n}" for n in (1, 2)]
    results = [
        typed("한국에서 몇 시에 퇴근하나요?", control="local"),
        typed("When do people leave work in  Korea?", control="in_english"),
        chosen("time", control="form"),
    ]
    exported = [
        {
            "id": 1,
            "data": tasks[0].data,
            "annotations": [annotation(1, 1, *results), annotation(2, 2, *results)],
        },
        {"id": 2, "data": tasks[1].data, "annotations": [annotation(3, 1, *results[:2])]},
    ]
    reading = read(*exported, stage="collect", project=project)
    text = "When do people leave work in Korea? (e.g., HH:MM)"
    names = ["work-life-ko-KR-01", "work-life-ko-KR-01-2"]
    assert reading.rows["natives"] == [
        {"id": name, "topic": "Work life", "locale": "ko-KR", "text": text} for name in names
    ]
    detail = f"{A}: a question without form; left out"
    assert told(reading) == [("incomplete-question", "task 2, annotation 3", detail)]
    write_lines(tmp_path / "natives.jsonl", reading.rows["natives"])
    write_lines(tmp_path / "translations.jsonl", reading.rows["translations"])
    sheet = review_sheet(read_native_questions(tmp_path / "natives.jsonl"))
    assert sheet["template"].to_list() == ["When do people leave work in {country}? (e.g., HH:MM)"] * 2
    assert read_translations(tmp_path / "translations.jsonl")["template_id"].to_list() == names


def test_topic_and_country_stand_in_the_local_language():
    project = PROJECT.model_copy(update={"topics": ("Work life", "Teahouses"), "questions_per_topic": 1})
    shown = [
        (task.data["topic"], task.data["place"], task.data["english_topic"])
        for tag in ("fa-IR", "en-GB")
        for task in STAGES["collect"].tasks(
            project, registry().get(tag), Material(ui_strings=texts_of(tag[:2], "collect").ui_strings)
        )
    ]
    assert shown == [
        ("زندگی کاری", "ایران (Work life, Iran)", "Work life"),
        ("Teahouses", "ایران (Teahouses, Iran)", "Teahouses"),
        ("Work life", "the UK", "Work life"),
        ("Teahouses", "the UK", "Teahouses"),
    ]


def test_topics_are_taken_as_the_project_file_has_them():
    project = PROJECT.model_copy(update={"topics": ("Food",)})
    results = [
        typed("뭘 먹어요?", control="local"),
        typed("What do people eat in Korea?", control="in_english"),
        chosen("text", control="form"),
    ]
    task = done("collect", Material(ui_strings=ui_strings_of("ko")), *results, project=project)
    reading = read(task, stage="collect", project=project)
    assert task["data"]["topic"] != "Food"
    assert [row["topic"] for row in reading.rows["natives"]] == ["Food"]


def test_a_question_that_contradicts_its_form_is_told():
    project = PROJECT.model_copy(update={"topics": ("Food",)})
    results = [
        typed("?", control="local"),
        typed("When? (MM/DD)", control="in_english"),
        chosen("time", control="form"),
    ]
    reading = read(done("collect", Material(), *results, project=project), stage="collect", project=project)
    detail = f"{A}: 'When? (MM/DD)' asks for MM/DD, but time was chosen; left out"
    assert told(reading) == [("incomplete-question", PLACE, detail)]
    assert reading.rows == {"natives": [], "translations": []}


PAIRS = Material(
    pairs=pl.DataFrame(
        [["soccer", "football", None, None, 2, "spelling", "spo-01", "What?", pair_mark("soccer", "football")]],
        PAIR_SHEET,
        orient="row",
    )
)


def test_pairs_become_decisions_where_people_agree(tmp_path: Path):
    first = done("equivalence", PAIRS, chosen("same", control="verdict"), typed(" two  names", control="why"))
    reading = read(first, stage="equivalence")
    row = {"answer_a": "soccer", "answer_b": "football", "verdict": "same", "who": A}
    assert reading.rows["decisions"] == [{**row, "when": "2026-11-20", "why": "two names"}]
    append_decisions(tmp_path / "d.tsv", [Decision.model_validate(row) for row in reading.rows["decisions"]])
    (decision,) = read_decisions(tmp_path / "d.tsv")
    assert decision.when == date(2026, 11, 20)
    first["annotations"].append(annotation(2, 2, chosen("different", control="verdict")))
    reading = read(first, stage="equivalence")
    assert reading.rows["decisions"] == []
    assert told(reading) == [
        (
            "contradicting-verdicts",
            f"task 1, annotation {number}",
            f"{who}: {verdict!r} on 'soccer' and 'football', on which others say the opposite; left out",
        )
        for number, who, verdict in ((1, A, "same"), (2, B, "different"))
    ]


def test_the_sheet_of_a_run_comes_back_as_judgements(tmp_path: Path):
    rows = [{"id": "s1", "dish": "=비빔밥", "ingredients": ["10/12", "soy  sauce", "a|b"]}]
    write_sheet(pl.DataFrame(rows, JUDGE_SHEET), tmp_path / "sheet.csv")
    sheet = read_predictions(tmp_path / "sheet.csv")
    task = done("predictions", Material(predictions=sheet), several("correct", "a|b", "10/12"))
    assert task["data"]["dish"] == "=비빔밥"
    reading = read(task, stage="predictions")
    write_lines(tmp_path / "judgements.jsonl", reading.rows["judgements"])
    held = read_judgements([tmp_path / "judgements.jsonl"], {"s1": rows[0]["ingredients"]})
    assert held.rows() == [
        ("s1", A, "10/12", True), ("s1", A, "soy  sauce", False), ("s1", A, "a|b", True)
    ]  # fmt: skip


SHEET = Material(
    predictions=pl.DataFrame(
        [{"id": "s1", "dish": "비빔밥", "image": None, "ingredients": ["rice", "egg", "rice"]}], PREDICTIONS
    )
)


def test_predictions_are_judged_one_by_one():
    task = done("predictions", SHEET, several("correct", "egg"))
    assert task["data"]["ingredients"] == [{"value": "rice"}, {"value": "egg"}]
    assert "model" not in task["data"]
    common = {"id": "s1", "annotator": A}
    assert read(task, stage="predictions").rows["judgements"] == [
        {**common, "ingredient": "rice", "correct": False},
        {**common, "ingredient": "egg", "correct": True},
    ]
    none = read(done("predictions", SHEET, chosen("none", control="none")), stage="predictions")
    assert [row["correct"] for row in none.rows["judgements"]] == [False, False]
    unknown = read(done("predictions", SHEET, chosen("unknown-dish", control="none")), stage="predictions")
    assert unknown.rows["judgements"] == []
    assert unknown.findings.is_empty()
    nothing = read(done("predictions", SHEET), stage="predictions")
    detail = f"{A}: neither an ingredient nor 'none of them'; left out"
    assert told(nothing) == [("empty-annotation", PLACE, detail)]


@pytest.fixture
def replied(tmp_path: Path) -> Material:
    """Replies of two locales, as a sheet of them was written and read."""
    rows = [
        {"id": "s2", "locale": "ko-KR", "region": "대한민국", "question": "언제?", "reply": "=1\n<b>"},
        {"id": "s1", "locale": "ko-KR", "region": "대한민국", "question": "언제?", "reply": "10/12"},
        {"id": "s3", "locale": "fa-IR", "region": "ایران", "question": "کی؟", "reply": "شب"},
    ]
    write_replies(pl.DataFrame(rows), tmp_path / "sheet.csv")
    return Material(replies=read_replies(tmp_path / "sheet.csv"))


def test_replies_are_judged_without_the_model(replied: Material, tmp_path: Path):
    first, second = STAGES["replies"].tasks(PROJECT, KOREAN, replied)
    assert first.data == {
        "blend_id": "replies/ko-KR/s1",
        "locale": "ko-KR",
        "question": "언제?",
        "reply": "10/12",
    }
    assert second.data["reply"] == "=1\n<b>"
    reading = read(done("replies", replied, chosen("partly", control="verdict")), stage="replies")
    write_lines(tmp_path / "verdicts.jsonl", reading.rows["verdicts"])
    held = read_reply_verdicts([tmp_path / "verdicts.jsonl"], {"s1": "10/12"})
    assert held.rows() == [("s1", A, "partly")]
    unknown = read(done("replies", replied, chosen("idk", control="verdict")), stage="replies")
    assert unknown.rows["verdicts"] == []
    assert unknown.findings.is_empty()
    nothing = read(done("replies", replied), stage="replies")
    assert told(nothing) == [("empty-annotation", PLACE, f"{A}: no verdict; left out")]


@pytest.mark.parametrize(
    ("verdicts", "needed"),
    [
        (("correct",), 1),
        (("idk",), 1),
        (("correct", "correct"), 0),
        (("correct", "idk"), 0),
        (("correct", "wrong"), 1),
        (("correct", "wrong", "wrong"), 0),
        (("correct", "wrong", "partly"), 1),
    ],
)
def test_a_third_person_judges_where_two_differ(replied: Material, verdicts: tuple[str, ...], needed: int):
    given = [annotation(n, n, chosen(one, control="verdict")) for n, one in enumerate(verdicts, start=1)]
    task = {**done("replies", replied), "annotations": given}
    plan = STAGES["replies"].reading_plan
    assert plan is not None
    (row,) = plan([task], read(task, stage="replies"), 2).values()
    assert (row["template_id"], row["still_needed"], row["open"]) == ("s1", needed, needed > 0)


def test_a_sheet_of_replies_lacks_nothing(tmp_path: Path):
    path = tmp_path / "sheet.csv"
    with pytest.raises(InputError) as raised:
        read_replies(path)
    assert str(raised.value) == f"{path}: there is no such sheet of replies; correct the path"
    path.write_text("id,locale,question,reply\ns1,ko-KR,Q,\ns1,ko-KR,Q,yes\n")
    with pytest.raises(RowErrors) as problems:
        read_replies(path)
    assert [str(one) for one in problems.value.errors] == [
        "sheet.csv:2, column reply: the cell is blank; fill it in",
        "sheet.csv:3: 's1' occurs a second time; delete this row or sheet.csv:2",
    ]


def test_an_image_is_shown_and_its_address_is_not():
    rows = {"id": ["s1", "s2"], "dish": ["A & B", "C"], "ingredients": [["a"], ["b"]]}
    sheet = pl.DataFrame({**rows, "image": ["https://example.org/a?b=1&c=2", None]}).select(PREDICTIONS.names())
    first, second = STAGES["predictions"].tasks(PROJECT, KOREAN, Material(predictions=sheet))
    assert first.data["image"] == (
        '<img src="https://example.org/a?b=1&amp;c=2" alt="A &amp; B" referrerpolicy="no-referrer" />'
    )
    assert second.data["image"] == "<p></p>"


def test_an_image_has_an_address_on_the_web(tmp_path: Path):
    (tmp_path / "sheet.csv").write_text("id,dish,image,ingredients\ns1,Soup,pictures/soup.jpg,leek\n")
    with pytest.raises(RowError) as raised:
        read_predictions(tmp_path / "sheet.csv")
    fix = "write one that begins with https://, or leave the cell empty"
    where = "sheet.csv:2, column image"
    assert str(raised.value) == f"{where}: 'pictures/soup.jpg' is not the address of an image; {fix}"
