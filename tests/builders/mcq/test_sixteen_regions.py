"""Default mode on all 16 regions: its promises, its figures.

A change of a figure here changes the published data.
"""

import re
from collections import defaultdict
from itertools import combinations

import polars as pl
import pytest

from blend.builders.mcq import build_mcq
from blend.builders.mcq.answers import template_formats
from blend.builders.mcq.options import _is_latin, shown
from blend.builders.mcq.result import McqBuild
from blend.builders.mcq.verdicts import Verdicts
from blend.loaders.responses.verdicts import shipped_decisions, shipped_verdicts
from blend.loaders.upstream.blend import BlendTables
from blend.schemas.formats import AnswerFormat
from blend.schemas.locales import names_any, registry
from blend.schemas.recipe import McqOptions
from blend.schemas.rows import AnswerSpread
from blend.schemas.texts import pair_key

pytestmark = [pytest.mark.integration]

YIELD = (459, 3332, 3929)
REASONS = {"few-votes": 2153, "non-answers": 542, "not-applicable": 1005, "out-of-format": 1}
REASONS |= {"turned-down": 48, "own-calendar": 7, "short": 912}
TRUE_FALSE = 3300
# Questions before, and how many of them stay as they are; of these, how many move their correct answer.
JOINING = {"ko-KP": (3640, 3010, 111), "es-ES": (3571, 2932, 114)}


REGION = {locale.tag: locale.region for locale in registry()}


@pytest.fixture(scope="module")
def build(once, clean_tables: BlendTables) -> McqBuild:
    tables = (clean_tables.questions, clean_tables.annotations)
    return once.value("mcqs", lambda: build_mcq(*tables, options=McqOptions(rungs=True), seed=0))


@pytest.fixture(scope="module")
def mcqs(build: McqBuild) -> pl.DataFrame:
    return build.mcqs


@pytest.mark.landing
def test_no_distractor_is_decided_to_be_right_as_well(mcqs, clean_tables):
    read = Verdicts(None, clean_tables.questions, registry(), shipped=True)
    variants = clean_tables.annotations.explode("annotations").select(
        "template_id", "locale", texts=pl.col("annotations").struct.field("en_answers")
    )
    # Every English variant of every answer, and what is shown in its place.
    acceptable: dict[tuple[str, str], set[str]] = defaultdict(set)
    for template_id, tag, texts in variants.drop_nulls().iter_rows():
        acceptable[template_id, tag].update(map(shown, read.texts(template_id, texts)))
    formats = template_formats(clean_tables.questions)
    same = {pair_key(d.answer_a, d.answer_b) for d in shipped_decisions() if d.same}
    for row in mcqs.iter_rows(named=True):
        if formats[row["template_id"]] is AnswerFormat.TEXT:
            own = acceptable[row["template_id"], row["locale"]]
            wrong = [text for i, text in enumerate(row["options"]) if i != row["answer"]]
            assert not [(a, b) for a in wrong for b in own if pair_key(a, b) in same], row
            assert not [two for two in combinations(row["options"], 2) if pair_key(*two) in same], row


@pytest.mark.landing
def test_no_day_month_or_year_is_of_a_region_with_its_own_calendar(mcqs):
    months, days = "An-ar-03 Ca-sp-21 New-am-81 Nu-in-05", "New-pe-47 New-su-45 Nu-in-06 Nu-in-20"
    of_dates = mcqs.filter(pl.col("template_id").is_in(f"{months} {days}".split())).explode("option_locales")
    assert of_dates.filter(pl.col("option_locales").is_in(["fa-IR", "am-ET"])).is_empty()


@pytest.mark.landing
def test_no_option_is_silly_or_wrong_at_home(mcqs):
    refused = (
        shipped_verdicts()
        .filter(pl.col("verdict").is_in(["silly", "wrong"]))
        .select("template_id", option_locales="locale", options=pl.col("option").str.to_lowercase())
    )
    offered = mcqs.explode("options", "option_locales").filter(pl.col("option_locales") != pl.col("locale"))
    assert offered.join(refused, on=refused.columns, how="semi").is_empty()


@pytest.mark.landing
def test_four_regions_ids_and_order(mcqs):
    for row in mcqs.iter_rows(named=True):
        assert len({REGION[tag] for tag in row["option_locales"]}) == 4
        assert row["option_locales"][row["answer"]] == row["locale"]
        assert re.fullmatch(r".+_[A-Z]{2}_[0-9a-f]{8}", row["mcq_id"])
        for i, option in enumerate(row["options"]):
            assert _is_latin(option), row
            assert i == row["answer"] or not names_any(option, registry()), row
    assert mcqs["mcq_id"].is_unique().all()
    # Whatever region an option comes from, no question shows the same texts as another one.
    assert mcqs.select("template_id", "locale", pl.col("options").list.sort().list.join("|")).is_unique().all()
    rank = {tag: i for i, tag in enumerate(registry().tags)}
    keys = [(template_id, rank[tag]) for template_id, tag in mcqs.select("template_id", "locale").iter_rows()]
    assert keys == sorted(keys)


@pytest.mark.landing
def test_every_question_and_who_has_read_its_options_is_accounted_for(build):
    assert build.summary.select(total=pl.col("questions") + pl.col("dropped"))["total"].to_list() == [500] * 16
    assert build.dropped.select("template_id", "locale").is_unique().all()
    totals = build.reading.sum().row(0, named=True)
    # The model of the package has read every option, and nobody else has.
    assert totals["model"] == totals["options"] == 4 * build.n_mcqs
    slips = build.found.filter(reason="slip-in-wording")
    assert (slips.height, slips["template_id"].n_unique()) == (609, 40)


@pytest.mark.landing
@pytest.mark.sampled
@pytest.mark.parametrize("joining", ["ko-KP", "es-ES"])
def test_a_joining_locale_leaves_what_it_is_not_drawn_into(clean_tables, mcqs, joining):
    others = pl.col("locale") != joining
    tables = (table.filter(others) for table in (clean_tables.questions, clean_tables.annotations))
    before = build_mcq(*tables, options=McqOptions(), seed=0).mcqs
    after = mcqs.filter(others)
    key = ["template_id", "locale"]
    drawn = after.filter(pl.col("option_locales").list.contains(joining)).select(key).unique()
    untouched = after.select(key).unique().join(drawn, on=key, how="anti")
    there, here = (_options(table.join(untouched, on=key, how="semi")) for table in (before, after))
    assert there == here
    kept = _options(before) & _options(after)
    assert len(kept) >= 0.82 * len(before)
    # An id that stays shows the same in the same order; where the correct answer moved there is another one.
    both = before.join(after, on="mcq_id")
    assert both["options"].equals(both["options_right"], check_names=False)
    assert (len(before), len(kept), len(kept) - len(both)) == JOINING[joining]


def _options(mcqs: pl.DataFrame) -> set[tuple[str, str, frozenset[tuple[str, str]]]]:
    """What each question chooses from, in whatever order."""
    columns = ("template_id", "locale", "options", "option_locales")
    return {
        (name, tag, frozenset(zip(*of, strict=True))) for name, tag, *of in mcqs.select(columns).iter_rows()
    }


@pytest.mark.landing
def test_yield(root, build, mcqs):
    pairs = mcqs.select("template_id", "locale").n_unique()
    assert (mcqs["template_id"].n_unique(), pairs, build.n_mcqs) == YIELD
    assert dict(build.dropped["reason"].value_counts().iter_rows()) == REASONS
    assert sum(map(len, build.true_false_batches())) == TRUE_FALSE
    page = (root / "docs" / "mcq.md").read_text(encoding="utf-8")
    for spread in AnswerSpread:
        assert f"| `{spread}` | {len(mcqs.filter(answer_spread=spread)):,} |" in page
