"""Sections of probing and free listing: countries, templates, languages by countries, and differences."""

from collections.abc import Sequence
from math import ceil

from blend.eval.report import score_charts
from blend.eval.report.report_sections import (
    OF_FEW,
    ReportChart,
    ReportTable,
    Section,
    cell,
    heat_maps,
    keys_best_first,
    pairs,
    score_rows,
    table_section,
)
from blend.eval.report.scored_runs import ScoredRun
from blend.eval.scores_json import UNANSWERED
from blend.eval.triples import TripleTerms

_DIFFERENCES = {
    "country-effect": "naming the country, less not naming it",
    "english-advantage": "asked in English, less in the language of the row",
}


def triple_sections(runs: Sequence[ScoredRun], terms: TripleTerms) -> tuple[Section, ...]:
    """The sections that the scores of comparable runs have figures for."""
    line = " The line is its 95 % interval over dishes; a country with one dish has none."
    found = [
        _marks(runs, terms.figure, "country", "countries", "By country", terms.mark + line),
        _marks(runs, terms.figure, "template", "templates", "By template", _OF_TEMPLATES),
        _by_language(runs, terms.figure),
        _languages(runs, terms),
        _differences(runs),
    ]
    return tuple(section for section in found if section is not None)


_OF_TEMPLATES = (
    "The same question in other words. How far the marks of a model lie apart is what wording alone does."
)
_OF_LANGUAGES = (
    "Each mark is a model’s mean F1 of the lists in a language. Languages have other dishes and other words "
    "for ingredients, so models can be compared more safely than languages."
)


def triple_overview(run: ScoredRun, terms: TripleTerms) -> ReportTable:
    """A run's line in the overview."""
    cells = {f"{name}, %": cell(run.overall(name)) for name in terms.figures}
    similarity = run.overall("mWS")
    if similarity is not None and similarity.value is not None:
        cells["mWS"] = f"{similarity.value:.3f}"
    for key, score in run.of("parity-gap", "overall").items():
        cells["gap of mAP, points"] = f"{cell(score)} ({' − '.join(key.split('/'))})"
    shares = (
        ("not-ranked", "candidates not ranked, %"),
        (UNANSWERED, "unanswered, %"),
        ("missing", "missing, %"),
    )
    for name, label in shares:
        if (share := run.overall(name)) is not None:
            cells[label] = cell(share)
    cells["prompts"] = f"{run.run.description.n_items:,}"
    return ReportTable(tuple(cells), (tuple(cells.values()),))


def _by_language(runs: Sequence[ScoredRun], figure: str) -> Section | None:
    """Figures by language, where there are none by language and country."""
    has_countries = any(run.of(figure, "language-country") for run in runs)
    if has_countries or max(len(run.of(figure, "language")) for run in runs) < 2:
        return None
    return _marks(runs, figure, "language", "language", "By language", _OF_LANGUAGES)


def _marks(
    runs: Sequence[ScoredRun], main: str, scope: str, name: str, title: str, text: str
) -> Section | None:
    scores = {run.name: run.of(main, scope) for run in runs}
    keys = keys_best_first(scores)
    if not keys:
        return None
    rows = score_rows(scores, keys)
    cells = tuple((key, *(cell(by_key.get(key)) for by_key in scores.values())) for key in keys)
    # Among hundreds of candidates figures are low; an axis up to 100 would press them together.
    highest = min(100, 10 * ceil(max(row["high"] or row["value"] for row in rows) / 10) or 10)
    chart = score_charts.interval_chart(rows, keys, list(scores), title=f"{main}, %", domain=(0, highest))
    table = ReportTable((scope, *scores), cells)
    return Section(name, title, runs[0].reword(text), (ReportChart("", chart),), table)


def _languages(runs: Sequence[ScoredRun], terms: TripleTerms) -> Section | None:
    main = terms.figure
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
    countries = keys_best_first({run.name: run.of(main, "country") for run in runs})
    pictures, figures = heat_maps(of_runs, countries, f"{main}, %")
    cells = tuple((name, language, country, figure) for name, country, language, figure in figures)
    return Section(
        "languages",
        "By language and country",
        runs[0].reword(
            "mAP of the dishes from the country of the row, asked in the language of the column; brighter is "
            f"more. Languages have other candidates, so rows can be compared more safely than columns.{OF_FEW}"
        ),
        pictures,
        ReportTable(("model", "language", "country", f"{main}, %"), cells),
    )


def _differences(runs: Sequence[ScoredRun]) -> Section | None:
    cells = (
        (run.name, what, key, cell(score))
        for run in runs
        for metric, what in _DIFFERENCES.items()
        for scope in ("overall", "language")
        for key, score in run.of(metric, scope).items()
    )
    return table_section(
        "differences",
        "Naming the country, and asking in English",
        runs[0].reword(
            "Differences of mAP in points on the same dishes, with their paired 95 % intervals: an interval "
            "that holds 0 shows no difference."
        ),
        ("model", "difference", "language", "points"),
        cells,
        is_open=True,
    )
