"""Requests in files, as batches have them, asked of a server without a release: here, or by a cluster.

Answers are kept as those of a run on a cluster are, in `runs.shards` named for the positions of their requests.
A run whose requests they answer reads the folder as it reads the results of a batch.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from blend.eval.asking_parameters import how_asked
from blend.eval.models.protocols import Generator
from blend.eval.models.server import open_server
from blend.eval.ray_runs import asked_on_ray
from blend.eval.ray_workers import connected
from blend.eval.runs.answer_counts import count_answers
from blend.eval.runs.ask_model import outcome_of, with_budget
from blend.eval.runs.asked_shards import OnStatus, Standing, ask_shards
from blend.eval.runs.batch_files import read_request
from blend.eval.runs.pending_shards import ShardOutcome, ask_shard, shards_without_answers
from blend.eval.runs.run_directory import LOCK_NAME, RunOutcome, held_alone
from blend.eval.runs.shards import FolderShards, ItemShard
from blend.eval.runs.usage import AskingPlan, OnPlan, Price, Spending, estimated_tokens, usage_of
from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.content import open_content, read_content
from blend.loaders.files.own_folders import check_own_folder
from blend.loaders.files.pins import file_sha256
from blend.loaders.files.progress import ProgressCallback, silent
from blend.schemas.errors import InputError, RowError

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
    price: tuple[float, float] | None = None,
    budget: float | None = None,
    on_progress: ProgressCallback = silent,
    on_plan: OnPlan | None = None,
    on_status: OnStatus | None = None,
) -> RunOutcome:
    """Ask a server the requests in files, and keep its answers; the same call goes on where it was stopped.

    Args:
        requests: A file of requests as ``batch_out`` of `evaluation.run_task` writes them, or a folder of such
            files (``*.jsonl``), all for one model.
        out: Folder of the answers, which ``batch_in`` of the run reads that wrote the requests.
        server: As of `evaluation.run_task`, like the others.
        concurrency: Likewise.
        ray: Likewise; this process asks when absent.
        ray_items: Likewise.
        price: Likewise.
        budget: Likewise; no shard is begun when it is spent, or no further 100 requests of this process.
        on_progress: Hears how many requests of all are asked.
        on_plan: As of `evaluation.run_task`; where it raises an error, nothing is written.
        on_status: Likewise, without a cluster too.

    Returns:
        How the requests stand. Those that failed are asked again by the next call.

    Raises:
        ArgumentError: If a parameter cannot be.
        InputError: If there are no requests, or ``out`` holds something else.
        ConflictError: If another process asks into ``out``.
        RowError: If a line is not a request, its id is that of another one, or its model is another one.
        ServerError: If the server or the cluster cannot be asked. What was answered until then is kept.
    """
    how = how_asked(
        server=server,
        concurrency=concurrency,
        ray=ray,
        ray_items=ray_items,
        price=price,
        budget=budget,
    )
    paths = sorted(Path(requests).glob("*.jsonl")) if Path(requests).is_dir() else [Path(requests)]
    n_requests, model = _checked(Path(requests), paths)
    slices = partial(_slices, paths, ITEMS_HERE if how.ray is None else how.ray.items)
    folder, digest = Path(out).absolute(), sha256("".join(map(file_sha256, paths)).encode()).hexdigest()
    _check_answers(folder, digest)
    if on_plan is not None:
        on_plan(_planned(shards_without_answers(folder, slices), how.price))
    asked = open_server(model, server, concurrency=concurrency)
    folder.mkdir(parents=True, exist_ok=True)
    with held_alone(folder):
        store = _opened(folder, digest)
        before = count_answers(folder)
        standing = Standing(n_requests, before.n_answers - before.n_failed, how.price, on_progress)
        spending = None
        if how.price is not None and how.budget is not None:
            spending = Spending(folder, how.price, how.budget)
        ask = partial(_asked_here if how.ray is None else asked_on_ray, asked, store)
        with nullcontext() if how.ray is None else connected(how.ray.address):
            ask_shards(ask, shards_without_answers(folder, slices), standing, spending, on_status)
        counts = count_answers(folder)
    outcome = outcome_of(n_requests, counts, n_asked=standing.n_asked)
    outcome = outcome._replace(usage=usage_of(counts, how.price))
    return outcome if spending is None else with_budget(spending, outcome)


def _asked_here(model: Generator, store: FolderShards, shards: Iterator[ItemShard]) -> Iterator[ShardOutcome]:
    return (ask_shard(model, store, shard) for shard in shards)


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


def _planned(pending: Iterable[ItemShard], price: Price | None) -> AskingPlan:
    """Plan what the requests in some shards will take; no tokenizer of their model is at hand."""
    bodies = (read_request(line.encode(), "")[1].body for shard in pending for line in shard.items["prompt"])
    n_requests = n_bytes = 0
    tokens_out: int | None = 0
    for body in bodies:
        n_requests += 1
        n_bytes += sum(len(text.encode()) for text in _texts_in(body.get("messages", body.get("prompt"))))
        limit = _most_written(body)
        tokens_out = None if limit is None or tokens_out is None else tokens_out + limit
    tokens_in = estimated_tokens(n_bytes)
    cost = None if price is None or tokens_out is None else price.of(tokens_in, tokens_out)
    return AskingPlan(n_requests, tokens_in, True, tokens_out, cost)


def _most_written(body: Mapping[str, Any]) -> int | None:
    """How many tokens the answers to a request may have; null where it sets no limit."""
    limit, n_answers = body.get("max_tokens", body.get("max_completion_tokens")), body.get("n", 1)
    known = (type(number) is int and number > 0 for number in (limit, n_answers))
    return limit * n_answers if all(known) else None


def _texts_in(prompt: object) -> Iterator[str]:
    """The texts in the messages of a chat, whose contents can be lists of parts, or in a prompt."""
    match prompt:
        case str(text) | {"content": str(text)} | {"text": str(text)}:
            yield text
        case list(parts) | {"content": list(parts)}:
            for part in parts:
                yield from _texts_in(part)


def _check_answers(folder: Path, digest: str) -> None:
    """Check that a folder of answers is free, or made for the same requests."""
    check_own_folder(folder, what="a folder of answers", is_ours=_is_ours)
    noted = folder / ASKED_NAME
    if noted.exists() and read_content(noted).decode("utf-8", "replace").strip() != digest:
        raise InputError(f"{folder}: holds answers to other requests; choose another `out`")


def _opened(folder: Path, digest: str) -> FolderShards:
    """The folder of answers, which this process holds, for these requests."""
    _check_answers(folder, digest)  # again: another process may have begun in between
    atomic_write(folder / ASKED_NAME, digest + "\n")
    store = FolderShards(folder)
    store.recover()
    return store


def _is_ours(name: str) -> bool:
    return name == LOCK_NAME or name.startswith((ASKED_NAME, f".{ASKED_NAME}", "part-items", ".part-items"))


def _slices(paths: Sequence[Path], size: int) -> Iterator[pl.DataFrame]:
    """Requests as `ItemShard.items`, so many at a time."""
    lines, start = _lines(paths), 0
    while some := list(islice(lines, size)):
        ids = [read_request(*line)[0] for line in some]
        yield pl.DataFrame({"item_id": ids, "prompt": [line.decode() for line, _ in some]}).with_columns(
            position=pl.int_range(start, start + len(some), dtype=pl.UInt32),
            sample=pl.lit(0, pl.Int64),
            locale=pl.lit(None, pl.String),
            prompt_id=pl.lit(None, pl.String),
        )
        start += len(some)
