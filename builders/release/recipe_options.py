"""Recipe options: what the questions of a recipe may show, and who has read it so far."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from blend.builders.judges import make_judges, shipped_for
from blend.builders.judges.equivalence import Judge
from blend.builders.mcq.to_review import offered_options
from blend.builders.mcq.verdicts import Reader, Verdicts
from blend.builders.release.inputs import known_locales, read_inputs
from blend.builders.release.tables import annotations_of
from blend.loaders.responses.verdicts import decisions_in
from blend.schemas.errors import InputError
from blend.schemas.frames import KEY
from blend.schemas.locales import Registry
from blend.schemas.recipe import JudgeOptions, Recipe


class OfferedOption(NamedTuple):
    """An option that a question may show, and who has read it."""

    row: dict[str, Any]
    """A row of `builders.mcq.to_review.OFFERED_OPTIONS`."""
    readers: Sequence[Reader]
    """Those who have given a verdict on it."""
    read_by: frozenset[str | None]
    """What `Verdicts.read_by` says of it, for each region that gave it."""


class RecipeOptions:
    """Options that the questions of a recipe may show; its sources are read once.

    Args:
        recipe: Names the sources.
        base: Folder to which its relative locations refer.
        known: Known locales; those of the recipe when absent.

    Raises:
        InputError: If the recipe is in paper mode; otherwise as `builders.release.inputs.read_inputs`.
    """

    def __init__(self, recipe: Recipe, base: Path, known: Registry | None = None) -> None:
        if recipe.mcq.mode == "paper":
            raise InputError("the recipe's key mcq.mode is 'paper', where verdicts on options have no say")
        self._recipe, self._base = recipe, base
        self.locales = known_locales(recipe, base=base) if known is None else known
        """The known locales."""
        inputs = read_inputs(recipe, base=base, locales=self.locales)
        self.questions = inputs.questions
        """The questions, `frames.QUESTIONS`."""
        self._annotations = annotations_of(inputs, recipe)

    @property
    def answered(self) -> pl.DataFrame:
        """The questions with their answers, `frames.ANNOTATION_ROWS`."""
        return self.questions.drop("source").join(self._annotations.drop("source"), on=KEY)

    def offered(
        self, verdicts: pl.DataFrame | None, *, everything: bool = False, locales: Sequence[str] | None = None
    ) -> Iterator[OfferedOption]:
        """List the options, in the order of `builders.mcq.to_review.offered_options`.

        Judges of pairs are asked as far as their verdicts are on file: no model, and no server.

        Args:
            verdicts: `frames.VERDICTS`, which leave options out and say who has read them.
            everything: Whether options that verdicts leave out are there as well.
            locales: Only options of questions about these locales; about all when absent.

        Raises:
            InputError: If no question can ask about a locale.
        """
        read = Verdicts(
            verdicts,
            self.questions,
            self.locales,
            shipped=self._recipe.mcq.judge.shipped,
            annotations=self._annotations,
            model_confidence=self._recipe.mcq.model_confidence,
        )
        judges = self._judges_on_file(verdicts)
        offered = self._offered(read, judges, everything=everything)
        asked = set(offered["locale"])
        if not_asked := [tag for tag in locales or () if tag not in asked]:
            left_out = set() if everything else set(self._offered(read, judges, everything=True)["locale"])
            raise InputError(self._why_not_asked(not_asked[0], asked, left_out))
        for row in offered.iter_rows(named=True):
            if locales is None or row["locale"] in locales:
                key = row["template_id"], row["locale"], row["option"]
                read_by = frozenset(read.read_by(*key, origin) for origin in row["regions"])
                yield OfferedOption(row, read.readers(*key), read_by)

    def _offered(self, verdicts: Verdicts, judges: Sequence[Judge], *, everything: bool) -> pl.DataFrame:
        return offered_options(
            self.questions,
            self._annotations,
            options=self._recipe.mcq,
            seed=self._recipe.seed,
            judges=judges,
            verdicts=verdicts,
            everything=everything,
            locales=self.locales,
        )

    def _why_not_asked(self, tag: str, asked: Collection[str], left_out: Collection[str]) -> str:
        if tag in left_out:
            return (
                f"`locales={tag}`: no question can ask about it any more, so many options do verdicts leave "
                "out; `everything=True` shows these as well"
            )
        there = ", ".join(tag for tag in self.locales.tags if tag in asked) or "no locale at all"
        return f"`locales={tag}`: no question can ask about it; some ask about {there}"

    def _judges_on_file(self, verdicts: pl.DataFrame | None) -> Sequence[Judge]:
        """The judges of the recipe without its model."""
        decisions = () if verdicts is None else decisions_in(verdicts)
        return make_judges(JudgeOptions(), decisions=decisions, shipped=shipped_for(self._recipe.mcq))
