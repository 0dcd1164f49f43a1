"""Single questions in the report: nothing is lost on the way into the page, and what does not fit is said."""

import hashlib
import itertools
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.eval.evaluation import read_scored
from blend.eval.report.single_answers import REASONS, embed_questions
from blend.eval.tasks.short_answer.short_answer_decisions import WHYS
from helpers.embedded_pages import texts_of, unpacked


def embedded(runs: Any, page_bytes: int = 10**9) -> Any:
    task = runs[0].task
    answers = [task.single_answers(run) for run in runs]
    return embed_questions(runs, answers, task.known_questions(runs[0]), page_bytes=page_bytes)


@pytest.mark.slow
def test_every_item_and_every_answer_is_there(good: Path, evil: Path):
    runs = read_scored([good, evil])
    data = unpacked(embedded(runs).data)
    assert [model["name"] for model in data["models"]] == ["good", "evil"]
    items = runs[0].run.items("item_id", "prompt")
    assert texts_of(data, data["ids"]) == items["item_id"].to_list()
    assert texts_of(data, data["prompts"]) == items["prompt"].to_list()
    for run, model in zip(runs, data["models"], strict=True):
        decided = run.decisions()
        assert model["correct"] == decided["correct"].cast(pl.Int64).to_list()
        said = run.run.answers("item_id", "text", "error")
        in_order = items.join(said, on="item_id", how="left", maintain_order="left")["text"].to_list()
        shown = zip(texts_of(data, model["answer"]), texts_of(data, model["reply"]), strict=True)
        assert [reply or answer for answer, reply in shown] == in_order
    answer, title = texts_of(data, data["models"][0]["answer"])[0], texts_of(data, data["titles"])[0]
    first = data["candidate_lists"][data["candidates"][0]]
    assert [data["texts"][note][:2] for *_, note in first] == ["A,", "B,", "C,", "D,"]
    assert sum(is_gold for _, is_gold, *_ in first) == 1
    assert answer in [data["texts"][text] for text, *_ in first]
    assert (
        title == f"{items['prompt'][0].partition('?')[0]}? {' / '.join(data['texts'][one[0]] for one in first)}"
    )


def test_gold_answers_stand_with_their_votes(short: Path):
    (run,) = read_scored([short])
    data = unpacked(embedded([run]).data)
    votes = [[vote for _, _, vote, _ in one] for one in data["candidate_lists"]]
    assert all(of_one == sorted(of_one, reverse=True) for of_one in votes)
    assert max(itertools.chain(*votes)) > 1


def test_every_reason_has_words():
    assert set(WHYS) <= set(REASONS)
    assert {"strict", "lenient", "unparsable", "likeliest"} <= set(REASONS)


def incompressible(seed: str) -> str:
    return "".join(hashlib.sha256(f"{seed}{i}".encode()).hexdigest() for i in range(47))


@pytest.mark.nightly
@pytest.mark.slow
def test_texts_are_shortened_then_questions_go_and_the_page_says_so(evil: Path):
    (run,) = read_scored([evil])
    answers = run.task.single_answers(run).with_columns(
        thought=pl.col("item_id").map_elements(incompressible, return_dtype=pl.String)
    )
    known = run.task.known_questions(run)
    whole = embed_questions([run], [answers], known)
    assert whole.left_out == ()
    size = len(whole.data)
    found = [embed_questions([run], [answers], known, page_bytes=size * part // 100) for part in (70, 30, 4, 1)]
    assert all(len(one.data) <= size * part // 100 for one, part in zip(found, (70, 30, 4, 1), strict=True))
    assert re.fullmatch(r"[\d,]+ texts are cut at [\d,]+ characters\.", found[0].left_out[0])
    assert re.fullmatch(r"[\d,]+ of [\d,]+ questions are here, taken evenly from all\.", found[3].left_out[-1])
    cut = unpacked(found[3].data)
    assert any(re.search(r"… \([\d,]+ characters\)$", text) for text in cut["texts"])
    regions = next(facet["of"] for facet in cut["facets"] if facet["name"] == "region")
    assert len(set(texts_of(cut, regions))) > 1
