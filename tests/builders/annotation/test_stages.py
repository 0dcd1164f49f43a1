"""The stages beside answering and reviewing: what people choose becomes rows of the files that builds read."""

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring, tostring

import polars as pl
import pytest

from blend.builders.annotation.project import ORDER, Project
from blend.builders.annotation.sheets import read_predictions
from blend.builders.annotation.stages import STAGES
from blend.builders.annotation.stages.mcq_review import reading_plan
from blend.builders.annotation.stages.model import MAX_TITLE, Material, Reading
from blend.builders.annotation.stages.predictions import PREDICTIONS
from blend.builders.annotation.ui_strings import PageTexts, texts_of, ui_strings_of
from blend.builders.templates import review_sheet
from blend.eval.triples.people_judgements import read_judgements
from blend.eval.triples.prediction_sheet import SHEET as JUDGE_SHEET
from blend.eval.triples.prediction_sheet import write_sheet
from blend.loaders.responses.decisions import Decision, append_decisions, read_decisions
from blend.loaders.responses.exclusions import read_exclusions
from blend.loaders.responses.fillers import read_fillers
from blend.loaders.responses.templates import read_native_questions, read_translations
from blend.schemas.errors import RowError
from blend.schemas.language.locales import registry
from blend.schemas.rows.frame_columns import ANNOTATION_ROWS
from blend.schemas.sheets.pair_sheets import PAIR_SHEET, pair_mark
from helpers.label_studio.exported import PROJECT, A, B, annotation, chosen, read, told, typed, write_lines

KOREAN = registry().get("ko-KR")
PLACE = "task 1, annotation 1"


def several(control: str, *options: str) -> dict[str, Any]:
    value = {"choices": list(options)}
    return {"from_name": control, "to_name": "question", "type": "choices", "value": value}


def done(
    stage: str, material: Material, *results: dict[str, Any], project: Project = PROJECT
) -> dict[str, Any]:
    """The first task of a stage, done by one person."""
    first = STAGES[stage].tasks(project, KOREAN, material)[0]
    return {"id": 1, "data": first.data, "annotations": [annotation(1, 1, *results)]}


@pytest.mark.parametrize("stage", ORDER)
@pytest.mark.parametrize("tag", ["ko-KR", "fa-IR", "ar-DZ", "am-ET", "as-AS", "zh-CN", "en-GB"])
def test_only_scripts_from_right_to_left_run_that_way(stage, tag):
    config = STAGES[stage].config(PROJECT, registry().get(tag), texts_of("en", stage))
    assert ("rtl" in config) == (tag in ("fa-IR", "ar-DZ"))


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
    assert f".blend-question, .htx-ranker-item, .blend input, .blend textarea {rule}" in english
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


def test_topics_of_tasks_of_earlier_versions_are_taken_as_they_are():
    project = PROJECT.model_copy(update={"topics": ("Food",)})
    results = [
        typed("뭘 먹어요?", control="local"),
        typed("What do people eat in Korea?", control="in_english"),
        chosen("text", control="form"),
    ]
    task = done("collect", Material(ui_strings=ui_strings_of("ko")), *results, project=project)
    for data in (task["data"], {"blend_id": task["data"]["blend_id"], "topic": "Food", "locale": "ko-KR"}):
        reading = read({**task, "data": data}, stage="collect", project=project)
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


OPTIONS = Material(
    options=pl.DataFrame(
        [
            ("food-01", "ko-KR", "What?", option, role)
            for option, role in (
                ("rice", "key"),
                ("bread", "distractor"),
                ("boiled rice", "distractor"),
                ("stones", "distractor"),
            )
        ],
        ["template_id", "locale", "question", "option", "role"],
        orient="row",
    ),
    ui_strings={"unsure": "Not sure", "silly": "Silly"},
)


def answered(template_id: str, question: str, *groups: tuple[list[str], list[str]]) -> dict[str, Any]:
    """A row of `frames.ANNOTATION_ROWS` in Korean."""
    held = [{"answers": local, "en_answers": english, "count": 1} for local, english in groups]
    row = {**dict.fromkeys(ANNOTATION_ROWS.names()), "template_id": template_id, "locale": "ko-KR"}
    return {**row, "question": question, "annotations": held}


def test_question_and_options_stand_in_the_local_language_as_far_as_people_there_have_said_it():
    rows = [
        answered("food-01", "무엇?", (["밥", "쌀밥", "공기밥"], ["Rice"]), (["bread"], ["bread"])),
        answered("food-02", "또?", (["돌", "돌멩이"], ["stones"]), (["벼"], ["rice"])),
    ]
    material = replace(OPTIONS, answered=pl.DataFrame(rows, ANNOTATION_ROWS))
    (task,) = STAGES["mcq-review"].tasks(PROJECT, KOREAN, material)
    assert (task.data["question"], task.data["en_question"]) == ("무엇?", "What?")
    assert [box["value"] for box in task.data["wrong"]] == ["rice (밥, 쌀밥)"]
    assert [box["value"] for box in task.data["also_right"]] == ["bread", "boiled rice", "stones (돌, 돌멩이)"]
    (task,) = STAGES["mcq-review"].tasks(PROJECT, KOREAN, OPTIONS)
    assert (task.data["question"], task.data["wrong"][0]["value"]) == ("What?", "rice")


def test_every_option_has_two_keys_as_far_as_there_are_letters():
    many = [("food-01", "ko-KR", "What?", f"option {number:02}", "distractor") for number in range(30)]
    options = pl.concat([OPTIONS.options, pl.DataFrame(many, OPTIONS.options.schema, orient="row")])
    (task,) = STAGES["mcq-review"].tasks(PROJECT, KOREAN, replace(OPTIONS, options=options))
    assert task.data["wrong"] == [{"value": "rice", "alias": "rice", "hotkey": "1"}]
    assert task.data["unsure"] == [{"value": "Not sure", "alias": "rice", "hotkey": "shift+1"}]
    assert task.data["silly"][1] == {"value": "Silly", "alias": "boiled rice", "hotkey": "shift+b"}
    keys = [box.get("hotkey") for box in task.data["also_right"]]
    assert (len(keys), keys[25:]) == (33, ["z", *[None] * 7])


def test_a_task_is_another_one_once_its_question_or_its_options_change():
    def ids(options: pl.DataFrame) -> list[str]:
        made = STAGES["mcq-review"].tasks(PROJECT, KOREAN, replace(OPTIONS, options=options))
        return [task.blend_id for task in made]

    first = ids(OPTIONS.options)
    assert first[0].startswith("mcq-review/ko-KR/food-01/")
    assert ids(OPTIONS.options.reverse()) == first
    assert ids(OPTIONS.options.head(3)) != first
    assert ids(OPTIONS.options.with_columns(question=pl.lit("Which?"))) != first
    assert ids(OPTIONS.options.clear()) == []


def verdicts(reading: Reading) -> list[tuple[str, str, str]]:
    """Option, kind and reviewer of every verdict."""
    return [(row["option"], row["kind"], row["reviewer"]) for row in reading.rows["exclusions"]]


def test_options_are_accepted_but_for_those_that_are_ticked(tmp_path: Path):
    results = [
        several("also_right", "bread"),
        several("silly", "stones"),
        typed("noodle pie", control="filler"),
        typed("great britain", control="filler_region"),
        typed("obvious", control="why"),
    ]
    reading = read(done("mcq-review", OPTIONS, *results), stage="mcq-review")
    assert verdicts(reading) == [
        ("boiled rice", "ok", A), ("bread", "also-right", A), ("rice", "ok", A), ("stones", "silly", A)
    ]  # fmt: skip
    assert reading.rows["exclusions"][1] == {
        "template_id": "food-01", "locale": "ko-KR", "question": "What?", "option": "bread",
        "kind": "also-right", "reviewer": A, "native": "yes", "when": "2026-11-20", "why": "obvious",
    }  # fmt: skip
    assert reading.rows["exclusions"][0]["why"] == ""
    common = {"template_id": "food-01", "locale": "ko-KR", "reviewer": A, "why": "obvious"}
    assert reading.rows["fillers"] == [{**common, "option": "noodle pie", "region": "GB"}]
    assert told(reading) == []
    write_lines(tmp_path / "fillers.jsonl", reading.rows["fillers"])
    assert read_fillers(tmp_path / "fillers.jsonl")["option"].to_list() == ["noodle pie"]
    write_lines(tmp_path / "exclusions.jsonl", reading.rows["exclusions"])
    assert read_exclusions(tmp_path / "exclusions.jsonl")["native"].to_list() == ["yes"] * 4


def test_an_unsure_reader_gives_no_verdict_and_two_boxes_are_none():
    results = [several("unsure", "rice"), several("also_right", "bread"), several("silly", "bread", "soap")]
    reading = read(done("mcq-review", OPTIONS, *results), stage="mcq-review")
    assert verdicts(reading) == [("boiled rice", "ok", A), ("stones", "ok", A)]
    assert told(reading) == [
        ("decided-twice", PLACE, f"{A}: both boxes of 'bread' are ticked; no verdict is taken"),
        ("unknown-choice", PLACE, f"{A}: silly holds 'soap', which was not offered; left out"),
    ]


def test_one_more_reads_what_readers_disagree_about():
    def needed(*annotations: dict[str, Any], readers: int = 2) -> int | None:
        task = {**done("mcq-review", OPTIONS), "annotations": list(annotations)}
        plan = reading_plan([task], read(task, stage="mcq-review"), readers)
        return plan[task["data"]["blend_id"]]["still_needed"] if plan else None

    fine, silly = annotation(1, 1), annotation(2, 2, several("silly", "stones"))
    assert needed() is None
    assert needed(fine) == 1
    assert needed(fine, annotation(2, 2)) == 0
    assert needed(fine, silly) == 1
    # Both refuse it, if for different reasons.
    assert needed(annotation(1, 1, several("also_right", "stones")), silly) == 0
    assert needed(fine, silly, annotation(3, 3)) == 0
    assert needed(fine, silly, annotation(3, 3, several("also_right", "stones"))) == 0
    assert needed(fine, readers=1) == 0
    assert needed(annotation(1, 1, was_cancelled=True)) is None


def test_a_filler_needs_a_region_that_exists():
    for typed_region, detail in (
        ([typed("atlantis", control="filler_region")], "'pie' from the unknown region 'atlantis'; left out"),
        ([], "1 proposed option and 0 regions, not one of each; left out"),
    ):
        results = [several("wrong", "rice"), typed("pie", control="filler"), *typed_region]
        reading = read(done("mcq-review", OPTIONS, *results), stage="mcq-review")
        assert told(reading) == [("incomplete-filler", PLACE, f"{A}: {detail}")]
        assert ("rice", "wrong", A) in verdicts(reading)


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
