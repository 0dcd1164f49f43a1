"""Batch runs: questions go out in files, and the answers come back into the run."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from blend.eval.models.server import ServerModel, open_server
from blend.eval.models.server_requests import TextRequest
from blend.eval.runs.answer_files import journal
from blend.eval.runs.ask_model import AnswerWriter, finished, pending_items, samples_of
from blend.eval.runs.batch_files import (
    BatchResult,
    items_by_request,
    read_results,
    result_files,
    write_requests,
)
from blend.eval.runs.run_directory import Run, RunOutcome, learn_served_name, read_run
from blend.schemas.errors import ArgumentError, InputError, RowError
from blend.schemas.language.text_comparison import pluralise


@dataclass(frozen=True)
class BatchMode:
    """Which way questions go out and answers come in: one of the two."""

    out: Path | None = None
    """File of requests to write."""
    results: tuple[Path, ...] = ()
    """Files of results to read, or folders of such files."""

    @property
    def named(self) -> dict[str, object]:
        """The parameter that chose it, as a user gave it."""
        if self.out is not None:
            return {"batch_out": self.out}
        return {"batch_in": self.results}


def batch_mode(
    batch_out: str | Path | None, batch_in: Sequence[str | Path] | str | Path | None
) -> BatchMode | None:
    """The way that the parameters of `evaluation.run_task` choose; none where questions are asked one by one.

    Raises:
        ArgumentError: If they choose two.
    """
    several = (batch_in,) if isinstance(batch_in, str | Path) else tuple(batch_in or ())
    if batch_out is not None and several:
        raise ArgumentError("give `batch_out` or `batch_in`, and not both")
    mode = BatchMode(None if batch_out is None else Path(batch_out), tuple(map(Path, several)))
    return mode if several or batch_out is not None else None


def run_in_batches(run: Run, model: ServerModel, mode: BatchMode) -> tuple[Run, RunOutcome]:
    """Write the requests of items without an answer, or read results.

    Returns:
        The run, which may know the model's name now, and how it stands.

    Raises:
        BlendError: As of `write_requests` and `read_results`.
    """
    if mode.out is not None:
        return run, _write(run, model, mode.out)
    return _read(run, model, mode.results)


def _write(run: Run, model: ServerModel, out: Path) -> RunOutcome:
    files = write_requests(out, requests_of(run, model))
    outcome = finished(run, run.items("item_id"), n_asked=0)
    return outcome._replace(files=files)


def requests_of(run: Run, model: ServerModel) -> Iterator[tuple[str, TextRequest]]:
    """The requests of what a run has no answer to, with the ids of their items."""
    pending = pending_items(run)
    requests = model.text_requests(pending["prompt"].to_list(), samples=samples_of(run, pending))
    return zip(pending["item_id"], requests, strict=True)


def asked_in_files(directory: Path) -> tuple[Run, ServerModel]:
    """The run in a directory, and its model as requests in files ask it.

    Raises:
        InputError: If the directory holds no run of written answers of a server.
    """
    run = read_run(directory)
    asked = run.description
    if asked.kind != "text" or asked.model.backend != "server":
        raise InputError(
            f"{directory}: not a run of written answers of a server; begin one with a `server` or `batch_out`"
        )
    model = open_server(
        asked.model.id,
        None,
        chat=asked.model.chat,
        decoding=asked.decoding,
        options=asked.chat_options,
        thought_marks=asked.thought_marks or (),
        reachable=False,
    )
    return run, model


def _read(run: Run, model: ServerModel, paths: Sequence[Path]) -> tuple[Run, RunOutcome]:
    """Read results into the run; an item that has an answer keeps it, so reading again changes nothing.

    All is looked through before anything is kept: a wrong line keeps out what stands before it as well.
    """
    items, pending = run.items("item_id"), pending_items(run)
    results = partial(read_results, result_files(paths), items_by_request(items["item_id"]), model.read_reply)
    served = _served_name(run, results())
    is_new = served is not None and getattr(run.description.model, "served_as", None) is None
    run = learn_served_name(run, served)
    position = {item: number for number, item in enumerate(pending["item_id"])}
    asked: set[int] = set()
    answered: set[int] = set()
    n_further = 0
    with journal(run.answers_folder) as kept:
        writer = AnswerWriter(pending, kept, lambda _: None)
        for result in results():
            number = position.get(result.item_id)
            if number is None or number in answered:
                n_further += result.answer.error is None
                continue
            writer.generations([number], [result.answer])
            asked.add(number)
            answered.update([number] if result.answer.error is None else ())
    outcome = finished(run, items, n_asked=len(asked))
    notes = (*(_on_name(run) if is_new else ()), *_on_further(n_further), *_on_missing(outcome))
    return run, outcome._replace(warnings=(*notes, *outcome.warnings))


def _served_name(run: Run, results: Iterable[BatchResult]) -> str | None:
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


def _on_further(n: int) -> Iterator[str]:
    if n:
        answers = pluralise(n, "answer")
        yield f"{answers} to items that have one already, left out: the first one of an item counts"


def _on_missing(outcome: RunOutcome) -> Iterator[str]:
    n_open = outcome.n_missing - outcome.n_failed
    if n_open:
        yield (
            f"{pluralise(n_open, 'item')} without a result; write the requests again with `batch_out`, or ask "
            "without it"
        )
