"""Requests in files, asked here or by a cluster: answers as of a live run, stops, and what is refused."""

import json
import re
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from polars.testing import assert_frame_equal

import blend
from blend.eval import request_runs
from blend.eval.request_runs import ask_requests
from blend.eval.runs import asked_shards, batch_files
from blend.eval.runs.shards import FolderShards, ShardName
from blend.eval.runs.usage import AskingPlan
from blend.schemas.errors import ServerError
from helpers.in_process import run as in_process
from helpers.messages import wrong
from helpers.models.batch_server import BatchServer
from helpers.ray_cluster import ray_cluster

ANSWERED = ("item_id", "locale", "prompt_id", "text", "tokens_in", "tokens_out", "finish_reason", "error")

Run = Callable[..., blend.Run]


@pytest.fixture
def run(run: Run) -> Run:
    return partial(run, task="short-answer", limit=2)


@pytest.mark.landing
@pytest.mark.integration
def test_requests_asked_in_parts_give_the_answers_of_a_live_run(
    server: BatchServer, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(batch_files, "MAX_REQUESTS", 17)
    monkeypatch.setattr(request_runs, "ITEMS_HERE", 5)
    live = run("live", server=server.url)
    n_live = server.live.total()
    requests, answers = tmp_path / "requests", tmp_path / "answers"
    requests.mkdir()
    assert len(run(batch_out=requests / "r.jsonl").outcome.files) > 1

    def stopped(step: str, done: int, total: int) -> None:
        if done >= 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ask_requests(requests, answers, server=server.url, on_progress=stopped)
    assert FolderShards(answers).names() == [ShardName(0, 5).file, ShardName(5, 10).file]
    monkeypatch.setattr(request_runs, "ITEMS_HERE", 7)
    found = ask_requests(requests, answers, server=server.url)
    assert (found.n_items, found.n_missing, found.n_failed) == (n_live, 0, 0)
    # Nothing that was kept was asked again.
    assert server.live.total() == 2 * n_live
    heard: list[str] = []
    read = run(batch_in=answers, on_warning=heard.append)
    assert (read.outcome.n_asked, read.outcome.n_missing, heard) == (n_live, 0, [])
    assert_frame_equal(read.answers(*ANSWERED), live.answers(*ANSWERED))
    assert blend.score_run(read).scores.scores == blend.score_run(live).scores.scores
    assert run(batch_in=answers).outcome.n_asked == 0


def refusing(server: BatchServer, prompts: set[str], patch: pytest.MonkeyPatch) -> None:
    """Have a server refuse some prompts, or messages with them."""
    answered = server.answered

    def reply(path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if body["messages"][-1]["content"] in prompts:
            return 400, {"error": {"message": "not this one"}}
        return answered(path, body)

    patch.setattr(server, "answered", reply)


@pytest.mark.integration
@pytest.mark.nightly
def test_what_failed_is_asked_again_by_the_same_command(
    server: BatchServer, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(request_runs, "ITEMS_HERE", 5)
    requests, out = tmp_path / "requests.jsonl", tmp_path / "answers"
    lines = run(batch_out=requests).outcome.files[0].read_text().splitlines()
    n, bad = len(lines), json.loads(lines[3])["body"]["messages"][-1]["content"]
    ask = ("eval", "ask", requests, "--server", server.url, "--out", out, "--price", "1000,2000")
    reads = f"The command that wrote them reads the answers with --batch-in {out} in place of --batch-out.\n"
    with monkeypatch.context() as patch:
        refusing(server, {bad}, patch)
        said = in_process(*ask, "--rpm", "600000")
        n_asked = server.live.total()
        assert n_asked == n - 1
        # A run reads what is there, and the rest when that is there.
        assert run(batch_in=out).outcome.first_error.startswith("HTTP 400, 'not this one'; ")
    usage, answered = said.splitlines(keepends=True)
    assert answered == f"{n - 1} of {n} requests are answered in {out}. {reads}"
    number = r"([\d.,]+)"
    pattern = rf"Until now: {n} requests, {number} tokens in, {number} out \(.* thought\), cost {number}\.\n"
    found = re.fullmatch(pattern, usage)
    assert found
    tokens_in, tokens_out, cost = (float(text.replace(",", "")) for text in found.groups())
    assert cost == pytest.approx((1000 * tokens_in + 2000 * tokens_out) / 1e6, abs=0.005)
    said = in_process(*ask)
    assert said.endswith(f"{n} of {n} requests are answered in {out}. {reads}")
    assert [name for name in FolderShards(out).names() if "again" in name] == [ShardName(0, 5, 1).file]
    assert in_process(*ask) == said
    assert server.live.total() == n_asked + 1
    read = run(batch_in=out)
    assert (read.outcome.n_asked, read.outcome.n_missing) == (1, 0)


def written(path: Path, *prompts: str) -> Path:
    """A file of requests."""
    bodies = ({"model": "tiny", "messages": [{"role": "user", "content": prompt}]} for prompt in prompts)
    lines = [
        {"custom_id": f"r{n}", "url": "/v1/chat/completions", "body": body} for n, body in enumerate(bodies)
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


@pytest.mark.landing
@pytest.mark.slow
@pytest.mark.parametrize(("concurrency", "n_stopped"), [(1, 2), (256, 0)])
def test_requests_behind_refused_ones_are_asked_once(
    server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, concurrency: int, n_stopped: int
):
    bad, good = [f"bad {n}" for n in range(24)], [f"good {n}" for n in range(150)]
    refusing(server, {*bad, *good[90:94]}, monkeypatch)
    requests = written(tmp_path / "r.jsonl", *bad, *good)
    ask = partial(ask_requests, requests, tmp_path / "out", server=server.url, concurrency=concurrency)
    for _ in range(n_stopped):
        assert wrong(ask) == (
            f"model tiny at {server.url}: 10 items in a row got no answer, the last because HTTP 400, 'not "
            "this one'; if the request is too long, serve the model with a longer context, else correct model "
            "or `server`; run again to have others asked first"
        )
    # The same once more asks those that failed, and says the same of them.
    for n_asked in (174, 28):
        found = ask()
        assert (found.n_asked, found.n_missing, found.n_failed) == (n_asked, 28, 28)
    assert server.live == dict.fromkeys([*good[:90], *good[94:]], 1)


@pytest.mark.landing
@pytest.mark.slow
def test_a_server_that_refuses_all_is_left_early_and_then_asked_for_others(
    server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(server, "answered", lambda *_: (422, {"error": {"message": "no such parameter"}}))
    requests = written(tmp_path / "r.jsonl", *(f"text {n}" for n in range(300)))
    for _ in range(2):
        with pytest.raises(ServerError, match="in a row got no answer"):
            ask_requests(requests, tmp_path / "out", server=server.url, concurrency=4)
    asked = [body["messages"][0]["content"] for body in server.bodies]
    assert 20 <= len(asked) == len(set(asked)) <= 26


def test_a_second_call_is_refused_and_the_first_one_goes_on(server: BatchServer, tmp_path: Path):
    requests, out = written(tmp_path / "r.jsonl", "one", "two"), tmp_path / "out"
    said: list[str] = []

    def second(*_: object) -> None:
        # The lock is the operating system's, so a second call in this process stands for another one.
        said.append(wrong(lambda: ask_requests(requests, out, server=server.url)))

    assert ask_requests(requests, out, server=server.url, on_progress=second).n_missing == 0
    assert set(said) == {
        f"{out}: another process is running into this directory; wait for it, or choose another `out`"
    }
    assert server.live == {"one": 1, "two": 1}
    assert ask_requests(requests, out, server=server.url).n_asked == 0


@pytest.mark.landing
@pytest.mark.slow
def test_a_plan_is_that_of_the_run_and_writes_nothing(server: BatchServer, run: Run, tmp_path: Path):
    requests, out, plans = tmp_path / "requests.jsonl", tmp_path / "answers", list[AskingPlan]()
    run(batch_out=requests, price=(1000, 2000), on_plan=plans.append)
    of_run, n_asked = plans.pop(), server.live.total()
    ask = ("eval", "ask", requests, "--server", server.url, "--out", out, "--price", "1000,2000")
    assert in_process(*ask, "--plan") == f"To ask: {of_run.in_words()}.\n"
    assert server.live.total() == n_asked
    assert not out.exists()
    in_process(*ask)
    assert in_process(*ask, "--plan") == "To ask: 0 requests, about 0 tokens in, 0 out at most, cost about 0.\n"


def test_a_plan_reads_requests_of_others(tmp_path: Path):
    chat = [
        {"role": "user", "content": [{"type": "text", "text": "밥"}, {"type": "image_url", "image_url": {}}]}
    ]
    bodies = [{"messages": chat, "max_completion_tokens": 5}, {"prompt": ["four", "more"], "max_tokens": 7}]
    plans: list[AskingPlan] = []

    def planned(*some: dict[str, Any]) -> str:
        lines = [
            {"custom_id": f"{i}", "url": "/v1/chat/completions", "body": {"model": "m", **one}}
            for i, one in enumerate(some)
        ]
        (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, lines)))

        def stop(plan: AskingPlan) -> None:
            plans.append(plan)
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            ask_requests(tmp_path / "r.jsonl", tmp_path / "out", price=(1e6, 1e6), on_plan=stop)
        return plans[-1].in_words()

    # Three bytes and eight.
    assert planned(*bodies) == "2 requests, about 4 tokens in, 12 out at most, cost about 16.00"
    assert planned({**bodies[1], "n": 4}) == "1 request, about 3 tokens in, 28 out at most, cost about 31.00"
    for limit in (None, -5, True, "50"):
        words = "3 requests, about 4 tokens in, no limit of those out, nor of the cost"
        assert planned(*bodies, {"prompt": "", "max_tokens": limit}) == words
    assert not (tmp_path / "out").exists()


@pytest.mark.integration
@pytest.mark.nightly
def test_a_budget_ends_it_and_a_larger_one_goes_on(
    server: BatchServer, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(request_runs, "ITEMS_HERE", 5)
    monkeypatch.setattr(asked_shards, "STATUS_EVERY_S", 0)
    requests, heard = tmp_path / "requests.jsonl", []
    run(batch_out=requests)
    ask = partial(ask_requests, requests, tmp_path / "out", server=server.url, price=(0, 1e6))
    ended = ask(budget=100, on_status=heard.append)
    # An answer has ten tokens or more, each of which costs 1.
    assert 100 <= ended.usage.cost == ended.usage.tokens_out < 200
    n, n_asked = ended.n_items, server.live.total()
    assert 5 <= n_asked == ended.n_asked == n - ended.n_missing <= 10
    answered = f"{n_asked} of {n} items are answered; give a larger `budget` to go on"
    assert ended.warnings == (f"the budget of 100.00 is spent ({ended.usage.cost:.2f}), and {answered}",)
    assert re.fullmatch(
        rf"5 of {n} items, [\d,]+ tokens/s, cost [\d.]+ since the start, about 0:\d\d:\d\d left", heard[0]
    )
    assert ask(budget=ended.usage.cost).n_asked == 0
    assert ask(budget=10_000)[1:4] == (n - n_asked, 0, 0)
    assert server.live.total() == n


@pytest.mark.integration
@pytest.mark.nightly
def test_a_budget_needs_a_server_that_counts_tokens(
    server: BatchServer, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    answered = server.answered
    monkeypatch.setattr(server, "answered", lambda *asked: (200, answered(*asked)[1] | {"usage": None}))
    run(batch_out=tmp_path / "r.jsonl")
    ask = partial(ask_requests, tmp_path / "r.jsonl", tmp_path / "out", server=server.url, price=(1, 1))
    assert wrong(lambda: ask(budget=1)) == (
        "the server does not say how many tokens an answer took, so nobody knows what is spent; leave `budget` "
        "out"
    )
    assert ask().n_missing == 0


@pytest.mark.integration
@pytest.mark.nightly
def test_a_cluster_asks_them(server: BatchServer, run: Run, tmp_path: Path, missing: Callable[[str], None]):
    if find_spec("ray") is None:
        missing("Ray")
    requests, answers = tmp_path / "requests.jsonl", tmp_path / "answers"
    run(batch_out=requests)
    live = run("live", server=server.url)
    with ray_cluster(2) as cluster:
        ask_requests(requests, answers, server=server.url, ray=cluster.address, ray_items=5)
    assert len(FolderShards(answers).names()) > 2
    assert_frame_equal(run(batch_in=answers).answers(*ANSWERED), live.answers(*ANSWERED))


@pytest.mark.landing
@pytest.mark.slow
def test_what_is_refused(run: Run, tmp_path: Path):
    requests, out = tmp_path / "requests.jsonl", tmp_path / "out"
    first, second, *_ = run(batch_out=requests).outcome.files[0].read_text().splitlines(keepends=True)
    name = json.loads(first)["custom_id"]
    ask = lambda: ask_requests(requests, out, server="http://127.0.0.1:1/v1")  # noqa: E731
    for content, message in {
        "": f"{requests}: holds no requests; write some with `batch_out` (*.jsonl)",
        first + first: (
            f"{requests}:2: a second request {name!r}, as in {requests}:1; give each request a custom_id of "
            "its own"
        ),
        first + second.replace('"tiny"', '"other"'): (
            f"{requests}:2: requests for 'tiny' and 'other'; ask the requests of each model by themselves"
        ),
        **{
            first + f'{{"custom_id": "a", "url": "{url}", "body": {{}}}}\n': (
                f"{requests}:2: not a request of a batch: it lacks custom_id, a body, or one of the urls "
                "/v1/chat/completions and /v1/completions; write the requests anew with `batch_out`"
            )
            for url in ("/chat/completions", "/v1/../../admin", "/v1/files", "/v1/completions?x=1")
        },
    }.items():
        requests.write_text(content)
        assert wrong(ask) == message
        assert not out.exists()
    (folder := tmp_path / "none").mkdir()
    assert wrong(lambda: ask_requests(folder, out)) == (
        f"{folder}: holds no requests; write some with `batch_out` (*.jsonl)"
    )
    assert wrong(lambda: run(batch_in=folder)) == (
        f"{folder}: holds no answers; name one that `blend eval ask` has written, or files"
    )


@pytest.mark.nightly
def test_answers_stay_with_their_requests(server: BatchServer, run: Run, tmp_path: Path):
    requests, out = tmp_path / "requests.jsonl", tmp_path / "out"
    lines = run(batch_out=requests).outcome.files[0].read_text().splitlines(keepends=True)
    requests.write_text(lines[0])
    with pytest.raises(ServerError):
        ask_requests(requests, out, server="http://127.0.0.1:1/v1")
    requests.write_text(lines[1])
    assert wrong(lambda: ask_requests(requests, out, server=server.url)) == (
        f"{out}: holds answers to other requests; choose another `out`"
    )
    line = json.loads(lines[0]) | {"custom_id": "x"}
    requests.write_text(json.dumps(line))
    ask_requests(requests, tmp_path / "other", server=server.url)
    known = run(batch_out=tmp_path / "again.jsonl").items("item_id")["item_id"][0]
    assert wrong(lambda: run(batch_in=tmp_path / "other")) == (
        f"{tmp_path / 'other' / ShardName(0, 1).file}: nothing is asked under 'x'; the ids of this run are "
        f"like {known!r}; name answers to its own requests"
    )
