"""Batch runs: questions go out in files, and the answers come back into the run."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from blend.eval.models.server import ServerModel
from blend.eval.models.server_requests import TextRequest
from blend.eval.runs.ask_model import AnswerWriter, outcome_of, pending_items, samples_of
from blend.eval.runs.batch_files import BatchResult, read_results, write_requests
from blend.eval.runs.run_directory import Run, RunOutcome, change_description
from blend.schemas.errors import RowError
from blend.schemas.language.text_comparison import pluralise

_BLOCK = 1024


def write_run_requests(run: Run, model: ServerModel, out: Path) -> RunOutcome:
    """Write the requests of the items that have no answer; see `batch_files.write_requests`."""
    files = write_requests(out, _requests(run, model, pending_items(run)))
    return outcome_of(run, n_asked=0)._replace(files=files)


def _requests(run: Run, model: ServerModel, pending: pl.DataFrame) -> Iterator[tuple[str, TextRequest]]:
    requests = model.text_requests(pending["prompt"].to_list(), samples=samples_of(run, pending))
    return zip(pending["item_id"], requests, strict=True)


def keep_results(run: Run, model: ServerModel, paths: Sequence[Path]) -> tuple[Run, RunOutcome]:
    """Read results into the run; an item that has an answer keeps it, so reading again changes nothing.

    Returns:
        The run, which may know the model's name now, and how it stands.

    Raises:
        RowError, RowErrors: As of `batch_files.read_results`, and if another model has answered.
    """
    pending = pending_items(run)
    results = read_results(paths, set(run.items("item_id")["item_id"]), model.read_reply)
    served = _served_name(run, results)
    is_new = served is not None and getattr(run.description.model, "served_as", None) is None
    if is_new:
        run = change_description(run, model=run.description.model.model_copy(update={"served_as": served}))
    position = {item: number for number, item in enumerate(pending["item_id"])}
    chosen: dict[int, BatchResult] = {}
    n_answered = 0
    for result in results:
        number = position.get(result.item_id)
        if number is None or (number in chosen and chosen[number].answer.error is None):
            n_answered += result.answer.error is None
        else:
            chosen[number] = result
    with run.answer_file("batch") as file:
        writer = AnswerWriter(pending, file, lambda _: None)
        numbers = list(chosen)
        for start in range(0, len(numbers), _BLOCK):
            block = numbers[start : start + _BLOCK]
            writer.generations(block, [chosen[number].answer for number in block])
    outcome = outcome_of(run, n_asked=len(chosen))
    named = _on_name(run) if is_new else ()
    notes = (*named, *_on_empty(paths, results), *_on_answered(n_answered), *_on_missing(outcome))
    return run, outcome._replace(warnings=(*notes, *outcome.warnings))


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
