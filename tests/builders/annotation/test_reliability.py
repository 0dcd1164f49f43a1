"""Reliability: agreement computed by hand, whoever does not work well is named with the reason, few are not."""

from typing import Any

import numpy as np
import polars as pl
import pytest

from blend.builders.annotation.reliability import ANNOTATORS, MIN_QUESTIONS, Reliability, reliability
from blend.builders.annotation.stage import WORK
from blend.schemas.frames import RESPONSES, REVIEWS, empty
from helpers.questions.saq_inputs import questions_of

N = 40


def response(i: int, who: str, *answers: str, non_answer: str | None = None) -> dict[str, Any]:
    row = {"template_id": f"q{i:02}", "locale": "en-GB", "annotator": who, "answers": list(answers)}
    return {**row, "non_answer": non_answer, "reason": None, "source": f"{who}:{i}"}


def relied(rows: list[dict[str, Any]], work: Any = ()) -> Reliability:
    asked = questions_of(*(f"q{i:02}" for i in range(N)))
    asked = asked.with_columns(question=pl.format("What about topic {}?", pl.int_range(N)))
    return reliability(asked, pl.DataFrame(rows, RESPONSES), empty(REVIEWS), pl.DataFrame(work, WORK))


def test_agreement_is_the_mean_of_masi_over_the_others():
    found = relied(
        [
            response(0, "a", "tea"), response(0, "b", "Tea."), response(0, "c", "tea", "milk"),
            response(1, "a", "bread"), response(1, "b", non_answer="idk"), response(1, "c", "rice"),
            response(2, "a", non_answer="no-answer"), response(2, "b", non_answer="no-answer"),
            response(3, "a", "alone"),
        ]
    )  # fmt: skip
    part = 1 / 2 * 2 / 3
    assert found.questions.drop("locale").to_dicts() == [
        {"template_id": "q00", "answers": 3, "agreement": pytest.approx((1 + part + part) / 3)},
        {"template_id": "q01", "answers": 2, "agreement": 0},
        {"template_id": "q02", "answers": 2, "agreement": 1},
    ]
    a, b, c = found.annotators.sort("annotator").to_dicts()
    assert a["agreement"] == pytest.approx(((1 + part) / 2 + 0 + 1) / 3)
    assert (b["agreement"], b["idk_share"]) == pytest.approx((((1 + part) / 2 + 1) / 2, 1 / 3))
    assert [one["questions"] for one in (a, b, c)] == [3, 2, 2]
    assert found.annotators["flags"].to_list() == [[]] * 3
    (locale,) = found.locales.to_dicts()
    assert (locale["questions"], locale["answers"], locale["annotators"]) == (3, 7, 3)


def test_whoever_does_not_work_well_is_named_with_the_reason():
    rng = np.random.default_rng(1)
    # Five people who mostly agree: the usual answer in four of five cases, one of their own otherwise.
    rows = [
        response(i, f"good{k}", f"usual {i}" if rng.random() < 0.8 else f"own {k} {i}")
        for i in range(N)
        for k in range(5)
    ]
    for i in range(N):
        rows.append(response(i, "random", f"noise {i}"))
        rows.append(response(i, "shrug", non_answer="idk") if i % 2 else response(i, "shrug", f"usual {i}"))
        rows.append(response(i, "copy", f"topic {i}" if i % 3 else "same again"))
    rows += [response(i, "new", f"noise again {i}") for i in range(MIN_QUESTIONS - 1)]
    work = [done(row["annotator"], seconds=4.0 if row["annotator"] == "good1" else 20.0) for row in rows]
    work += [done(who, outcome="refused") for who in ["good2"] * 10 + ["ghost"] * 30]
    found = relied(rows, work=work)
    told = dict(found.annotators.select("annotator", "flags").iter_rows())
    mean = found.annotators.filter(pl.col("questions") >= MIN_QUESTIONS)["agreement"].mean()
    low = f"agrees with others 0.00 (at most 0.00), less than half of what people here do ({mean:.2f})"
    assert told == {
        **{key: [] for key in ("good0", "good3", "good4", "new")},
        "good1": ["takes 4 seconds per question (median here: 20)"],
        "good2": ["nothing could be taken from 20% of the annotations"],
        "random": [low],
        "shrug": ["does not know 50% of the questions (median here: 0%)"],
        "copy": [low],
        "ghost": ["nothing could be taken from 100% of the annotations"],
    }


def done(who: str, *, seconds: float = 20.0, outcome: str = "counted") -> dict[str, Any]:
    row = {**dict.fromkeys(WORK.names()), "stage": "answer", "locale": "en-GB", "annotator": who}
    return {**row, "outcome": outcome, "seconds": seconds}


def test_nobody_has_no_reliability():
    found = relied([])
    assert found.annotators.schema == ANNOTATORS
    assert all(frame.is_empty() for frame in found)
