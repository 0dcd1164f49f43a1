"""Sections of probing and free listing: countries, templates, languages by countries, and differences."""

from collections.abc import Sequence
from math import ceil

import polars as pl

from blend.eval.report.report_sections import (
    Section,
    cell,
    heat_section,
    keys_best_first,
    marks_section,
    pairs,
    table_section,
)
from blend.eval.report.scored_runs import ScoredRun
from blend.eval.report.single_answers import KnownQuestions, gold_of_labels, single_answers
from blend.eval.scores_json import UNANSWERED
from blend.eval.triples import TripleTask, TripleTerms
from blend.eval.triples.triple_prompts import with_small_countries_together

_DIFFERENCES = {
    "country-effect": "naming the country, less not naming it",
    "english-advantage": "asked in English, less in the language of the row",
}


def triple_sections(runs: Sequence[ScoredRun]) -> tuple[Section | None, ...]:
    """The sections on comparable runs; null without figures for one."""
    terms = terms_of(runs[0])
    line = " The line is its 95 % interval over dishes; a country with one dish has none."
    return (
        _marks(runs, terms.figure, "country", "countries", "By country", terms.mark + line),
        _marks(runs, terms.figure, "template", "templates", "By template", _OF_TEMPLATES),
        _by_language(runs, terms.figure),
        _languages(runs, terms),
        _differences(runs),
    )


_OF_TEMPLATES = (
    "The same question in other words. How far the marks of a model lie apart is what wording alone does."
)
_OF_LANGUAGES = (
    "Each mark is a model’s mean F1 of the lists in a language. Languages have other dishes and other words "
    "for ingredients, so models can be compared more safely than languages."
)


def terms_of(run: ScoredRun) -> TripleTerms:
    """What a run's task calls its figures."""
    assert isinstance(run.task, TripleTask)
    return run.task.terms


def compared_dishes(run: ScoredRun) -> pl.DataFrame:
    """See `Task.compared`."""
    return with_small_countries_together(run.decisions(), value=terms_of(run).decided_by)


def named_first(run: ScoredRun) -> pl.DataFrame:
    """See `Task.single_answers`; the answer is what a model names first."""
    named = pl.col(terms_of(run).predicted).list.join(", ")
    return single_answers(run).with_columns(answer=named, reply="answer")


def gold_labels(run: ScoredRun) -> KnownQuestions:
    """See `Task.known_questions`."""
    return gold_of_labels(run.decisions().select("item_id", "gold").iter_rows())


def triple_overview(run: ScoredRun) -> dict[str, str]:
    """A run's line in the overview."""
    cells = {f"{name}, %": cell(run.overall(name)) for name in terms_of(run).figures}
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
    return cells


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
    # Among hundreds of candidates figures are low; an axis up to 100 would press them together.
    ends = [one.high or one.value or 0 for of in scores.values() for one in of.values()]
    highest = min(100, 10 * ceil(max(ends, default=0) / 10) or 10)
    about = runs[0].reword(text)
    return marks_section(name, title, about, scores, f"{main}, %", key=scope, domain=(0, highest))


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
    return heat_section(
        "languages",
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
