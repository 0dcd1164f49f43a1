"""Slips in published questions: put right in multiple-choice questions, and told."""

from collections import Counter
from importlib.resources import files
from pathlib import Path

import polars as pl
import pytest

from blend.builders.mcq import build_mcq
from blend.builders.mcq.verdicts.exclusions import Exclusions
from blend.builders.mcq.verdicts.wordings import put_right
from blend.builders.release.tables import exclusions_of
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import Columns, read_rows
from blend.loaders.responses.shipped import (
    shipped_exclusions,
    shipped_option_texts,
    shipped_readings,
    shipped_wordings,
)
from blend.schemas.frames import EXCLUSIONS, KEY
from blend.schemas.locales import registry
from blend.schemas.recipe import JudgeOptions, McqOptions
from helpers.questions.mcq_inputs import FRUIT, frames_of

TEMPLATE = "Jod-ch-01"
SLIP, RIGHT = "What do people commonly used in {}?", "What do people commonly use in {}?"


@pytest.fixture
def frames():
    questions, annotations = frames_of({TEMPLATE: FRUIT, "T-1": FRUIT})
    return questions.with_columns(en_question=pl.format(SLIP, "locale")), annotations


def asked_by(frames, **options):
    build = build_mcq(*frames, options=McqOptions(**options), seed=0)
    rows = pl.concat(build.batches()).select("template_id", "question").unique()
    return build, {template_id: text.partition(" in ")[0] for template_id, text in rows.iter_rows()}


@pytest.mark.slow
def test_a_slip_is_put_right_in_its_template_and_told(frames):
    build, asked = asked_by(frames)
    assert asked[TEMPLATE] == "What do people commonly use"
    found = build.found.filter(pl.col("reason") != "void-verdicts", locale="en-GB")
    told = found.select("template_id", "reason", "detail").rows()
    detail = "'do people commonly used in' is asked as 'do people commonly use in'"
    assert told == [(TEMPLATE, "slip-in-wording", detail)]


@pytest.mark.parametrize("options", [{"mode": "paper"}, {"judge": JudgeOptions(shipped=False)}])
def test_without_it_questions_stay_as_published(frames, options):
    build, asked = asked_by(frames, **options)
    assert asked[TEMPLATE] == "What do people commonly used"
    assert build.found.is_empty()


@pytest.mark.parametrize("wording", [SLIP, RIGHT])
def test_an_exclusion_may_quote_either_wording(frames, wording):
    row = {"template_id": TEMPLATE, "locale": "en-GB", "option": "pear", "kind": "silly", "reviewer": "r1"}
    rows = pl.DataFrame([{**row, "question": wording.format("en-GB")}], schema=EXCLUSIONS)
    exclusions = Exclusions(rows, frames[0], registry(), shipped=False)
    assert exclusions.of(TEMPLATE, "en-GB").distractors == ("pear",)


@pytest.mark.integration
def test_the_slips_of_the_16_regions(published):
    asked, found = put_right(published.questions)
    by_template = Counter(found["template_id"].to_list())
    assert (by_template.total(), len(by_template)) == (609, 40)
    assert set(by_template) == set(shipped_wordings())
    assert (by_template["Jo-sp-18"], by_template["Tmp-ar-02"]) == (16, 1)
    assert not asked["en_question"].str.contains(r"\b(?:in in|worker gets|people commonly used|cites)\b").any()


@pytest.mark.slow
def test_verdicts_of_the_package_follow_a_change_of_wording(frames, tmp_path):
    shipped = shipped_exclusions().filter(template_id=TEMPLATE, locale="en-GB")
    row = {"template_id": TEMPLATE, "wording": "What eating utensils do people", "corrected": "What do people"}
    pl.DataFrame([row, {**row, "wording": "in UK?", "corrected": "in en-GB?"}]).write_csv(tmp_path / "w.csv")
    options = McqOptions(wordings="w.csv")
    verdicts = exclusions_of(options, tmp_path, frames[0])
    build = build_mcq(*frames, options=options, seed=0, exclusions=verdicts)
    assert not shipped.is_empty()
    assert build.found.filter(reason="void-verdicts", locale="en-GB").is_empty()
    kept = Exclusions(verdicts, frames[0], registry(), shipped=False)
    assert all(kept.readers(TEMPLATE, "en-GB", option) for option in shipped["option"])


def test_a_change_in_one_region_voids_nothing_about_another(frames, tmp_path):
    # The other regions are still asked in the words that verdicts quote, although a change is on file.
    questions = (
        frames[0]
        .filter(template_id=TEMPLATE)
        .with_columns(en_question=pl.format("What do people in {} mostly eat?", "locale"))
    )
    changed = pl.col("en_question").str.replace("mostly eat", "usually have")
    now = questions.with_columns(en_question=pl.when(locale="en-GB").then(changed).otherwise("en_question"))
    rows = questions.filter(pl.col("locale").is_in(["en-GB", "ko-KR"])).select(
        *KEY, question="en_question", option=pl.lit("pear"), kind=pl.lit("silly"), reviewer=pl.lit("r1")
    )
    rows.write_csv(tmp_path / "verdicts.csv")
    row = {"template_id": TEMPLATE, "wording": "mostly eat", "corrected": "usually have"}
    pl.DataFrame([row]).write_csv(tmp_path / "w.csv")
    options = McqOptions(exclusions="verdicts.csv", wordings="w.csv", judge=JudgeOptions(shipped=False))
    kept = Exclusions(exclusions_of(options, tmp_path, now), now, registry(), shipped=False)
    assert kept.void.is_empty()
    assert [kept.of(TEMPLATE, tag).distractors for tag in ("en-GB", "ko-KR")] == [("pear",), ("pear",)]


READ = {
    "en-GB": [("rowing", 4)],
    "en-US": [("surf", 3)],
    "ko-KR": [("swimming", 3)],
    "es-MX": [("board games", 5)],
    "zh-CN": [("walking", 3)],
}


def read_by_itself(template_id: str, question: str, **texts: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Frames in which regions give some texts to a template that shipped readings cover, or to another one."""
    answers = {**READ, **{tag.replace("_", "-"): [(text, 2)] for tag, text in texts.items()}}
    questions, annotations = frames_of({template_id: answers})
    return questions.with_columns(en_question=pl.lit(question)), annotations


def shown_by(frames, **options):
    chosen = McqOptions(**options)
    builds = (build_mcq(*frames, options=chosen, seed=seed).frame() for seed in range(12))
    return set(pl.concat(builds)["options"].explode().to_list())


def known_option(kind: str) -> tuple[str, str, str, str | None]:
    """Template, a question of it that was read, an option of that kind, and what is shown in its place."""
    asked = dict(shipped_readings().filter(locale="en-GB").select("template_id", "question").iter_rows())
    for template_id, texts in shipped_option_texts().items():
        if template_id in asked and kind == "silly" and texts.refused:
            return template_id, asked[template_id], min(texts.refused), None
        if template_id in asked and kind == "wording" and texts.corrected:
            option = min(texts.corrected)
            return template_id, asked[template_id], option, texts.corrected[option]
    raise AssertionError(kind)


def test_option_texts_are_what_the_reader_of_such_files_finds_in_them():
    file = Path(str(files("blend.decisions") / "blend" / "option_texts.tsv"))
    columns = Columns(("template_id", "option", "kind", "corrected"), ignored=("reviewer", "when", "why"))
    rows = [cells.values for cells in read_rows(file, file.parent, Diagnostics(), columns)]
    known = shipped_option_texts()
    assert {row["template_id"] for row in rows} == known.keys()
    refused = [row for row in rows if row["option"] in known[row["template_id"]].refused]
    assert refused == [row for row in rows if row["kind"] == "silly"]
    corrected = [row for row in rows if row["kind"] != "silly"]
    assert all(known[row["template_id"]].corrected[row["option"]] == row["corrected"] for row in corrected)
    assert len(rows) == sum(len(one.refused) + len(one.corrected) for one in known.values())


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["silly", "wording"])
def test_options_that_were_read_by_themselves(kind):
    template_id, question, option, shown = known_option(kind)
    read = read_by_itself(template_id, question, ar_DZ=option.upper())
    assert option not in shown_by(read)
    assert shown is None or shown in shown_by(read)
    # Neither in another template of that id, nor without the package's files, nor in paper mode.
    assert option in shown_by(read_by_itself(template_id, "What do people do?", ar_DZ=option))
    assert option in shown_by(read, judge=JudgeOptions(shipped=False))


def test_a_verdict_on_an_option_is_about_what_is_shown_in_its_place():
    template_id, question, option, shown = known_option("wording")
    questions, _ = read_by_itself(template_id, question)
    row = {"template_id": template_id, "locale": "en-GB", "option": option, "kind": "silly", "reviewer": "r1"}
    exclusions = Exclusions(pl.DataFrame([row], schema=EXCLUSIONS), questions, registry(), shipped=True)
    assert shown in exclusions.of(template_id, "en-GB").distractors
