"""Batch runs: requests in files, results in any order, no answer lost."""

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import blend
from blend.eval.models.server import TextRequest
from blend.eval.runs import ask_model
from blend.eval.runs.ask_model import is_name_of, items_by_request, request_id, write_requests
from helpers.messages import wrong
from helpers.models.batch_server import BatchServer

Run = Callable[..., blend.Run]

ANSWERED = ("item_id", "text", "thought", "tokens_in", "tokens_out", "tokens_thought", "finish_reason", "error")


def items_of(run: blend.Run, results: list[str]) -> list[str]:
    """The items that lines of results are about."""
    items = items_by_request(run.items("item_id")["item_id"])
    return [items[json.loads(line)["custom_id"]] for line in results]


def written(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.sampled
@pytest.mark.integration
@pytest.mark.parametrize("how", [{}, {"temperature": 0.7, "seed": 3, "system": "Be short."}, {"chat": False}])
def test_a_batch_gives_the_scores_of_a_live_run(server: BatchServer, run: Run, tmp_path: Path, how: dict):
    live = run("live", server=server.url, style="json", **how)
    bodies = [body for body in server.bodies if '"Hi"' not in json.dumps(body)]
    requests = tmp_path / "requests.jsonl"
    # Begun without a server, so nobody knows what it calls the model.
    filed = run("filed", batch_out=requests, **how)
    assert filed.outcome is not None
    assert filed.outcome.files == (requests,)
    assert filed.description.model.served_as is None
    # The very bodies that are sent live.
    key = lambda body: json.dumps(body, sort_keys=True)  # noqa: E731
    assert sorted((one["body"] for one in written(requests)), key=key) == sorted(bodies, key=key)
    lines, _ = server.results(requests.read_bytes())
    results = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    results[0].write_text("".join(lines[:4]))
    results[1].write_text("\n" + "".join(lines[4:]))
    filed = run("filed", batch_in=results, **how)
    assert_frame_equal(*(one.answers(*ANSWERED).sort("item_id") for one in (filed, live)))
    assert filed.description.model.served_as == server.name
    assert blend.score_run(filed).scores.scores == blend.score_run(live).scores.scores
    assert blend.score_run(filed).signature == blend.score_run(live).signature
    # All of it can go on live, and has nothing left to ask.
    n_live = server.live.total()
    assert run("filed", server=server.url, style="json", **how).outcome.n_asked == 0
    assert server.live.total() == n_live


@pytest.mark.integration
def test_errors_and_what_is_missing_are_asked_again(server: BatchServer, run: Run, tmp_path: Path):
    run = partial(run, limit=2)
    requests, again, results = (tmp_path / name for name in ("1.jsonl", "2.jsonl", "results.jsonl"))
    first = run(batch_out=requests)
    n_items = first.description.n_items
    good, _ = server.results(requests.read_bytes())
    items = items_of(first, good)
    names = [json.loads(line)["custom_id"] for line in good]
    bad = [
        {"custom_id": names[0], "response": None, "error": {"code": "batch_expired", "message": "Too late."}},
        {"custom_id": names[1], "response": {"status_code": 500, "body": {"error": {"message": "Oh"}}}},
        {"custom_id": names[2], "response": {"status_code": 200, "body": {"choices": [{"message": {}}]}}},
    ]
    results.write_text("".join([*good[4:], good[5], *(json.dumps(line) + "\n" for line in bad)]))
    heard: list[str] = []
    (empty := tmp_path / "errors.jsonl").touch()
    read = run(batch_in=[results, empty], on_warning=heard.append)
    assert read.outcome is not None
    assert (read.outcome.n_missing, read.outcome.n_failed) == (4, 3)
    assert heard == [
        "1 answer to items that have one already, left out: the first one of an item counts",
        "1 item without a result; write the requests again with `batch_out`, or ask without it",
    ]
    errors = read.answers("item_id", "error").drop_nulls()
    assert dict(errors.rows()) == {
        items[0]: "Too late.",
        items[1]: "HTTP 500, 'Oh'",
        items[2]: "the reply holds no text: \"{'message': {}}\"",
    }
    run(batch_in=results)
    assert_frame_equal(run(batch_in=results).answers(*ANSWERED), read.answers(*ANSWERED))
    assert {line["custom_id"] for line in written(run(batch_out=again).outcome.files[0])} == set(names[:4])
    # What is left can be asked live as well.
    live = run(server=server.url, style="json")
    assert (live.outcome.n_asked, live.outcome.n_missing, server.live.total()) == (4, 0, 4)
    assert live.description.n_items == n_items


@pytest.mark.integration
def test_results_of_another_model_are_refused(server: BatchServer, run: Run, tmp_path: Path):
    requests, results = tmp_path / "requests.jsonl", tmp_path / "results.jsonl"
    run(batch_out=requests)
    server.name = "tiny-mini"
    results.write_text("".join(server.results(requests.read_bytes())[0]))
    assert wrong(lambda: run(batch_in=results)) == (
        f"{results}:1: the answer comes from 'tiny-mini', and 'tiny' was asked; name the results of this run; "
        "those of a model that calls itself otherwise go into a run of their own: `model=tiny-mini` and "
        "another `out`"
    )
    assert run(batch_out=requests).answers().is_empty()
    # What the message says to do.
    renamed = run("renamed", model="tiny-mini", batch_in=results)
    assert renamed.outcome is not None
    assert renamed.outcome.n_missing == 0


@pytest.mark.integration
def test_a_model_may_be_called_with_its_version_and_without(server: BatchServer, run: Run, tmp_path: Path):
    requests, results = tmp_path / "requests.jsonl", tmp_path / "results.jsonl"
    run(batch_out=requests)

    def called(*names: str) -> str:
        lines = [json.loads(line) for line in server.results(requests.read_bytes())[0]]
        for line, name in zip(lines, names, strict=False):
            line["response"]["body"]["model"] = name
        return "".join(json.dumps(line) + "\n" for line in lines[: len(names)])

    results.write_text(called("tiny", "tiny-2026-11-01", "tiny", "tiny-2026-10-01"))
    assert "comes from 'tiny-2026-10-01', and others of this run from 'tiny-2026-11-01'" in wrong(
        lambda: run(batch_in=results)
    )
    results.write_text(called("tiny", "tiny-2026-11-01", "tiny", "tiny-2026-11-01"))
    read = run(batch_in=results)
    assert (read.answers().height, read.description.model.served_as) == (4, "tiny-2026-11-01")


@pytest.mark.parametrize(
    ("asked", "served", "is_same"),
    [
        ("gpt-4o", "gpt-4o-2024-08-06", True),
        ("claude-sonnet-4-5", "claude-sonnet-4-5-20250929", True),
        ("claude-3-5-sonnet-latest", "claude-3-5-sonnet-20241022", True),
        ("gemini-2.0-flash", "models/gemini-2.0-flash-001", True),
        ("org/Name-7B", "name-7b", True),
        ("gpt-4o", "gpt-4o-mini", False),
        ("gpt-4o-2024-05-13", "gpt-4o-2024-08-06", False),
        ("claude-sonnet-4", "claude-sonnet-4-5-20250929", False),
        ("llama-3.1-8b", "llama-3.3-8b", False),
    ],
)
def test_a_version_is_no_other_model(asked: str, served: str, is_same: bool):
    assert is_name_of(served, asked) == is_same


@pytest.mark.slow
def test_results_that_are_none_are_named_by_file_and_line(server: BatchServer, run: Run, tmp_path: Path):
    requests, results = tmp_path / "requests.jsonl", tmp_path / "results.jsonl"
    before = run(batch_out=requests)
    [line, *_], _ = server.results(requests.read_bytes())
    name = json.loads(line)["custom_id"]
    items = before.items("item_id")["item_id"]
    other = json.loads(line) | {"response": {"status_code": 200, "body": {"model": "else", "choices": []}}}
    came_back = "name the file that came back for the requests"
    for bad, message in {
        line[:-30] + "\n": f"{results}:2: not JSON (Unterminated string starting at); copy the file again",
        "[1]\n": f"{results}:2: not the result of a request; {came_back}",
        json.dumps({"custom_id": name}): f"{results}:2: not the result of a request; {came_back}",
        requests.read_text().splitlines()[0]: f"{results}:2: a request, and not its result; {came_back}",
    }.items():
        results.write_text(line + bad)
        told = re.sub(r": line 1 column \d+ \(char \d+\)", "", wrong(lambda: run(batch_in=[results])))
        assert told == message
    results.write_text(line.replace(name, "mcq-9"))
    message = wrong(lambda: run(batch_in=[results]))
    assert message.startswith(f"{results}:1: nothing is asked under 'mcq-9'; the ids of this run are like '")
    assert any(f"{item!r}" in message for item in items)
    results.write_bytes(line.encode() + b"\xff\n")
    assert wrong(lambda: run(batch_in=[results])) == (
        f"{results}:2: byte 0xFF in line 1 is not UTF-8; copy the file again"
    )
    results.write_text(line + json.dumps(other))
    assert wrong(lambda: run(batch_in=[results])) == (
        f"{results}:2: the answer comes from 'else', and others of this run from 'tiny-2026-11-01'; name the "
        "results of this run; those of a model that calls itself otherwise go into a run of their own: "
        "`model=else` and another `out`"
    )
    # Nothing of a file that is refused was kept.
    assert run(batch_out=requests).answers().is_empty()
    # Half of a line at the end, as a kill leaves it, is an item without a result.
    results.write_text(line + line[:-30])
    assert run(batch_in=[results]).answers().height == 1


@given(st.lists(st.text(min_size=1), min_size=2, max_size=2, unique=True))
def test_every_provider_takes_the_id_of_a_request(items: list[str]):
    first, second = (request_id(item) for item in items)
    assert first != second
    assert re.fullmatch("[a-zA-Z0-9_-]{1,64}", first)
    assert request_id(first) == first


def test_many_requests_are_several_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    requests = [(f"i{n}", TextRequest("/completions", {"prompt": "ሰላም" * n})) for n in range(7)]
    out = tmp_path / "requests.jsonl"
    assert write_requests(out, requests) == (out,)
    whole = out.read_bytes()
    first = {"custom_id": "i1", "method": "POST", "url": "/v1/completions", "body": {"prompt": "ሰላም"}}
    assert written(out)[1] == first
    for limit, value, sizes in (("MAX_REQUESTS", 3, [3, 3, 1]), ("MAX_BYTES", 300, [3, 2, 2])):
        with monkeypatch.context() as patched:
            patched.setattr(ask_model, limit, value)
            folder = tmp_path / limit
            folder.mkdir()
            files = write_requests(folder / "r.jsonl", requests)
        assert [path.name for path in files] == ["r.jsonl", "r-00002.jsonl", "r-00003.jsonl"]
        assert [path.read_bytes().count(b"\n") for path in files] == sizes
        assert b"".join(path.read_bytes() for path in files) == whole
        assert sorted(folder.iterdir()) == sorted(files)
    # The same again changes nothing, and other requests replace nothing.
    assert write_requests(out, requests) == (out,)
    assert wrong(lambda: write_requests(out, requests[1:])) == (
        f"{out}: exists and holds something else, perhaps requests that are under way; choose another "
        "`batch_out` or move it away"
    )
    assert out.read_bytes() == whole
    assert wrong(lambda: write_requests(tmp_path / "none" / "r.jsonl", requests)) == (
        f"{tmp_path / 'none' / 'r.jsonl'}: cannot write here (No such file or directory); choose another "
        "`batch_out`"
    )


NONE = {
    "give `batch_out` or `batch_in`, and not both": {"batch_in": "s", "batch_out": "r"},
    "a server writes answers, and does not say how likely an option is; give `style=json`, or leave it out": {
        "batch_out": "r",
        "style": "letters",
    },
    "`budget=639` makes sense only where questions are asked one by one, and files are answered elsewhere; "
    "leave it out": {"batch_out": "r", "price": (0, 1), "budget": 639},
    "model tiny: nobody is asked now whether it thinks before it answers, so give `max_tokens`, what an answer "
    "may have, or the `server` that knows it": {"batch_out": "r", "max_tokens": None},
    "nothere.jsonl: no such file; correct the path": {"batch_in": ["nothere.jsonl"]},
}


@pytest.mark.slow
@pytest.mark.parametrize("message", NONE)
def test_what_makes_no_batch_is_refused(run: Run, message: str):
    assert wrong(lambda: run(**NONE[message])) == message
