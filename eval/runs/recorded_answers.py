"""Recorded answers: a file of what another tool's model answered, to be scored like a run of our own."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl

from blend.eval.items import TaskItems
from blend.eval.runs.answer_logs import ID_KEYS, LOGS, LoggedAnswer, as_answer, read_log
from blend.eval.runs.answers import ANSWERS, generated
from blend.eval.runs.batch_files import items_by_request
from blend.eval.runs.run_description import RecordedAnswers
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import SUFFIXES, Columns, read_rows
from blend.schemas.errors import InputError, RowError

_FINISH_REASON_NAMES = ("stop_reason", "done_reason", "native_finish_reason")
"""Names of ``finish_reason`` at Anthropic, Ollama and OpenRouter; left out, cut answers would be scored."""

_FURTHER = ("thought", "finish_reason")
_SHOWN_FAILED = 3


class Recorded(NamedTuple):
    """The answers of a file."""

    answers: pl.DataFrame
    """What the file has of `answers.ANSWERS`, in its order."""
    description: RecordedAnswers
    """What stands in ``run.json`` in place of a model."""
    warnings: tuple[str, ...]
    """What the reader noticed and did not refuse, in words for a user."""


def read_recorded(path: Path, asked: TaskItems, *, model: str | None = None) -> Recorded:
    """The answers in a table, JSON Lines or Parquet file, or in a log of `answer_logs`.

    Args:
        path: A log, or a file with an id (see `ID_KEYS`; ``ID`` names a question's template and so needs
            one item per template), ``response``, and perhaps ``prompt``, the exact text that was asked,
            ``thought``, what the model thought before, and ``finish_reason``, as `replies.meaning_of`
            knows it. Further columns are left out.
        asked: What is asked; rows of what is skipped are left out and remarked.
        model: Name of the model; the name of the file when absent.

    Returns:
        The answers. An empty or absent response is an empty answer, which is wrong, and is remarked. Items
        without a row are missing and remarked.

    Raises:
        InputError: If there is no such file, or if it has no column that names items.
        RowError, RowErrors: If the file cannot be read, or if ids are unknown, twice there or blank, or a
            response is not text; names file and row of each.
    """
    if not path.is_file():
        raise InputError(
            f"{path}: no such file; `answers` names a file of answers ({', '.join(SUFFIXES)}, or {LOGS})"
        )
    items, diagnostics = asked.items, Diagnostics()
    samples = items["sample"].n_unique() if "sample" in items.columns else 1
    given, n_further = read_log(path, samples=samples) or (_table(path, diagnostics), 0)
    answered = [one for one in given if one.answer.error is None]
    noticed = list(_left_out([one for one in given if one.answer.error is not None], n_further))
    if not answered:
        raise InputError(f"{path}: no answers; {'; '.join(noticed) or 'write one row per item'}")
    ids, skipped = _ids(path, asked, answered[0].id_name)
    _check_ids(diagnostics, answered, ids, skipped)
    kept = [one for one in answered if one.id in ids]
    rows = [{"item_id": ids[one.id or ""], **generated(one.answer), "asked": one.prompt} for one in kept]
    answers = pl.DataFrame(rows, {name: ANSWERS[name] for name in rows[0]} if rows else ANSWERS)
    return Recorded(
        answers.with_columns(finish_reason=pl.col("finish_reason").replace("", None)),
        RecordedAnswers.of(path, model),
        (*noticed, *_warnings(len(answered), kept, items, answers)),
    )


def _left_out(failed: list[LoggedAnswer], n_further: int) -> Iterator[str]:
    if failed:
        shown = "; ".join(f"{one.location}: {one.answer.error}" for one in failed[:_SHOWN_FAILED])
        more = " …" if len(failed) > _SHOWN_FAILED else ""
        yield f"records without an answer, left out: {len(failed)} ({shown}{more})"
    if n_further:
        yield f"further answers to an item, left out: {n_further}; the first one counts"


def _table(path: Path, diagnostics: Diagnostics) -> list[LoggedAnswer]:
    columns = Columns(
        ("response",),
        (*ID_KEYS, "prompt", *_FURTHER),
        others=True,
        other_names={"finish_reason": _FINISH_REASON_NAMES},
    )
    rows = read_rows(path, path.parent, diagnostics, columns)
    diagnostics.raise_problems()
    fix = "store the column as text" if path.suffix.lower() == ".parquet" else "write text in quotes"
    answers = []
    for location, values in ((row.location, row.values) for row in rows):
        texts = {name: values.get(name) or "" for name in ("response", *_FURTHER)}
        wrong = {name: value for name, value in texts.items() if not isinstance(value, str)}
        for name, value in wrong.items():
            diagnostics.problem(f"{value!r} is not text", where=f"{location}, column {name}", fix=fix)
        if not wrong:
            id_name = next((name for name in ID_KEYS if name in values), None)
            named, prompt = values.get(id_name or ""), values.get("prompt") or None
            answer = as_answer(*texts.values())
            answers.append(LoggedAnswer(id_name, named, answer, prompt=prompt, location=location))
    diagnostics.raise_problems()
    return answers


def _ids(path: Path, asked: TaskItems, id_name: str | None) -> tuple[Mapping[str, str], set[str]]:
    """The item that each value of the id column names, and values that name what is not asked."""
    items, key = asked.items, "template_id" if id_name == "ID" else "item_id"
    n_named = items[key].n_unique()
    if id_name is None:
        raise RowError("no column names the items", where=path.name, fix=f"add one of {', '.join(ID_KEYS)}")
    if n_named < items.height:
        raise RowError(
            f"column ID names {n_named} templates, but {items.height} items are asked",
            where=path.name,
            fix="name one locale in `locales`, or the items by item_id, as decisions.parquet of a scored run "
            "lists them",
        )
    ids = dict(zip(items[key], items["item_id"], strict=True)) if key == "template_id" else None
    skipped = set() if asked.skipped is None else {*asked.skipped[key]}
    return ids or items_by_request(items["item_id"]), skipped


def _check_ids(
    diagnostics: Diagnostics, answers: Sequence[LoggedAnswer], ids: Mapping[str, str], skipped: Collection[str]
) -> None:
    seen: dict[str, str] = {}
    id_name = answers[0].id_name
    for one in answers:
        where = f"{one.location}, column {id_name}"
        if one.id_name != id_name or not isinstance(one.id, str) or not one.id:
            diagnostics.problem("the id is blank", where=where, fix="fill it in")
        elif one.id in seen:
            fix = f"delete this row or {seen[one.id]}"
            diagnostics.problem(f"a second answer to {one.id!r}", where=where, fix=fix)
        elif one.id not in ids and one.id not in skipped:
            fix = f"the ids are like {next(iter(ids))!r}; check that release, task and options are those asked"
            diagnostics.problem(f"nothing is asked under {one.id!r}", where=where, fix=fix)
        seen.setdefault(str(one.id), one.location)
    diagnostics.raise_problems()


def _warnings(
    n_answered: int, kept: Sequence[LoggedAnswer], items: pl.DataFrame, answers: pl.DataFrame
) -> Iterator[str]:
    empty = [one.location for one in kept if not one.answer.text.strip()]
    if n_answered > len(kept):
        yield f"rows of questions that no score counts, left out: {n_answered - len(kept)}"
    if empty:
        yield f"empty responses, which count as wrong: {len(empty)} (first: {empty[0]})"
    if n_missing := items.height - answers.height:
        first = items.join(answers, on="item_id", how="anti")["item_id"][0]
        yield f"items without an answer in the file: {n_missing} of {items.height} (first: {first})"
