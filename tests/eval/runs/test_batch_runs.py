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
from blend.eval.runs.answer_logs import items_by_request, request_id
from blend.eval.runs.ask_model import write_requests
from blend.eval.runs.run_directory import is_name_of
from helpers.messages import wrong
from helpers.models.model_servers import GREETING, BatchServer, prompt_of

Run = Callable[..., blend.Run]

ANSWERED = ("item_id", "text", "thought", "tokens_in", "tokens_out", "tokens_thought", "finish_reason", "error")


@pytest.fixture
def requests(tmp_path: Path) -> Path:
    return tmp_path / "requests.jsonl"


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return tmp_path / "results.jsonl"


def written(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.sampled
@pytest.mark.integration
@pytest.mark.parametrize("how", [{}, {"temperature": 0.7, "seed": 3, "system": "Be short."}, {"chat": False}])
def test_a_batch_gives_the_scores_of_a_live_run(
    server: BatchServer, run: Run, requests: Path, tmp_path: Path, how: dict[str, Any]
):
    live = run("live", server=server.url, style="json", **how)
    bodies = [body for body in server.bodies if prompt_of(body) != GREETING]
    # Begun without a server, so nobody knows what it calls the model.
    filed = run("filed", batch_out=requests, **how)
    assert filed.outcome.files == (requests,)
    assert filed.description.model.served_as is None
    # The very bodies that are sent live.
    sent = partial(json.dumps, sort_keys=True)
    assert sorted(sent(one["body"]) for one in written(requests)) == sorted(map(sent, bodies))
    lines = server.results(requests.read_bytes())
    results = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    results[0].write_text("".join(lines[:4]))
    results[1].write_text("\n" + "".join(lines[4:]))
    filed = run("filed", batch_in=results, **how)
    assert_frame_equal(*(one.answers(*ANSWERED).sort("item_id") for one in (filed, live)))
    assert filed.description.model.served_as == server.name
    assert blend.score_run(filed).scores.scores == blend.score_run(live).scores.scores
    assert blend.score_run(filed).signature == blend.score_run(live).signature
    # All of it can go on live, and has nothing left to ask.
    n_live = len(server.asked)
    run("filed", server=server.url, style="json", **how)
    assert len(server.asked) == n_live


@pytest.mark.integration
def test_errors_and_what_is_missing_are_asked_again(
    server: BatchServer, run: Run, requests: Path, results: Path, tmp_path: Path
):
    run = partial(run, limit=2)
    first = run(batch_out=requests)
    good = server.results(requests.read_bytes())
    names = [json.loads(line)["custom_id"] for line in good]
    items = items_by_request(first.items("item_id")["item_id"])
    bad = [
        {"custom_id": names[0], "response": None, "error": {"code": "batch_expired", "message": "Too late."}},
        {"custom_id": names[1], "response": {"status_code": 500, "body": {"error": {"message": "Oh"}}}},
        {"custom_id": names[2], "response": {"status_code": 200, "body": {"choices": [{"message": {}}]}}},
    ]
    results.write_text("".join([*good[4:], good[5], *(json.dumps(line) + "\n" for line in bad)]))
    heard: list[str] = []
    (empty := tmp_path / "errors.jsonl").touch()
    read = run(batch_in=[results, empty], on_warning=heard.append)
    assert (read.outcome.n_missing, read.outcome.n_failed) == (4, 3)
    assert heard[1:] == [
        "1 answer to items that have one already, left out: the first one of an item counts",
        "1 item without a result; write the requests again with `batch_out`, or ask without it",
    ]
    assert dict(read.answers("item_id", "error").drop_nulls().rows()) == {
        items[names[0]]: "Too late.",
        items[names[1]]: "HTTP 500, 'Oh'",
        items[names[2]]: "the reply holds no text: \"{'message': {}}\"",
    }
    run(batch_in=results)
    assert_frame_equal(run(batch_in=results).answers(*ANSWERED), read.answers(*ANSWERED))
    (again,) = run(batch_out=tmp_path / "again.jsonl").outcome.files
    assert {line["custom_id"] for line in written(again)} == set(names[:4])
    # What is left can be asked live as well.
    live = run(server=server.url, style="json")
    assert (live.outcome.n_missing, len(server.asked)) == (0, 4)
    assert live.description.n_items == first.description.n_items


@pytest.mark.integration
def test_results_of_another_model_are_refused(server: BatchServer, run: Run, requests: Path, results: Path):
    run(batch_out=requests)

    def called(*names: str) -> Path:
        """Results that say so of their models."""
        lines = [json.loads(line) for line in server.results(requests.read_bytes())[: len(names)]]
        for line, name in zip(lines, names, strict=True):
            line["response"]["body"]["model"] = name
        results.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return results

    own = (
        "name the results of this run; those of a model that calls itself otherwise go into a run of their own"
    )
    assert wrong(lambda: run(batch_in=called(*["tiny-mini"] * 4))) == (
        f"{results}:1: the answer comes from 'tiny-mini', and 'tiny' was asked; {own}: `model=tiny-mini` and "
        "another `out`"
    )
    # What the message says to do.
    assert run("renamed", model="tiny-mini", batch_in=results).outcome.n_missing == 0
    # A model may be called with its version and without, but not with two.
    names = ["tiny", "tiny-2026-11-01", "tiny"]
    assert wrong(lambda: run(batch_in=called(*names, "tiny-2026-10-01"))) == (
        f"{results}:4: the answer comes from 'tiny-2026-10-01', and others of this run from "
        f"'tiny-2026-11-01'; {own}: `model=tiny-2026-10-01` and another `out`"
    )
    # Nothing of a file that is refused was kept.
    assert run(batch_out=requests).answers().is_empty()
    read = run(batch_in=called(*names, "tiny-2026-11-01"))
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


CAME_BACK = "name the file that came back for the requests"


def test_results_that_are_none_are_named_by_file_and_line(
    server: BatchServer, run: Run, requests: Path, results: Path
):
    item = run(batch_out=requests).items("item_id")["item_id"][0]
    line = server.results(requests.read_bytes())[0].encode()
    name = json.loads(line)["custom_id"].encode()
    for bad, message in {
        line + line[:-30] + b"\n": "2: not JSON (Unterminated string starting at); copy the file again",
        line + b"[1]\n": f"2: not the result of a request; {CAME_BACK}",
        line + b'{"custom_id": "%s"}' % name: f"2: not the result of a request; {CAME_BACK}",
        line + requests.read_bytes().splitlines()[0]: f"2: a request, and not its result; {CAME_BACK}",
        line.replace(name, b"mcq-9"): (
            "1, key custom_id: nothing is asked under 'mcq-9'; the ids of this run are like "
            f"{request_id(item)!r}; name the results of its own requests"
        ),
        line + b"\xff\n": "2: byte 0xFF in line 1 is not UTF-8; copy the file again",
    }.items():
        results.write_bytes(bad)
        told = re.sub(r": line 1 column \d+ \(char \d+\)", "", wrong(lambda: run(batch_in=[results])))
        assert told == f"{results}:{message}"
    # Nothing of a file that is refused was kept.
    assert run(batch_out=requests).answers().is_empty()
    # Half of a line at the end, as a kill leaves it, is an item without a result.
    results.write_bytes(line + line[:-30])
    assert run(batch_in=[results]).answers().height == 1


@given(st.lists(st.text(min_size=1), min_size=2, max_size=2, unique=True))
def test_every_provider_takes_the_id_of_a_request(items: list[str]):
    first, second = (request_id(item) for item in items)
    assert first != second
    assert re.fullmatch("[a-zA-Z0-9_-]{1,64}", first)
    assert request_id(first) == first


def test_many_requests_are_several_files(tmp_path: Path, requests: Path, monkeypatch: pytest.MonkeyPatch):
    many = [(f"i{n}", TextRequest("/completions", {"prompt": "ሰላም" * n})) for n in range(7)]
    assert write_requests(requests, many) == (requests,)
    whole = requests.read_bytes()
    first = {"custom_id": "i1", "method": "POST", "url": "/v1/completions", "body": {"prompt": "ሰላም"}}
    assert written(requests)[1] == first
    for limit, value, sizes in (("MAX_REQUESTS", 3, [3, 3, 1]), ("MAX_BYTES", 300, [3, 2, 2])):
        with monkeypatch.context() as patched:
            patched.setattr(ask_model, limit, value)
            folder = tmp_path / limit
            folder.mkdir()
            files = write_requests(folder / "r.jsonl", many)
        assert [path.name for path in files] == ["r.jsonl", "r-00002.jsonl", "r-00003.jsonl"]
        assert [path.read_bytes().count(b"\n") for path in files] == sizes
        assert b"".join(path.read_bytes() for path in files) == whole
        assert sorted(folder.iterdir()) == sorted(files)
    # The same again changes nothing, and other requests replace nothing.
    assert write_requests(requests, many) == (requests,)
    assert wrong(lambda: write_requests(requests, many[1:])) == (
        f"{requests}: exists and holds something else, perhaps requests that are under way; choose another "
        "`batch_out` or move it away"
    )
    assert requests.read_bytes() == whole
    nowhere = tmp_path / "none" / "r.jsonl"
    assert wrong(lambda: write_requests(nowhere, many)) == (
        f"{nowhere}: cannot write here (No such file or directory); choose another `batch_out`"
    )


NONE: dict[str, dict[str, Any]] = {
    "give `batch_out` or `batch_in`, and not both": {"batch_in": "s", "batch_out": "r"},
    "the model writes answers, and does not say how likely an option is; give `style=json`, or leave it out": {
        "batch_out": "r",
        "style": "letters",
    },
    "`budget=639` makes sense only where questions are asked one by one, and files are answered elsewhere; "
    "leave it out": {"batch_out": "r", "price": (0, 1), "budget": 639},
    "model tiny: nobody is asked now whether it thinks before it answers, so give `max_tokens`, what an answer "
    "may have, or the `server` that knows it": {"batch_out": "r", "max_tokens": None},
    "nothere.jsonl: no such file; correct the path": {"batch_in": ["nothere.jsonl"]},
}


@pytest.mark.parametrize("message", NONE)
def test_what_makes_no_batch_is_refused(run: Run, message: str):
    assert wrong(lambda: run(**NONE[message])) == message
