"""Scoring: from the answers that a run kept to decisions and scores; any number of times, without a model."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import polars as pl

from blend.eval.judging.verdicts import JUDGE, verdicts_digest
from blend.eval.registry import task_of
from blend.eval.repeat_scores import with_repeats
from blend.eval.runs.answers import answers_digest
from blend.eval.runs.answers_in_parts import filtered_texts
from blend.eval.runs.run_description import DESCRIPTION_NAME, RecordedAnswers, RunDescription
from blend.eval.runs.run_directory import MAX_MISSING, Run, translate_errors
from blend.eval.runs.run_tables import write_frame
from blend.eval.runs.usage import Usage, count_answers
from blend.eval.runs.written_answers import as_scored
from blend.eval.scores_json import DECISIONS_NAME, SCORES_NAME, Scores, drop_scores, unanswered_count
from blend.eval.task import checked_options
from blend.loaders.files.atomic import atomic_write, one_at_a_time
from blend.loaders.files.progress import ProgressCallback, silent
from blend.schemas.errors import DISTRIBUTION, InputError, UnknownNameError
from blend.schemas.texts import agreeing
from blend.version import __version__

MAX_UNANSWERED = 0.01
"""Share of written answers that are unanswered above which a reader is warned."""

_RELEASE_DIGITS = 8
_PROMPT_DIGITS = 4


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

    Args:
        run: The run.
        rule: By which rule answers are decided; each task has its own.
        seed: Seed of the intervals.
        allow_missing: Whether to score although more than `MAX_MISSING` of the items have no answer.
        on_progress: Hears how far the scoring of many texts is.
        options: Further options of the task's scoring; those that are null have their defaults.

    Raises:
        UnknownNameError: If there is no such rule; lists the rules.
        ArgumentError: If the task's scoring has no such option, or it cannot be so.
        InputError: If too many items have no answer, or if what the run has kept cannot be read.
        MissingExtraError: If a lemmatiser is not installed.
    """
    check_options(run)
    task = task_of(run.description.task)
    # A judge is named behind the rule, `judge:NAME`, and in the signature by what it is.
    kind, _, judge = rule.partition(":")
    if kind not in task.rules or (judge and kind != JUDGE):
        raise UnknownNameError("rule", rule, task.rules)
    given = {name: value for name, value in options.items() if value is not None}
    chosen = checked_options(task.scoring, {**given, "rule": rule, "seed": seed}, task=task.name)
    # Of before they are read: what comes in meanwhile is told when the scores are.
    answers_held, verdicts_held = answers_digest(run.answers_folder), verdicts_digest(run, rule)
    now = run.at_one_moment()
    allow_missing = allow_missing or rule in task.missing_is_wrong
    n_missing, usage = _check_missing(now, allow_missing=allow_missing), _usage(now)
    answers = pl.DataFrame() if task.reads_answers else as_scored(now.answers(thoughts=False), now.description)
    scored = task.score(now, answers, chosen, on_progress)
    # Freed: of a million answers, where they stand is 40 MB.
    del now, answers
    if task.repeated and run.description.options.get("samples", 1) > 1:
        items = run.items("item_id", "region", "template_id", "sample")
        scored = with_repeats(scored, items, task.repeated)
    parts = {**scored.signature_parts, **({} if rule == "default" else {"rule": kind})}
    n_unanswered, n_written = unanswered_count(scored.scores)
    if n_unanswered:
        parts["unanswered"] = str(n_unanswered)
    if n_missing > MAX_MISSING * run.description.n_items:
        parts["missing"] = str(n_missing)
    if seed:
        parts["seed"] = str(seed)
    scores = Scores(
        task=task.name,
        signature=signature(task.measure, run.description, parts),
        rule=rule,
        release=release_name(run.description),
        model=run.description.model.id,
        scores=scored.scores,
        answers=answers_held,
        verdicts=verdicts_held,
        usage=usage,
    )
    warnings = scored.warnings
    if n_unanswered > MAX_UNANSWERED * n_written:
        warnings = (*warnings, _on_unanswered(run, n_unanswered, n_written))
    return ScoredAnswers(scores, scored.decisions, warnings)


def _usage(run: Run) -> Usage | None:
    """What a run has taken; null where nobody was asked by us, or what is asked is no text and no choice."""
    if run.description.model.backend == "recorded" or run.description.kind == "candidates":
        return None
    return count_answers(run.kept()).usage


def _on_unanswered(run: Run, n: int, n_written: int) -> str:
    """What a reader should know of answers that are none, and why they are."""
    cut_is_read = task_of(run.description.task).cut_is_read
    n_filtered = filtered_texts(run, cut_is_read=cut_is_read)
    reasons = []
    if n_filtered:
        reasons.append(f"a content filter stopped {n_filtered:,}, and would again")
    if n > n_filtered:
        of = f"in {n - n_filtered:,} " if reasons else ""
        reasons.append(
            f"{of}the model said nothing, did not finish a thought, or was cut at the length allowed; let it "
            "write more (`max_tokens`), or not think (`thinking`)"
        )
    share, are = f"{100 * n / n_written:.1f} %", agreeing(n, "is", "are")
    return f"{n:,} of {n_written:,} answers ({share}) {are} unanswered: {'; '.join(reasons)}"


def check_options(run: Run) -> None:
    """Check that the options of a run are ones that its task knows.

    Raises:
        InputError: If not: it is of another version, or somebody has changed it.
    """
    try:
        task = task_of(run.description.task)
        checked_options(task.options, run.description.options, task=task.name)
        # Texts of a table are not asked for, and have no options but how many there are of each.
        for name in task.options.always_kept() if run.description.prompts else ():
            if name not in run.description.options:
                raise InputError(f"options: {name!r} is missing")
    except InputError as error:
        raise InputError(
            f"{run.directory / DESCRIPTION_NAME}: not a description that this version of {DISTRIBUTION} reads "
            f"({error}); use the version that made it, or run again into another directory"
        ) from error


@contextmanager
def scoring_alone(run: Run) -> Iterator[None]:
    """Wait until nobody else scores a run, and keep others waiting while the block runs.

    Raises:
        StorageError: If the directory of the run cannot be written to.
    """
    with ExitStack() as held:
        with translate_errors(run.directory):
            held.enter_context(one_at_a_time(run.directory / SCORES_NAME))
        yield


def write_scores(run: Run, scored: ScoredAnswers) -> None:
    """Keep scores and decisions in the directory of their run, in place of earlier ones.

    Raises:
        StorageError: If they cannot be written.
    """
    with translate_errors(run.directory):
        drop_scores(run)
        write_frame(run.directory / DECISIONS_NAME, scored.decisions)
        atomic_write(run.directory / SCORES_NAME, scored.scores.to_json())


def _check_missing(run: Run, *, allow_missing: bool) -> int:
    """How many items have no answer, refused where they are too many."""
    kept, n_items = run.kept(), run.description.n_items
    n_asked = len(kept.item_ids)
    n_missing = n_items - n_asked + kept.n_failed
    if allow_missing or n_missing <= MAX_MISSING * n_items:
        return n_missing
    reasons = []
    if n_asked < n_items:
        is_recorded = run.description.model.backend == "recorded"
        reasons.append(f"{n_items - n_asked} {'are not in the file' if is_recorded else 'were not asked yet'}")
    if kept.n_failed:
        item_id, error = kept.of(kept.failed.head(1), "item_id", "error").row(0)
        reasons.append(f"{kept.n_failed} failed (first: {item_id}: {error})")
    have = agreeing(n_missing, "has", "have")
    raise InputError(
        f"{run.directory}: {n_missing} of {n_items} items {have} no answer "
        f"({100 * n_missing / n_items:.1f} %): "
        f"{', '.join(reasons)}; {_remedy(run.description)}, or score what is there with `allow_missing`"
    )


def _remedy(description: RunDescription) -> str:
    if description.model.backend == "recorded":
        return "run again with a file that holds them all, into another directory"
    return "run the same command again to ask them"


def signature(name: str, run: RunDescription, parts: Mapping[str, str]) -> str:
    """The signature of scores.

    Args:
        name: What is measured, for example ``blend-mcq``.
        run: The run.
        parts: What the task adds; between the locales and the prompts.

    Returns:
        ``name|rel:…|loc:…|…|prompt:…|chat:…|sdk:…``, and before ``sdk`` what is not as usual: the type of
        numbers, a limit, how texts were generated, what was said besides the prompts.
    """
    fields = {
        "rel": _release(run),
        "loc": "+".join(run.options.get("locales") or ["all"]),
        **_repeats_and_shots(run),
        **parts,
        "prompt": "+".join(digest[:_PROMPT_DIGITS] for _, digest in sorted(run.prompts.items())),
        "chat": _chat(run),
        **_dtype(run),
        **({"limit": str(run.options["limit"])} if run.options.get("limit") else {}),
        **_decoding(run),
        **_chat_options(run),
        "sdk": __version__,
    }
    return "|".join([name, *(f"{key}:{value}" for key, value in fields.items())])


def _repeats_and_shots(run: RunDescription) -> dict[str, str]:
    """How often every question was asked, and behind which examples, where it is not once and behind none."""
    samples, shots = run.options.get("samples", 1), run.options.get("shots", 0)
    return {
        **({"s": str(samples)} if samples > 1 else {}),
        **({"shots": f"{shots}-seed{run.options['shots_seed']}"} if shots else {}),
    }


def release_name(run: RunDescription) -> str:
    """Name and version of a run's release."""
    return f"{run.release.name}@{run.release.version}"


def _release(run: RunDescription) -> str:
    tables = json.dumps(run.release.tables, sort_keys=True)
    return f"{release_name(run)}#{hashlib.sha256(tables.encode()).hexdigest()[:_RELEASE_DIGITS]}"


def _chat(run: RunDescription) -> str:
    if isinstance(run.model, RecordedAnswers):
        return "unknown"
    return "yes" if run.model.chat else "no"


def _dtype(run: RunDescription) -> dict[str, str]:
    """In which numbers a model was computed here, where they are not a CPU's usual ones."""
    dtype = None if isinstance(run.model, RecordedAnswers) else run.model.dtype
    return {} if dtype in (None, "float32") else {"dtype": dtype}


def _decoding(run: RunDescription) -> dict[str, str]:
    if run.decoding is None:
        return {}
    used = run.decoding
    parts = [f"max{used.max_tokens}"]
    if used.temperature:
        parts += [f"t{used.temperature:g}", f"seed{used.seed}"]
    if used.stop:
        parts.append(f"stop{_short_digest(used.stop)}")
    return {"dec": "-".join(parts)}


def _chat_options(run: RunDescription) -> dict[str, str]:
    """What was said besides the prompts, and what was taken for a thought, where it is not as usual."""
    parts = {"marks": _short_digest(run.thought_marks)} if run.thought_marks else {}
    if (used := run.chat_options) is None:
        return parts
    found = {
        "sys": None if used.system is None else _short_digest(used.system),
        "think": used.thinking,
        "effort": used.reasoning_effort,
        "body": None if used.extra_body is None else _short_digest(used.extra_body),
    }
    return {**{name: value for name, value in found.items() if value is not None}, **parts}


def _short_digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:_PROMPT_DIGITS]
