"""Requests in files, as batches have them, asked of a server without a release: here, or by a cluster.

Answers are kept as those of a run on a cluster are, in `runs.shards` named for the positions of their requests.
A run whose requests they answer reads the folder as it reads the results of a batch.
"""

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from hashlib import sha256
from itertools import islice
from pathlib import Path

import polars as pl

from blend.eval.asking_parameters import how_asked
from blend.eval.models.server import open_server
from blend.eval.ray_runs import asked_on_ray
from blend.eval.ray_workers import connected
from blend.eval.runs.answer_files import AnswerCounts, count_answers
from blend.eval.runs.ask_model import STEP
from blend.eval.runs.batch_files import read_request
from blend.eval.runs.pending_shards import ask_shard
from blend.eval.runs.shards import FolderShards, ItemShard, ShardName, free_ranges
from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.content import open_content, read_content
from blend.loaders.files.own_folders import check_own_folder
from blend.loaders.files.pins import file_sha256
from blend.loaders.files.progress import ProgressCallback, silent
from blend.schemas.errors import InputError, RowError, ServerError

ASKED_NAME = "requests.sha256"
"""File in the folder of answers by which one knows that the requests are still the same."""

ITEMS_HERE = 100
"""Requests that this process asks between two writings; so many are asked again after it was stopped."""


def ask_requests(
    requests: str | Path,
    out: str | Path,
    *,
    server: str | None = None,
    concurrency: int | None = None,
    ray: str | None = None,
    ray_items: int | None = None,
    on_progress: ProgressCallback = silent,
) -> AnswerCounts:
    """Ask a server the requests in files, and keep its answers; the same call goes on where it was stopped.

    Args:
        requests: A file of requests as ``batch_out`` of `evaluation.run_task` writes them, or a folder of such
            files (``*.jsonl``), all for one model.
        out: Folder of the answers, which ``batch_in`` of the run reads that wrote the requests.
        server: As of `evaluation.run_task`, like the next three.
        concurrency: Likewise.
        ray: Likewise; this process asks when absent.
        ray_items: Likewise.
        on_progress: Hears how many requests of all are asked.

    Returns:
        How many were answered, and how many failed: these are in the next ``batch_out`` of the run.

    Raises:
        ArgumentError: If a parameter cannot be.
        InputError: If there are no requests, or ``out`` holds something else.
        RowError: If a line is not a request, its id is that of another one, or its model is another one.
        ServerError: If the server or the cluster cannot be asked. What was answered until then is kept.
    """
    how = how_asked(concurrency=concurrency, ray=ray, ray_items=ray_items)
    paths = sorted(Path(requests).glob("*.jsonl")) if Path(requests).is_dir() else [Path(requests)]
    n_requests, model = _checked(Path(requests), paths)
    store = _opened(Path(out).absolute(), paths)
    asked = open_server(model, server, concurrency=concurrency).sending_requests()
    held = sorted(name[:2] for file in store.names() if (name := ShardName.of(file)))
    n_done = sum(stop - start for start, stop in held)
    problem: str | None = None

    def wanted() -> Iterator[ItemShard]:
        for shard in _shards(paths, ITEMS_HERE if how.ray is None else how.ray.items, held):
            if problem is not None:
                return
            yield shard

    on_progress(STEP, n_done, n_requests)
    with nullcontext() if how.ray is None else connected(how.ray.address):
        here = (ask_shard(asked, store, shard) for shard in wanted())
        for outcome in here if how.ray is None else asked_on_ray(asked, store, wanted()):
            n_done += outcome.n_items
            on_progress(STEP, n_done, n_requests)
            problem = problem or outcome.problem
    if problem is not None:
        raise ServerError(problem)
    return count_answers(store.folder)


def _lines(paths: Sequence[Path]) -> Iterator[tuple[bytes, str]]:
    """Lines, each with its place."""
    for path in paths:
        with open_content(path) as file:
            yield from ((line, f"{path}:{number}") for number, line in enumerate(file, 1) if line.strip())


def _checked(requests: Path, paths: Sequence[Path]) -> tuple[int, str]:
    """How many requests there are, and for which model."""
    ids: dict[str, str] = {}
    models: dict[str, str] = {}
    for line, location in _lines(paths):
        item_id, request = read_request(line, location)
        if (before := ids.setdefault(item_id, location)) != location:
            fix = "give each request a custom_id of its own"
            raise RowError(f"a second request {item_id!r}, as in {before}", where=location, fix=fix)
        models.setdefault(str(request.body.get("model", "")), location)
        if len(models) > 1:
            fix = "ask the requests of each model by themselves"
            raise RowError(f"requests for {' and '.join(map(repr, models))}", where=location, fix=fix)
    if not ids:
        raise InputError(f"{requests}: holds no requests; write some with `batch_out` (*.jsonl)")
    return len(ids), next(iter(models))


def _opened(out: Path, paths: Sequence[Path]) -> FolderShards:
    """The folder of answers, made for these requests."""
    check_own_folder(out, what="a folder of answers", is_ours=_is_ours)
    digest = sha256("".join(file_sha256(path) for path in paths).encode()).hexdigest()
    noted = out / ASKED_NAME
    if noted.exists() and read_content(noted).decode("utf-8", "replace").strip() != digest:
        raise InputError(f"{out}: holds answers to other requests; choose another `out`")
    out.mkdir(parents=True, exist_ok=True)
    atomic_write(noted, digest + "\n")
    store = FolderShards(out)
    store.recover()
    return store


def _is_ours(name: str) -> bool:
    return name.startswith((ASKED_NAME, f".{ASKED_NAME}", "part-items", ".part-items"))


def _shards(paths: Sequence[Path], size: int, held: Sequence[tuple[int, int]]) -> Iterator[ItemShard]:
    """Requests that no shard holds, so many at a time, by their positions."""
    lines, start = _lines(paths), 0
    while some := list(islice(lines, size)):
        ids = [read_request(*line)[0] for line in some]
        rows = pl.DataFrame({"item_id": ids, "prompt": [line.decode() for line, _ in some]}).with_columns(
            position=pl.int_range(start, start + len(some), dtype=pl.UInt32),
            sample=pl.lit(0, pl.Int64),
            locale=pl.lit(None, pl.String),
            prompt_id=pl.lit(None, pl.String),
        )
        for begins, ends in free_ranges(start, start + len(some), held):
            yield ItemShard(ShardName(begins, ends), rows[begins - start : ends - start])
        start += len(some)
