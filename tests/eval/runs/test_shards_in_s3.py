"""Shards in an object store that speaks S3: moto's server, by s3fs, which create an object and replace none."""

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import fsspec
import polars as pl
import pytest

from blend.eval.runs import opened
from blend.eval.runs.answer_files import ANSWERS
from blend.eval.runs.ask_model import ask_model
from blend.eval.runs.pending_shards import ask_shard, pending_shards
from blend.eval.runs.run_directory import read_run
from blend.eval.runs.shards import ShardName, StoredShards, settle_store
from helpers.kill_points import N_ITEMS, Echo, asked

pytestmark = [pytest.mark.integration, pytest.mark.nightly]


@pytest.fixture
def bucket(missing: Callable[[str], None], monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    if find_spec("moto") is None or find_spec("s3fs") is None:
        missing("moto or s3fs")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "of-a-test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                assert server.poll() is None
                time.sleep(0.1)
        fsspec.filesystem("s3", skip_instance_cache=True).mkdir("bucket")
        yield "s3://bucket/runs/1"
    finally:
        server.kill()
        server.wait()


def test_a_run_keeps_its_shards_there_and_replaces_none(bucket: str, tmp_path: Path):
    model, out = Echo(), tmp_path / "run"
    with opened(out, asked(), model.describe(), None) as run:
        store = settle_store(run.answers_folder, bucket)
        for shard in list(pending_shards(run, 5))[:2]:
            ask_shard(model, store, shard)
        other = pl.DataFrame([{"item_id": "i0", "text": "another answer"}], schema=ANSWERS)
        assert store.commit(ShardName(0, 5).file, other) is False
    with opened(out, asked(), model.describe(), None) as run:
        assert settle_store(run.answers_folder, None) == StoredShards(bucket)
        for shard in list(pending_shards(run, 5))[:1]:
            ask_shard(model, StoredShards(bucket), shard)
        ask_model(run, model)
    assert len(model.asked) == len(set(model.asked)) == N_ITEMS
    answers = read_run(out).answers()
    assert answers.height == N_ITEMS
    assert "another answer" not in answers["text"].to_list()
