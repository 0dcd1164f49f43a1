"""People about triples: sheets of a model's predictions, what people say of them, and figures of that.

The figures are agreement, precision by people, and how far each automatic measure goes along with people.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl
from pydantic import BaseModel, ConfigDict

from blend.eval.items import text_digest
from blend.eval.report.scored_runs import ScoredRun
from blend.eval.returned_sheets import Judgement, is_unknown, read_returned
from blend.eval.runs.run_directory import translate_errors
from blend.eval.scores_json import ALL, Score, agreement_scores, estimated, percent, percents
from blend.eval.statistics.clusters import cluster_sums
from blend.eval.statistics.correlation import correlation
from blend.eval.statistics.estimates import estimates
from blend.eval.triples import TripleTask
from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.new_files import write_new_sheet
from blend.loaders.files.rows import Cells, Columns
from blend.schemas.errors import InputError, RowError, UnknownNameError
from blend.schemas.sheets import guarded, joined, parted, unguarded

SHEET = pl.Schema(
    {
        "id": pl.String(),
        "dish": pl.String(),
        "image": pl.String(),
        "ingredients": pl.List(pl.String()),
        "correct_ingredients": pl.String(),
        "comment": pl.String(),
    }
)
"""One row per dish: an id that names no model, its name, the address of a picture (null where there is none),
what the model predicts, in an order that says nothing; and, to be filled in, what of it is correct, and a
comment."""

SHOWN = 5
"""Predictions of a dish in a sheet."""

_ID_DIGITS = 12


def predictions(run: ScoredRun) -> pl.DataFrame:
    """Every item of a run with its predictions.

    Returns:
        The decisions with ``id``, ``dish``, ``image`` and ``ingredients``: the best `SHOWN` candidates or the
        entries of a list, ordered by a digest.

    Raises:
        InputError: If the task has no predictions to judge, or the run is not scored.
    """
    if not isinstance(run.task, TripleTask):
        raise InputError(
            f"{run.run.directory}: the task {run.task.name} has no predictions to judge; name a run of a task "
            "about triples"
        )
    column = run.task.terms.predicted
    gold = run.run.gold("item_id", "label", "image")
    rows = run.decisions().join(gold, on="item_id", how="left", maintain_order="left")
    listed = [
        sorted(dict.fromkeys(texts[:SHOWN]), key=lambda text: text_digest(f"{item}|{text}"))
        for item, texts in rows.select("item_id", column).iter_rows()
    ]
    ids = [
        text_digest("|".join([item, *texts]))[:_ID_DIGITS]
        for item, texts in zip(rows["item_id"], listed, strict=True)
    ]
    return rows.rename({"label": "dish"}).with_columns(
        pl.Series("id", ids, pl.String), pl.Series("ingredients", listed, pl.List(pl.String))
    )


def make_sheet(run: ScoredRun, *, sample: int, language: str | None = None, seed: int = 0) -> pl.DataFrame:
    """A sheet of some dishes.

    Args:
        run: A scored run of a task about triples.
        sample: Dishes, at most; each with one of its prompts. A digest chooses both.
        language: Language of the dishes' names; that of the first item when absent, since one person judges
            one.
        seed: Another seed chooses others.

    Returns:
        `SHEET`, by id. Dishes of which the model predicted nothing are left out.

    Raises:
        InputError: If nothing is left.
        UnknownNameError: If the run did not ask in the language; lists those in which it did.
    """
    every = predictions(run)
    held = every["language"].unique(maintain_order=True).to_list()
    if language is not None and language not in held:
        raise UnknownNameError("language of the run", language, held)
    rows = every.filter(
        (pl.col("language") == (language or (held[0] if held else ""))) & (pl.col("ingredients").list.len() > 0)
    )
    if rows.is_empty():
        raise InputError(f"{run.run.directory}: the model predicted nothing, so there is nothing to judge")
    chosen = pl.Series([text_digest(f"{seed}|{item}") for item in rows["item_id"]])
    return (
        rows.with_columns(
            chosen=chosen, correct_ingredients=pl.lit(None, pl.String), comment=pl.lit(None, pl.String)
        )
        .sort("chosen")
        .unique("qid", keep="first", maintain_order=True)
        .head(sample)
        .sort("id")
        .select(list(SHEET))
    )


def write_sheet(sheet: pl.DataFrame, path: Path) -> None:
    """Write a sheet for people to fill in; see `files.new_files.write_new_sheet`.

    Raises:
        InputError, StorageError: As `files.new_files.write_new_sheet`.
    """
    cells = sheet.with_columns(
        pl.Series("ingredients", [joined(texts) for texts in sheet["ingredients"].to_list()], pl.String)
    )
    texts = pl.col("dish", "ingredients").map_elements(guarded, return_dtype=pl.String, skip_nulls=True)
    write_new_sheet(path, cells.with_columns(texts))


JUDGEMENTS = pl.Schema(
    {"id": pl.String(), "annotator": pl.String(), "ingredient": pl.String(), "correct": pl.Boolean()}
)
"""One row per row of a sheet, annotator and prediction."""

NONE = "none"
"""What stands in ``correct_ingredients`` where nothing is correct."""

_COLUMNS = Columns(
    ("id",), optional=("ingredients", "correct_ingredients", *list(JUDGEMENTS)[1:]), others=True, returned=True
)
_SHEET, _TABLE = ("ingredients", "correct_ingredients"), tuple(JUDGEMENTS)[1:]
_YES = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def read_judgements(paths: Sequence[Path], asked: Mapping[str, Sequence[str]]) -> pl.DataFrame:
    """The judgements of all files.

    Args:
        paths: Sheets that one annotator each has filled in, who is called as the file is; or tables with the
            columns of `JUDGEMENTS`.
        asked: The predictions of the run by id.

    Returns:
        `JUDGEMENTS`, by file and row. Rows of a sheet without anything in ``correct_ingredients`` are left out.

    Raises:
        InputError: If a file is absent or of no kind that can be read, or if nobody judged anything.
        RowError, RowErrors: If a file cannot be read, a row is not of this run, a judgement names what was not
            predicted, or somebody judges a prediction twice; names file and row.
    """

    def read(rows: Sequence[Cells], person: str, problems: list[RowError]) -> Iterator[Judgement]:
        is_table = bool(rows) and "correct" in rows[0].values
        needed = Columns(_TABLE if is_table else _SHEET, others=True, returned=not is_table)
        for cells in rows:
            needed.check(cells.values, cells.location.rpartition(":")[0] + ":1")
        yield from _table(rows, asked, problems) if is_table else _sheet(rows, person, asked, problems)

    fill_in = (
        f"write into the column correct_ingredients what belongs to it, by its text or its number, or {NONE!r}"
    )
    found = read_returned(paths, _COLUMNS, read, fill_in=fill_in)
    return pl.DataFrame([one[1:] for one in found], schema=JUDGEMENTS, orient="row")


def _sheet(
    rows: Sequence[Cells], person: str, asked: Mapping[str, Sequence[str]], problems: list[RowError]
) -> Iterator[Judgement]:
    for cells in rows:
        name, ticks = cells.values["id"].strip(), unguarded(cells.values["correct_ingredients"].strip())
        if not ticks or is_unknown(cells, name, asked, problems):
            continue
        try:
            correct = _ticked(ticks, asked[name], cells.location)
        except RowError as error:
            problems.append(error)
            continue
        for text in asked[name]:
            yield Judgement(cells.location, name, person, text, text in correct)


def _ticked(cell: str, predicted: Sequence[str], location: str) -> set[str]:
    """Read what a cell says is correct: texts or numbers, or nothing of it."""
    if cell.casefold() == NONE:
        return set()
    folded = {text.casefold(): text for text in predicted}
    numbered = {str(number): text for number, text in enumerate(predicted, start=1)}
    entries = parted(cell)
    if all(part in numbered for part in cell.replace(",", " ").split()):
        entries = cell.replace(",", " ").split()
    found = set()
    for entry in entries:
        text = folded.get(entry.casefold()) or numbered.get(entry)
        if text is None:
            raise RowError(
                f"{entry!r} is none of the predictions",
                where=f"{location}, column correct_ingredients",
                fix=f"write some of {' | '.join(predicted)}, their numbers, or {NONE!r}",
            )
        found.add(text)
    return found


def _table(
    rows: Sequence[Cells], asked: Mapping[str, Sequence[str]], problems: list[RowError]
) -> Iterator[Judgement]:
    for cells in rows:
        name, annotator, ingredient = (
            str(cells.values[key] or "") for key in ("id", "annotator", "ingredient")
        )
        correct = _YES.get(str(cells.values["correct"]).strip().lower())
        if is_unknown(cells, name, asked, problems):
            continue
        if ingredient not in asked[name]:
            what, fix = f"{ingredient!r} was not predicted for {name}", "judge what the sheet lists"
            problems.append(RowError(what, where=f"{cells.location}, column ingredient", fix=fix))
        elif correct is None:
            what = f"{cells.values['correct']!r} is neither true nor false"
            problems.append(
                RowError(what, where=f"{cells.location}, column correct", fix="write true or false")
            )
        elif not annotator:
            what = "the cell is blank"
            problems.append(RowError(what, where=f"{cells.location}, column annotator", fix="say who judged"))
        else:
            yield Judgement(cells.location, name, annotator, ingredient, correct)


JUDGED_NAME = "judged.json"

MEASURES = ("precision", "recall", "f1", "hits_1", "hits_5", "similarity")
"""Columns of decisions that are compared with people, as far as a run has them. Of a run of probing
``precision`` is the average precision of the ranking."""

_NAMES = {"hits_1": "P@1", "hits_5": "P@5", "similarity": "mWS"}


class JudgedByPeople(BaseModel):
    """Judgements of people on a run's predictions."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    signature: str
    """Signature of the run's scores."""
    model: str
    """Name of the model."""
    annotators: tuple[str, ...]
    """Who judged."""
    n_dishes: int
    """Dishes judged by anybody."""
    scores: tuple[Score, ...]
    """The figures."""

    def to_json(self) -> str:
        """The figures as the bytes of ``judged.json`` decode to."""
        return self.model_dump_json(indent=2) + "\n"


def score_by_people(run: ScoredRun, paths: Sequence[Path], *, seed: int = 0) -> JudgedByPeople:
    """The figures of the sheets that came back.

    Args:
        run: The scored run whose sheet they are.
        paths: Filled-in sheets or tables, see `people_scores.read_judgements`.
        seed: Seed of the intervals, all of which are over dishes.

    Raises:
        InputError: If a file cannot be used, see there.
    """
    every = predictions(run)
    asked = dict(zip(every["id"], every["ingredients"].to_list(), strict=True))
    judgements = read_judgements(paths, asked).join(
        every.select("id", "qid", "region", "language"), on="id", how="left", maintain_order="left"
    )
    # Everybody counts the same: a prediction is correct by the share of those who say so.
    by_prediction = judgements.group_by(
        "id", "qid", "region", "language", "ingredient", maintain_order=True
    ).agg(pl.col("correct").mean(), n=pl.len(), yes=pl.col("correct").sum())
    several = by_prediction.filter(pl.col("n") > 1)
    scores = [
        *agreement_scores("agreement", several["yes"], several["n"], several["qid"], seed),
        *_precision(by_prediction, seed),
        *_correlations(by_prediction, every, run, seed),
    ]
    return JudgedByPeople(
        signature=run.scores.signature,
        model=run.scores.model,
        annotators=tuple(sorted(judgements["annotator"].unique())),
        n_dishes=judgements["qid"].n_unique(),
        scores=tuple(scores),
    )


def write_judged(run: ScoredRun, judged: JudgedByPeople) -> None:
    """Keep the figures in the directory of the run, in place of earlier ones."""
    with translate_errors(run.run.directory):
        atomic_write(run.run.directory / JUDGED_NAME, judged.to_json())


def _precision(rows: pl.DataFrame, seed: int) -> list[Score]:
    values, dishes = rows["correct"].to_numpy(), rows["qid"].to_numpy()
    pooled = estimates(cluster_sums(values, dishes), seed=seed)[0]
    by_country = cluster_sums(values, dishes, rows["region"].to_numpy())
    return [
        percent("precision-people", "overall", ALL, pooled),
        *percents("precision-people", "country", by_country.groups, estimates(by_country, seed=seed)),
    ]


def _correlations(rows: pl.DataFrame, every: pl.DataFrame, run: ScoredRun, seed: int) -> list[Score]:
    """Each automatic measure of a dish against the share of its predictions that people find right."""
    by_item = rows.group_by("id", "qid", maintain_order=True).agg(people=pl.col("correct").mean())
    held = [name for name in MEASURES if name in every.columns]
    assert isinstance(run.task, TripleTask)
    # The mean of the column by which runs are compared is the task's figure: mAP of the average precision.
    decided_by, own = run.task.terms.decided_by, run.task.terms.figure.removeprefix("m")
    both = by_item.join(every.select("id", *held), on="id", how="left", maintain_order="left")
    scores = []
    for name in held:
        known = both.filter(pl.col(name).is_not_null())
        if known.height < 2:
            continue
        metric = _NAMES.get(name, own if name == decided_by else name)
        columns = (known[name].to_numpy(), known["people"].to_numpy(), known["qid"].to_numpy())
        scores.append(
            estimated(
                f"rank-correlation-{metric}", "overall", ALL, correlation(*columns, kind="rank", seed=seed)
            )
        )
        scores.append(estimated(f"correlation-{metric}", "overall", ALL, correlation(*columns, seed=seed)))
    return scores
