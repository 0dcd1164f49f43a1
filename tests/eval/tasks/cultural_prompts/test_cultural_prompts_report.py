"""The page on texts for readers of many nationalities, and what cannot be said of them."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from blend.eval.evaluation import read_scored
from blend.eval.report.model_comparison import check_comparable
from blend.eval.report.report_page import build_report
from blend.eval.scoring import score_answers, write_scores
from blend.schemas.errors import InputError


@pytest.fixture
def scored(golden_texts, surveys, run_of) -> Path:
    run = run_of(golden_texts)
    write_scores(run, score_answers(run, surveys=surveys))
    return run.directory


@pytest.mark.landing
@pytest.mark.slow
def test_the_page_has_every_part(scored: Path):
    page = build_report(read_scored([scored]))
    for part in (
        "Texts for readers of many nationalities",
        "Variance between and within nationalities",
        "Agreement with hofstede, by BLEU",
        "Agreement with wvs, by −WED",
        "Words of every nationality",
        "Side by side: stories/moral_values/honesty",
        # Words of the goldens, and a text.
        "butrir, kobriastan",
        "Once upon a time in Dougak Bay",
    ):
        assert part in page, part
    # Its samples are no repeats of a question that is correct or wrong.
    assert "Every question was asked" not in page


@pytest.fixture
def scored_rows(run_of) -> Callable[..., Path]:
    """Scores rows of a table of texts."""

    def made(rows: Sequence[dict[str, object]], name: str, **options: Any) -> Path:
        run = run_of(rows, name)
        write_scores(run, score_answers(run, **options))
        return run.directory

    return made


OWN = [
    {"group": group, "topic": topic, "sample": sample, "text": f"{group} says {topic} {sample} again"}
    for group in ("old", "young")
    for topic in ("rain", "snow")
    for sample in (0, 1)
]


def refused(*directories: Path) -> str:
    with pytest.raises(InputError) as told:
        check_comparable(read_scored(directories))
    return str(told.value)


@pytest.mark.slow
def test_texts_for_other_groups_or_topics_are_told(scored_rows):
    others = [row | {"group": "adult" if row["group"] == "old" else row["group"]} for row in OWN]
    one, two = scored_rows(OWN, "one"), scored_rows([*others, others[0] | {"topic": "sun"}], "two")
    there, here = (run.signature.split("|")[1].removeprefix("rel:") for run in read_scored([one, two]))
    assert refused(one, two) == (
        f"{two}: its scores cannot be compared with those of {one}, since they differ in\n"
        f"  release (rel): {there} there, {here} here\n"
        "  groups: 'old' there alone, 'adult' here alone\n"
        "  topics: 'sun' here alone\n"
        "run or score both the same way, or compare runs that were"
    )
