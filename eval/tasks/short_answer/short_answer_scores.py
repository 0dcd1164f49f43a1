"""Scores of short answers and what the report shows of them; ``docs/short-answers.md`` has every formula."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import polars as pl

from blend.eval.items import TaskItems, own_prompt
from blend.eval.judging import is_judge, read_verdicts
from blend.eval.judging.labels import TIE, scored_with_labels, with_corrected
from blend.eval.recorded_answers import PREDICTION, Predictions
from blend.eval.report import (
    REASONS,
    KnownQuestion,
    KnownQuestions,
    ScoredRun,
    answer_groups,
    single_answers,
)
from blend.eval.report.report_sections import Section, region_sections, scorers_section, scores_section
from blend.eval.runs.answers import as_scored
from blend.eval.runs.run_directory import Run
from blend.eval.scores_json import (
    UNANSWERED,
    Score,
    ScoredItems,
    macro_score,
    missing_share,
    share_scores,
)
from blend.eval.task import Decision, ItemRule, Progress
from blend.eval.tasks.short_answer import ShortAnswer, ShortAnswerScoring
from blend.eval.tasks.short_answer.replies import MAX_ANSWERS
from blend.eval.tasks.short_answer.rules import SEMEVAL
from blend.eval.tasks.short_answer.short_answer_decisions import (
    DECISIONS,
    answers_to_judge,
    decide_short_answers,
    decided_by_judge,
    lemmas_signature,
    short_answer_rule,
    variants,
    with_judge,
)
from blend.eval.text import primary
from blend.eval.text.lemmatisers import DEFAULT_LEMMAS
from blend.loaders.upstream.semeval.task_files import ENGLISH, SAQ_PREDICTION, in_english

_SCOPES = {"region": "region", "topic": "topic", "language": "asked_in", "prompt": "prompt_id"}
_LOCAL = pl.col("locale").map_elements(primary, return_dtype=pl.String)
_ASKED_IN = (
    pl.when((pl.col("language") == ENGLISH) & (_LOCAL != ENGLISH))
    .then(pl.lit("english"))
    .otherwise(pl.lit("local"))
)


def score_short_answer_run(run: Run, options: ShortAnswerScoring, on_progress: Progress) -> ScoredItems:
    """Decide the answers to short-answer questions, and score them; items without an answer are left out.

    Returns:
        `short_answer_decisions.DECISIONS` with ``region``, ``topic`` and ``asked_in``, and the scores: those of
        `_short_answer_scores` and `_reply_shares`, and the share of the items without an answer. By the rule
        `SEMEVAL` items without an answer are wrong, and there are figures by the task's codes, ``accuracy``,
        and those of the default rule, ``sem-b-default``. By a judge, its verdicts stand in place of the default
        rule, and decisions have further columns (`short_answer_decisions.decided_by_judge`). Where people have
        labelled replies, corrected scores.

    Raises:
        BlendError: As `short_answer_decisions.decide_short_answers`.
    """
    seed, lemmas = options.seed, options.lemmas or DEFAULT_LEMMAS
    verdicts = read_verdicts(run, options.rule) if is_judge(options.rule) else None
    rule = options.rule if verdicts is None else "default"
    gold, n_items, made = run.gold(), 0, []
    for items, answers in run.answered_parts("asked"):
        n_items += items.height
        decided = _decided_answers(items, gold, answers, rule=rule, lemmas=lemmas)
        made.append(decided.drop("response"))
    decided = pl.concat(made, rechunk=True)
    local, every = (
        rows.select(_LOCAL).to_series().unique() for rows in (decided.filter(asked_in="local"), gold)
    )
    read_with = lemmas_signature(local, rule=rule, lemmas=lemmas, languages=every)
    if verdicts is not None:
        decided = decided_by_judge(decided, verdicts)
    replies = decided.filter("answered")
    scores = [*_short_answer_scores(decided, seed=seed), *_reply_shares(replies, seed=seed)]
    if rule == SEMEVAL:
        ours = score_short_answer_run(run, ShortAnswerScoring(seed=seed), on_progress)
        beside = (one for one in ours.scores if one.metric in ("sem-b", "sem-b-macro"))
        by_default = (one.model_copy(update={"metric": f"{one.metric}-default"}) for one in beside)
        scores += [*_code_scores(decided, seed=seed), *by_default]
    signature = {"asked": "+".join(run.description.options["languages"]), "lemma": read_with}
    if rule == "default" and "english" in decided["asked_in"]:
        signature["local"] = "latin"  # which local answers count for English questions
    scored = ScoredItems(
        decided.drop("language", "answered"),
        (*scores, missing_share(replies.height, n_items)),
        signature,
        (_NOT_REPEATED,) if rule == SEMEVAL else (),
    )
    if verdicts is not None:
        scored = with_judge(scored, run, options.rule, verdicts)
    return with_corrected(scored, run, seed=seed)


def replies_to_judge(run: Run) -> Iterator[pl.DataFrame]:
    """See `Task.replies_to_judge`."""
    gold = run.gold()
    for items, answers in run.answered_parts("asked"):
        decided = _decided_answers(items, gold, answers, rule="default", lemmas=DEFAULT_LEMMAS)
        yield answers_to_judge(items, gold, decided, run.asked().by_region)


def short_answer_sections(runs: Sequence[ScoredRun]) -> tuple[Section | None, ...]:
    """The sections on comparable runs; null without figures for one."""
    return *region_sections(runs), _languages_section(runs), scorers_section(runs)


def labelled_answers(run: ScoredRun) -> pl.DataFrame:
    """See `Task.single_answers`; beside why an answer counts stands what people say of it, where they have."""
    rows, labelled = single_answers(run), scored_with_labels(run)
    if labelled is None:
        return rows
    people = labelled.drop_nulls("label").select(
        "item_id", pl.col("people").str.replace_all(TIE, " or ", literal=True)
    )
    both = rows.join(people.unique("item_id"), on="item_id", how="left", maintain_order="left")
    both_say = pl.format("{}; people: {}", pl.col("why").replace(dict(REASONS)), "people")
    return both.with_columns(why=pl.coalesce(both_say, "why")).drop("people")


def _decided_answers(
    items: pl.DataFrame, gold: pl.DataFrame, answers: pl.DataFrame, *, rule: str, lemmas: str
) -> pl.DataFrame:
    """Decide by a string rule on the answers to some items.

    Returns:
        Decisions in the order of the items, with ``response`` and ``language`` of the items as well, and
        whether they are ``answered``.
    """
    annotations = gold.with_columns(language=_LOCAL)
    kept = answers.filter(pl.col("error").is_null()).select("item_id", "asked", response="text", answered=True)
    # By the task's rule, what has no answer is wrong.
    how: Literal["left", "inner"] = "left" if rule == SEMEVAL else "inner"
    asked = items.join(kept, on="item_id", how=how, maintain_order="left").with_columns(
        prompt=pl.coalesce(pl.col("asked"), own_prompt(items)),
        answered=pl.col("answered").fill_null(value=False),
        asked_in=_ASKED_IN,
    )
    decided = decide_short_answers(asked, annotations, rule=rule, lemmas=lemmas)
    known = asked.select("item_id", "region", "topic", "asked_in", "language", "response", "answered")
    return pl.concat([known, decided.drop("item_id")], how="horizontal")


def answer_rules(asked: TaskItems) -> dict[str, ItemRule]:
    """By ``item_id`` what decides on replies to short-answer questions, by the default rule."""
    annotations = asked.gold.with_columns(language=_LOCAL)
    answers = {(row["template_id"], row["locale"]): row["annotations"] for row in annotations.to_dicts()}
    items = asked.items.with_columns(prompt=own_prompt(asked.items), asked_in=_ASKED_IN)
    decide = short_answer_rule(items, annotations)
    rules = {}
    for row in items.iter_rows(named=True):
        groups = answers[row["template_id"], row["locale"]]
        accepted = [text for _, _, text in variants(groups, row["asked_in"], as_given=False, in_latin=True)]
        rules[row["item_id"]] = ItemRule(accepted, partial(_decision, decide, row))
    return rules


def _decision(
    decide: Callable[[Mapping[str, Any]], tuple[Any, ...]], row: Mapping[str, Any], reply: str
) -> Decision:
    """What is decided on a reply to an item."""
    decided = dict(zip(DECISIONS, decide({**row, "response": reply}), strict=True))
    correct = decided["correct"]
    return Decision(None if correct is None else float(correct), decided["matched"], decided["why"])


def _short_answer_scores(decisions: pl.DataFrame, *, seed: int) -> Iterator[Score]:
    """The scores of decisions, shares in percent with intervals over templates.

    Args:
        decisions: With the columns ``region``, ``topic``, ``asked_in``, ``prompt_id``, ``template_id``,
            ``correct`` and ``weight``; rows that are not scored (null) are left out.
        seed: Seed of the intervals.

    Yields:
        For each of `ShortAnswer.repeated`: overall (every item the same) and ``-macro`` (every region the
        same), by region, topic, language asked in and prompt; and ``-gap``, local less English on the
        questions asked in both, overall and by region.
    """
    scored = decisions.drop_nulls("correct")
    for metric, column in ShortAnswer.repeated.items():
        # Weights are null where votes are unknown.
        known = scored.drop_nulls(column)
        if known.is_empty() and not scored.is_empty():
            continue
        values = known.with_columns(value=pl.col(column).cast(pl.Float64))
        yield from share_scores(metric, values, _SCOPES, seed, macro=True)
        yield from _language_gaps(metric, values, seed)


def _reply_shares(decisions: pl.DataFrame, *, seed: int) -> Iterator[Score]:
    """What kinds of replies there are, in percent, overall and by region, with intervals over templates.

    Args:
        decisions: With the columns ``region``, ``template_id``, ``correct``, ``why`` and ``n_answers``; rows
            that are not scored (null) are left out.
        seed: Seed of the intervals.

    Yields:
        ``unanswered``: replies that say nothing; ``refused``: those that say that they do not answer;
        ``hedged``: those that list more answers than count.
    """
    scored, why = decisions.drop_nulls("correct"), pl.col("why")
    hedged = (pl.col("n_answers") > MAX_ANSWERS).fill_null(value=False)
    values = {UNANSWERED: why == UNANSWERED, "refused": why == "refused", "hedged": hedged}
    for name, value in values.items():
        yield from share_scores(name, scored.with_columns(value=value), {"region": "region"}, seed)


def _language_gaps(metric: str, values: pl.DataFrame, seed: int) -> list[Score]:
    """Local less English, question by question and prompt by prompt; positive where local is better."""
    key = ["region", "template_id", "prompt_id"]
    # A question that was put several times has the mean of its repeats.
    means = values.group_by(*key, "asked_in", maintain_order=True).agg(pl.col("value").mean())
    local, english = (means.filter(asked_in=way) for way in ("local", "english"))
    pairs = local.join(english, on=key, maintain_order="left")
    if pairs.is_empty():
        return []
    gaps = pairs.with_columns(value=pl.col("value") - pl.col("value_right"))
    return share_scores(f"{metric}-gap", gaps, {"region": "region"}, seed, proportion=False)


def asked_questions(run: ScoredRun) -> KnownQuestions:
    """List the questions in the language asked in, with what natives answer, by ``item_id``."""
    gold = run.run.gold().rows_by_key(["template_id", "locale"], named=True, unique=True)
    found = {}
    columns = ("item_id", "template_id", "locale", "language")
    for item_id, template_id, locale, language in run.run.items(*columns).iter_rows():
        row, prefix = gold[template_id, locale], "en_" if language == ENGLISH else ""
        groups = answer_groups(row["annotations"], f"{prefix}answers")
        found[item_id] = KnownQuestion(groups, row[f"{prefix}question"])
    return found


def _languages_section(runs: Sequence[ScoredRun]) -> Section | None:
    """Local language against English, where a region was asked in both."""
    return scores_section(
        "Local language against English",
        "Share correct in the language of the region, less that of the same questions in English: above 0 the "
        "local language is better. An interval that holds 0 shows no difference.",
        "region",
        {"local less English, points": "sem-b-gap"},
        runs,
        "overall",
        "region",
    )


# Figures and files of SemEval-2026 Task 7.

_NOT_REPEATED = (
    "the task's scorer reads each language with a library that runs in its container alone, so short answers "
    "are decided with others here, and figures differ; docs/semeval.md says how"
)
"""What is said of figures by the rule."""


def _code_scores(decisions: pl.DataFrame, *, seed: int) -> tuple[Score, ...]:
    """Accuracy by the codes of the task, language asked in and region, and their plain mean.

    Args:
        decisions: With ``locale``, ``template_id``, ``language`` and ``correct``; those that are not scored
            (null) are left out. Of several rows under one id of the task the last counts, of each repeat.
        seed: Seed of the intervals.
    """
    region = pl.col("locale").str.extract(r"-([A-Z]{2})$")
    ids = [_asked_id(*row) for row in decisions.select("template_id", "language").iter_rows()]
    rows = (
        decisions.with_columns(pl.Series("task_id", ids, dtype=pl.String))
        .with_columns(code=pl.when(language="en").then(pl.format("en-{}", region)).otherwise("locale"))
        .with_columns(repeat=pl.col("item_id").str.extract(r"#(\d+)$"))
        .drop_nulls("correct")
        .unique(["code", "task_id", "repeat"], keep="last", maintain_order=True)
    )
    correct = rows.with_columns(value="correct")
    _, *by_code = share_scores("accuracy", correct, {"code": "code"}, seed)
    return macro_score("accuracy-macro", correct, seed, by="code"), *by_code


def predictions() -> Predictions:
    """The task's file for short answers."""
    return Predictions(SAQ_PREDICTION, ("id", PREDICTION), _items, _answer_text, _rows)


def _asked_id(template_id: str, language: str) -> str:
    """The task's id of a question in the language that it is asked in: ``en-ET_001`` of ``am-ET_001``."""
    return in_english(template_id) if language == ENGLISH else template_id


def _items(asked: TaskItems) -> Iterator[tuple[str, str, None]]:
    for item_id, template_id, language in asked.items.select("item_id", "template_id", "language").iter_rows():
        yield item_id, _asked_id(template_id, language), None


def _answer_text(cells: Mapping[str, str], _: None) -> str:
    return cells[PREDICTION]


def _rows(run: Run) -> Iterator[Sequence[str]]:
    items = run.items("item_id", "template_id", "language")
    answers = as_scored(run.answers(), run.description).select("item_id", "text")
    rows: dict[str, str] = {}
    for template_id, language, text in (
        items.join(answers, on="item_id", how="left", maintain_order="left").drop("item_id").iter_rows()
    ):
        # A question is asked with every prompt; the first one counts.
        rows.setdefault(_asked_id(template_id, language), " ".join((text or "").split()))
    return iter(rows.items())
