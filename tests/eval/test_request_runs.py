"""Requests in files, asked here or by a cluster: answers as of a live run, stops, and what is refused."""

import json
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from polars.testing import assert_frame_equal

import blend
from blend.eval import request_runs
from blend.eval.request_runs import ask_requests
from blend.eval.runs import batch_files
from blend.eval.runs.shards import FolderShards, ShardName
from blend.schemas.errors import BlendError, ServerError
from helpers.models.batch_server import BatchServer, serving_batches
from helpers.ray_cluster import ray_cluster

ANSWERED = ("item_id", "locale", "prompt_id", "text", "tokens_in", "tokens_out", "finish_reason", "error")

Run = Callable[..., blend.Run]


@pytest.fixture
def server() -> Iterator[BatchServer]:
    with serving_batches() as server:
        yield server


@pytest.fixture
def run(mini_release: Path, tmp_path: Path) -> Run:
    def run(out: str = "run", **options: Any) -> blend.Run:
        given = {"model": "tiny", "max_tokens": 64, "limit": 2, "on_warning": lambda _: None, **options}
        return blend.run_task(mini_release, "short-answer", out=tmp_path / out, **given)

    return run


def wrong(call: Callable[[], object]) -> str:
    with pytest.raises(BlendError) as caught:
        call()
    return str(caught.value)


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
    assert (found.n_answers, found.n_failed) == (n_live, 0)
    # Nothing that was kept was asked again.
    assert server.live.total() == 2 * n_live
    heard: list[str] = []
    read = run(batch_in=answers, on_warning=heard.append)
    assert (read.outcome.n_asked, read.outcome.n_missing, heard) == (n_live, 0, [])
    assert_frame_equal(read.answers(*ANSWERED), live.answers(*ANSWERED))
    assert blend.score_run(read).scores.scores == blend.score_run(live).scores.scores
    assert run(batch_in=answers).outcome.n_asked == 0


@pytest.mark.integration
@pytest.mark.exhaustive
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
        first + '{"custom_id": "a", "url": "/chat/completions", "body": {}}\n': (
            f"{requests}:2: not a request of a batch: it lacks custom_id, a url that begins with /v1/, or a "
            "body; write the requests anew with `batch_out`"
        ),
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


@pytest.mark.exhaustive
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
