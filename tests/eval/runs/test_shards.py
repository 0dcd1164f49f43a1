"""Shards: what a run still asks, and stores elsewhere; nothing of Ray."""

import sys
from collections import Counter
from functools import partial
from pathlib import Path

import fsspec
import polars as pl
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from polars.testing import assert_frame_equal

from blend.eval.evaluation import run_task
from blend.eval.models.protocols import Generation
from blend.eval.ray_runs import ray_mode
from blend.eval.runs import shards
from blend.eval.runs.answer_counts import count_answers
from blend.eval.runs.answer_files import ANSWERS, AnswerReader, read_answers
from blend.eval.runs.ask_model import ask_model
from blend.eval.runs.pending_shards import TRIES, ShardOutcome, ask_shard, keep_shard, pending_shards
from blend.eval.runs.run_directory import Run
from blend.eval.runs.shards import FolderShards, ShardName, StoredShards, settle_store
from blend.schemas.errors import (
    ArgumentError,
    InputError,
    MissingExtraError,
    RowError,
    ServerError,
    StorageError,
)
from helpers.kill_points import N_ITEMS, Echo, asked, run_all
from helpers.messages import message_of
from helpers.tiers import rest_nightly


def opened_run(out: Path):
    from blend.eval.runs import opened

    return opened(out, asked(), Echo().describe(), None)


def ask_all(run: Run, model: Echo, size: int, *, store=None, at_most: int | None = None) -> list[str]:
    """Ask what is pending, as one worker would; returns the files of the shards."""
    names = []
    for shard in pending_shards(run, size):
        if len(names) == at_most:
            break
        ask_shard(model, store or FolderShards(run.answers_folder), shard)
        names.append(shard.name.file)
    return names


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("size", [1, 5, 7, 100])
def test_all_items_once_in_order_and_then_none(tmp_path: Path, size: int):
    model = Echo()
    with opened_run(tmp_path / "run") as run:
        names = ask_all(run, model, size)
        assert names == [ShardName(n, min(n + size, N_ITEMS)).file for n in range(0, N_ITEMS, size)]
        assert ask_all(run, model, size) == ask_all(run, model, 3) == []
        assert len(model.asked) == len(set(model.asked)) == N_ITEMS
        counts = count_answers(run.answers_folder)
    assert (counts.n_answers, counts.n_failed, counts.tokens_out) == (N_ITEMS, 0, 3 * N_ITEMS)
    run_all(tmp_path / "plain", Echo())
    by_item = [read_answers(tmp_path / out / "answers").sort("item_id") for out in ("run", "plain")]
    assert_frame_equal(*by_item)


@pytest.mark.parametrize(("size", "then"), rest_nightly([(4, 4), (4, 7), (7, 4), (5, 100)], (4, 7)))
def test_a_run_that_was_stopped_goes_on_at_any_size(tmp_path: Path, size: int, then: int):
    model = Echo()
    with opened_run(tmp_path / "run") as run:
        ask_all(run, model, size, at_most=2)
        ask_all(run, model, then)
        assert ask_all(run, model, then) == []
    assert len(model.asked) == len(set(model.asked)) == N_ITEMS


@pytest.mark.slow
def test_a_run_goes_on_without_shards_and_the_reverse(tmp_path: Path):
    first, second, third = Echo(), Echo(), Echo()
    with opened_run(tmp_path / "run") as run:
        ask_all(run, first, 5, at_most=2)
        with pytest.raises(KeyboardInterrupt):
            ask_model(run, Stopping(second, after=4))
        ask_all(run, third, 5)
        assert ask_model(run, Echo()).n_asked == 0
    together = Counter(first.asked + second.asked[:4] + third.asked)
    assert len(together) == N_ITEMS == sum(together.values())


class Stopping:
    """A model whose process is stopped after some answers."""

    def __init__(self, model: Echo, after: int) -> None:
        self._model = model
        self._after = after

    def generate(self, prompts, *, samples=None, keep=None):
        self._model.generate(prompts[: self._after], keep=keep)
        raise KeyboardInterrupt


@pytest.mark.slow
def test_what_failed_is_asked_again_in_a_round_of_its_own(tmp_path: Path):
    failing, model = Echo(fails=True), Echo()
    with opened_run(tmp_path / "run") as run:
        ask_all(run, failing, 5)
        # An item is tried so often in one asking.
        assert Counter(failing.asked)["prompt 7\n", 0] == TRIES
        counts = count_answers(run.answers_folder)
        assert (counts.n_answers, counts.n_failed, counts.first_error) == (N_ITEMS, 1, "timed out")
        assert ask_all(run, Echo(fails=True), 5) == ["part-items000000005-000000010-again1.parquet"]
        assert ask_all(run, model, 5) == ["part-items000000005-000000010-again2.parquet"]
        assert model.asked == [("prompt 7\n", 0)]
        assert ask_all(run, model, 5) == []
        counts = count_answers(run.answers_folder)
    assert (counts.n_answers, counts.n_failed) == (N_ITEMS, 0)


class Bearing(Echo):
    """Knows whether it was told that what it refuses was refused before."""

    bears = False

    def bearing_refusals(self) -> "Bearing":
        other = Bearing()
        other.asked, other.bears = self.asked, True
        return other

    def generate(self, prompts, *, samples=None, keep=None):
        self.asked += [(prompt, self.bears) for prompt in prompts]
        keep(range(len(prompts)), [Generation("yes", 1, 1, "stop")] * len(prompts))


@pytest.mark.slow
@pytest.mark.parametrize("by_shards", [True, False])
def test_what_failed_is_asked_after_what_was_never_asked(tmp_path: Path, by_shards: bool):
    first, then = Echo(fails=True), Bearing()
    with opened_run(tmp_path / "run") as run:
        with pytest.raises(KeyboardInterrupt):
            ask_model(run, Stopping(first, after=9))
        if by_shards:
            ask_all(run, then, 5)
        else:
            ask_model(run, then)
        assert count_answers(run.answers_folder)[:2] == (N_ITEMS, 0)
    assert then.asked == [*((f"prompt {n}\n", False) for n in range(9, N_ITEMS)), ("prompt 7\n", True)]


def test_a_server_that_goes_away_leaves_what_it_answered(tmp_path: Path):
    class Gone(Echo):
        def generate(self, prompts, *, samples=None, keep=None):
            keep([0], [Generation("yes", 1, 1, "stop")])
            raise ServerError("the server has gone away")

    class Down(Echo):
        def generate(self, prompts, *, samples=None, keep=None):
            raise ServerError("the server is down")

    with opened_run(tmp_path / "run") as run:
        store, shards = FolderShards(run.answers_folder), pending_shards(run, 5)
        assert ask_shard(Gone(), store, next(shards)) == ShardOutcome(1, 1, 1, "the server has gone away")
        assert ask_shard(Down(), store, next(shards)) == ShardOutcome(0, 0, 0, "the server is down")
        assert store.names() == ["part-items000000000-000000005.parquet"]
        model = Echo()
        ask_all(run, model, 5)
        assert len(model.asked) == len(set(model.asked)) == N_ITEMS - 1


@pytest.mark.slow
def test_a_shard_is_halved_down_to_one_item(tmp_path: Path):
    with opened_run(tmp_path / "run") as run:
        (whole,) = pending_shards(run, 100)
        waiting, ones = [whole], []
        while waiting:
            shard = waiting.pop(0)
            if shard.items.height == 1:
                ones.append(shard)
            else:
                waiting += shard.halves()
        for shard in ones:
            keep_shard(FolderShards(run.answers_folder), shard, {}, error="died")
        assert sorted(shard.name[:2] for shard in ones) == [(n, n + 1) for n in range(N_ITEMS)]
        assert count_answers(run.answers_folder).n_failed == N_ITEMS


@pytest.fixture
def bucket(request: pytest.FixtureRequest) -> str:
    url = f"memory://bucket-{abs(hash(request.node.name))}/run"
    yield url
    files = fsspec.filesystem("memory")
    if files.exists(url):
        files.rm(url, recursive=True)


@pytest.mark.slow
def test_shards_in_a_store_are_read_and_gone_on_with(tmp_path: Path, bucket: str):
    model = Echo()
    with opened_run(tmp_path / "run") as run:
        store = settle_store(run.answers_folder, bucket)
        assert store == StoredShards(bucket)
        ask_all(run, model, 5, store=store, at_most=3)
        assert not list(run.answers_folder.glob("*.parquet"))
        assert settle_store(run.answers_folder, None) == store
        ask_model(run, model)
        assert ask_all(run, model, 5) == []
        assert len(model.asked) == len(set(model.asked)) == N_ITEMS
        reader = AnswerReader(run.answers_folder)
        found = pl.concat([reader.of(some, "item_id", "text", "error") for some in run.items().iter_slices(7)])
        assert_frame_equal(
            found.sort("item_id"), run.answers("item_id", "text", "error").sort("item_id"), check_exact=True
        )


def test_an_object_is_created_and_never_replaced(bucket: str):
    store, name = StoredShards(bucket), ShardName(0, 1).file
    rows = [pl.DataFrame([{"item_id": "a", "text": text}], schema=ANSWERS) for text in "xy"]
    assert [store.commit(name, one) for one in rows] == [True, False]
    assert store.read(name, ["text"])["text"].to_list() == ["x"]


def test_shards_lie_in_one_place(tmp_path: Path, bucket: str):
    with opened_run(tmp_path / "run") as run:
        answers = run.answers_folder
        ask_all(run, Echo(), 5, at_most=1)
        assert message_of(InputError, lambda: settle_store(answers, bucket)) == (
            f"`ray_out={bucket}`: the shards of this run lie in {answers}; leave `ray_out` out to go on"
        )
    with opened_run(tmp_path / "other") as run:
        other = str(tmp_path / "run" / "answers")
        assert message_of(InputError, lambda: settle_store(run.answers_folder, other)) == (
            f"`ray_out={other}`: holds the shards of another run; name an empty place"
        )


def test_an_address_that_no_library_knows(tmp_path: Path):
    assert message_of(InputError, lambda: settle_store(tmp_path, "nowhere://bucket/run")) == (
        "`ray_out=nowhere://bucket/run`: Protocol not known: nowhere; give an address such as s3://bucket/run"
    )


def test_a_store_that_cannot_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError("Access Denied")

    monkeypatch.setattr("fsspec.implementations.memory.MemoryFileSystem.exists", refuse)
    assert message_of(StorageError, lambda: settle_store(tmp_path, "memory://closed")) == (
        "memory://closed: the store cannot be used (Access Denied); every shard that was kept stays: correct "
        "`ray_out` or its credentials, and run the same again"
    )


@pytest.mark.parametrize(
    ("error", "n_refused", "n_asked"),
    [
        (OSError("Please reduce your request rate."), 2, 3),
        (OSError("Please reduce your request rate."), 99, shards._TRIES),
        (PermissionError("Access Denied"), 99, 1),
    ],
    ids=["for a while", "for long", "for good"],
)
def test_a_store_that_takes_nothing_for_a_while_loses_no_answers(
    bucket: str, monkeypatch: pytest.MonkeyPatch, error: OSError, n_refused: int, n_asked: int
):
    told: list[str] = []
    pipe_file = MemoryFileSystem.pipe_file

    def refuse(self: MemoryFileSystem, path: str, *content: bytes, **options: str) -> None:
        told.append(path)
        if len(told) <= n_refused:
            raise error
        pipe_file(self, path, *content, **options)

    monkeypatch.setattr(MemoryFileSystem, "pipe_file", refuse)
    monkeypatch.setattr(shards, "_PAUSE_S", 0)
    store, rows = StoredShards(bucket), pl.DataFrame([{"item_id": "a"}], schema=ANSWERS)
    if n_refused < n_asked:
        assert store.commit(ShardName(0, 1).file, rows)
        assert not store.commit(ShardName(0, 1).file, rows)
        assert store.names() == [ShardName(0, 1).file]
    else:
        told_why = message_of(StorageError, lambda: store.commit(ShardName(0, 1).file, rows))
        assert f"the store cannot be used ({error})" in told_why
        assert len(told) == n_asked


@pytest.mark.parametrize(("name", "value"), [("ray_out", "s3://bucket/run"), ("ray_items", 7)])
def test_what_says_how_a_cluster_asks_needs_one(name: str, value: object):
    given = {"ray": None, "ray_out": None, "ray_items": None, name: value}
    assert message_of(ArgumentError, lambda: ray_mode(**given)) == (
        f"`{name}={value}` makes sense only with `ray`; leave it out"
    )


def test_that_there_was_a_thought_is_known_without_reading_it(tmp_path: Path):
    rows = [{"item_id": "a", "thought": "hm"}, {"item_id": "b"}]
    FolderShards(tmp_path).commit(ShardName(0, 2).file, pl.DataFrame(rows, schema=ANSWERS))
    read = [read_answers(tmp_path, "item_id", "thought", "error", thoughts=one) for one in (True, False)]
    assert [one["thought"].to_list() for one in read] == [["hm", None], ["", None]]


def test_a_run_without_ray_says_what_to_install_and_leaves_nothing(
    mini_release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "ray", None)
    out = tmp_path / "run"
    ask = partial(run_task, mini_release, "short-answer", model=Echo(), out=out, ray="auto")
    assert message_of(MissingExtraError, ask) == (
        'a run on Ray needs an optional dependency; in a checkout of blend-sdk: pip install -e ".[ray]"'
    )
    assert not out.exists()


def refused(release: Path, out: Path, **options: object) -> str:
    given = {"model": "m", "ray": "auto", **options}
    return message_of(ArgumentError, partial(run_task, release, "multiple-choice", out=out, **given))


def test_what_a_cluster_is_not_asked_for(mini_release: Path, tmp_path: Path):
    where = "where no cluster is asked (`ray`); leave it out"
    assert refused(mini_release, tmp_path, shard=(1, 2)) == f"`shard=1/2` makes sense only {where}"
    assert refused(mini_release, tmp_path, batch=True) == f"`batch=True` makes sense only {where}"
    assert refused(mini_release, tmp_path, ray_items=0) == "`ray_items`: 0 is not possible (it is 1 at least)"
    assert refused(mini_release, tmp_path, style="letters") == (
        "`ray=auto` makes sense only where answers are written, and here the likeliest option or candidate is "
        "the answer; leave it out"
    )


@pytest.mark.parametrize("content", [b"", b"elsewhere", b"\xff\x00"])
def test_an_address_that_somebody_has_damaged(tmp_path: Path, content: bytes):
    path = tmp_path / "shards.url"
    path.write_bytes(content)
    shown = content.decode("utf-8", "replace")
    assert message_of(RowError, lambda: read_answers(tmp_path)) == (
        f"{path}: {shown!r} is no address of a folder or a store; write there the `ray_out` that the run was "
        "given"
    )
