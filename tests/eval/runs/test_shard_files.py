"""Files of shards: names, what is free, one that two write, kills, digests."""

import platform
import subprocess
import sys
import threading
from dataclasses import replace
from functools import partial
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.eval.runs.answer_counts import count_answers
from blend.eval.runs.answer_files import ANSWERS, AnswerReader, read_answers
from blend.eval.runs.shards import FolderShards, ShardName, free_ranges
from blend.schemas.errors import RowError, StorageError
from helpers.messages import message_of


@given(
    st.integers(0, 20),
    st.integers(0, 20),
    st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=6),
)
def test_what_is_free_is_what_no_range_holds(start: int, stop: int, some: list[tuple[int, int]]):
    held: list[tuple[int, int]] = []
    for begins, ends in sorted(some):
        begins = max(begins, held[-1][1] if held else 0)
        if begins < ends:
            held.append((begins, ends))
    free = [position for begins, ends in free_ranges(start, stop, held) for position in range(begins, ends)]
    taken = {position for begins, ends in held for position in range(begins, ends)}
    assert free == [position for position in range(start, stop) if position not in taken]


@given(st.integers(0, 10**10), st.integers(0, 10**10), st.integers(0, 99))
def test_a_name_says_what_a_shard_holds(start: int, stop: int, number: int):
    name = ShardName(start, stop, number)
    assert ShardName.of(name.file) == name
    assert ShardName.of(f"{name.file}.sha256") is ShardName.of("part-00001.parquet") is None


def test_of_many_that_write_one_shard_one_does(tmp_path: Path):
    store, name = FolderShards(tmp_path), ShardName(0, 1).file
    rows = [pl.DataFrame([{"item_id": "a", "text": str(n)}], schema=ANSWERS) for n in range(8)]
    kept: list[int] = []

    def commit(n: int) -> None:
        if store.commit(name, rows[n]):
            kept.append(n)

    threads = [threading.Thread(target=commit, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(kept) == 1
    assert read_answers(tmp_path)["text"].to_list() == [str(kept[0])]
    assert not list(tmp_path.glob(".*"))


DYING = """
import os, sys
from pathlib import Path
import polars as pl
from blend.eval.runs.answer_files import ANSWERS
from blend.eval.runs.shards import FolderShards, ShardName

link, out, moment = os.link, *sys.argv[1:]

def killed(*paths):
    if moment == "after":
        link(*paths)
    os.kill(os.getpid(), 9)

os.link = killed
rows = pl.DataFrame([{"item_id": "a", "text": "x"}], schema=ANSWERS)
FolderShards(Path(out)).commit(ShardName(0, 1).file, rows)
"""


@pytest.mark.nightly
@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_kill_leaves_no_shard_without_its_digest(tmp_path: Path, moment: str):
    killed = subprocess.run([sys.executable, "-c", DYING, str(tmp_path), moment], check=False)
    assert killed.returncode == -9
    store, name = FolderShards(tmp_path), ShardName(0, 1).file
    assert store.names() == ([name] if moment == "after" else [])
    rows = pl.DataFrame([{"item_id": "a", "text": "y"}], schema=ANSWERS)
    assert store.commit(name, rows) == (moment == "before")
    store.recover()
    assert sorted(path.name for path in tmp_path.iterdir()) == [name, f"{name}.sha256"]
    text = "x" if moment == "after" else "y"
    assert read_answers(tmp_path)["text"].to_list() == [text]
    content = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(content.replace(text.encode(), b"z"))
    assert "not as it was written" in message_of(RowError, lambda: read_answers(tmp_path))


def test_a_machine_with_another_folder_of_the_same_path_keeps_nothing(tmp_path: Path):
    driver, elsewhere = FolderShards(tmp_path / "driver"), tmp_path / "elsewhere"
    name, rows = ShardName(0, 1).file, pl.DataFrame([{"item_id": "a", "text": "x"}], schema=ANSWERS)
    with driver.signed() as store:
        assert message_of(StorageError, lambda: replace(store, folder=elsewhere).commit(name, rows)) == (
            f"{elsewhere}: {platform.node()} has another folder there than the driver; give one that every "
            "node sees under the same path"
        )
        assert store.commit(name, rows)
    assert not elsewhere.exists()
    assert sorted(path.name for path in driver.folder.iterdir()) == [name, f"{name}.sha256"]


def test_all_of_a_shard_without_a_digest_is_read(tmp_path: Path):
    name = ShardName(0, 1000).file
    answers = [{"item_id": str(n), "text": f"text {n * n}"} for n in range(1000)]
    FolderShards(tmp_path).commit(name, pl.DataFrame(answers, schema=ANSWERS))
    (tmp_path / f"{name}.sha256").unlink()
    assert count_answers(tmp_path).n_answers == 1000
    texts = pq.read_metadata(tmp_path / name).row_group(0).column(list(ANSWERS).index("text"))
    with (tmp_path / name).open("r+b") as file:
        file.seek(texts.data_page_offset + 40)
        file.write(bytes(400))
    # Neither of these wants the texts.
    for read in (count_answers, AnswerReader):
        assert message_of(RowError, partial(read, tmp_path)) == (
            f"{tmp_path / name}: not a Parquet file, or damaged; restore the file, or delete it to have all "
            "items asked again"
        )
