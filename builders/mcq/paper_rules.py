"""The rules of the BLEnD paper's code: who objects to a question, which format it asks for, what overlaps.

References:
    Myung et al. (2024), BLEnD, section 3 and Appendix, https://arxiv.org/abs/2406.09948, and its code,
    https://github.com/nlee0212/BLEnD.
"""

import re
from collections.abc import Callable, Iterable, Sequence

import polars as pl

from blend.builders.judges.equivalence import Pair
from blend.builders.mcq.result import DROPPED
from blend.schemas.locales import Locale, Registry

MAX_NON_ANSWERS = 2
"""Non-answers of all kinds from which on, exclusively, a region objects to a question."""
MIN_TOP_VOTES = 2
"""Votes of the first answer below which a region objects to a question."""
FORMAT_LOCALE = "en-GB"
"""Locale whose local question says which format the answers have, for all locales."""


def objections(annotations: pl.DataFrame, locales: Registry) -> pl.DataFrame:
    """Templates that a locale objects to: ``template_id``, ``reason``, ``detail`` of the first that does."""
    idks, first = pl.col("idks").struct, pl.col("annotations").list.first().struct
    not_applicable = idks.field("not-applicable")
    others = idks.field("others").list.eval(pl.element().struct.field("count")).list.sum()
    non_answers = idks.field("idk") + idks.field("no-answer") + not_applicable + others
    low = (first.field("en_answers").list.len() > 0) & (first.field("count") < MIN_TOP_VOTES)
    reason = (
        pl.when(not_applicable > 0)
        .then(pl.lit("not-applicable"))
        .when(non_answers > MAX_NON_ANSWERS)
        .then(pl.lit("non-answers"))
        .when(low)
        .then(pl.lit("few-votes"))
    )
    says = (
        pl.when(not_applicable > 0)
        .then(pl.format("{} for not applicable", _counted(not_applicable, "vote")))
        .when(non_answers > MAX_NON_ANSWERS)
        .then(_counted(non_answers, "non-answer"))
        .otherwise(pl.format("{} for the first answer", _counted(first.field("count"), "vote")))
    )
    rank = pl.col("locale").map_elements(locales.rank, return_dtype=pl.Int64)
    return (
        annotations.select("template_id", "locale", rank=rank, reason=reason, says=says)
        .filter(pl.col("reason").is_not_null())
        .sort("template_id", "rank")
        .group_by("template_id", maintain_order=True)
        .first()
        .select("template_id", "reason", detail=pl.format("{} objects: {}", "locale", "says"))
    )


def _counted(number: pl.Expr, thing: str) -> pl.Expr:
    """A number of things in English, see `schemas.text.counted`."""
    return pl.format("{} {}", number, pl.when(number == 1).then(pl.lit(thing)).otherwise(pl.lit(f"{thing}s")))


def objected(annotations: pl.DataFrame, objecting: pl.DataFrame) -> pl.DataFrame:
    """All questions of templates that a locale objects to, `builders.mcq.result.DROPPED`."""
    return annotations.join(objecting, on="template_id").select(list(DROPPED)).cast(DROPPED)


def formats(questions: pl.DataFrame, present: Sequence[Locale]) -> dict[str, Callable[[str], bool]]:
    """By template, whether a string has the format that the question asks for.

    The UK's own question decides; where there is none, the English question of the first locale that has one.
    """
    own = questions.filter(pl.col("locale") == FORMAT_LOCALE).select("template_id", "question").iter_rows()
    rank = {locale.tag: i for i, locale in enumerate(present)}
    others = questions.filter(pl.col("locale").is_in(list(rank))).select("template_id", "locale", "en_question")
    texts: dict[str, str] = {}
    for template_id, _, text in sorted(others.iter_rows(), key=lambda row: rank[row[1]]):
        texts.setdefault(template_id, text)
    texts.update(own)
    return {template_id: _format(text) for template_id, text in texts.items()}


def _format(question: str) -> Callable[[str], bool]:
    if "HH:MM" in question:
        return _matching(r"^\d\d:\d\d$")
    if "MM/DD" in question:
        return _matching(r"^\d{1,2}/\d{1,2}$")
    if "Arabic" in question:
        return lambda text: _number(text) is not None
    return anything


def _matching(pattern: str) -> Callable[[str], bool]:
    return lambda text: re.match(pattern, text) is not None


def anything(_: str) -> bool:
    """Whether a text has the format of a question that asks for none."""
    return True


class Overlaps:
    """Which strings of a template overlap which: one bit per string, one mask of bits per string."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.order = {text: i for i, text in enumerate(sorted(texts))}
        described = [(text, _number(text), frozenset(_tokens(text))) for text in self.order]
        self.masks = {text: 1 << i for text, i in self.order.items()}
        for i, (a, number_a, tokens_a) in enumerate(described):
            for b, number_b, tokens_b in described[i:]:
                if number_a is not None and number_b is not None:
                    overlap = number_a == number_b
                else:
                    overlap = a in b or b in a or not tokens_a.isdisjoint(tokens_b)
                if overlap:
                    self.add([(a, b)])

    def add(self, pairs: Iterable[Pair]) -> None:
        """Count the pairs as overlapping."""
        for a, b in pairs:
            self.masks[a] |= 1 << self.order[b]
            self.masks[b] |= 1 << self.order[a]

    def bits(self, texts: Iterable[str]) -> int:
        """The bits of some strings."""
        return sum(1 << self.order[text] for text in texts)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _tokens(text: str) -> list[str]:
    return [token for part in text.split("/") for token in part.split()]
