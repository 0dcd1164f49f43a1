"""Default mode on all 16 regions: what readers of the dataset may rely on."""

import re
from collections import Counter
from itertools import combinations

import polars as pl
import pytest

from blend.builders.judges.equivalence import overlaps
from blend.builders.mcq.answers import template_formats
from blend.builders.mcq.options import shown
from blend.builders.mcq.verdicts.wordings import OptionReading, quotable
from blend.loaders.responses.decisions import pair_key
from blend.loaders.responses.shipped import shipped_decisions, shipped_exclusions
from blend.schemas.formats import AnswerFormat, canonical, understood
from blend.schemas.locales import registry
from helpers.questions.mcq_inputs import positions

pytestmark = [pytest.mark.integration]

DATES = [
    *("An-ar-03", "Ca-sp-21", "New-am-81", "Nu-in-05"),
    *("New-pe-47", "New-su-45", "Nu-in-06", "Nu-in-20"),
]
"""Templates that ask for a month, and for a day."""

REGION = {locale.tag: locale.region for locale in registry()}


@pytest.fixture(scope="module")
def acceptable(published):
    """By template and region, every English variant of every answer, and what is shown in its place."""
    reading = OptionReading(quotable(published.questions), shipped=True)
    variants = (
        published.annotations.explode("annotations")
        .select("template_id", "locale", text=pl.col("annotations").struct.field("en_answers"))
        .explode("text")
        .drop_nulls()
    )
    found: dict[tuple[str, str], set[str]] = {}
    for template_id, tag, text in variants.iter_rows():
        of_question = found.setdefault((template_id, tag), set())
        of_question.update(map(shown, reading.texts(template_id, [text])))
    return found


@pytest.mark.nightly
def test_the_right_answer_stands_everywhere_equally_often(mcqs):
    for tag, rows in mcqs.group_by("locale"):
        counts = positions(rows)
        assert max(counts) - min(counts) <= 1, tag


@pytest.mark.landing
def test_no_wrong_option_overlaps_an_acceptable_answer_or_another_option(mcqs, acceptable, published):
    formats = template_formats(published.questions)
    compared = 0
    for row in mcqs.iter_rows(named=True):
        answer_format = formats[row["template_id"]]
        right = row["options"][row["answer"]]
        own = acceptable[row["template_id"], row["locale"]]
        if answer_format is AnswerFormat.TEXT:
            assert not any(overlaps(a, b) for a, b in combinations(row["options"], 2))
            assert right in own
        else:
            assert len(set(row["options"])) == 4
            assert all(canonical(option, answer_format) == option for option in row["options"])
            own = {understood(text, answer_format) or "" for text in own}
            assert right in own
        for i, option in enumerate(row["options"]):
            if i == row["answer"]:
                continue
            compared += len(own)
            if answer_format is AnswerFormat.TEXT:
                assert not any(overlaps(option, text) for text in own), row
            else:
                assert option not in own, row
    assert compared > 45_000


@pytest.mark.landing
def test_no_distractor_is_decided_to_be_right_as_well(mcqs, acceptable, published):
    formats = template_formats(published.questions)
    same = {pair_key(d.answer_a, d.answer_b) for d in shipped_decisions() if d.verdict == "same"}
    for row in mcqs.iter_rows(named=True):
        if formats[row["template_id"]] is AnswerFormat.TEXT:
            own = acceptable[row["template_id"], row["locale"]]
            wrong = [text for i, text in enumerate(row["options"]) if i != row["answer"]]
            assert not [(a, b) for a in wrong for b in own if pair_key(a, b) in same], row
            assert not [two for two in combinations(row["options"], 2) if pair_key(*two) in same], row


@pytest.mark.landing
def test_every_wrong_option_is_an_answer_of_its_own_region_and_well_voted_where_it_can_be(mcqs, published):
    votes: Counter[tuple[str, str, str]] = Counter()
    formats = template_formats(published.questions)
    reading = OptionReading(quotable(published.questions), shipped=True)
    for row in published.annotations.iter_rows(named=True):
        for group in row["annotations"]:
            for text in reading.texts(row["template_id"], group["en_answers"]):
                spelled = understood(shown(text), formats[row["template_id"]])
                if spelled is not None:
                    key = (row["template_id"], row["locale"], spelled)
                    votes[key] = max(votes[key], group["count"])
    rare: Counter[bool] = Counter()
    for row in mcqs.iter_rows(named=True):
        is_text = formats[row["template_id"]] is AnswerFormat.TEXT
        for i, (option, tag) in enumerate(zip(row["options"], row["option_locales"], strict=True)):
            found = votes[row["template_id"], tag, option]
            assert found >= (3 if i == row["answer"] else 1 if is_text else 2)
            rare[found == 1] += i != row["answer"]
    assert rare[True] < 0.26 * rare.total()


@pytest.mark.landing
def test_no_day_month_or_year_is_of_a_region_with_its_own_calendar(mcqs):
    of_dates = mcqs.filter(pl.col("template_id").is_in(DATES)).explode("options", "option_locales")
    assert of_dates.filter(pl.col("option_locales").is_in(["fa-IR", "am-ET"])).is_empty()


@pytest.mark.landing
def test_no_option_is_silly_or_wrong_at_home(mcqs):
    refused = (
        shipped_exclusions()
        .filter(pl.col("kind") != "also-right")
        .select("template_id", option_locales="locale", options=pl.col("option").str.to_lowercase())
    )
    offered = mcqs.explode("options", "option_locales").filter(pl.col("option_locales") != pl.col("locale"))
    assert offered.join(refused, on=refused.columns, how="semi").is_empty()


@pytest.mark.landing
def test_four_regions_and_the_right_one_among_them(mcqs):
    for row in mcqs.iter_rows(named=True):
        assert len({REGION[tag] for tag in row["option_locales"]}) == 4
        assert row["option_locales"][row["answer"]] == row["locale"]


@pytest.mark.landing
def test_ids_are_unique_and_rows_ordered(mcqs):
    assert mcqs["mcq_id"].is_unique().all()
    rank = {tag: i for i, tag in enumerate(registry().tags)}
    keys = [(template_id, rank[tag]) for template_id, tag in mcqs.select("template_id", "locale").iter_rows()]
    assert keys == sorted(keys)
    assert all(re.fullmatch(r".+_[A-Z]{2}_[0-9a-f]{8}", mcq_id) for mcq_id in mcqs["mcq_id"])


@pytest.mark.landing
def test_no_question_is_asked_twice(mcqs, published):
    assert mcqs.select("template_id", "locale").is_unique().all()
    asked = published.questions.select("template_id", "locale", "en_question")
    shown = mcqs.join(asked, on=["template_id", "locale"]).select(
        "locale",
        "en_question",
        options=pl.col("options").list.sort(),
        correct=pl.col("options").list.get(pl.col("answer")),
    )
    assert shown.is_unique().all()


@pytest.mark.landing
def test_every_question_is_accounted_for(build):
    assert build.summary.select(total=pl.col("questions") + pl.col("dropped"))["total"].to_list() == [500] * 16
    assert build.dropped.select("template_id", "locale").is_unique().all()
    assert build.outcomes["answers"].sum() == 28_293
