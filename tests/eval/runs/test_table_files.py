"""Tables of a run are read only as they were written, and a kill leaves one that is."""

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from blend.eval.runs import run_tables as table_files
from blend.eval.runs.answer_files import AnswerReader
from blend.eval.runs.run_directory import read_run, translate_errors
from blend.eval.runs.run_tables import read_frame, write_frame
from blend.eval.scoring import score_answers
from blend.schemas.errors import BlendError, RowError, StorageError
from helpers.kill_points import Echo, run_all

ROWS = pl.DataFrame({"item_id": ["a", "b"], "n": [1, 2]})
RESTORE = "restore it from a copy, or run again into another directory"
ASK_AGAIN = "restore the file, or delete it to have all items asked again"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("tables") / "run"
    run_all(out, Echo())
    return out


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "run"))


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def refused(call: Callable[[], object]) -> str:
    with pytest.raises(BlendError) as reword:
        call()
    return str(reword.value)


@pytest.mark.parametrize("name", ["items.parquet", "gold.parquet"])
def test_one_flipped_bit_is_told(run: Path, name: str):
    path = run / name
    before = (run / f"{name}.sha256").read_text().split()[0]
    flip(path)
    now = table_files.file_sha256(path)
    assert refused(lambda: score_answers(read_run(run))) == (
        f"{path}: not as it was written: its SHA-256 is {now}, and {name}.sha256 says {before}; {RESTORE}"
    )


def test_a_flipped_bit_in_the_answers_is_told(run: Path):
    path = run / "answers" / "answers.parquet"
    flip(path)
    assert refused(lambda: score_answers(read_run(run))).endswith(f"; {ASK_AGAIN}")
    assert refused(lambda: AnswerReader(path.parent)).startswith(
        f"{path}: not as it was written: its SHA-256 is "
    )


@pytest.mark.parametrize(
    ("damage", "what"),
    [
        (Path.unlink, "no such file"),
        (lambda path: (path.unlink(), os.mkfifo(path)), "a named pipe, not a file"),
        (lambda path: (path.unlink(), path.mkdir()), "a directory"),
        (lambda path: (path.unlink(), path.symlink_to("nowhere")), "a link to nowhere, which is not there"),
    ],
    ids=["missing", "pipe", "folder", "link"],
)
def test_what_stands_in_place_of_a_table_is_told(run: Path, damage: Callable[[Path], object], what: str):
    damage(run / "gold.parquet")
    assert refused(lambda: score_answers(read_run(run))) == f"{run}/gold.parquet: {what}; {RESTORE}"


def test_a_table_of_an_earlier_version_has_no_digest_and_is_read(tmp_path: Path):
    ROWS.write_parquet(tmp_path / "old.parquet")
    assert read_frame(tmp_path / "old.parquet", "n").to_dicts() == [{"n": 1}, {"n": 2}]
    assert refused(lambda: read_frame(tmp_path / "old.parquet", "m")) == (
        f"{tmp_path}/old.parquet: not a Parquet file, or damaged; {RESTORE}"
    )


@pytest.mark.parametrize("at", range(3))
def test_a_kill_leaves_a_table_that_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int):
    path = tmp_path / "t.parquet"
    write_frame(path, ROWS)
    calls = iter(range(10))
    really = table_files._write_digests

    def write(*arguments: object) -> None:
        if next(calls) == at // 2:
            if at % 2:
                really(*arguments)
            raise KeyboardInterrupt
        really(*arguments)

    monkeypatch.setattr(table_files, "_write_digests", write)
    with pytest.raises(KeyboardInterrupt):
        write_frame(path, ROWS.reverse())
    kept = read_frame(path)
    assert kept.equals(ROWS if at < 2 else ROWS.reverse())


def test_a_folder_in_place_of_a_table_leaves_its_digest_alone(tmp_path: Path):
    write_frame(tmp_path / "rows.parquet", ROWS)
    before = (tmp_path / "rows.parquet.sha256").read_bytes()
    (tmp_path / "rows.parquet").unlink()
    (tmp_path / "rows.parquet").mkdir()
    with pytest.raises(StorageError, match="is not as the run has made it"), translate_errors(tmp_path):
        write_frame(tmp_path / "rows.parquet", ROWS)
    assert (tmp_path / "rows.parquet.sha256").read_bytes() == before


def test_the_digest_is_one_that_sha256sum_reads(run: Path):
    line = (run / "gold.parquet.sha256").read_text()
    assert line == f"{table_files.file_sha256(run / 'gold.parquet')}  gold.parquet\n"


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("n_items", -1, "n_items: Input should be greater than or equal to 1"),
        ("task", "xyz", "unknown task 'xyz'; choose one of: "),
        ("options", {"style": 7}, "`style`: 7 is not possible (Input should be 'letters', 'texts' or 'json')"),
        (
            "options",
            {"rotations": 10**30},
            "`rotations`: 1000000000000000000000000000000 is not possible (a question has 4 options)",
        ),
        (
            "options",
            {"no": 1},
            "`no`: the task multiple-choice has no such option; it has `locales`, ",
        ),
        ("options", {"style": "letters"}, "options: 'locales' is missing"),
        ("kind", "song", "kind: Input should be 'text', 'logprobs' or 'candidates'"),
    ],
)
def test_a_description_that_cannot_be_is_refused(run: Path, key: str, value: object, why: str):
    path = run / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {key: value}))
    reword = refused(lambda: score_answers(read_run(run)))
    assert reword.startswith(f"{path}: not a description that this version of blend-sdk reads ({why}")
    assert reword.endswith("; use the version that made it, or run again into another directory")


def test_a_description_of_other_items_is_refused(run: Path):
    path = run / "run.json"
    described = json.loads(path.read_text())
    n = described["n_items"]
    path.write_text(json.dumps(described | {"n_items": n + 1}))
    assert refused(lambda: read_run(run).items()) == (
        f"{run}: run.json says {n + 1} items, and items.parquet holds {n}; restore run.json from a copy, or "
        "run again into another directory"
    )


def test_columns_are_what_is_read(tmp_path: Path):
    write_frame(tmp_path / "t.parquet", ROWS)
    assert read_frame(tmp_path / "t.parquet", "n").columns == ["n"]
    with pytest.raises(RowError):
        read_frame(tmp_path / "nothing.parquet")


def test_a_run_that_may_not_be_written_says_so(run: Path, monkeypatch: pytest.MonkeyPatch):
    really = os.open

    def refuse(path: Path, flags: int, *others: int) -> int:
        if flags & os.O_CREAT:
            raise PermissionError(13, "Permission denied", str(path))
        return really(path, flags, *others)

    monkeypatch.setattr(os, "open", refuse)

    def write() -> None:
        with translate_errors(run):
            write_frame(run / "decisions.parquet", ROWS)

    assert refused(write) == (
        f"{run}: cannot write here (Permission denied); choose another `out` or change the permissions"
    )


def test_a_run_whose_folder_of_answers_is_gone_says_so(run: Path):
    shutil.rmtree(run / "answers")
    assert refused(lambda: run_all(run, Echo())) == (
        f"{run}: is not as the run has made it ([Errno 2] No such file or directory: "
        f"'{run}/answers/journal.jsonl'); restore it from a copy, or choose another `out`"
    )


def swell(path: Path, column: str) -> None:
    """Let every row of a table point at one long text, and note the digest of that as its sender would."""
    rows = pq.read_table(path)
    text = pa.DictionaryArray.from_arrays(pa.array([0] * len(rows), pa.int32()), pa.array(["x" * 60_000_000]))
    rows = rows.set_column(rows.column_names.index(column), column, text)
    pq.write_table(
        rows,
        path,
        compression="zstd",
        store_schema=False,
        dictionary_pagesize_limit=1 << 30,
        write_statistics=False,
    )
    path.with_name(f"{path.name}.sha256").write_text(f"{table_files.file_sha256(path)}  {path.name}\n")


READ_IN_PARTS = " in one row group, and more than 1,073,741,824 is not read"
READ_WHOLE = ", and more than 268,435,456 is not read of a file of this size"


@pytest.mark.sampled
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "column", "limit"),
    [
        ("items.parquet", "topic", READ_IN_PARTS),
        ("gold.parquet", "item_id", READ_IN_PARTS),
        ("answers/answers.parquet", "text", READ_WHOLE),
    ],
)
def test_a_table_of_kilobytes_fills_no_memory(run: Path, name: str, column: str, limit: str):
    path = run / name
    swell(path, column)
    assert path.stat().st_size < 20_000
    uses = [lambda: score_answers(read_run(run))]
    if name.startswith("answers"):
        items = read_run(run).items("item_id")
        uses.append(lambda: AnswerReader(path.parent).of(items, "item_id", "text", "error"))
    for use in uses:
        assert re.fullmatch(
            rf"{re.escape(str(path))}: [\d,]+ bytes that unpack to [\d,]+{limit}; "
            "do not use it, and tell who made it",
            refused(use),
        )
