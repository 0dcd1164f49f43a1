"""A release as a page, to look through before publishing: every question, and what each region answers."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from blend.eval.report.page_template import packed, page_environment, save_page
from blend.eval.report.report_sections import region_name
from blend.eval.report.single_answers import answer_groups
from blend.loaders.releases import read_manifest
from blend.loaders.releases.reports import read_findings
from blend.loaders.releases.tables import read_config, release_locales
from blend.schemas.errors import InputError
from blend.schemas.frames import is_scored
from blend.schemas.manifest import FINDINGS_NAME
from blend.schemas.reports import finding_kinds
from blend.schemas.rows import ANNOTATIONS, MULTIPLE_CHOICE_QUESTIONS

_MCQS_SHOWN = 20
"""Multiple-choice questions of a question that are shown at most; paper mode has thousands of some."""


def build_release_page(release: Path) -> str:
    """The questions of a release with what every region answers, as HTML that needs no network.

    Args:
        release: Directory of the release.

    Raises:
        InputError: If the directory is not a release, or holds no questions that people answered.
        RowError: If a line of its findings cannot be read.
    """
    manifest = read_manifest(release)
    held = {table.config for table in manifest.tables}
    if ANNOTATIONS not in held:
        raise InputError(
            f"{release}: holds no questions that people answered, which the page shows, but "
            f"{', '.join(sorted(held))}; leave `html` out to see a row of each"
        )
    findings = _findings(release / FINDINGS_NAME)
    mcqs, n_mcqs, n_shown = _mcqs(release) if MULTIPLE_CHOICE_QUESTIONS in held else ({}, 0, 0)
    questions = _questions(release, mcqs, findings)
    first = f"the first {_MCQS_SHOWN} of each question"
    left_out = f"{n_shown:,} of {n_mcqs:,} multiple-choice questions are here, {first}."
    kinds, known = Counter(finding["kind"] for finding in findings), finding_kinds()
    return (
        page_environment()
        .get_template("release.html.j2")
        .render(
            name=f"{manifest.name} {manifest.version}",
            data=packed({"facets": ["Region", "Topic", "Finding"], "regions": True, "questions": questions}),
            left_out=left_out if n_shown < n_mcqs else "",
            findings=[
                (kind, n, known[kind].meaning if kind in known else "") for kind, n in kinds.most_common()
            ],
        )
    )


def save_release_page(release: Path, html: Path) -> None:
    """Write the page of a release; the file appears whole or not at all.

    Raises:
        InputError, RowError: See `build_release_page`; also if ``html`` is a directory.
        StorageError: If it cannot be written.
    """
    save_page(lambda: build_release_page(release), html, name="html")


def _findings(path: Path) -> list[dict[str, Any]]:
    """The findings of a release; none where its file is absent."""
    if not path.is_file():
        return []
    found = []
    for _, finding in read_findings(path):
        if isinstance(finding, Exception):
            raise finding
        found.append({"template_id": None, "locale": None, "detail": "", **finding})
    return found


_Key = tuple[str, str]
"""Template and locale."""


def _mcqs(release: Path) -> tuple[Mapping[_Key, list[Any]], int, int]:
    """Number of the answer, options and their regions of each question, how many there are, and are shown."""
    rows = read_config(release, MULTIPLE_CHOICE_QUESTIONS)
    shown = rows.filter(pl.int_range(pl.len()).over("template_id", "locale") < _MCQS_SHOWN)
    columns = ("template_id", "locale", "answer", "options", "option_regions")
    found = defaultdict(list)
    for template_id, locale, answer, options, regions in shown.select(columns).iter_rows():
        named = [""] * len(options) if regions is None else [region_name(region) for region in regions]
        found[template_id, locale].append([answer, options, named])
    return found, rows.height, shown.height


def _questions(
    release: Path, mcqs: Mapping[_Key, list[Any]], findings: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The rows that ``questions.js`` reads: one for each question and region, those of a template together."""
    of_question = defaultdict(list)
    for finding in findings:
        of_question[finding["template_id"], finding["locale"]].append((finding["kind"], finding["detail"]))
    regions = {locale.tag: locale.region_name for locale in release_locales(release)}
    annotations = read_config(release, ANNOTATIONS).with_columns(scored=is_scored())
    questions = []
    for row in annotations.sort("template_id", maintain_order=True).iter_rows(named=True):
        key = row["template_id"], row["locale"]
        found = of_question.get(key, [])
        kinds = sorted({kind for kind, _ in found})
        # Answers in the local language, then those in English.
        groups = [{**one, "answers": [*one["answers"], *one["en_answers"]]} for one in row["annotations"]]
        questions.append(
            {
                "id": row["template_id"],
                "facets": [regions[row["locale"]], row["topic"], kinds],
                "title": row["en_question"],
                # Its source may have left the question blank.
                "prompt": row["question"] or row["en_question"],
                "candidates": answer_groups(groups),
                "note": _note(row),
                "mcqs": mcqs.get(key, []),
                "findings": found,
            }
        )
    return questions


def _note(row: Mapping[str, Any]) -> str:
    """Who did not answer, and what a reader should know of the answers, in words."""
    idks = row["idks"]
    others = sum(other["count"] for other in idks["others"])
    counts = {
        "don’t know": idks["idk"],
        "no answer": idks["no-answer"],
        "not applicable": idks["not-applicable"],
        "another reason": others,
    }
    parts = [f"{n} {what}" for what, n in counts.items() if n]
    if row["grouping"] == "proposed":
        parts.append("variants merged by rules, not reviewed")
    return "; ".join(parts if row["scored"] else [*parts, "not scored as a short answer"])
