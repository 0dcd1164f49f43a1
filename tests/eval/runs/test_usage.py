"""Costs: what a run will take, what it took, and that it stops where its budget ends."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import blend
from blend.eval.asking import plan_asking
from blend.eval.models.chosen import Price, money
from blend.eval.models.model_loading import make_tiny_model
from blend.eval.runs.answers import write_answers
from blend.eval.runs.run_directory import Usage, open_run, outcome_of
from helpers.kill_points import Echo, asked
from helpers.messages import wrong
from helpers.models.model_servers import BatchServer

Run = Callable[..., blend.Run]


def test_a_plan_without_a_tokenizer_says_that_it_is_an_estimate():
    # 10 + 6 bytes of prompts and twice 2 of the system's: 20 bytes, 7 tokens of three bytes or less.
    plan = plan_asking(["ten bytes.", "ሰላ"], object(), 100, system="Hi", price=Price(10, 5))
    assert plan.in_words() == "2 requests, about 7 tokens in, 200 out at most, cost about 0.0011"


def test_usage_in_words_leaves_out_what_nobody_knows():
    known = {"requests": 1200, "tokens_in": 1, "tokens_out": 2, "tokens_thought": 1}
    assert Usage(**known).in_words(Price(0, 2_000_000)) == (
        "1,200 requests, 1 tokens in, 2 out (1 of them thought), cost 4.00"
    )
    few = {**dict.fromkeys(known), "requests": 1}
    assert Usage(**few).in_words() == "1 request"
    assert Usage(**few, filtered=1).in_words() == "1 request (1 stopped by a content filter)"


def test_a_finish_reason_that_nobody_knows_is_told_once(tmp_path: Path):
    ends = ["stop", "tool_calls", "other", "tool_calls", None]
    rows = [{"item_id": f"i{n}", "text": "A", "finish_reason": end} for n, end in enumerate(ends)]
    run = open_run(tmp_path / "run", asked(), Echo().describe(), None)
    write_answers(run.answers_folder / "main.jsonl", pl.DataFrame(rows))
    found = outcome_of(run)
    assert found.warnings == (
        (
            "1 answer has the finish reason 'other', which is not known; it is taken as whole, so look whether "
            "its text may have been cut"
        ),
        (
            "2 answers have the finish reason 'tool_calls', which is not known; they are taken as whole, so "
            "look whether their texts may have been cut"
        ),
    )


def test_a_local_model_counts_the_tokens_of_its_prompts(run: Run, tmp_path: Path):
    make_tiny_model(tmp_path / "tiny")
    plans: list[Any] = []
    asked = run(
        model=tmp_path / "tiny", style="json", max_tokens=2, on_plan=plans.append, on_warning=lambda _: None
    )
    [plan] = plans
    assert not plan.is_estimated
    assert (plan.n_requests, plan.tokens_in) == (asked.outcome.usage.requests, asked.outcome.usage.tokens_in)
    assert asked.outcome.usage.tokens_out <= plan.tokens_out == 2 * plan.n_requests


@pytest.mark.integration
def test_a_run_stops_at_its_budget_and_goes_on_with_a_larger_one(server: BatchServer, run: Run):
    paid = {"server": server.url, "concurrency": 2, "price": (0, 1_000_000)}
    # An answer takes 10 to 19 tokens, each of which costs 1 here: the second or third ends 25.
    heard: list[str] = []
    first = run(**paid, budget=25, on_warning=heard.append).outcome
    assert first.usage.requests == (n_asked := len(server.asked)) <= 4
    assert 25 <= first.usage.tokens_out < 25 + 2 * 20
    n_items = first.n_items
    (said,) = [one for one in heard if "budget" in one]
    assert said == (
        f"the budget of 25.00 is spent ({money(first.usage.tokens_out)}), and {n_asked} of {n_items} "
        "items are answered; give a larger `budget` to go on"
    )
    run(**paid, budget=25)
    assert len(server.asked) == n_asked
    whole = run(**paid, budget=10_000)
    assert (whole.outcome.n_missing, len(server.asked)) == (0, n_items)
    usage = whole.outcome.usage
    assert (usage.requests, usage.tokens_thought) == (n_items, 5 * n_items)
    assert blend.score_run(whole).scores.usage == usage


@pytest.mark.integration
def test_a_server_that_does_not_count_keeps_no_budget(server: BatchServer, run: Run):
    server.tells_usage = False
    assert "the server does not say how many tokens an answer took" in wrong(
        lambda: run(server=server.url, price=(1, 1), budget=1)
    )
    assert run(server=server.url, price=(1, 1)).outcome.usage.in_words(Price(1, 1)) == "4 requests"
