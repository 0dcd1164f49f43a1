"""Recorded answers: a file of what another tool's model answered, to be scored like a run of our own."""

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import polars as pl

from blend.eval.items import TaskItems
from blend.eval.runs.answer_logs import ID_KEYS, KINDS, LOG_IDS, LoggedAnswer, as_answer, read_log
from blend.eval.runs.answers import ANSWERS
from blend.eval.runs.ask_model import generated
from blend.eval.runs.batch_files import items_by_request
from blend.eval.runs.run_description import RecordedAnswers
from blend.loaders.files.content import file_sha256
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import SUFFIXES, Columns, read_rows
from blend.schemas.errors import InputError, RowError

ID_COLUMNS = ID_KEYS
"""Columns that can name an item; the first one that the file has counts."""

_FINISH_REASON_NAMES = ("stop_reason", "done_reason", "native_finish_reason")
"""Names of ``finish_reason`` at Anthropic, Ollama and OpenRouter; left out, cut answers would be scored."""

_MISSING_VALUES = frozenset({"NA", "N/A", "NaN", "nan", "None", "null", "NULL", "none"})
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
    """The answers in a table, JSON Lines or Parquet file, or in a log of `answer_logs.KINDS`.

    Args:
        path: A log, or a file with an id (see `ID_COLUMNS`; ``ID`` names a question's template and so needs
            one item per template), ``response``, and perhaps ``prompt``, the exact text that was asked,
            ``thought``, what the model thought before, and ``finish_reason``, as `server_replies.meaning_of`
            knows it. Further columns are left out.
        asked: What is asked; rows of what is skipped are left out and remarked.
        model: Name of the model; the name of the file when absent.

    Returns:
        The answers. An empty or absent response is an empty answer, which is wrong, and is remarked; so is text
        like ``NA``, which stays the text that it is. Items without a row are missing and remarked.

    Raises:
        InputError: If there is no such file, or if it has no column that names items.
        RowError, RowErrors: If the file cannot be read, or if ids are unknown, twice there or blank, or a
            response is not text; names file and row of each.
    """
    if not path.is_file():
        logs = ", ".join(kind.name for kind in KINDS)
        raise InputError(
            f"{path}: no such file; `answers` names a file of answers ({', '.join(SUFFIXES)}, or {logs})"
        )
    items, diagnostics = asked.items, Diagnostics()
    samples = items["sample"].n_unique() if "sample" in items.columns else 1
    given, n_further = read_log(path, samples=samples) or (_table(path, diagnostics), 0)
    answered = [one for one in given if one.answer.error is None]
    noticed = list(_left_out([one for one in given if one.answer.error is not None], n_further))
    if not answered:
        diagnostics.raise_problems()
        raise InputError(f"{path}: no answers; {'; '.join(noticed) or 'write one row per item'}")
    id_column = next((name for name in (*ID_COLUMNS, *LOG_IDS) if name in answered[0].named), None)
    if id_column is None:
        raise RowError("no column names the items", where=path.name, fix=f"add one of {', '.join(ID_COLUMNS)}")
    ids = _ids(path, items, id_column)
    key = "template_id" if id_column == "ID" else "item_id"
    _check_ids(diagnostics, answered, id_column, ids, set() if asked.skipped is None else {*asked.skipped[key]})
    diagnostics.raise_problems()
    kept = [one for one in answered if one.named[id_column] in ids]
    rows = [
        {"item_id": ids[one.named[id_column]], **generated(one.answer), "asked": one.prompt} for one in kept
    ]
    answers = pl.DataFrame(rows, {name: ANSWERS[name] for name in rows[0]} if rows else ANSWERS)
    return Recorded(
        answers.with_columns(finish_reason=pl.col("finish_reason").replace("", None)),
        RecordedAnswers(id=model or path.name, file=path.name, sha256=file_sha256(path)),
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
        (*ID_COLUMNS, "prompt", "thought", "finish_reason"),
        others=True,
        other_names={"finish_reason": _FINISH_REASON_NAMES},
    )
    rows = read_rows(path, path.parent, diagnostics, columns)
    diagnostics.raise_problems()
    fix = "store the column as text" if path.suffix.lower() == ".parquet" else "write text in quotes"
    answers = []
    for row in rows:
        location, values = row.location, row.values
        texts = {name: values.get(name) or "" for name in ("response", "thought", "finish_reason")}
        for name, value in texts.items():
            if not isinstance(value, str):
                diagnostics.problem(f"{value!r} is not text", where=f"{location}, column {name}", fix=fix)
                texts[name] = ""
        named = {name: value for name, value in values.items() if name in ID_COLUMNS}
        prompt = values.get("prompt") or None
        answers.append(
            LoggedAnswer(
                location, named, as_answer(texts["response"], texts["thought"], texts["finish_reason"]), prompt
            )
        )
    return answers


def _ids(path: Path, items: pl.DataFrame, id_column: str) -> Mapping[str, str]:
    """The item that each value of the id column names."""
    if id_column != "ID":
        return items_by_request(items["item_id"])
    if items["template_id"].n_unique() < items.height:
        locales = items["locale"].n_unique()
        fix = (
            "name one locale in `locales`"
            if locales > 1
            else "name the items by item_id, as decisions.parquet of a scored run lists them"
        )
        raise RowError(
            f"column ID names {items['template_id'].n_unique()} templates, but {items.height} items are asked",
            where=path.name,
            fix=fix,
        )
    return dict(zip(items["template_id"], items["item_id"], strict=True))


def _check_ids(
    diagnostics: Diagnostics,
    answers: list[LoggedAnswer],
    id_column: str,
    ids: Mapping[str, str],
    skipped: Collection[str],
) -> None:
    seen: dict[object, str] = {}
    for one in answers:
        name, where = one.named.get(id_column), f"{one.location}, column {id_column}"
        if not isinstance(name, str) or not name:
            diagnostics.problem("the id is blank", where=where, fix="fill it in")
        elif name in seen:
            fix = f"delete this row or {seen[name]}"
            diagnostics.problem(f"a second answer to {name!r}", where=where, fix=fix)
        elif name not in ids and name not in skipped:
            fix = f"the ids are like {next(iter(ids))!r}; check that release, task and options are those asked"
            diagnostics.problem(f"nothing is asked under {name!r}", where=where, fix=fix)
        seen.setdefault(name, one.location)


def _warnings(
    n_rows: int, rows: list[LoggedAnswer], items: pl.DataFrame, answers: pl.DataFrame
) -> Iterator[str]:
    texts = [(row.location, row.answer.text.strip()) for row in rows]
    empty = [location for location, text in texts if not text]
    like_na = [location for location, text in texts if text in _MISSING_VALUES]
    if n_rows > len(rows):
        yield f"rows of questions that no score counts, left out: {n_rows - len(rows)}"
    if empty:
        yield f"empty responses, which count as wrong: {len(empty)} (first: {empty[0]})"
    if like_na:
        shown = ", ".join(repr(text) for text in sorted({text for _, text in texts} & _MISSING_VALUES))
        yield (
            f"responses {shown}, taken as the text they are: {len(like_na)} (first: {like_na[0]}); "
            "leave such rows out if the model was not asked"
        )
    if n_missing := items.height - answers.height:
        first = items.join(answers, on="item_id", how="anti")["item_id"][0]
        yield f"items without an answer in the file: {n_missing} of {items.height} (first: {first})"
