"""Short answers in the report: the local language against English, and what natives answer."""

from collections.abc import Sequence

from blend.eval.report.report_sections import ReportTable, Section, cell, region_name
from blend.eval.report.scored_runs import ScoredRun
from blend.eval.report.single_answers import KnownQuestion, KnownQuestions, answer_groups
from blend.eval.scores_json import ALL


def asked_questions(run: ScoredRun) -> KnownQuestions:
    """List the questions in the language asked in, with what natives answer, by ``item_id``."""
    gold = run.run.gold().rows_by_key(["template_id", "locale"], named=True, unique=True)
    known: dict[tuple[str, str, bool], KnownQuestion] = {}
    found = {}
    columns = ("item_id", "template_id", "locale", "language")
    for item_id, template_id, locale, language in run.run.items(*columns).iter_rows():
        key = template_id, locale, language == "en"
        if key not in known:
            row, prefix = gold[template_id, locale], "en_" if language == "en" else ""
            groups = answer_groups(row["annotations"], f"{prefix}answers")
            known[key] = KnownQuestion(groups, row[f"{prefix}question"])
        found[item_id] = known[key]
    return found


def languages_section(runs: Sequence[ScoredRun]) -> Section | None:
    """Local language against English, where a region was asked in both."""
    cells = [
        (run.name, "all" if key == ALL else region_name(key), cell(score))
        for run in runs
        for scope in ("overall", "region")
        for key, score in run.of("sem-b-gap", scope).items()
    ]
    if not cells:
        return None
    return Section(
        "languages",
        "Local language against English",
        "Share correct in the language of the region, less that of the same questions in English: above 0 the "
        "local language is better. An interval that holds 0 shows no difference.",
        (),
        ReportTable(("model", "region", "local less English, points"), tuple(cells)),
        is_open=True,
    )
