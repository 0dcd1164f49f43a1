"""True or false: each option of a multiple-choice question by itself: items, replies, scores.

``docs/scores.md`` has every formula. Every interval is over templates: the questions made of one template are
not independent.
"""

import re
from collections.abc import Mapping, Sequence

import polars as pl

from blend.eval.items import ITEMS, TaskItems, some_templates
from blend.eval.report import Candidate, KnownQuestion, KnownQuestions, ScoredRun
from blend.eval.runs.run_directory import Run
from blend.eval.scores_json import Score, ScoredItems, missing_share, share_scores
from blend.eval.task import ItemRule, Progress, ScoringOptions
from blend.eval.tasks.multiple_choice import TrueFalseOptions
from blend.eval.tasks.multiple_choice.choice_scores import (
    BY_REGION,
    DECISIONS,
    accuracies,
    decided_in_parts,
    parsing_shares,
)
from blend.eval.tasks.multiple_choice.choices import ReplyReader, decided, rules_of_words
from blend.eval.tasks.multiple_choice.reply_options import option_chosen
from blend.schemas.prompts import TRUE_FALSE_PROMPT
from blend.schemas.rows import LETTERS, TRUE_FALSE_QUESTIONS, YesNo

WORDS = (YesNo.YES.value, YesNo.NO.value)
"""What can be said, in the order in which it is scored."""


def true_false_items(tables: Mapping[str, pl.DataFrame], options: TrueFalseOptions) -> TaskItems:
    """The items of true or false.

    Args:
        tables: ``true-false-questions``, with the columns of `rows.TrueFalseQuestion` and ``region``.
        options: Style, locales, limit.

    Returns:
        One item per row, put as it is published in either style. Gold has a row for each: ``item_id``,
        ``question_id`` of the multiple-choice question, the ``option`` that is asked about, ``answer``, the
        index of the correct word, and `WORDS` as ``option_texts``.
    """
    words = pl.lit(pl.Series([list(WORDS)])).first()
    chosen = some_templates(tables[TRUE_FALSE_QUESTIONS], options).with_columns(
        item_id="true_false_id",
        question_id="mcq_id",
        prompt_id=pl.lit(options.style),
        language=pl.lit("en"),
        options=words if options.style == "texts" else pl.lit(None, pl.List(pl.String)),
        answer=(pl.col("answer") != YesNo.YES.value).cast(pl.Int64),
        option_texts=words,
    )
    return TaskItems(
        chosen.select(list(ITEMS)).cast(ITEMS),
        chosen.select("item_id", "question_id", "option", "answer", "option_texts"),
        {options.style: TRUE_FALSE_PROMPT},
        "logprobs" if options.style == "texts" else "text",
    )


_AS_LETTERS = (
    (re.compile(r"\bA\b"), "a"),
    (re.compile(r"\bB\b"), "b"),
    (re.compile(r"\bno (?:one|doubt)\b", re.IGNORECASE), "people"),
    (re.compile(r"\b(?:yes|true)\b", re.IGNORECASE), "A"),
    (re.compile(r"\b(?:no|false)\b", re.IGNORECASE), "B"),
)
"""Words in a reply, and what stands for them: yes and no are options A and B, and no other words are."""

_OPTIONS = ("yes", "no", "", "")


def _yes_or_no(reply: str, _words: Sequence[str]) -> int | None:
    """Read one reply by the rules of `reply_options.option_chosen`, with yes and no as letters.

    Returns:
        0 for yes, 1 for no, null for neither.
    """
    for words, letter in _AS_LETTERS:
        reply = words.sub(letter, reply)
    chosen = option_chosen(reply, _OPTIONS)
    return chosen if chosen in (0, 1) else None


YES_OR_NO = ReplyReader(WORDS, r"(?i)^\s*(yes|no)[.!]?\s*$", _yes_or_no)
"""Strict is the word that is asked for and no more."""

_N_OPTIONS = len(LETTERS)
"""Options of a question, of which one is true."""


def yes_no_rules(asked: TaskItems) -> dict[str, ItemRule]:
    """See `Task.item_rules`; each option by itself."""
    return rules_of_words(asked, YES_OR_NO)


def score_true_false_run(run: Run, options: ScoringOptions, _on_progress: Progress) -> ScoredItems:
    """Decide answers of yes or no, and score them by question.

    A question of which an answer is missing is left out of every figure but ``missing``.

    Returns:
        Decisions as of multiple choice, without rotations and regions of options: ``answer`` and ``chosen`` are
        indices of `WORDS`. Scores of questions first, overall, by region and topic, then of options.

    Raises:
        UnknownNameError: If there is no such rule for these answers (`choices.decided`); lists the rules.
    """
    style, seed = "json" if run.description.holds_texts else "letters", options.seed
    judged = decided_in_parts(run, lambda rows: decided(rows, style=style, rule=options.rule, reader=YES_OR_NO))
    complete = _complete(judged)
    scores = (
        *accuracies(_complete_questions(judged), seed),
        *_of_options(complete, seed),
        *parsing_shares(complete, seed),
        missing_share(int(judged["answered"].sum()), judged.height),
    )
    decisions = judged.select(name for name in DECISIONS if name in judged.columns)
    return ScoredItems(decisions, scores, {"style": run.description.options["style"]})


def _complete_questions(decisions: pl.DataFrame) -> pl.DataFrame:
    """The questions of which every option has an answer.

    Args:
        decisions: As `score_true_false_run` returns them.

    Returns:
        One row per question, in their order: ``item_id``, that of the question, ``locale``,
        ``region``, ``template_id``, ``topic``, and ``correct``, 1 where all options are answered correctly.
    """
    first = pl.col("locale", "region", "template_id", "topic").first()
    correct = pl.col("correct").all().cast(pl.Float64)
    by_question = _complete(decisions).group_by(item_id="question_id", maintain_order=True)
    return by_question.agg(first, correct)


def asked_as_questions(run: ScoredRun) -> pl.DataFrame:
    """See `Task.questions`."""
    return _complete_questions(run.decisions())


def _complete(decisions: pl.DataFrame) -> pl.DataFrame:
    return decisions.filter(pl.col("correct").is_not_null().sum().over("question_id") == _N_OPTIONS)


def _of_options(options: pl.DataFrame, seed: int) -> list[Score]:
    """Balanced accuracy, and how much more often yes is said than it is true, overall and by region."""
    # One of four options is true. With the true one counted three times, the mean over options is half the
    # share of true options called true and half that of false ones called false; the weights add up to four.
    is_true = pl.col("answer") == 0
    weight = pl.when(is_true).then(_N_OPTIONS / 2).otherwise(_N_OPTIONS / 2 / (_N_OPTIONS - 1))
    balanced = options.with_columns(value=pl.col("correct") * weight, denominator=weight)
    more_yes = (pl.col("chosen") == 0).cast(pl.Float64) - is_true
    written = options.drop_nulls("chosen").with_columns(value=more_yes)
    return [
        *share_scores("balanced-accuracy", balanced, BY_REGION, seed),
        *share_scores("yes-bias", written, BY_REGION, seed, proportion=False, bounds=(-1, 1)),
    ]


def asked_options(run: ScoredRun) -> KnownQuestions:
    """List what is known of each option by ``item_id``: whether it is the correct one."""
    gold = run.run.gold("item_id", "option", "answer", "option_texts")
    rows = run.run.items("item_id", "prompt").join(gold, on="item_id")
    return {
        item_id: KnownQuestion(
            tuple(Candidate(word, index == answer) for index, word in enumerate(words)),
            f"{prompt.partition(chr(10))[0]} {option}",
        )
        for item_id, prompt, option, answer, words in rows.iter_rows()
    }
