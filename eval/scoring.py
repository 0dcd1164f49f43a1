"""Scoring: from the answers that a run kept to decisions and scores; any number of times, without a model."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import polars as pl

from blend.eval.judging import JUDGE, verdicts_digest
from blend.eval.runs import signature
from blend.eval.runs.answers import answers_digest, storing
from blend.eval.runs.run_directory import Run, RunOutcome, outcome_of
from blend.eval.scores_json import (
    DECISIONS_NAME,
    SCORES_NAME,
    UNREAD,
    Score,
    ScoredItems,
    Scores,
    drop_scores,
    repeat_scores,
    written_count,
)
from blend.eval.task import checked_options
from blend.eval.tasks import task_of
from blend.loaders.files.atomic import atomic_file, one_at_a_time
from blend.loaders.files.content import file_sha256
from blend.loaders.files.progress import ProgressCallback, silent
from blend.schemas.errors import InputError, UnknownNameError
from blend.schemas.texts import agreeing

_MAX_UNANSWERED = 0.01
"""Share of written answers that are unanswered above which a reader is warned."""

_MAX_UNREAD = 0.1
"""The same of those that name no option."""

_SHOWN = 60


class ScoredAnswers(NamedTuple):
    """The scores of a run, and what they come from."""

    scores: Scores
    """Every figure."""
    decisions: pl.DataFrame
    """One row per item."""
    warnings: tuple[str, ...] = ()
    """What a reader of the figures should know, in words for a user."""


def score_answers(
    run: Run,
    *,
    rule: str = "default",
    seed: int = 0,
    allow_missing: bool = False,
    on_progress: ProgressCallback = silent,
    **options: Any,
) -> ScoredAnswers:
    """Score what a run has kept; the run may still be under way.

    See `evaluation.score_run` for arguments and errors; options that are null have their defaults.
    """
    task = task_of(run.description.task)
    # A judge is named behind the rule, `judge:NAME`, and in the signature by what it is.
    kind, _, judge = rule.partition(":")
    if kind not in task.rules or (judge and kind != JUDGE):
        raise UnknownNameError("rule", rule, task.rules)
    given = {name: value for name, value in options.items() if value is not None}
    chosen = checked_options(task.scoring, {**given, "rule": rule, "seed": seed}, task=task.name)
    # Of before they are read: what comes in meanwhile is told when the scores are.
    answers_held, verdicts_held = answers_digest(run.answers_folder), verdicts_digest(run, rule)
    # However many come in meanwhile.
    now = replace(run, held=run.kept())
    allow_missing = allow_missing or rule in task.missing_is_wrong
    state = outcome_of(now)
    _check_missing(now, state, allow_missing=allow_missing)
    scored = task.score(now, chosen, on_progress)
    # Freed: of a million answers, where they stand is 40 MB.
    del now
    if task.repeated and run.description.options.get("samples", 1) > 1:
        items = run.items("item_id", "region", "sample")
        scored = _with_repeats(scored, items, task.repeated)
    n_unanswered, _ = written_count(scored.scores)
    used = scored.signature_parts.get("rule", kind)
    parts = {
        **scored.signature_parts,
        "rule": None if used == "default" else used,
        "unanswered": n_unanswered or None,
        "missing": None if state.can_be_scored else state.n_missing,
        "seed": seed or None,
    }
    # Nobody was asked by us, or for no text and no choice.
    is_ranked = run.description.kind == "candidates"
    scores = Scores(
        task=task.name,
        signature=signature(task.measure, run.description, parts),
        rule=rule,
        release=run.description.release.label,
        model=run.description.model.id,
        scores=scored.scores,
        answers=answers_held,
        tables={name: file_sha256(run.directory / name) for name in scored.tables},
        verdicts=verdicts_held,
        usage=None if run.description.model.backend == "recorded" or is_ranked else state.usage,
    )
    n_filtered = 0 if state.usage is None else state.usage.filtered
    return ScoredAnswers(scores, scored.decisions, (*scored.warnings, *_warnings(run, scored, n_filtered)))


def _check_missing(run: Run, state: RunOutcome, *, allow_missing: bool) -> None:
    """Refuse to score a run of which too many items have no answer."""
    if allow_missing or state.can_be_scored:
        return
    is_recorded = run.description.model.backend == "recorded"
    n_items, n_missing = state.n_items, state.n_missing
    reasons = []
    if n_absent := n_missing - state.n_failed:
        reasons.append(f"{n_absent} {'are not in the file' if is_recorded else 'were not asked yet'}")
    if state.n_failed:
        reasons.append(f"{state.n_failed} failed (first: {state.first_error})")
    again = "run the same command again to ask them"
    if is_recorded:
        again = "run again with a file that holds them all, into another directory"
    raise InputError(
        f"{run.directory}: {n_missing} of {n_items} items {agreeing(n_missing, 'has', 'have')} no answer "
        f"({100 * n_missing / n_items:.1f} %): {', '.join(reasons)}; {again}, or score what is there with "
        "`allow_missing`"
    )


def _with_repeats(scored: ScoredItems, items: pl.DataFrame, figures: Mapping[str, str]) -> ScoredItems:
    """What was scored, with the number of every repeat and with figures on how the repeats differ.

    Args:
        scored: Decisions and figures.
        items: ``item_id``, ``region`` and ``sample`` of the run, in order (`items.repeated`).
        figures: `Task.repeated`.

    Returns:
        Decisions with ``sample``, and for every figure and its mean over regions ``…-between-runs`` behind the
        others; see ``docs/scores.md``.
    """
    question = (pl.col("sample") == 0).cum_sum().alias("question")
    numbered = items.select("item_id", "region", question)
    held = {score.metric for score in scored.scores}
    found: list[Score] = []
    for metric, column in figures.items():
        values = scored.decisions.select("item_id", value=pl.col(column).cast(pl.Float64)).drop_nulls("value")
        rows = numbered.join(values, on="item_id", how="inner").drop("item_id")
        found += repeat_scores(metric, rows, macro=f"{metric}-macro" in held)
    decisions = scored.decisions.join(
        items.select("item_id", "sample"), on="item_id", how="left", maintain_order="left"
    )
    return scored._replace(decisions=decisions, scores=(*scored.scores, *found))


def _warnings(run: Run, scored: ScoredItems, n_filtered: int) -> Iterator[str]:
    """Say where many of the answers are none, or name no option; ``n_filtered`` were stopped by a filter."""
    n_unanswered, n_written = written_count(scored.scores)
    if n_unanswered > _MAX_UNANSWERED * n_written:
        yield _on_unanswered(n_unanswered, n_written, min(n_filtered, n_unanswered))
    n_unread, _ = written_count(scored.scores, UNREAD)
    if n_unread > _MAX_UNREAD * n_written:
        first = scored.decisions.filter(why=UNREAD).head(1)
        [text] = run.answers("text", items=first)["text"]
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
        n_of = f"{n_unread:,} of {n_written:,} answers ({100 * n_unread / n_written:.1f} %)"
        yield (
            f"{n_of} name no option, and count as wrong: the first, to {first['item_id'][0]}, says {shown!r}; "
            f"read others in {run.answers_folder}. Asked again, a model may need its chat template (`chat`), "
            "more room (`max_tokens`), not to think (`thinking=off`), examples (`shots`), or a `style` that "
            "compares options, where the task has one"
        )


def _on_unanswered(n: int, n_written: int, n_filtered: int) -> str:
    """What a reader should know of answers that are none, and why they are."""
    reasons = []
    if n_filtered:
        reasons.append(f"a content filter stopped {n_filtered:,}, and would again")
    if n > n_filtered:
        of = "in the others " if reasons else ""
        reasons.append(
            f"{of}the model said nothing, did not finish a thought, or was cut at the length allowed; let it "
            "write more (`max_tokens`), or not think (`thinking`)"
        )
    share, are = f"{100 * n / n_written:.1f} %", agreeing(n, "is", "are")
    return f"{n:,} of {n_written:,} answers ({share}) {are} unanswered: {'; '.join(reasons)}"


@contextmanager
def scoring_alone(run: Run) -> Iterator[None]:
    """Wait until nobody else scores a run, and keep others waiting while the block runs.

    Else the tables of texts, of which scores keep no digest, could be of another rule than the scores.

    Raises:
        StorageError: If the directory of the run cannot be written to.
    """
    with ExitStack() as held:
        with storing(run.directory):
            held.enter_context(one_at_a_time(run.directory / SCORES_NAME))
        yield


def write_scores(run: Run, scored: ScoredAnswers) -> Scores:
    """Keep scores and decisions in the directory of their run, in place of earlier ones.

    Returns:
        The scores, with the digest of the decisions.

    Raises:
        StorageError: If they cannot be written.
    """
    with (
        storing(run.directory),
        atomic_file(run.directory / SCORES_NAME) as scores,
        atomic_file(run.directory / DECISIONS_NAME) as decisions,
    ):
        scored.decisions.write_parquet(decisions, compression="zstd")
        tables = {**scored.scores.tables, DECISIONS_NAME: file_sha256(decisions)}
        written = scored.scores.model_copy(update={"tables": tables})
        scores.write_text(written.to_json(), encoding="utf-8")
        # Only now that both can take their names, decisions first: earlier scores would belong to others.
        drop_scores(run)
    return written
