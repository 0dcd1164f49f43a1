"""Scoring: from the answers that a run kept to decisions and scores; any number of times, without a model."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import polars as pl

from blend.eval.runs.description import RunDescription
from blend.eval.runs.directory import Run, explained
from blend.eval.runs.table_files import write_frame
from blend.eval.scoring.choosing import LETTER_RULES, OPTION_RULES, TEXT_RULES
from blend.eval.scoring.extrinsic import RULES as DEFINITIONS
from blend.eval.scoring.extrinsic import ExtrinsicOptions, judge_texts
from blend.eval.scoring.judged import Judged
from blend.eval.scoring.listing import RULES as LISTING_RULES
from blend.eval.scoring.listing import judge_lists
from blend.eval.scoring.multiple_choice import score_multiple_choice
from blend.eval.scoring.probing.judging import asked_parts, judge_run
from blend.eval.scoring.scores import DECISIONS_NAME, SCORES_NAME, Scores
from blend.eval.scoring.short_answers import RULES as ANSWER_RULES
from blend.eval.scoring.short_answers.judging import judge_short_answers
from blend.eval.scoring.signature import release_name, signature
from blend.eval.text.reading import DEFAULT_LEMMAS
from blend.loaders.files.progress import Notify, silent
from blend.loaders.files.whole import write_whole
from blend.schemas.errors import InputError, UnknownNameError
from blend.schemas.text import agreeing

RULES = frozenset({*ANSWER_RULES, *LETTER_RULES, *OPTION_RULES, *TEXT_RULES, *LISTING_RULES, *DEFINITIONS})
"""Names of all rules; which of them a run can be scored by depends on its task and style."""

MAX_MISSING = 0.01
"""Share of items without an answer above which nothing is scored unless the caller says so."""


class HowToJudge(NamedTuple):
    """What can be chosen about judging."""

    rule: str
    """Name of the rule; each task has its own."""
    lemmas: str | None
    """How words are brought to their base forms (`text.reading.lemmatiser_names`); null for the usual way."""
    seed: int
    """Seed of the intervals."""
    vectors: Mapping[str, Path] = MappingProxyType({})
    """Files of word vectors by language, the empty language for all; only for probing."""
    texts: ExtrinsicOptions = ExtrinsicOptions()
    """What is chosen about texts for many nationalities."""
    notify: Notify = silent
    """Hears how far the judging is."""


class Scorer(NamedTuple):
    """How the answers of a task are scored."""

    name: str
    """What the signature starts with."""
    judge: Callable[[Run, pl.DataFrame, "HowToJudge"], Judged]
    """Judges the answers of a run, those that are errors included."""
    columns: tuple[str, ...] = ()
    """Columns of the answers that it is given; all when empty. One that needs more of them reads for itself."""


class Scored(NamedTuple):
    """The scores of a run, and what they come from."""

    scores: Scores
    """Every figure."""
    decisions: pl.DataFrame
    """One row per item."""
    remarks: tuple[str, ...] = ()
    """What a reader of the figures should know, in words for a user."""


def score_run(
    run: Run,
    *,
    rule: str = "default",
    lemmas: str | None = None,
    vectors: Mapping[str, Path] | None = None,
    texts: ExtrinsicOptions | None = None,
    allow_missing: bool = False,
    seed: int = 0,
    notify: Notify = silent,
) -> Scored:
    """Score what a run has kept; the run may still be under way.

    Args:
        run: The run.
        rule: By which rule answers are judged; each task has its own.
        lemmas: How words are brought to their base forms, for short answers; the usual way when absent.
        vectors: Files of word vectors by language, the empty language for all others; for probing.
        texts: What is chosen about texts for many nationalities; the defaults when absent.
        allow_missing: Whether to score although more than `MAX_MISSING` of the items have no answer.
        seed: Seed of the intervals.
        notify: Hears how far the scoring of many texts is.

    Raises:
        UnknownNameError: If there is no such rule; lists the rules.
        InputError: If too many items have no answer, if what the run has kept cannot be read, or if the task
            has no use for lemmas.
        MissingExtraError: If a lemmatiser is not installed.
    """
    description = run.description
    if description.task not in SCORERS:
        raise UnknownNameError("task to score", description.task, SCORERS)
    scorer = SCORERS[description.task]
    if texts is not None and scorer.judge is not _texts:
        raise InputError(
            f"surveys, --distance, --bleu, --top, --stop-words and --dask are for the task cultural-prompts, "
            f"and this is a run of {description.task}; leave them out"
        )
    answers = run.answers(*scorer.columns)
    _check_missing(run, answers, allow_missing=allow_missing)
    how = HowToJudge(rule, lemmas, seed, vectors or {}, texts or ExtrinsicOptions(), notify)
    judged = scorer.judge(run, answers, how)
    scores = Scores(
        task=description.task,
        signature=signature(scorer.name, description, {**judged.signature_parts, **_rule(rule)}),
        rule=rule,
        release=release_name(description),
        model=description.model.id,
        scores=judged.scores,
    )
    return Scored(scores, judged.decisions, judged.remarks)


def write_scores(run: Run, scored: Scored) -> None:
    """Keep scores and decisions in the directory of their run, in place of earlier ones.

    Raises:
        StorageError: If they cannot be written.
    """
    with explained(run.directory):
        write_frame(run.directory / DECISIONS_NAME, scored.decisions)
        write_whole(run.directory / SCORES_NAME, scored.scores.to_json())


def _multiple_choice(run: Run, answers: pl.DataFrame, how: HowToJudge) -> Judged:
    if how.lemmas is not None:
        raise InputError("multiple choice compares no words; leave --lemmas out")
    columns = ("item_id", "locale", "region", "template_id", "topic", "prompt_id")
    options = run.description.options
    judged = score_multiple_choice(
        run.items(*columns), run.gold(), answers, style=options["style"], rule=how.rule, seed=how.seed
    )
    parts = {"style": options["style"], "rot": str(options["rotations"])}
    return judged._replace(signature_parts=parts)


def _short_answers(run: Run, answers: pl.DataFrame, how: HowToJudge) -> Judged:
    lemmas = DEFAULT_LEMMAS if how.lemmas is None else how.lemmas
    judged = judge_short_answers(run.items(), run.gold(), answers, rule=how.rule, lemmas=lemmas, seed=how.seed)
    parts = {"asked": "+".join(run.description.options["languages"]), **judged.signature_parts}
    return judged._replace(signature_parts=parts)


def _probing(run: Run, answers: pl.DataFrame, how: HowToJudge) -> Judged:
    if how.lemmas is not None:
        raise InputError("probing compares no words; leave --lemmas out")
    return judge_run(run, answers, rule=how.rule, vectors=how.vectors, seed=how.seed)


def _free_answers(run: Run, answers: pl.DataFrame, how: HowToJudge) -> Judged:
    judged = judge_lists(run.items(), run.gold(), answers, rule=how.rule, lemmas=how.lemmas, seed=how.seed)
    options = run.description.options
    parts = {"cfg": options["config"], **asked_parts(options, ("languages", "countries", "prompts"))}
    return judged._replace(signature_parts={**parts, **judged.signature_parts})


def _texts(run: Run, _: pl.DataFrame, how: HowToJudge) -> Judged:
    if how.lemmas is not None:
        raise InputError("texts are compared token by token; leave --lemmas out")
    judged = judge_texts(run, how.texts, rule=how.rule, seed=how.seed, notify=how.notify)
    options = run.description.options
    parts = {name: "+".join(options[name]) for name in ("kinds", "nationalities") if options.get(name)}
    return judged._replace(signature_parts={"s": str(options["samples"]), **parts, **judged.signature_parts})


SCORERS: dict[str, Scorer] = {
    "multiple-choice": Scorer("blend-mcq", _multiple_choice),
    "short-answer": Scorer("blend-saq", _short_answers),
    "probe": Scorer("blend-probe", _probing),
    "free-answers": Scorer("blend-free", _free_answers),
    "cultural-prompts": Scorer("blend-extrinsic", _texts, ("item_id", "error")),
}
"""The scorers by task."""


def _rule(rule: str) -> dict[str, str]:
    return {} if rule == "default" else {"rule": rule}


def _check_missing(run: Run, answers: pl.DataFrame, *, allow_missing: bool) -> None:
    failed = answers.filter(pl.col("error").is_not_null())
    n_items = run.description.n_items
    n_missing = n_items - answers.height + failed.height
    if allow_missing or n_missing <= MAX_MISSING * n_items:
        return
    reasons = []
    if answers.height < n_items:
        is_recorded = run.description.model.backend == "recorded"
        reasons.append(
            f"{n_items - answers.height} {'are not in the file' if is_recorded else 'were not asked yet'}"
        )
    if failed.height:
        first = failed.row(0, named=True)
        reasons.append(f"{failed.height} failed (first: {first['item_id']}: {first['error']})")
    have = agreeing(n_missing, "has", "have")
    raise InputError(
        f"{run.directory}: {n_missing} of {n_items} items {have} no answer "
        f"({100 * n_missing / n_items:.1f} %): "
        f"{', '.join(reasons)}; {_remedy(run.description)}, or score what is there with --allow-missing"
    )


def _remedy(description: RunDescription) -> str:
    if description.model.backend == "recorded":
        return "run again with a file that holds them all, into another directory"
    return "run the same command again to ask them"
