"""The audit that a release brings along: the figures of its baselines and leaks, without examples."""

from hashlib import sha256

import polars as pl

from blend.builders.audit.release import audit_rows, audit_true_false
from blend.schemas.locales import Registry
from blend.schemas.reports import AuditReport, Fares
from blend.schemas.rows import MULTIPLE_CHOICE_QUESTIONS, RUNGS

MOST_QUESTIONS = 20_000
"""Questions from which on no further template is looked at: more would take time and tell the same."""
_COLUMNS = ("question", "options", "option_regions", "answer", "topic", "locale", "template_id")
_PLACES = 4
"""Decimal places of the figures: the last digits of a computation are not the same on every machine."""


def audit_report(
    mcqs: pl.LazyFrame,
    *,
    annotations: pl.DataFrame,
    locales: Registry,
    config: str = MULTIPLE_CHOICE_QUESTIONS,
    most: int = MOST_QUESTIONS,
) -> AuditReport:
    """Audit the multiple-choice questions or rungs of a release, those of large ones in part.

    Args:
        mcqs: `frame_columns.MCQ_ROWS`, of which `_COLUMNS` count; or the rows of a rung.
        annotations: `frame_columns.ANNOTATIONS`.
        locales: Registry that knows the locales.
        config: The configuration that they are of.
        most: Questions from which on no further template is looked at; templates are ordered by digest.
    """
    counts = mcqs.group_by("template_id").agg(n=pl.len().cast(pl.Int64)).collect()
    # Of a release of any size, only these rows and columns are read.
    chosen = mcqs.filter(pl.col("template_id").is_in(_first_templates(counts, most)))
    if config in RUNGS:
        rows = chosen.collect()
        audit = audit_true_false(rows, annotations=annotations, locales=locales)
    else:
        rows = chosen.select(_COLUMNS).collect()
        audit = audit_rows(rows, annotations=annotations, locales=locales, examples=0)
    leaks, rules = (frame.select(frame.columns[:2]).rows() for frame in (audit.leaks, audit.baselines))
    return AuditReport(
        questions=counts["n"].sum(),
        audited=len(rows),
        definitions=dict([*leaks, *rules]),
        baselines=_fares(audit.baselines, audit.baselines_by_group, {"baseline": "name", "overall": "share"}),
        leaks=_fares(audit.leaks, audit.leaks_by_group, {"cause": "name"}),
    )


def _first_templates(counts: pl.DataFrame, most: int) -> list[str]:
    digests = [sha256(template_id.encode()).hexdigest() for template_id in counts["template_id"]]
    ordered = counts.with_columns(digest=pl.Series(digests, dtype=pl.String)).sort("digest")
    return ordered.filter(pl.col("n").cum_sum() - pl.col("n") < most)["template_id"].to_list()


def _fares(overall: pl.DataFrame, by_group: pl.DataFrame, fields: dict[str, str]) -> tuple[Fares, ...]:
    """The rows of two tables of an audit; ``fields`` says what columns with other names are."""
    rows = pl.concat([overall.with_columns(group=pl.lit("all")).select(by_group.columns), by_group])
    kept = rows.rename(fields).select(
        name for name in Fares.model_fields if name in {*rows.columns, *fields.values()}
    )
    return tuple(Fares(**row) for row in kept.with_columns(pl.col(pl.Float64).round(_PLACES)).to_dicts())
