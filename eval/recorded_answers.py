"""Recorded answers: files of what another tool's model answered, to be scored like a run of our own.

They are tables, logs of `answer_logs`, or predictions as SemEval-2026 Task 7 takes them, which are written of
a run as well: a table, alone or inside ``prediction/`` of a zip archive, between tabs as the task's site takes
it, or CSV. Multiple choice is read with a letter as ``prediction`` too, as most participants keep it. What
stands in the rows of predictions is the task's to say (`Task.predictions`).
"""

import csv
import io
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from blend.eval.items import TaskItems
from blend.eval.runs.answer_logs import (
    ID_KEYS,
    LOGS,
    NOT_AN_ARCHIVE,
    LoggedAnswer,
    as_answer,
    items_by_request,
    read_log,
)
from blend.eval.runs.answers import ANSWERS, generated
from blend.eval.runs.run_directory import Run
from blend.loaders.files.atomic import replace_own_file
from blend.loaders.files.content import UTF_16, open_content, read_content, utf8_text
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import SUFFIXES, TEXT_SUFFIXES, Columns, read_rows
from blend.loaders.upstream.semeval.task_files import TaskRow, spelled_otherwise, task_id, task_rows
from blend.schemas.errors import InputError, RowError
from blend.schemas.locales import registry
from blend.schemas.rows import LETTERS

_FINISH_REASON_NAMES = ("finishreason", "stopreason", "donereason", "nativefinishreason")
"""Names of ``finish_reason`` at Google, Anthropic, Ollama and OpenRouter, without case and signs; left out, cut
answers would be scored."""

_FURTHER = ("thought", "finish_reason")
_SHOWN_FAILED = 3


class ReadAnswers(NamedTuple):
    """The answers of a file."""

    answers: pl.DataFrame
    """What the file has of `answers.ANSWERS`, in its order."""
    warnings: tuple[str, ...]
    """What the reader noticed and did not refuse, in words for a user."""


def read_recorded(path: Path, asked: TaskItems) -> ReadAnswers:
    """The answers in a table, JSON Lines or Parquet file, or in a log of `answer_logs`.

    Args:
        path: A log, or a file with an id (see `ID_KEYS`; ``ID`` names a question's template and so needs
            one item per template), ``response``, and perhaps ``prompt``, the exact text that was asked,
            ``thought``, what the model thought before, and ``finish_reason``, as `replies.meaning_of`
            knows it. Further columns are left out.
        asked: What is asked; rows of what is skipped are left out and remarked.

    Returns:
        The answers. An empty or absent response is an empty answer, which is wrong, and is remarked. Items
        without a row are missing and remarked.

    Raises:
        InputError: If there is no such file, or if it has no column that names items.
        RowError, RowErrors: If the file cannot be read, or if ids are unknown, twice there or blank, or a
            response is not text; names file and row of each.
    """
    if not path.is_file():
        what = "a folder, and not a file" if path.is_dir() else "no such file"
        raise InputError(
            f"{path}: {what}; `answers` names a file of answers ({', '.join(SUFFIXES)}, or {LOGS})"
        )
    items, diagnostics = asked.items, Diagnostics()
    samples = items["sample"].n_unique() if "sample" in items.columns else 1
    given, n_further = read_log(path, samples=samples) or (_table(path, diagnostics), 0)
    answered = [one for one in given if one.answer.error is None]
    noticed = list(_left_out([one for one in given if one.answer.error is not None], n_further))
    if not answered:
        raise InputError(f"{path}: no answers; {'; '.join(noticed) or 'write one row per item'}")
    ids, skipped = _ids(path, asked, answered[0])
    _check_ids(diagnostics, answered, ids, skipped)
    kept = [one for one in answered if one.id in ids]
    rows = [{"item_id": ids[one.id or ""], **generated(one.answer), "asked": one.prompt} for one in kept]
    answers = pl.DataFrame(rows, {name: ANSWERS[name] for name in rows[0]} if rows else ANSWERS)
    return ReadAnswers(
        answers.with_columns(finish_reason=pl.col("finish_reason").replace("", None)),
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
        meant=dict.fromkeys(_FINISH_REASON_NAMES, "finish_reason"),
    )
    rows = read_rows(path, path.parent, diagnostics, columns)
    diagnostics.raise_problems()
    is_parquet = path.suffix.lower() == ".parquet"
    answers = []
    for location, values in ((row.location, row.values) for row in rows):
        texts = {name: values.get(name) or "" for name in ("response", *_FURTHER)}
        wrong = {name: value for name, value in texts.items() if not isinstance(value, str)}
        for name, value in wrong.items():
            fix = "store the column as text" if is_parquet else f'write text in quotes, "{value}"'
            diagnostics.problem(f"{value!r} is not text", where=f"{location}, column {name}", fix=fix)
        if not wrong:
            id_name = next((name for name in ID_KEYS if name in values), None)
            named, prompt = values.get(id_name or ""), values.get("prompt") or None
            answer = as_answer(*texts.values())
            answers.append(LoggedAnswer(id_name, named, answer, prompt=prompt, location=location))
    diagnostics.raise_problems()
    return answers


def _ids(path: Path, asked: TaskItems, first: LoggedAnswer) -> tuple[Mapping[str, str], set[str]]:
    """The item that each value of the id column names, and values that name what is not asked."""
    items, requests = asked.items, items_by_request(asked.items["item_id"])
    # Who calls a column of items id means these.
    key = "template_id" if first.id_name == "ID" and first.id not in requests else "item_id"
    n_named = items[key].n_unique()
    if first.id_name is None:
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
    return ids or requests, skipped


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
    nothing = [one.location for one in kept if one.answer.text.strip().lower() == "nan"]
    prompts = dict(items.select("item_id", "prompt").iter_rows())
    # Blanks may change on the way through a table.
    otherwise = [
        one.location
        for item_id, one in zip(answers["item_id"], kept, strict=True)
        if one.prompt and one.prompt.split() != prompts[item_id].split()
    ]
    if otherwise:
        yield (
            f"answers to another prompt than that of the item, whose name the scores have all the same: "
            f"{len(otherwise)} (first: {otherwise[0]})"
        )
    if nothing:
        yield (
            f"responses that are the text 'nan', which pandas writes for no value, and count as answers: "
            f"{len(nothing)} (first: {nothing[0]}); leave them empty if they are none"
        )
    if n_answered > len(kept):
        yield f"rows of questions that no score counts, left out: {n_answered - len(kept)}"
    if empty:
        yield f"empty responses, which count as wrong: {len(empty)} (first: {empty[0]})"
    if n_missing := items.height - answers.height:
        first = items.join(answers, on="item_id", how="anti")["item_id"][0]
        yield f"items without an answer in the file: {n_missing} of {items.height} (first: {first})"


FOLDER = "prediction"
"""Folder of the archive that the task's site takes."""

PREDICTION = "prediction"
"""Column of a text, or of a letter."""

_FIX = "write one row per id, with tabs between the cells"
_HEADER_BYTES = 4_000
_SHOWN = 3
"""Ids that a message names."""
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""Time of every file in an archive, so that the same run gives the same bytes."""


class Predictions(NamedTuple):
    """A task's file of predictions."""

    name: str
    """Name of the file."""
    columns: tuple[str, ...]
    """Its columns, ``id`` first."""
    items: Callable[[TaskItems], Iterable[tuple[str, str, Any]]]
    """Items of what is asked that rows can be about: an item's id, the row's, and what `answer_text` needs."""
    answer_text: Callable[[Mapping[str, str], Any], str]
    """What a row says, as the text of an answer."""
    rows: Callable[[Run], Iterator[Sequence[str]]]
    """The rows of a run."""
    values: Sequence[str] = ()
    """What `PREDICTION` can be in place of the columns; any text when absent."""


def is_predictions(path: Path) -> bool:
    """Whether a file is an archive, or a table with the columns of predictions."""
    if path.suffix.lower() not in TEXT_SUFFIXES or not path.is_file():
        return path.suffix.lower() == ".zip"
    with open_content(path) as file:
        start = file.read(_HEADER_BYTES)
    # `utf8_text` reads the whole later, and says what is wrong with it.
    text = start.decode("utf-16" if start.startswith(UTF_16) else "utf-8-sig", errors="replace")
    header = set(_header(text.partition("\n")[0]))
    return "id" in header and (PREDICTION in header or header.issuperset(LETTERS))


def asks_semeval(items: pl.DataFrame) -> bool:
    """Whether items with ``template_id`` ask the task's own questions, which nobody may pass on."""
    return any(task_id(template_id) is not None for template_id in items["template_id"].unique())


def read_predictions(path: Path, asked: TaskItems, of: Predictions) -> ReadAnswers:
    """The answers in a file of predictions, or in an archive that holds one.

    Of several rows with one id the last counts, as in the task's scorer; that, ids that spell a locale
    otherwise than what is asked, and rows about nothing that is asked, are remarked.

    Args:
        path: The file or archive.
        asked: What is asked.
        of: The task's file.

    Raises:
        InputError: If there is no such file, or the archive does not hold exactly one of that name.
        RowError, RowErrors: If rows cannot be read, or none is about anything that is asked.
    """
    diagnostics = Diagnostics()
    text = _between_tabs(utf8_text(_content(path, of.name), path.name))
    header = _header(text.partition("\n")[0])
    columns = ("id", PREDICTION) if of.values and not {*LETTERS} <= {*header} else of.columns
    rows = task_rows(text.replace("\r\n", "\n").replace("\r", " "), path.name, columns, diagnostics, fix=_FIX)
    for row in rows if columns != of.columns else ():
        if (value := row.cells[PREDICTION]) and value not in of.values:
            what, where = (
                f"{value!r} is not one of {', '.join(of.values)}",
                f"{row.location}, column {PREDICTION}",
            )
            diagnostics.problem(what, where=where, fix="write the letter of an option")
    diagnostics.raise_problems()
    given = {row.cells["id"]: row for row in rows}
    of_items = list(of.items(asked))
    ids = dict.fromkeys(row_id for _, row_id, _ in of_items)
    otherwise = spelled_otherwise(given, ids, registry())
    by_id = {otherwise.get(row_id, row_id): row for row_id, row in given.items()}
    unknown = [row for row_id, row in by_id.items() if row_id not in ids]
    if len(unknown) == len(by_id):
        what = f"nothing is asked under {_first(unknown)}" if unknown else "no row follows the header"
        fix = f"ids are like {next(iter(ids), 'none')!r}; check that release and task are those of the file"
        raise RowError(what, where=path.name, fix=fix)
    texts = {
        item_id: of.answer_text(by_id[row_id].cells, more)
        for item_id, row_id, more in of_items
        if row_id in by_id
    }
    answered = [item_id for item_id in asked.items["item_id"] if item_id in texts]
    answers = pl.DataFrame({"item_id": answered, "text": [texts[item_id] for item_id in answered]})
    warnings = {
        "rows whose id stands in a later row again, left out": (len(rows) - len(given), ""),
        "rows whose id spells locale or number otherwise, read as what is asked": (
            len(otherwise),
            "".join(f"{a!r} as {b!r}" for a, b in [*otherwise.items()][:1]),
        ),
        "rows with ids that nothing is asked under, left out": (len(unknown), _first(unknown)),
        "items without an answer in the file": (asked.items.height - len(texts), ""),
    }
    return ReadAnswers(
        answers,
        tuple(f"{what}: {n}{f' ({first})' if first else ''}" for what, (n, first) in warnings.items() if n),
    )


def _header(line: str) -> list[str]:
    return [cell.strip() for cell in _between_tabs(line).removesuffix("\r").split("\t")]


def _between_tabs(text: str) -> str:
    """A table between tabs as it is, with quotation marks as characters; a CSV file written like it."""
    line = text.partition("\n")[0]
    separator = next((sign for sign in "\t,;" if sign in line), "\t")
    if separator == "\t":
        return text
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    return "\n".join("\t".join(" ".join(cell.split()) for cell in row) for row in rows)


def _first(rows: Sequence[TaskRow]) -> str:
    """The first ids, with their lines."""
    shown = ", ".join(f"{row.cells['id']!r} (line {row.location.rpartition(':')[2]})" for row in rows[:_SHOWN])
    return f"{shown}{' …' if len(rows) > _SHOWN else ''}"


def write_predictions(run: Run, of: Predictions, out: Path) -> int:
    """Write the archive that the task's site takes, and count its rows.

    Args:
        run: A run over a release of the task's data.
        of: The task's file.
        out: The archive to write; an older one of the same file is replaced.

    Raises:
        InputError: If the run is of other data, or if something else stands there.
        StorageError: If it cannot be written.
    """
    if others := [one for one in run.items("template_id")["template_id"] if task_id(one) is None]:
        raise InputError(
            f"{run.directory}: asks {others[0]!r}, which is no question of SemEval's; run on a release made "
            "with `blend build --semeval`"
        )
    rows = list(of.rows(run))
    lines = "".join("\t".join(row) + "\n" for row in [of.columns, *rows])
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(f"{FOLDER}/{of.name}", _EPOCH), lines, zipfile.ZIP_DEFLATED)
    # The name of its first file is the beginning of an archive.
    mark = f"{FOLDER}/{of.name}".encode()
    replace_own_file(out, content.getvalue(), mark=mark, what="an archive of such predictions")
    return len(rows)


def _content(path: Path, name: str) -> bytes:
    if not path.is_file():
        raise InputError(f"{path}: no such file; `answers` names a file of answers")
    if path.suffix.lower() != ".zip":
        return read_content(path)
    with open_content(path) as file:
        try:
            with zipfile.ZipFile(file) as archive:
                found = [one for one in archive.infolist() if one.filename.rpartition("/")[2] == name]
                if len(found) != 1:
                    held = ", ".join(sorted(one.filename for one in archive.infolist())) or "nothing"
                    raise InputError(f"{path}: expected one file {FOLDER}/{name}; the archive holds {held}")
                return archive.read(found[0])
        except InputError:
            raise
        except NOT_AN_ARCHIVE as error:
            raise InputError(f"{path}: cannot be read as a zip archive ({error}); write it again") from None
