"""Rules that answer multiple-choice questions without reading them, and causes that make an option stand out.

A rule gives every option a score; the highest one of a question is its answer. Where all options of a
question have one score, or none, it has no opinion. What it learns from other questions comes from other
*templates*: neither variants of a question nor the same question about another region may tell it the answer.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from blend.schemas.errors import UnknownNameError
from blend.schemas.formats import AnswerFormat, magnitude
from blend.schemas.locales import Locale, Registry, first_words, is_named
from blend.schemas.texts import fold, scripts_of, words

FloatArray = NDArray[np.float64]

EVIDENCE = pl.Schema({"template": pl.String(), "group": pl.String(), "text": pl.String(), "votes": pl.Int64()})
"""What groups are known to answer: one row per template, group and text."""

_PRIOR_VOTES = 2.0
"""Votes that a group's words are taken to have beside the counted ones, spread as all groups' together: a word
that one person used once is not yet typical."""
_DIGITS = 9
"""Decimal places of scores: in further ones sums of the same numbers in another order may differ."""
_FAR = 2
"""An option that is so many times as long as the next longest one stands out by its length."""
_MARKS = frozenset('()[]{},;:/\\"!?&+')


class _RuleInputs(NamedTuple):
    """Questions, and what rules may know besides."""

    options: pl.DataFrame
    """One row per option, question after question: ``question`` (its number), ``template``, ``group``,
    ``position`` (from 0), ``text``, ``key`` (the text as compared), ``length`` (characters), ``is_correct``,
    and ``number``: the text as an integer, minutes of the day or days of the year, null where the options of
    a question are not all of one of these formats."""
    evidence: pl.DataFrame
    """`EVIDENCE`."""
    given: pl.DataFrame
    """`EVIDENCE`, and every option whose group is known as one vote of it: options are not always worded as the
    answer that they stand for."""
    named: pl.DataFrame
    """The groups that texts of options name: ``text`` and ``group``."""


class _Rule(NamedTuple):
    """A rule to answer by, or a cause."""

    definition: str
    """The rule, in one line."""
    scores: Callable[[_RuleInputs], pl.Expr | pl.Series]
    """Score of every option, in their order or over their columns; null where it does not apply."""


def inputs_of(
    questions: pl.DataFrame, evidence: pl.DataFrame, given: pl.DataFrame, locales: Registry
) -> _RuleInputs:
    """Take questions apart for rules.

    Args:
        questions: ``options`` (two or more), ``answer`` (index of the correct one), ``template``, ``group``.
        evidence: `EVIDENCE`.
        given: `EVIDENCE`, see `_RuleInputs`.
        locales: Registry that knows names of regions.
    """
    positions = pl.int_ranges(pl.col("options").list.len())
    options = questions.select("template", "group", "answer", text="options", position=positions)
    options = options.with_row_index("question").explode("text", "position")
    options = options.select(
        pl.exclude("answer"),
        key=_by_text(options["text"], fold),
        length=pl.col("text").str.len_chars().cast(pl.Int64),
        is_correct=pl.col("position") == pl.col("answer"),
    )
    options = options.with_columns(number=_numbers(options))
    named = pl.DataFrame(list(_named(options, locales)), {"text": pl.String, "group": pl.String}, orient="row")
    return _RuleInputs(options, evidence, given, named)


def _by_text(texts: pl.Series, of: Callable[[str], Any]) -> pl.Series:
    """What a function says of every text; variants show the same ones again and again."""
    known = texts.unique().to_list()
    return texts.replace_strict(known, [of(text) for text in known])


def _numbers(options: pl.DataFrame) -> pl.Series:
    """See `_RuleInputs.options`; of several formats that fit, the first one here counts."""
    formats = (AnswerFormat.DATE, AnswerFormat.TIME, AnswerFormat.INTEGER)
    read = {
        str(one): _by_text(options["text"], partial(magnitude, answer_format=one)).cast(pl.Float64)
        for one in formats
    }
    are_all = [pl.when(pl.col(name).is_not_null().all().over("question")).then(name) for name in read]
    return options.select("question", **read).select(pl.coalesce(are_all)).to_series()


def _named(options: pl.DataFrame, locales: Registry) -> Iterator[tuple[str, str]]:
    """Each text with each group that it names.

    A group that the registry knows (by tag, code or any name) is named by every English name of its region and
    of its people, see `is_named`; any other one by its own name as whole words, whatever the case.
    """
    texts = {text: set(words(text)) for text in options["text"].unique()}
    for group in options["group"].unique():
        regions = _locales_of(group, locales)
        own = re.compile(rf"(?<!\w){re.escape(group)}(?!\w)", re.IGNORECASE)
        # Most texts hold no word that any name begins with: quick to see where letters have no accents.
        first = first_words(name for region in regions for name in (*region.names, *region.nationalities))
        for text, of_text in texts.items():
            if not regions:
                names_it = own.search(text) is not None
            elif text.isascii() and first.isdisjoint(of_text):
                names_it = False
            else:
                names_it = any(is_named(text, region) for region in regions)
            if names_it:
                yield text, group


def _locales_of(group: str, locales: Registry) -> list[Locale]:
    try:
        return locales.called(group)
    except UnknownNameError:
        return []


# Baselines.


def _elimination(asked: _RuleInputs) -> pl.Series:
    """Score an option that no other group gave above all others, and those as `_widespread` does.

    Every wrong option was somebody's answer, so that who knows what the rest of the world answers can strike
    them out.
    """
    given = pl.col("given")
    best = pl.when(given == 0).then(given.max() + 1).otherwise(given)
    return pl.DataFrame({"given": _widespread(asked)}).select(best).to_series()


def _elimination_by_two(asked: _RuleInputs) -> pl.Series:
    """Score as `_elimination` does who has heard only answers that two or more people of a group gave."""
    return _elimination(asked._replace(given=asked.evidence.filter(pl.col("votes") >= 2)))


def _widespread(asked: _RuleInputs) -> pl.Series:
    """In how many other groups somebody gave the option as an answer to the same template.

    Learns from the template itself: it knows what the rest of the world answers, and nothing of the group.
    """
    given = asked.given.select("template", "group", key=_by_text(asked.given["text"], fold)).unique()
    often = given.group_by("template", "key").agg(often=pl.len().cast(pl.Int64))
    own = given.with_columns(own=pl.lit(1, pl.Int64))
    rows = asked.options.join(often, on=["template", "key"], how="left", maintain_order="left")
    rows = rows.join(own, on=["template", "group", "key"], how="left", maintain_order="left")
    return rows.select(pl.col("often").fill_null(0) - pl.col("own").fill_null(0)).to_series()


def _names_region(asked: _RuleInputs) -> pl.Series:
    """1 for an option that names the region asked about, or its people; 0 for others."""
    own = asked.named.with_columns(own=pl.lit(1, pl.Int64))
    rows = asked.options.join(own, on=["text", "group"], how="left", maintain_order="left")
    return rows["own"].fill_null(0)


def _typical(asked: _RuleInputs) -> pl.Series:
    """Score how much more often the group uses the words of an option than all groups do, in other templates.

    Per word the logarithm of its share of the group's votes over its share of all votes, with `_PRIOR_VOTES`
    added; of an option the mean over its words.
    """
    # Variants of a question show the same options.
    key = ["template", "group", "text"]
    cells = asked.options.select(key).unique(maintain_order=True)
    cells = cells.join(_words(cells["text"]), on="text", maintain_order="left_right")
    known = cells.select("word").unique()
    votes = asked.evidence.join(_words(asked.evidence["text"]), on="text").join(known, on="word", how="semi")
    here, of_group, anywhere, of_all = (
        _elsewhere(cells, votes, by) for by in (("group", "word"), ("group",), ("word",), ())
    )
    # One vote more for every word, so that no share is 0.
    expected = (anywhere + 1) / (of_all + known.height)
    ratio = ((here + _PRIOR_VOTES * expected) / (of_group + _PRIOR_VOTES) / expected).log()
    means = cells.with_columns(ratio=ratio).group_by(key).agg(pl.col("ratio").mean().round(_DIGITS))
    # An option without words, such as a smiley, says nothing.
    return asked.options.join(means, on=key, how="left", maintain_order="left")["ratio"].fill_null(0.0)


def _words(texts: pl.Series) -> pl.DataFrame:
    """The folded words of texts, each once: ``text`` and ``word``."""
    rows = [(text, word) for text in texts.unique(maintain_order=True) for word in sorted(set(words(text)))]
    return pl.DataFrame(rows, {"text": pl.String, "word": pl.String}, orient="row")


def _elsewhere(rows: pl.DataFrame, counts: pl.DataFrame, by: Sequence[str]) -> pl.Series:
    """The ``votes`` of other templates than a row's own, for what the row has in some columns."""
    every = counts.group_by(by or pl.lit(0).alias("all")).agg(every=pl.col("votes").sum())
    own = counts.group_by("template", *by).agg(own=pl.col("votes").sum())
    if by:
        joined = rows.join(every, on=by, how="left", maintain_order="left")
    else:
        joined = rows.with_columns(every=pl.lit(counts["votes"].sum()))
    joined = joined.join(own, on=["template", *by], how="left", maintain_order="left")
    return joined.select(pl.col("every").fill_null(0) - pl.col("own").fill_null(0)).to_series()


def _frequent(asked: _RuleInputs) -> pl.Series:
    """In how many questions of other templates the option is the correct answer; variants count once."""
    correct = asked.options.filter("is_correct").unique(["template", "group", "text"])
    return _elsewhere(asked.options, correct.with_columns(votes=pl.lit(1, pl.Int64)), ["key"])


def _recurring(_: _RuleInputs) -> pl.Expr:
    """In how many variants of the question (template and group) the option stands; needs the whole set."""
    variants = pl.col("question").n_unique().over("template", "group")
    return pl.when(variants > 1).then(pl.len().over("template", "group", "key"))


def _position(_: _RuleInputs) -> pl.Expr:
    """How many questions of the set have their correct option at the same place; needs the whole set."""
    return pl.col("is_correct").sum().over("position")


def _nearest_mean(_: _RuleInputs) -> pl.Expr:
    """Score how near the option is to the mean of the question's options."""
    number = pl.col("number")
    return -(number - number.mean().over("question")).abs().round(_DIGITS)


BASELINES: Mapping[str, _Rule] = {
    "elimination": _Rule("the option that no other region gave, else the most widespread", _elimination),
    "elimination-2": _Rule("the same, of answers that two or more people gave", _elimination_by_two),
    "widespread": _Rule("the option that people of most other regions gave to the same question", _widespread),
    "names-region": _Rule("the option that names the region asked about, or its people", _names_region),
    "typical": _Rule("the option whose words are most typical of the region's other answers", _typical),
    "frequent": _Rule("the option that is right most often in other templates", _frequent),
    "recurring": _Rule("the option that recurs most among the variants of the question", _recurring),
    "longest": _Rule("the option with most characters", lambda _: pl.col("length")),
    "position": _Rule("the place (A, B, …) that is right most often in the whole set", _position),
    "largest": _Rule("the largest of numbers, times or dates", lambda _: pl.col("number")),
    "smallest": _Rule("the smallest of numbers, times or dates", lambda _: -pl.col("number")),
    "nearest-mean": _Rule("the number, time or date nearest the mean of the options", _nearest_mean),
}
"""The rules to answer by, by name."""

NEEDS_ALL = ("recurring", "position")
"""Baselines that look at the whole set; who is asked one question at a time cannot use them."""

KNOWS_OTHERS = ("elimination", "elimination-2", "widespread")
"""Baselines that know what other regions answer to the question; who knows nothing cannot use them."""


# Leaks: what makes an option stand out before anybody has thought about the question; a score of 1 flags it.


def _names_another(asked: _RuleInputs) -> pl.Series:
    """Flag options that name another region that is asked about, and not the question's own."""
    names_any = asked.options["text"].is_in(asked.named["text"].unique().implode())
    return (names_any & (_names_region(asked) == 0)).cast(pl.Int64)


def _much_longer(_: _RuleInputs) -> pl.Expr:
    """Flag an option that has at least `_FAR` times as many characters as any other."""
    length = pl.col("length")
    second = length.top_k(2).min().over("question")
    return ((length == length.max().over("question")) & (length >= _FAR * second)).cast(pl.Int64)


def _much_shorter(_: _RuleInputs) -> pl.Expr:
    """Flag an option that has at most one part in `_FAR` of the characters of any other."""
    length = pl.col("length")
    second = length.bottom_k(2).max().over("question")
    return ((length == length.min().over("question")) & (_FAR * length <= second)).cast(pl.Int64)


def _odd_format(asked: _RuleInputs) -> pl.Series:
    """Flag an option that alone has, or alone lacks, capitals or punctuation marks."""
    return _odd_one_out(asked, _shape)


def _shape(text: str) -> str:
    return f"{any(map(str.isupper, text))} {not _MARKS.isdisjoint(text)} {text.endswith('.')}"


def _odd_script(asked: _RuleInputs) -> pl.Series:
    """Flag an option that alone is written in another script; options without letters say nothing."""
    return _odd_one_out(asked, lambda text: " ".join(sorted(scripts_of(text))) or None)


def _odd_number(asked: _RuleInputs) -> pl.Series:
    """Flag an option that alone has digits, or alone has none."""
    return _odd_one_out(asked, lambda text: str(any(map(str.isdigit, text))))


def _odd_one_out(asked: _RuleInputs, label: Callable[[str], str | None]) -> pl.Series:
    """Flag an option whose label is its own while all the others share one; null of any says nothing."""
    labelled = asked.options.with_columns(label=_by_text(asked.options["text"], label).cast(pl.String))
    often = pl.len().over("question", "label")
    kinds, size = pl.col("label").n_unique().over("question"), pl.len().over("question")
    has_all = pl.col("label").is_not_null().all().over("question")
    return labelled.select(((often == 1) & (kinds == 2) & (size > 2) & has_all).cast(pl.Int64)).to_series()


def _repeated(_: _RuleInputs) -> pl.Expr:
    """Flag options that another option of the question repeats, up to case and accents."""
    return (pl.len().over("question", "key") > 1).cast(pl.Int64)


LEAKS: Mapping[str, _Rule] = {
    "names-region": _Rule("an option names the region asked about, or its people", _names_region),
    "names-another": _Rule("an option names another region that the set asks about", _names_another),
    "much-longer": _Rule("an option is at least twice as long as all others", _much_longer),
    "much-shorter": _Rule("an option is at most half as long as all others", _much_shorter),
    "format": _Rule("an option alone has, or lacks, capitals or punctuation", _odd_format),
    "script": _Rule("an option alone is in another script", _odd_script),
    "number-or-words": _Rule("an option alone has digits, or alone has none", _odd_number),
    "repeated-option": _Rule("an option stands there twice", _repeated),
}
"""The causes, by name."""


def scored(asked: _RuleInputs, rules: Mapping[str, _Rule]) -> pl.DataFrame:
    """The scores of rules: a row per option, a column per rule."""
    columns = {name: rule.scores(asked) for name, rule in rules.items()}
    return asked.options.select(**columns)


# What rules reach together.

_FOLDS = 5
"""Parts of the templates; each is answered by what was learnt from the others."""
_PENALTY = 1.0
"""Strength of the pull of every weight towards 0 (half its square is added to the loss)."""
_STEPS = 50
_SETTLED = 1e-5
"""Change of a weight after which no figure changes any more: what is left to go is about its square."""


def combined_scores(options: pl.DataFrame, scores: pl.DataFrame) -> pl.Series:
    """Score how correct every option looks by several rules together, as learnt from other templates.

    A conditional logit: within a question, the chance of an option is proportional to the exponential of a
    weighted sum of its scores. Scores count as their difference from the question's mean; one that does not
    apply counts 0.

    References:
        McFadden (1974), Conditional logit analysis of qualitative choice behavior; fitted by Newton's method.
    """
    question, is_correct = options["question"].to_numpy(), options["is_correct"].to_numpy()
    together = scores.cast(pl.Float64).fill_null(0.0).with_columns(question=options["question"])
    apart = together.select((pl.col(name) - pl.mean(name).over("question")) for name in scores.columns)
    # Axis 0: rules; sums over the options of a question are quick along the last axis.
    features = np.array(apart.to_numpy().T, order="C")  # a copy, since they are scaled in place
    spread = np.sqrt((features**2).mean(axis=1, keepdims=True))
    # One scale for all scores, so that the penalty pulls alike on each.
    features /= np.where(spread > 0, spread, 1.0)
    # The part of a template depends on its name alone.
    names = options["template"].unique().to_list()
    numbers = [int.from_bytes(sha256(name.encode()).digest()[:4]) % _FOLDS for name in names]
    part = options["template"].replace_strict(names, numbers).to_numpy()
    found = np.zeros(len(options))
    for held_out in (part == number for number in set(numbers)):
        if not held_out.all():
            used = ~held_out
            weights = _choice_weights(features[:, used], question[used], is_correct[used])
            found[held_out] = weights @ features[:, held_out]
    return pl.Series(np.round(found, 9))


def _choice_weights(
    features: FloatArray, question: NDArray[np.int64], is_correct: NDArray[np.bool_]
) -> FloatArray:
    """Weights of a conditional logit that fit which options are correct; of shape ``(n, n_options)``."""
    starts, owner = questions_of(question)
    of_correct = features[:, is_correct].sum(axis=1)

    def fit_of(weights: FloatArray) -> tuple[float, FloatArray]:
        """How badly weights fit, and the chance that they give every option."""
        utility = weights @ features
        highest = np.maximum.reduceat(utility, starts)
        # Beside the likeliest option of the question, so that nothing overflows.
        odds = np.exp(utility - highest[owner])
        sums = np.add.reduceat(odds, starts)
        loss = (highest + np.log(sums)).sum() - weights @ of_correct + _PENALTY / 2 * weights @ weights
        return float(loss), odds / sums[owner]

    weights: FloatArray = np.zeros(len(features))
    loss, chances = fit_of(weights)
    for _ in range(_STEPS):
        weighted = features * chances
        means = np.add.reduceat(weighted, starts, axis=1)
        gradient = of_correct - means.sum(axis=1) - _PENALTY * weights
        # The spread within questions: of all options, less that of the questions' means.
        spread = weighted @ features.T - means @ means.T
        change = np.linalg.solve(spread + _PENALTY * np.eye(len(weights)), gradient)
        further, chances = fit_of(weights + change)
        # Where a score is rare and large, a whole step goes too far.
        while further > loss and np.abs(change).max() >= _SETTLED:
            change = change / 2
            further, chances = fit_of(weights + change)
        weights, loss = weights + change, further
        if np.abs(change).max() < _SETTLED:
            break
    return weights


def questions_of(question: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the options of each question start, and the index of every option's question."""
    starts = np.flatnonzero(np.diff(question.astype(np.int64), prepend=-1))
    return starts, np.repeat(np.arange(len(starts)), np.diff(starts, append=len(question)))
