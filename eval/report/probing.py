"""Sections of probing: countries, templates, languages by countries, differences, and dishes as examples."""

from collections.abc import Mapping, Sequence
from math import ceil

import polars as pl

from blend.eval.report import charts
from blend.eval.report.scored import ScoredRun
from blend.eval.report.sections import Chart, Section, Table, cell, heat
from blend.eval.scoring.probing.ranking import SHOWN
from blend.eval.scoring.scores import Score
from blend.eval.tasks.items import text_digest

EXAMPLES = 12
"""Dishes that are shown."""

PER_COUNTRY = 2
"""Of these, from one country at most."""

_MAIN = {"probe": "mAP", "free-answers": "f1"}
"""The figure that a task is about."""

_TOP = {"probe": "top", "free-answers": "named"}
"""Column of decisions with what a model names first."""

_SHOWN_FIGURES = {"probe": ("mAP", "P@1", "P@5"), "free-answers": ("f1", "precision", "recall", "accuracy")}
_DIFFERENCES = {
    "country-effect": "naming the country, less not naming it",
    "english-advantage": "asked in English, less in the language of the row",
}


def probe_sections(runs: Sequence[ScoredRun]) -> tuple[Section, ...]:
    """The sections that the scores of comparable runs have figures for."""
    parts = (_countries, _templates, _by_language, _languages, _differences, _examples)
    found = [part(runs) for part in parts]
    return tuple(section for section in found if section is not None)


def best_first(runs: Sequence[ScoredRun]) -> list[ScoredRun]:
    """Runs of a task by the figure that it is about, highest first; equal ones in the order given."""

    def figure(run: ScoredRun) -> float:
        score = run.overall(_MAIN[run.scores.task])
        return -1.0 if score is None or score.value is None else score.value

    return sorted(runs, key=figure, reverse=True)


def probe_overview(run: ScoredRun) -> Table:
    """A run's line in the overview."""
    cells = {f"{name}, %": cell(run.overall(name)) for name in _SHOWN_FIGURES[run.scores.task]}
    similarity = run.overall("mWS")
    if similarity is not None and similarity.value is not None:
        cells["mWS"] = f"{similarity.value:.3f}"
    for key, score in run.of("parity-gap", "overall").items():
        cells["gap of mAP, points"] = f"{cell(score)} ({' − '.join(key.split('/'))})"
    for name, label in (("not-ranked", "candidates not ranked, %"), ("missing", "missing, %")):
        if (share := run.overall(name)) is not None:
            cells[label] = cell(share)
    cells["prompts"] = f"{run.run.description.n_items:,}"
    return Table(tuple(cells), (tuple(cells.values()),))


def _countries(runs: Sequence[ScoredRun]) -> Section | None:
    text = {
        "probe": "Each mark is the mean average precision (mAP) of the dishes from a country: 100 where every "
        "ingredient stands before all other candidates.",
        "free-answers": "Each mark is the mean F1 of the lists for dishes from a country: 100 where a list "
        "names "
        "every ingredient and nothing else.",
    }[runs[0].scores.task]
    line = " The line is its 95 % interval over dishes; a country with one dish has none."
    return _marks(runs, "country", "countries", "By country", runs[0].told(text + line))


def _templates(runs: Sequence[ScoredRun]) -> Section | None:
    return _marks(
        runs,
        "template",
        "templates",
        "By template",
        "The same question in other words. How far the marks of a model lie apart is what wording alone does.",
    )


def _by_language(runs: Sequence[ScoredRun]) -> Section | None:
    """Figures by language, where there are none by language and country."""
    scores = [run.of(_MAIN[run.scores.task], "language") for run in runs]
    if any(run.of(_MAIN[run.scores.task], "language-country") for run in runs) or max(map(len, scores)) < 2:
        return None
    text = (
        "Each mark is a model’s mean F1 of the lists in a language. Languages have other dishes and other "
        "words for ingredients, so models can be compared more safely than languages."
    )
    return _marks(runs, "language", "language", "By language", runs[0].told(text))


def _marks(runs: Sequence[ScoredRun], scope: str, name: str, title: str, text: str) -> Section | None:
    main = _MAIN[runs[0].scores.task]
    scores = {run.name: run.of(main, scope) for run in runs}
    keys = _keys_best_first(scores)
    if not keys:
        return None
    rows = [
        {"region": key, "model": model, "value": one.value, "low": one.low, "high": one.high}
        for model, by_key in scores.items()
        for key in keys
        if (one := by_key.get(key)) is not None and one.value is not None
    ]
    cells = tuple((key, *(cell(by_key.get(key)) for by_key in scores.values())) for key in keys)
    # Among hundreds of candidates figures are low; an axis up to 100 would press them together.
    ends = [value for row in rows for value in (row["value"], row["high"]) if isinstance(value, float)]
    highest = min(100, 10 * ceil(max(ends) / 10) or 10)
    chart = charts.region_chart(rows, keys, list(scores), title=f"{main}, %", highest=highest)
    return Section(name, title, text, (Chart("", chart),), Table((scope, *scores), cells))


def _keys_best_first(scores: Mapping[str, Mapping[str, Score]]) -> list[str]:
    """Keys by their mean over the models, highest first; of equal ones in the order of their names."""
    values: dict[str, list[float]] = {}
    for by_key in scores.values():
        for key, score in by_key.items():
            if score.value is not None:
                values.setdefault(key, []).append(score.value)
    return sorted(values, key=lambda key: (-sum(values[key]) / len(values[key]), key))


def _languages(runs: Sequence[ScoredRun]) -> Section | None:
    main = _MAIN[runs[0].scores.task]
    pictures: list[Chart] = []
    cells: list[tuple[str, ...]] = []
    for run in runs:
        scores = {tuple(key.split("/", 1)): one for key, one in run.of(main, "language-country").items()}
        languages = sorted({language for language, _ in scores})
        if len(languages) < 2:
            continue
        # Countries are many and languages few: countries are the rows.
        turned: dict[tuple[str, ...], Score] = {
            (country, language): one for (language, country), one in scores.items()
        }
        countries = _keys_best_first({run.name: run.of(main, "country")})
        highest = max((one.value or 0.0 for one in scores.values()), default=0.0) or 1.0
        pictures.append(heat(run.name, turned, countries, languages, {}, (0, highest), f"{main}, %"))
        cells += [(run.name, language, country, cell(one)) for (language, country), one in scores.items()]
    if not pictures:
        return None
    return Section(
        "languages",
        "By language and country",
        runs[0].told(
            "mAP of the dishes from the country of the row, asked in the language of the column; brighter is "
            "more. Languages have other candidates, so rows can be compared more safely than columns."
        ),
        tuple(pictures),
        Table(("model", "language", "country", f"{main}, %"), tuple(cells)),
    )


def _differences(runs: Sequence[ScoredRun]) -> Section | None:
    cells = [
        (run.name, what, key, cell(score))
        for run in runs
        for metric, what in _DIFFERENCES.items()
        for scope in ("overall", "language")
        for key, score in run.of(metric, scope).items()
    ]
    if not cells:
        return None
    return Section(
        "differences",
        "Naming the country, and asking in English",
        runs[0].told(
            "Differences of mAP in points on the same dishes, with their paired 95 % intervals: an interval "
            "that holds 0 shows no difference."
        ),
        (),
        Table(("model", "difference", "language", "points"), tuple(cells)),
        is_open=True,
    )


def _examples(runs: Sequence[ScoredRun]) -> Section | None:
    """Some dishes with what each model puts first, chosen by a digest so that nobody picks them."""
    decided = [run.decisions() for run in runs]
    top, right = _TOP[runs[0].scores.task], "gold" if runs[0].scores.task == "probe" else "right_entries"
    common = decided[0]
    for other in decided[1:]:
        common = common.join(other.select("item_id"), on="item_id", how="semi", maintain_order="left")
    digests = pl.Series(
        [text_digest(f"{row[0]}|{row[1]}") for row in common.select("qid", "item_id").iter_rows()]
    )
    chosen = (
        common.with_columns(digest=digests.cast(pl.String))
        .sort("digest")
        .unique("qid", keep="first", maintain_order=True)
        .filter(pl.int_range(pl.len()).over("region") < PER_COUNTRY)
        .head(EXAMPLES)
    )
    prompts = dict(runs[0].run.items("item_id", "prompt").iter_rows())
    by_item = [dict(zip(rows["item_id"], rows.select(top, right).iter_rows(), strict=True)) for rows in decided]
    cells = tuple(
        (
            row["region"],
            prompts[row["item_id"]],
            ", ".join(row["gold"]),
            *(_marked(*of_run[row["item_id"]]) for of_run in by_item),
        )
        for row in chosen.iter_rows(named=True)
    )
    if not cells:
        return None
    return Section(
        "examples",
        runs[0].told("Dishes as examples"),
        f"What each model finds likeliest, the best {SHOWN} candidates first to last; ✓ marks those that are "
        "right.",
        (),
        Table(("country", "prompt", runs[0].told("ingredients"), *(run.name for run in runs)), cells),
        is_open=True,
    )


def _marked(top: Sequence[str], gold: Sequence[str]) -> str:
    return ", ".join(f"{label} ✓" if label in set(gold) else label for label in top[:SHOWN])
