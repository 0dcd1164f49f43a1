"""Aggregation of BLEnD: responses made up from the published votes aggregate to these again.

Published data holds votes, not what each annotator typed. Expanding makes up annotators whose responses, with
reviews of them, aggregate to the same answers and votes. Who gave which answers together is made up.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from blend.builders.saq import aggregate
from blend.builders.saq.answer_sheet import answer_sheet
from blend.builders.saq.reviews import reviews_of
from blend.loaders.files.new_files import write_sheet
from blend.loaders.responses.returned_sheets import read_answer_sheet
from blend.loaders.upstream.blend import BlendTables
from blend.schemas.frames import ANNOTATIONS, KEY, RESPONSES, REVIEWS
from blend.schemas.recipe import SaqOptions
from blend.schemas.rows import NonAnswer
from blend.schemas.sheets import ANSWER_SHEET
from blend.schemas.texts import clean

REVIEWER = "expanded"
"""Name of the reviewer who decided as published."""


def typed(annotations: pl.DataFrame) -> pl.DataFrame:
    """Published answers as annotators can have typed them, and reviews keep them apart: texts are tidy.

    A review cannot put one string into two groups, so a variant that an earlier group of the question has as
    well gets the number of its occurrence: ``school``, ``school [2]``. A group without variants is answered by
    its first English one, or by its number (``[3]``).
    """
    rows = annotations.to_dicts()
    for row in rows:
        taken: set[str] = set()
        for number, group in enumerate(row["annotations"], start=1):
            group["en_answers"] = list(dict.fromkeys(map(clean, group["en_answers"])))
            variants = group["answers"] or group["en_answers"][:1] or [f"[{number}]"]
            group["answers"] = [_untaken(variant, taken) for variant in dict.fromkeys(map(clean, variants))]
            taken.update(group["answers"])
        for other in row["idks"]["others"]:
            other["reason"] = clean(other["reason"])
    return pl.DataFrame(rows, schema=ANNOTATIONS)


def _untaken(variant: str, taken: set[str]) -> str:
    numbered, occurrence = variant, 1
    while numbered in taken:
        occurrence += 1
        numbered = f"{variant} [{occurrence}]"
    return numbered


def expand(annotations: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Responses and reviews behind typed answers: every vote of a group is an annotator of its own.

    Every variant is typed by one of them at least, so that somebody types more than three where a reviewer
    added variants. Every non-answer is a further annotator.
    """
    responses: list[dict[str, Any]] = []
    reviews: list[dict[str, Any]] = []
    for row in annotations.sort(KEY).iter_rows(named=True):
        location = {name: row[name] for name in (*KEY, "source")}
        given = [*_ballots(row["annotations"]), *_non_answers(row["idks"])]
        responses += [
            {**location, "annotator": f"e{i:02}", **answer} for i, answer in enumerate(given, start=1)
        ]
        decided = [{name: group[name] for name in ("answers", "en_answers")} for group in row["annotations"]]
        reviews.append({**location, "reviewer": REVIEWER, "invalid": [], "reasons": [], "groups": decided})
    return pl.DataFrame(responses, RESPONSES).sort(*KEY, "annotator"), pl.DataFrame(reviews, REVIEWS)


def _ballots(groups: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Write what each annotator answers: every group gets its votes, and every variant is typed."""
    for group in groups:
        voters: list[list[str]] = [[] for _ in range(group["count"])]
        variants = group["answers"]
        for i in range(max(len(voters), len(variants))):
            voters[i % len(voters)].append(variants[i % len(variants)])
        for answers in voters:
            yield {"answers": answers, "non_answer": None, "reason": None}


def _non_answers(idks: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for kind in (NonAnswer.IDK, NonAnswer.NO_ANSWER, NonAnswer.NOT_APPLICABLE):
        for _ in range(idks[kind.value]):
            yield {"answers": [], "non_answer": kind.value, "reason": None}
    for other in idks["others"]:
        for _ in range(other["count"]):
            yield {"answers": [], "non_answer": NonAnswer.OTHER.value, "reason": other["reason"]}


@pytest.mark.nightly
@pytest.mark.integration
def test_all_8000_published_questions_come_back(clean_tables: BlendTables):
    published = typed(clean_tables.annotations)
    got = aggregate(clean_tables.questions, *expand(published), options=SaqOptions()).annotations
    assert_frame_equal(got.drop("grouping", "source"), published.drop("grouping", "source"))
    assert len(got) == 8000
    assert set(got["grouping"]) == {"reviewed"}


@pytest.mark.nightly
@pytest.mark.parametrize("reviewed", [True, False])
def test_all_published_answers_go_through_a_sheet(clean_tables: BlendTables, tmp_path: Path, reviewed: bool):
    # 8,000 questions of 16 regions, expanded to responses: out of the sheet come the groups that went in.
    published = clean_tables
    responses, decided = expand(typed(published.annotations))
    reviews = decided if reviewed else pl.DataFrame(schema=REVIEWS)
    sheet = answer_sheet(published.questions, responses, reviews, everything=True)
    # The one time whose published English is another.
    wrong = pl.col("answer").str.contains("15:30") & pl.col("english").str.contains("11:30")
    assert sheet.filter(wrong).height == reviewed
    sheet = sheet.with_columns(english=pl.when(wrong).then(pl.lit("")).otherwise("english"))
    write_sheet(ANSWER_SHEET, sheet, tmp_path / "sheet.csv")
    accepted = reviews_of(read_answer_sheet(tmp_path / "sheet.csv"), reviewer="r1")
    # Published English is no column that was sorted alone, nor are groups filled down.
    assert not [told for told in accepted.notes if told.endswith("alone?") or "filled down" in told]
    expected = aggregate(published.questions, responses, reviews, options=SaqOptions()).annotations
    built = aggregate(published.questions, responses, accepted.reviews, options=SaqOptions()).annotations
    # Without the English that reviewers wrote elsewhere and a sheet proposes.
    group = pl.element().struct
    kept = pl.col("annotations").list.eval(pl.struct(group.field("answers"), group.field("count")))
    assert_frame_equal(built.select(*KEY, kept, "idks"), expected.select(*KEY, kept, "idks"))
    if not reviewed:
        assert_frame_equal(built.drop("grouping"), expected.drop("grouping"))
