"""Batch runs: questions go out in files, or to a server as batches, and the answers come back into the run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from blend.eval.models.server import ServerModel
from blend.eval.models.server_requests import VERSION, TextRequest
from blend.eval.runs.answer_files import ANSWERS, answer_tables, journal
from blend.eval.runs.ask_model import STEP, AnswerWriter, finished, pending_items, samples_of
from blend.eval.runs.batch_files import BatchResult, read_results, write_requests
from blend.eval.runs.run_directory import Run, RunOutcome, learn_served_name
from blend.eval.runs.submitted_batches import BatchLog, fetch_batches
from blend.eval.runs.usage import timed
from blend.loaders.files.progress import ProgressCallback
from blend.schemas.errors import ArgumentError, InputError, RowError
from blend.schemas.language.text_comparison import pluralise

_BLOCK = 1024


@dataclass(frozen=True)
class BatchMode:
    """Which way questions go out and answers come in: one of the three."""

    out: Path | None = None
    """File of requests to write."""
    results: tuple[Path, ...] = ()
    """Files of results to read, or folders of answers (`request_runs.ask_requests`)."""
    submit: bool = False
    """Whether a server takes and answers them."""

    @property
    def named(self) -> dict[str, object]:
        """The parameter that chose it, as a user gave it."""
        if self.out is not None:
            return {"batch_out": self.out}
        return {"batch_in": self.results} if self.results else {"batch": True}


def batch_mode(
    batch: bool, batch_out: str | Path | None, batch_in: Sequence[str | Path] | str | Path | None
) -> BatchMode | None:
    """The way that the parameters of `evaluation.run_task` choose; none where questions are asked one by one.

    Raises:
        ArgumentError: If they choose two.
    """
    several = (batch_in,) if isinstance(batch_in, str | Path) else tuple(batch_in or ())
    mode = BatchMode(None if batch_out is None else Path(batch_out), tuple(map(Path, several)), batch)
    if (batch_out is not None) + bool(several) + batch > 1:
        raise ArgumentError("give one of `batch`, `batch_out` and `batch_in`, and not two")
    return mode if batch or several or batch_out is not None else None


def run_in_batches(
    run: Run, model: ServerModel, mode: BatchMode, *, on_progress: ProgressCallback
) -> tuple[Run, RunOutcome]:
    """Write the requests of items without an answer, read results, or have a server do both.

    Returns:
        The run, which may know the model's name now, and how it stands.

    Raises:
        BlendError: As of `write_requests`, `read_results` and `fetch_batches`; what was answered is kept.
    """
    if mode.out is not None:
        return run, _write(run, model, mode.out)
    if mode.results:
        run, outcome, notes = _read(run, model, mode.results)
        return run, outcome._replace(warnings=(*notes, *outcome.warnings))
    with timed(run):
        return _submit(run, model, on_progress)


def _write(run: Run, model: ServerModel, out: Path) -> RunOutcome:
    pending = pending_items(run)
    files = write_requests(out, _requests(run, model, pending))
    outcome = finished(run, run.items("item_id"), n_asked=0)
    return outcome._replace(files=files)


def _requests(run: Run, model: ServerModel, pending: pl.DataFrame) -> Iterator[tuple[str, TextRequest]]:
    requests = model.text_requests(pending["prompt"].to_list(), samples=samples_of(run, pending))
    return zip(pending["item_id"], requests, strict=True)


def _submit(run: Run, model: ServerModel, on_progress: ProgressCallback) -> tuple[Run, RunOutcome]:
    log, pending = BatchLog(run.directory), pending_items(run)
    n_items = run.description.n_items
    n_before = n_items - pending.height
    on_progress(STEP, n_before, n_items)
    if not log.under_way():
        if pending.is_empty():
            return run, finished(run, run.items("item_id"), n_asked=0)
        endpoint = VERSION + next(model.text_requests(["Hi"])).path
        log.begin(_requests(run, model, pending), endpoint)
    results = fetch_batches(log, model, lambda n: on_progress(STEP, min(n_before + n, n_items), n_items))
    # What a killed process has read already is nothing that a user should know of.
    run, outcome, _ = _read(run, model, results)
    log.end()
    return run, outcome


def _read(run: Run, model: ServerModel, paths: Sequence[Path]) -> tuple[Run, RunOutcome, tuple[str, ...]]:
    """Read results into the run; an item that has an answer keeps it, so reading again changes nothing.

    Returns:
        The run, how it stands, and what is to be said of the results.
    """
    n_kept = sum(_keep_answers(run, path) for path in paths if path.is_dir())
    paths = [path for path in paths if not path.is_dir()]
    items, pending = run.items("item_id"), pending_items(run)
    results = read_results(paths, set(items["item_id"]), model.read_reply)
    served = _served_name(run, results)
    is_new = served is not None and getattr(run.description.model, "served_as", None) is None
    run = learn_served_name(run, served)
    position = {item: number for number, item in enumerate(pending["item_id"])}
    chosen: dict[int, BatchResult] = {}
    n_answered = 0
    for result in results:
        number = position.get(result.item_id)
        if number is None or (number in chosen and chosen[number].answer.error is None):
            n_answered += result.answer.error is None
        else:
            chosen[number] = result
    with journal(run.answers_folder) as kept:
        writer = AnswerWriter(pending, kept, lambda _: None)
        numbers = list(chosen)
        for start in range(0, len(numbers), _BLOCK):
            block = numbers[start : start + _BLOCK]
            writer.generations(block, [chosen[number].answer for number in block])
    outcome = finished(run, items, n_asked=len(chosen) + n_kept)
    outcome = outcome._replace(warnings=(*_on_missing(outcome), *outcome.warnings))
    named = _on_name(run) if is_new else ()
    return run, outcome, (*named, *_on_empty(paths, results), *_on_answered(n_answered))


def _keep_answers(run: Run, folder: Path) -> int:
    """Keep what `request_runs.ask_requests` has answered, by the rule of `_read`; returns of how many items."""
    keys = run.items("item_id", "locale", "prompt_id")
    pending = keys.join(pending_items(run), on="item_id", how="semi")
    tables, ids = answer_tables(folder), [pl.Series(dtype=pl.String)]
    if not tables:
        raise InputError(f"{folder}: holds no answers; name one that `blend eval ask` has written, or files")
    with journal(run.answers_folder) as kept:
        for table in tables:
            rows = table.read(list(ANSWERS))
            unknown = rows.join(keys, on="item_id", how="anti")["item_id"]
            if not unknown.is_empty():
                fix = f"the ids of this run are like {keys['item_id'][0]!r}; name answers to its own requests"
                raise RowError(
                    f"nothing is asked under {unknown[0]!r}", where=str(folder / table.name), fix=fix
                )
            found = rows.drop("locale", "prompt_id").join(pending, on="item_id").select(list(ANSWERS))
            kept.append(found.iter_rows(named=True))
            ids.append(found["item_id"])
    return pl.concat(ids).n_unique()


def _served_name(run: Run, results: Sequence[BatchResult]) -> str | None:
    """The one name under which the model has answered, in this run and in the results."""
    before = getattr(run.description.model, "served_as", None)
    for result in results:
        if result.served_as is None:
            continue
        if before is not None and result.served_as != before:
            raise RowError(
                f"the answer comes from {result.served_as!r}, and others of this run from {before!r}",
                where=result.location,
                fix="name the results of one model, and start a run of its own for the other one",
            )
        before = result.served_as
    return before


def _on_name(run: Run) -> Iterator[str]:
    asked, served = run.description.model.id, getattr(run.description.model, "served_as", None)
    if served != asked:
        yield (
            f"the answers come from {served!r}, and {asked!r} was asked; if these are two models, begin anew "
            "in another `out`"
        )


def _on_answered(n: int) -> Iterator[str]:
    if n:
        answers = pluralise(n, "answer")
        yield f"{answers} to items that have one already, left out: the first one of an item counts"


def _on_empty(paths: Sequence[Path], results: Sequence[BatchResult]) -> Iterator[str]:
    for path in paths:
        if not any(result.location.startswith(f"{path}:") for result in results):
            yield f"{path} holds no results"


def _on_missing(outcome: RunOutcome) -> Iterator[str]:
    n_open = outcome.n_missing - outcome.n_failed
    if n_open:
        yield (
            f"{pluralise(n_open, 'item')} without a result; write the requests again with `batch_out`, or ask "
            "without it"
        )
