"""Results on triples: the report's sections of probing and free listing, and what people say of predictions.

People get a model's predictions as rows of the reply sheet; the figures are their agreement and precision by
what they say.
"""

from collections.abc import Iterator, Sequence
from math import ceil
from pathlib import Path

import polars as pl

from blend.eval.items import text_digest
from blend.eval.judging.labels import read_reply_verdicts
from blend.eval.report import Candidate, KnownQuestion, KnownQuestions, ScoredRun, single_answers
from blend.eval.report.report_sections import (
    Section,
    cell,
    heat_section,
    keys_best_first,
    marks_section,
    pairs,
    table_section,
)
from blend.eval.scores_json import UNANSWERED, Score, agreement_scores, share_scores
from blend.eval.triples import TripleTask
from blend.eval.triples.triple_prompts import MIN_DISHES, SHOWN
from blend.schemas.errors import InputError, UnknownNameError
from blend.schemas.models import FrozenModel
from blend.schemas.sheets import CORRECT


def predictions(run: ScoredRun) -> pl.DataFrame:
    """Every prediction of a run: the best `SHOWN` candidates of each item, or the first entries of its list.

    Returns:
        A row per item and prediction: the decisions with ``id``, ``question`` and ``reply``, as the reply sheet
        has them (`judging.reply_sheet`). The order of an item's predictions is that of their ids.

    Raises:
        InputError: If the task has no predictions to judge, or the run is not scored.
    """
    if not isinstance(run.task, TripleTask):
        raise InputError(
            f"{run.run.directory}: the task {run.task.name} has no predictions to judge; name a run of a task "
            "about triples"
        )
    predicted = pl.col(run.task.predicted).list.head(SHOWN).list.unique()
    asked = run.reword("Which ingredients belong into the dish “{}”?")
    rows = (
        run.decisions()
        .join(run.run.gold("item_id", "label"), on="item_id", how="left", maintain_order="left")
        .with_columns(question=pl.format(asked, "label"), reply=predicted)
        .explode("reply", empty_as_null=False)
    )
    # The predictions of an item stand together where a sheet is sorted by id.
    ids = [
        f"r{text_digest(item)[:6]}{text_digest(f'{item}|{text}')[:6]}"
        for item, text in rows.select("item_id", "reply").iter_rows()
    ]
    return rows.with_columns(pl.Series("id", ids, pl.String)).sort("id")


def make_sheet(run: ScoredRun, *, sample: int, locale: str | None = None, seed: int = 0) -> pl.DataFrame:
    """A sheet of the predictions of some dishes.

    Args:
        run: A scored run of a task about triples.
        sample: Dishes, at most; each with one of its prompts. A digest chooses both.
        locale: Locale of those who judge; the dishes have their names in its language. The language of the
            first item when absent.
        seed: Another seed chooses others.

    Returns:
        ``id``, ``locale``, ``region`` (null), ``question`` and ``reply``, dish by dish.

    Raises:
        InputError: If nothing was predicted.
        UnknownNameError: If the run did not ask in the language; lists those in which it did.
    """
    every = predictions(run)
    # In the order of the run, which predictions do not have.
    asked = run.decisions()["language"].unique(maintain_order=True)
    held = asked.filter(asked.is_in(every["language"].implode())).to_list()
    if not held:
        raise InputError(f"{run.run.directory}: the model predicted nothing, so there is nothing to judge")
    wanted = held[0] if locale is None else locale
    language = next((tag for tag in held if f"{wanted}-".lower().startswith(f"{tag}-".lower())), None)
    if language is None:
        raise UnknownNameError("language of the run", wanted, held)
    rows = every.filter(language=language)
    items = rows.select("item_id", "qid").unique()
    order = pl.Series([text_digest(f"{seed}|{item}") for item in items["item_id"]])
    chosen = items.with_columns(order=order).sort("order").unique("qid", keep="first", maintain_order=True)
    return (
        chosen.head(sample)
        .join(rows, on="item_id", how="left", maintain_order="left_right")
        .select("id", "question", "reply", locale=pl.lit(wanted), region=pl.lit(None, pl.String))
    )


_JUDGED_NAME = "judged.json"


class JudgedByPeople(FrozenModel):
    """Judgements of people on a run's predictions."""

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


def score_by_people(run: ScoredRun, paths: Sequence[Path], *, seed: int = 0) -> JudgedByPeople:
    """The figures of the sheets that came back; kept in the directory of the run, in place of earlier ones.

    Args:
        run: The scored run whose sheet they are.
        paths: Filled-in sheets or tables, see `judging.reply_sheet.label_replies`.
        seed: Seed of the intervals, all of which are over dishes.

    Raises:
        InputError: If a file cannot be used, see there.
    """
    every = predictions(run)
    asked = dict(every.select("id", "reply").iter_rows())
    verdicts = read_reply_verdicts(paths, asked)
    # Everybody counts the same: a prediction is correct by the share of those who say so.
    is_correct = pl.col("verdict") == CORRECT
    by_prediction = verdicts.group_by("id", maintain_order=True).agg(
        people=is_correct.mean(), n=pl.len(), yes=is_correct.sum()
    )
    judged = by_prediction.join(every, on="id", how="left", maintain_order="left")
    several = judged.filter(pl.col("n") > 1)
    scores = [
        *agreement_scores("agreement", several["yes"], several["n"], several["template_id"], seed),
        *share_scores("precision-people", judged.with_columns(value="people"), {"country": "region"}, seed),
    ]
    found = JudgedByPeople(
        signature=run.scores.signature,
        model=run.scores.model,
        annotators=tuple(sorted(verdicts["annotator"].unique())),
        n_dishes=judged["qid"].n_unique(),
        scores=tuple(scores),
    )
    run.run.write(_JUDGED_NAME, found.to_json())
    return found


_DIFFERENCES = {
    "country-effect": "naming the country, less not naming it",
    "english-advantage": "asked in English, less in the language of the row",
}


def triple_sections(runs: Sequence[ScoredRun]) -> tuple[Section | None, ...]:
    """The sections on comparable runs; null without figures for one."""
    task = _task_of(runs[0])
    line = " The line is its 95 % interval over dishes; a country with one dish has none."
    # Languages by themselves where there are no figures by language and country.
    has_countries = any(run.of(task.figure, "language-country") for run in runs)
    by_language = not has_countries and max(len(run.of(task.figure, "language")) for run in runs) > 1
    return (
        _marks(runs, task.figure, "country", "By country", task.mark + line),
        _marks(runs, task.figure, "template", "By template", _OF_TEMPLATES),
        _marks(runs, task.figure, "language", "By language", _OF_LANGUAGES) if by_language else None,
        _languages(runs, task.figure),
        _differences(runs),
    )


_OF_TEMPLATES = (
    "The same question in other words. How far the marks of a model lie apart is what wording alone does."
)
_OF_LANGUAGES = (
    "Each mark is a model’s mean F1 of the lists in a language. Languages have other dishes and other words "
    "for ingredients, so models can be compared more safely than languages."
)


def _task_of(run: ScoredRun) -> TripleTask:
    assert isinstance(run.task, TripleTask)
    return run.task


def compared_dishes(run: ScoredRun) -> pl.DataFrame:
    """See `Task.compared`.

    Countries of a few dishes are one region: by themselves each would weigh as much as any other.
    """
    value = pl.col(_task_of(run).decided_by).cast(pl.Float64)
    rows = run.decisions().select("item_id", "region", "template_id", value=value).drop_nulls("value")
    is_large = pl.col("template_id").n_unique().over("region") >= MIN_DISHES
    return rows.with_columns(region=pl.when(is_large).then("region").otherwise(pl.lit("other countries")))


def named_first(run: ScoredRun) -> pl.DataFrame:
    """See `Task.single_answers`; the answer is what a model names first."""
    named = pl.col(_task_of(run).predicted).list.join(", ")
    return single_answers(run).with_columns(answer=named, reply="answer")


def gold_labels(run: ScoredRun) -> KnownQuestions:
    """See `Task.known_questions`."""
    labels = run.decisions().select("item_id", "gold").iter_rows()
    return {item_id: KnownQuestion(tuple(map(Candidate, texts))) for item_id, texts in labels}


def triple_overview(run: ScoredRun) -> dict[str, str]:
    """A run's line in the overview."""
    cells = {f"{name}, %": cell(run.overall(name)) for name in _task_of(run).figures}
    similarity = run.overall("mWS")
    if similarity is not None and similarity.value is not None:
        cells["mWS"] = f"{similarity.value:.3f}"
    for key, score in run.of("parity-gap", "overall").items():
        cells["gap of mAP, points"] = f"{cell(score)} ({' − '.join(key.split('/'))})"
    shares = {"not-ranked": "candidates not ranked", UNANSWERED: "unanswered", "missing": "missing"}
    cells |= {f"{label}, %": cell(share) for name, label in shares.items() if (share := run.overall(name))}
    cells["prompts"] = f"{run.run.description.n_items:,}"
    return cells


def _marks(runs: Sequence[ScoredRun], main: str, scope: str, title: str, text: str) -> Section | None:
    scores = {run.name: run.of(main, scope) for run in runs}
    # Among hundreds of candidates figures are low; an axis up to 100 would press them together.
    ends = [one.high or one.value or 0 for of in scores.values() for one in of.values()]
    highest = min(100, 10 * ceil(max(ends, default=0) / 10) or 10)
    about = runs[0].reword(text)
    return marks_section(title, about, scores, f"{main}, %", key=scope, domain=(0, highest))


def _languages(runs: Sequence[ScoredRun], main: str) -> Section | None:
    # Countries are many and languages few: countries are the rows.
    of_runs = {
        run.name: {
            (country, language): one
            for (language, country), one in pairs(run.of(main, "language-country")).items()
        }
        for run in runs
    }
    if len({language for scores in of_runs.values() for _, language in scores}) < 2:
        return None
    return heat_section(
        "By language and country",
        runs[0].reword(
            "mAP of the dishes from the country of the row, asked in the language of the column; brighter is "
            "more. Languages have other candidates, so rows can be compared more safely than columns."
        ),
        of_runs,
        keys_best_first({run.name: run.of(main, "country") for run in runs}),
        f"{main}, %",
        head=("country", "language"),
    )


def _differences(runs: Sequence[ScoredRun]) -> Section | None:
    def rows_of(run: ScoredRun) -> Iterator[tuple[str, ...]]:
        for metric, what in _DIFFERENCES.items():
            for key, score in run.of(metric, "overall", "language").items():
                yield what, key, cell(score)

    return table_section(
        "Naming the country, and asking in English",
        runs[0].reword(
            "Differences of mAP in points on the same dishes, with their paired 95 % intervals: an interval "
            "that holds 0 shows no difference."
        ),
        ("difference", "language", "points"),
        runs,
        rows_of,
        is_open=True,
    )
