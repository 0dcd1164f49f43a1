"""Unread options: what a build shows of what nobody has read, by how likely it would be refused."""

import polars as pl

from blend.builders.mcq.options import Option
from blend.builders.mcq.result import FOUND
from blend.builders.mcq.unread.option_risk import OptionRisk
from blend.builders.mcq.verdicts.reading import Reading
from blend.schemas.language.text_comparison import pluralise
from blend.schemas.recipe.recipe import McqOptions

LIKELY_SILLY = "likely-silly"
"""Finding of options that are left out since they are likely no answer of the kind asked for."""


class UnreadOptions:
    """Options that nobody has read, and which of them a build shows.

    Args:
        risk: How likely they are refused.
        reading: Who has read what.
        options: The recipe's; ``max_risk`` and ``max_silly`` say how likely they may be.
    """

    def __init__(self, risk: OptionRisk, reading: Reading, options: McqOptions) -> None:
        self._risk, self._reading = risk, reading
        self._max_risk = 1.0 if options.max_risk is None else options.max_risk
        self._max_silly = 1.0 if options.max_silly is None else options.max_silly
        self._silly: dict[tuple[str, str], set[str]] = {}
        """By template and locale asked about."""

    def left_out_by(self, template_id: str, asked: str, option: Option) -> str | None:
        """Find the key of the recipe by which an option is left out about a locale.

        Null where it is shown, as what has been read is, at any risk.

        Args:
            template_id: The template.
            asked: Tag of the locale asked about.
            option: An option of another region.
        """
        if self._reading.has_read(template_id, asked, option):
            return None
        if self._max_risk < 1 and self._risk.of(template_id, asked, option) > self._max_risk:
            return "mcq.max_risk"
        if self._max_silly < 1 and self._risk.silly(template_id, asked, option) > self._max_silly:
            self._silly.setdefault((template_id, asked), set()).add(option.text)
            return "mcq.max_silly"
        return None

    def found(self) -> pl.DataFrame:
        """List the options left out so far as silly, by template and locale, as `FOUND`."""
        rows = []
        for key, texts in sorted(self._silly.items()):
            listed = ", ".join(map(repr, sorted(texts)))
            rows.append((*key, LIKELY_SILLY, f"{pluralise(len(texts), 'option')} left out: {listed}"))
        return pl.DataFrame(rows, FOUND, orient="row")
