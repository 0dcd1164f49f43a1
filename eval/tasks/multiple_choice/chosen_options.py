"""Choosing: which option an answer stands for, by each rule that the answers allow."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from blend.eval.items import TaskItems
from blend.eval.task import Decision, ItemRule
from blend.eval.tasks.multiple_choice.confidence import CONFIDENT_PROMPT, STATED, likelihood
from blend.eval.tasks.multiple_choice.reply_options import lenient_choice, option_chosen
from blend.schemas.errors import UnknownNameError
from blend.schemas.prompts import ANSWER_KEY
from blend.schemas.rows import LETTERS

DEFAULT = "default"

TEXT_RULES = ("default", "strict")
"""How texts are read: leniently, or only where they are exactly the JSON that was asked for."""

LETTER_RULES = ("default",)
"""Log-probabilities of letters: the likeliest one."""

OPTION_RULES = ("default", "sum", "token", "byte")
"""Log-probabilities of option texts: the likeliest one in all, per token, or per byte (also ``default``)."""


class Choices(NamedTuple):
    """The options chosen."""

    chosen: pl.Series
    """Index of the option from 0, null where an answer names none or there is no answer."""
    why: pl.Series
    """``likeliest``, ``strict``, ``lenient``, ``unparsable``, ``error`` or ``missing``."""
    answered: pl.Series
    """Whether there is an answer, of whatever sort."""
    others: dict[str, pl.Series]
    """What further rules would have chosen, by their names."""
    confidence: pl.Series | None
    """Share of the chosen option in the softmax of the scores that chose it; null where texts are read."""


def read_options(answers: pl.DataFrame) -> pl.DataFrame:
    """Read which option each text chooses: its index by each of `TEXT_RULES`, null for none."""
    return answers.select(
        strict=strict_choice(pl.col("text")), default=lenient_choice(answers["text"], answers["option_texts"])
    )


def choose(
    answers: pl.DataFrame, *, style: str, rule: str, read: Callable[[pl.DataFrame], pl.DataFrame] = read_options
) -> Choices:
    """The options that answers choose.

    Args:
        answers: A row per item: ``text``, ``logprobs``, ``option_tokens``, ``option_bytes``, ``error`` and
            ``option_texts``; all but the last are null where there is no answer.
        style: Style of the questions; ``json`` wherever answers are texts.
        rule: Name of a rule that fits style and answers.
        read: How texts are read, as by `read_options`.

    Returns:
        Choices in the order of the rows. Of equally likely options the first is chosen.

    Raises:
        UnknownNameError: If there is no such rule for these answers; lists the rules.
    """
    texts = style == "json"
    rules = TEXT_RULES if texts else OPTION_RULES if style == "texts" else LETTER_RULES
    if rule not in rules:
        raise UnknownNameError("rule", rule, rules)
    by_rule, why, sure = (*_read(read(answers), rule), None) if texts else _likeliest(answers, rules, rule)
    absent = pl.when(pl.col("error").is_not_null()).then(pl.lit("error")).otherwise(pl.lit("missing"))
    given = answers.select(pl.col("text").is_not_null() | pl.col("logprobs").is_not_null()).to_series()
    reason = answers.select(pl.when(given).then(why).otherwise(absent).alias("why")).to_series()
    return Choices(
        by_rule[rule].rename("chosen"),
        reason,
        given,
        {name: column for name, column in by_rule.items() if name != DEFAULT},
        sure,
    )


def _read(found: pl.DataFrame, rule: str) -> tuple[dict[str, pl.Series], pl.Series]:
    why = found.select(
        pl.when(pl.col(rule).is_null())
        .then(pl.lit("unparsable"))
        .when(pl.col("strict").is_not_null())
        .then(pl.lit("strict"))
        .otherwise(pl.lit("lenient"))
    )
    return {name: found[name] for name in TEXT_RULES}, why.to_series()


def _likeliest(
    answers: pl.DataFrame, rules: tuple[str, ...], rule: str
) -> tuple[dict[str, pl.Series], pl.Series, pl.Series]:
    logprobs = _matrix(answers["logprobs"])
    measures = {"sum": logprobs}
    if rules is OPTION_RULES:
        measures["token"] = logprobs / _matrix(answers["option_tokens"])
        measures["byte"] = logprobs / _matrix(answers["option_bytes"])
    # Letters are of one length; only texts have theirs divided out.
    measures[DEFAULT] = measures["byte" if rules is OPTION_RULES else "sum"]
    why = pl.repeat("likeliest", answers.height, dtype=pl.String, eager=True)
    sure = pl.Series(likelihood(measures[rule]), nan_to_null=True)
    return {name: _argmax(measures[name]) for name in rules}, why, sure


def _matrix(column: pl.Series) -> NDArray[np.float64]:
    """A list column as an array, shape ``(n_rows, n_options)``, NaN where a row is null."""
    lists = column.drop_nulls().cast(pl.List(pl.Float64))
    n_options = len(lists.head(1).explode()) or 1
    matrix = np.full((len(column), n_options), np.nan)
    matrix[column.is_not_null().to_numpy()] = lists.list.to_array(n_options).to_numpy()
    return matrix


def _argmax(measure: NDArray[np.float64]) -> pl.Series:
    known: NDArray[np.bool_] = np.logical_not(np.isnan(measure).any(axis=1))
    # argmax takes the first of equal ones, as `choose` says; rows without scores stay out, as their argmax
    # would be 0.
    chosen = np.zeros(len(measure), dtype=np.int64)
    chosen[known] = measure[known].argmax(axis=1)
    return pl.select(pl.when(pl.Series(known)).then(pl.Series(chosen))).to_series()


_STRICT = rf'^\s*\{{\s*"{ANSWER_KEY}"\s*:\s*"([{LETTERS}])"\s*\}}\s*$'


def strict_choice(text: pl.Expr) -> pl.Expr:
    """Index of the letter in an answer that is exactly what the published prompt asks for, else null.

    That is a JSON object with the one key ``answer_choice`` and a capital letter, white space around it
    allowed.
    """
    return _index(text.str.extract(_STRICT))


def _index(letter: pl.Expr) -> pl.Expr:
    return letter.replace_strict(list(LETTERS), list(range(len(LETTERS))), default=None, return_dtype=pl.Int64)


_STATED = re.compile(STATED)


def choice_rules(asked: TaskItems) -> dict[str, ItemRule]:
    """By ``item_id`` what decides on replies to multiple-choice questions; gold as of `choice_items.GOLD`."""
    says_confidence = CONFIDENT_PROMPT in asked.prompts.values()

    def read(options: Sequence[str], reply: str) -> int | None:
        return option_chosen(_STATED.sub("", reply, count=1) if says_confidence else reply, options)

    return {
        item_id: chosen_rule(LETTERS, answer, partial(read, options))
        for item_id, answer, options in asked.gold.select("item_id", "answer", "option_texts").iter_rows()
    }


def chosen_rule(words: Sequence[str], answer: int, read: Callable[[str], int | None]) -> ItemRule:
    """What decides on replies that choose one of some words, of which the one at ``answer`` is correct."""

    def decide(reply: str) -> Decision:
        chosen = read(reply)
        return Decision(float(chosen == answer), None if chosen is None else words[chosen])

    return ItemRule([words[answer]], decide)
