"""A release as a page, to look through before publishing: every question, and what each region answers."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from blend.eval.report.page_template import page_environment, save_page
from blend.eval.report.report_sections import region_name
from blend.eval.report.single_answers import (
    EmbeddedQuestions,
    TextTable,
    answer_groups,
    candidate_lists,
    packed,
)
from blend.loaders.releases import read_manifest
from blend.loaders.releases.reports import read_findings
from blend.loaders.releases.tables import read_config, release_locales
from blend.schemas.errors import InputError
from blend.schemas.frames import is_scored
from blend.schemas.manifest import FINDINGS_NAME
from blend.schemas.reports import finding_kinds
from blend.schemas.rows import ANNOTATIONS, MULTIPLE_CHOICE_QUESTIONS

TEMPLATE = "release.html.j2"

Key = tuple[str, str]
"""Template and locale."""

MCQS_SHOWN = 20
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
    of_question = _by_key((f["template_id"], f["locale"], (f["kind"], f["detail"])) for f in findings)
    annotations = read_config(release, ANNOTATIONS).with_columns(scored=is_scored())
    mcqs = _mcqs(release) if MULTIPLE_CHOICE_QUESTIONS in held else {}
    regions = {locale.tag: locale.region_name for locale in release_locales(release)}
    in_order = annotations.sort("template_id", maintain_order=True)
    questions = _embedded(in_order, mcqs, of_question, regions)
    kinds, known = Counter(finding["kind"] for finding in findings), finding_kinds()
    return (
        page_environment()
        .get_template(TEMPLATE)
        .render(
            name=f"{manifest.name} {manifest.version}",
            questions=questions,
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


def _mcqs(release: Path) -> dict[Key, list[Any]]:
    rows = read_config(release, MULTIPLE_CHOICE_QUESTIONS)
    columns = rows.select("template_id", "locale", "answer", "options", "option_regions").iter_rows()
    return _by_key((template_id, locale, rest) for template_id, locale, *rest in columns)


def _by_key(rows: Iterable[tuple[Any, Any, Any]]) -> dict[Key, list[Any]]:
    found: dict[Key, list[Any]] = {}
    for template_id, locale, row in rows:
        found.setdefault((template_id, locale), []).append(row)
    return found


def _embedded(
    annotations: pl.DataFrame,
    mcqs: Mapping[Key, Sequence[Any]],
    findings: Mapping[Key, Sequence[tuple[str, str]]],
    regions: Mapping[str, str],
) -> EmbeddedQuestions:
    some = {key: of_key[:MCQS_SHOWN] for key, of_key in mcqs.items()}
    data = _packed(annotations, some, findings, regions)
    n_mcqs, n_shown = (sum(map(len, of.values())) for of in (mcqs, some))
    first = f"the first {MCQS_SHOWN} of each question"
    note = f"{n_shown:,} of {n_mcqs:,} multiple-choice questions are here, {first}."
    return EmbeddedQuestions(data, (note,) if n_shown < n_mcqs else ())


def _packed(
    annotations: pl.DataFrame,
    mcqs: Mapping[Key, Sequence[Any]],
    findings: Mapping[Key, Sequence[tuple[str, str]]],
    regions: Mapping[str, str],
) -> str:
    """The data as ``questions.js`` reads it: a row per question and region, grouped by template."""
    table = TextTable()
    keys = list(annotations.select("template_id", "locale").iter_rows())
    found = [findings.get(key, ()) for key in keys]
    facets = [
        ("region", "Region", table.numbers(regions[locale] for _, locale in keys)),
        ("topic", "Topic", table.numbers(annotations["topic"])),
        (
            "finding",
            "Finding",
            [[table.number(kind) for kind in sorted({kind for kind, _ in of_key})] for of_key in found],
        ),
    ]
    data = {
        "ids": table.numbers(annotations["template_id"]),
        "groups": table.numbers(annotations["template_id"]),
        "titles": table.numbers(annotations["en_question"]),
        "prompts": table.numbers(_asked(annotations)),
        "notes": table.numbers(
            _note(row) for row in annotations.select("idks", "scored", "grouping").iter_rows()
        ),
        "facets": [{"name": name, "label": label, "of": of} for name, label, of in facets],
        **candidate_lists([answer_groups(map(_both, groups)) for groups in annotations["annotations"]], table),
        "mcqs": [[_mcq(mcq, table) for mcq in mcqs.get(key, ())] for key in keys],
        "findings": [
            [[table.number(kind), table.number(detail)] for kind, detail in of_key] for of_key in found
        ],
    }
    return packed(data | {"texts": table.texts()})


def _asked(annotations: pl.DataFrame) -> pl.Series:
    """The question as asked, or in English where its source left it blank."""
    question = pl.col("question")
    return annotations.select(pl.when(question == "").then("en_question").otherwise(question)).to_series()


def _both(group: Mapping[str, Any]) -> dict[str, Any]:
    """A group with its answers in the local language, then in English, as one list."""
    return {"answers": [*group["answers"], *group["en_answers"]], "count": group["count"]}


def _note(row: tuple[Mapping[str, Any], bool, str]) -> str:
    """Who did not answer, and what a reader should know of the answers, in words."""
    idks, scored, grouping = row
    others = sum(other["count"] for other in idks["others"])
    counts = {
        "don’t know": idks["idk"],
        "no answer": idks["no-answer"],
        "not applicable": idks["not-applicable"],
        "another reason": others,
    }
    parts = [f"{n} {what}" for what, n in counts.items() if n]
    if grouping == "proposed":
        parts.append("variants merged by rules, not reviewed")
    return "; ".join(parts if scored else [*parts, "not scored as a short answer"])


def _mcq(mcq: Sequence[Any], table: TextTable) -> list[int]:
    """The index of the correct option, then the options, then their regions."""
    answer, options, regions = mcq
    named = [""] * len(options) if regions is None else map(region_name, regions)
    return [answer, *map(table.number, options), *map(table.number, named)]
