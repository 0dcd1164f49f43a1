"""Audit of a release: its multiple-choice questions, and what its annotations tell those who know them.

And the report of it that a release brings along.
"""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import polars as pl

from blend.builders.audit import Audit, audit_questions, known_answers, measured
from blend.builders.audit.rules import BASELINES, inputs_of, scored
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.releases import read_manifest
from blend.loaders.releases.tables import read_config, release_locales
from blend.schemas.errors import InputError
from blend.schemas.frames import votes_known
from blend.schemas.locales import Registry
from blend.schemas.reports import AuditReport, Fares
from blend.schemas.rows import ANNOTATIONS, LETTERS, MULTIPLE_CHOICE_QUESTIONS, RUNGS


def audit_release(release: Path | str, *, on_progress: ProgressCallback = silent) -> Audit:
    """Audit the multiple-choice questions of a release directory.

    Groups are its locales. What is typical of a region, which answers count as right and what people say in
    their own languages comes from its annotations.

    Args:
        release: The directory.
        on_progress: Told about the rows read, by configuration.

    Raises:
        InputError: If it is not a release, has no multiple-choice questions, or the votes of answers are
            unknown.
    """
    folder = Path(release)
    held = {table.config: table.rows for table in read_manifest(folder).tables}
    if not held.get(MULTIPLE_CHOICE_QUESTIONS):
        raise InputError(f"{folder}: no multiple-choice questions in this release; audit one that has some")
    rows = read_config(folder, MULTIPLE_CHOICE_QUESTIONS, on_progress=on_progress)
    annotations = read_config(folder, ANNOTATIONS, on_progress=on_progress) if ANNOTATIONS in held else None
    if not (annotations is None or annotations.select(votes_known().all()).item()):
        raise InputError(
            f"{folder}: the votes of answers are unknown (null), and the audit weighs answers by votes; "
            "audit a release whose annotations have them"
        )
    return _audit_rows(rows, annotations=annotations, locales=release_locales(folder))


def _audit_rows(rows: pl.DataFrame, *, annotations: pl.DataFrame | None, locales: Registry) -> Audit:
    """Audit published multiple-choice questions, `frames.MCQ_ROWS`; see `audit_questions`."""
    return audit_questions(
        rows.select("question", "options", "answer", "topic", group="locale", template="template_id"),
        annotations=annotations,
        option_sources=_option_sources(rows, locales),
        locales=locales,
    )


def _option_sources(rows: pl.DataFrame, locales: Registry) -> pl.DataFrame:
    """Of which locale every option is an answer, as the row says."""
    # Not by its region, which locales can share.
    named = (pl.col("choice_countries").str.json_path_match(f"$.{letter}") for letter in LETTERS)
    options = rows.drop_nulls("choice_countries").select(
        template="template_id", text="options", group=pl.concat_list(*named)
    )
    tag_of = {locale.upstream: locale.tag for locale in locales}
    return options.explode("text", "group").unique().with_columns(pl.col("group").replace(tag_of))


TRUE_FALSE: Mapping[str, str] = {
    "frequent": "yes to what is right in other templates most often: sees the option alone",
    "typical": "yes to what is most typical of the region's other answers: sees no question",
    "widespread": "yes to what people of most other regions gave to the question: sees no region",
}
"""Solvers of true-false questions, and what they see; each says yes above the score that serves it best."""

_YES_WEIGHT = len(LETTERS) - 1
"""How often a row with yes counts, so that yes and no weigh alike: the accuracy is the balanced one."""


def _true_false_figures(rows: pl.DataFrame, *, annotations: pl.DataFrame, locales: Registry) -> pl.DataFrame:
    """How solvers fare on true-false questions, see `measured`.

    Args:
        rows: `frames.TRUE_FALSE_ROWS`, the four of a question side by side.
        annotations: `frames.ANNOTATIONS`.
        locales: Registry that knows the locales.

    Returns:
        The figures of the solvers. Accuracies are balanced: the mean of those where yes and where no is
        correct.
    """
    evidence, is_yes = known_answers(annotations), pl.col("answer") == "yes"
    fours = rows.group_by("mcq_id", maintain_order=True).agg(
        options="option",
        answer=is_yes.arg_max().cast(pl.Int64),
        template=pl.first("template_id"),
        group=pl.first("locale"),
    )
    solvers = {name: BASELINES[name] for name in TRUE_FALSE}
    scores = scored(inputs_of(fours, evidence, evidence, locales), solvers)
    statements = rows.select(is_yes.alias("yes"), template="template_id", group="locale", chance=pl.lit(0.5))
    found = statements.hstack(scores).with_columns(
        (pl.col(name) >= _best_threshold(scores[name], statements["yes"])).eq(pl.col("yes")).cast(pl.Float64)
        for name in TRUE_FALSE
    )
    again = [found.filter("yes")] * (_YES_WEIGHT - 1)
    # Counted once, as the table holds it: of four rows one is *yes*, and stood there three times.
    once = pl.col("questions") * len(LETTERS) // (len(LETTERS) - 1 + _YES_WEIGHT)
    return measured(pl.concat([found, *again]), list(TRUE_FALSE)).with_columns(once)


def _best_threshold(scores: pl.Series, is_yes: pl.Series) -> float:
    """The score from which on yes is right most often, yes and no weighed alike; of equal ones the highest."""
    ways = pl.DataFrame({"score": scores, "yes": is_yes}).group_by("score").agg(pl.sum("yes"), n=pl.len())
    ways = ways.sort("score", descending=True)
    gain = pl.col("yes").cum_sum() / is_yes.sum() - (pl.col("n") - pl.col("yes")).cum_sum() / (~is_yes).sum()
    return float(ways.item(ways.select(gain.arg_max()).item(), "score"))


# The report that a release brings along: the figures of its baselines and leaks.

_MOST_QUESTIONS = 20_000
"""Questions from which on no further template is looked at: more would take time and tell the same."""
_COLUMNS = ("question", "options", "choice_countries", "answer", "topic", "locale", "template_id")
_PLACES = 4
"""Decimal places of the figures: the last digits of a computation are not the same on every machine."""


def audit_report(
    mcqs: pl.LazyFrame,
    *,
    annotations: pl.DataFrame,
    locales: Registry,
    config: str = MULTIPLE_CHOICE_QUESTIONS,
    most: int = _MOST_QUESTIONS,
) -> AuditReport:
    """Audit the multiple-choice questions or rungs of a release, those of large ones in part.

    Args:
        mcqs: `frames.MCQ_ROWS`, of which `_COLUMNS` count; or the rows of a rung.
        annotations: `frames.ANNOTATIONS`.
        locales: Registry that knows the locales.
        config: The configuration that they are of.
        most: Questions from which on no further template is looked at; templates are ordered by digest.
    """
    counts = mcqs.group_by("template_id").agg(n=pl.len().cast(pl.Int64)).collect()
    # Of a release of any size, only these rows and columns are read.
    chosen = mcqs.filter(pl.col("template_id").is_in(_first_templates(counts, most)))
    if config in RUNGS:
        rows = chosen.collect()
        definitions, leaks = dict(TRUE_FALSE), tuple[Fares, ...]()
        baselines = _fares(
            _true_false_figures(rows, annotations=annotations, locales=locales), name="rule", share="overall"
        )
    else:
        rows = chosen.select(_COLUMNS).collect()
        audit = _audit_rows(rows, annotations=annotations, locales=locales)
        defined = [frame.select(frame.columns[:2]).rows() for frame in (audit.leaks, audit.baselines)]
        definitions = dict([*defined[0], *defined[1]])
        baselines = _fares(audit.baselines, name="baseline", share="overall")
        leaks = _fares(audit.leaks, name="cause", share="share")
    return AuditReport(
        questions=counts["n"].sum(),
        audited=len(rows),
        definitions=definitions,
        baselines=baselines,
        leaks=leaks,
    )


def _first_templates(counts: pl.DataFrame, most: int) -> list[str]:
    digests = [sha256(template_id.encode()).hexdigest() for template_id in counts["template_id"]]
    ordered = counts.with_columns(digest=pl.Series(digests, dtype=pl.String)).sort("digest")
    return ordered.filter(pl.col("n").cum_sum() - pl.col("n") < most)["template_id"].to_list()


def _fares(figures: pl.DataFrame, **renamed: str) -> tuple[Fares, ...]:
    figures = figures.with_columns(**{name: pl.col(column) for name, column in renamed.items()})
    kept = figures.select(name for name in Fares.model_fields if name in figures.columns)
    return tuple(Fares(**row) for row in kept.with_columns(pl.col(pl.Float64).round(_PLACES)).to_dicts())
