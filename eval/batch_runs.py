"""Batch runs: questions go out in files, and the answers come back into the run."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from blend.eval.asked_runs import read_run
from blend.eval.models.server import ServerModel, open_server
from blend.eval.models.server_requests import TextRequest
from blend.eval.runs.ask_model import AnswerWriter, outcome_of, pending_items, samples_of
from blend.eval.runs.batch_files import (
    BatchResult,
    items_by_request,
    read_results,
    result_files,
    write_requests,
)
from blend.eval.runs.run_directory import Run, RunOutcome, change_description
from blend.schemas.errors import InputError, RowError
from blend.schemas.texts import pluralise


def write_run_requests(run: Run, model: ServerModel, out: Path) -> RunOutcome:
    """Write the requests of the items that have no answer; see `batch_files.write_requests`."""
    files = write_requests(out, requests_of(run, model))
    return outcome_of(run, n_asked=0)._replace(files=files)


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


def keep_results(run: Run, model: ServerModel, paths: Sequence[Path]) -> tuple[Run, RunOutcome]:
    """Read results into the run; an item that has an answer keeps it, so reading again changes nothing.

    All is looked through before anything is kept: a wrong line keeps out what stands before it as well.

    Returns:
        The run, which may know the model's name now, and how it stands.

    Raises:
        RowError: As of `batch_files.read_results`, and if another model has answered.
    """
    pending, items = pending_items(run), items_by_request(run.items("item_id")["item_id"])
    results = partial(read_results, result_files(paths), items, model.read_reply)
    served = _served_name(run, results())
    if served is not None and getattr(run.description.model, "served_as", None) is None:
        run = change_description(run, model=run.description.model.model_copy(update={"served_as": served}))
    position = {item: number for number, item in enumerate(pending["item_id"])}
    asked: set[int] = set()
    answered: set[int] = set()
    n_further = 0
    with run.answer_file("batch") as file:
        writer = AnswerWriter(pending, file, lambda _: None)
        for result in results():
            number = position.get(result.item_id)
            if number is None or number in answered:
                n_further += result.answer.error is None
                continue
            writer.generations([number], [result.answer])
            asked.add(number)
            answered.update([number] if result.answer.error is None else ())
    outcome = outcome_of(run, n_asked=len(asked))
    notes = (*_on_further(n_further), *_on_missing(outcome))
    return run, outcome._replace(warnings=(*notes, *outcome.warnings))


def _served_name(run: Run, results: Iterable[BatchResult]) -> str | None:
    """The one name under which the model has answered, in this run and in the results."""
    asked, before = run.description.model.id, getattr(run.description.model, "served_as", None)
    for result in results:
        if result.served_as is None:
            continue
        if before is None and not is_name_of(result.served_as, asked):
            raise RowError(
                f"the answer comes from {result.served_as!r}, and {asked!r} was asked",
                where=result.location,
                fix="name the results of this run; if it is the same model under another name, read them into "
                f"a run that asks it by that one: `model={result.served_as}` and another `out`",
            )
        if before is not None and result.served_as != before:
            raise RowError(
                f"the answer comes from {result.served_as!r}, and others of this run from {before!r}",
                where=result.location,
                fix="name the results of one model, and start a run of its own for the other one",
            )
        before = result.served_as
    return before


_VERSION = re.compile(r"[-@:](\d{4}-\d{2}-\d{2}|\d{8}|\d{3,4}|latest)$")
"""What providers add to the name of a model for one version of it: a date, a number, or a word for the last."""


def is_name_of(served: str, asked: str) -> bool:
    """Whether a provider may call a model so that was asked for by another name, but for version and folder."""
    there, here = (_VERSION.sub("", name.rpartition("/")[2].lower()) for name in (served, asked))
    return there == here


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
