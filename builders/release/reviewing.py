"""Reviewing: the answers of a recipe's sources, and pairs of them, that a person still has to look at."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from blend.builders.judges import make_judges, shipped_for, why_suspected
from blend.builders.judges.chat import AskedOptions, OptionReader
from blend.builders.mcq.to_review import OFFERED_OPTIONS, candidate_pairs, offered_options
from blend.builders.mcq.verdicts import Reader, Verdicts
from blend.builders.release.inputs import known_locales, read_inputs
from blend.builders.release.tables import annotations_of, verdicts_of
from blend.builders.saq.answer_sheet import Lost, answer_sheet, without_lost
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.responses.verdicts import (
    NATIVE,
    GivenVerdict,
    append_verdicts,
    decisions_in,
    read_verdicts,
    shipped_decisions,
)
from blend.schemas.errors import InputError
from blend.schemas.frames import KEY
from blend.schemas.locales import Registry
from blend.schemas.personal_data import MODEL
from blend.schemas.recipe import JudgeOptions, Recipe
from blend.schemas.sheets import KEY_ROLE, OPTION_SHEET, PAIR_SHEET
from blend.schemas.texts import pair_key


class _ToReview(NamedTuple):
    """Answers to review, and reviews of answers that nobody gives any more."""

    sheet: pl.DataFrame
    """`sheets.ANSWER_SHEET`, not empty."""
    lost: list[Lost]
    """What was left out of reviews; the sheet takes up their questions again."""


def answers_to_review(
    recipe: Recipe, *, base: Path = Path(), locales: Sequence[str] | None = None, everything: bool = False
) -> _ToReview:
    """The answer sheet of a recipe with raw responses; see `builders.saq.answer_sheet`.

    Args:
        recipe: Names the sources.
        base: Folder to which its relative locations refer.
        locales: Only answers in these locales; in all when absent.
        everything: Whether questions are there as well on whose every answer a review has decided.

    Raises:
        InputError: If there are no responses, none in a locale, or none left to review; otherwise as
            `builders.release.inputs.read_inputs`.
    """
    inputs = read_inputs(recipe, base=base, locales=known_locales(recipe, base=base), reviewing=True)
    if inputs.responses.is_empty():
        raise InputError(
            "the recipe has no raw responses, only finished annotations; add a source of kind 'responses' to "
            "review what it holds"
        )
    answered = set(inputs.responses["locale"])
    for tag in locales or ():
        if tag not in answered:
            raise InputError(f"`locales={tag}`: no answers; there are some in {', '.join(sorted(answered))}")
    here = pl.col("locale").is_in(sorted(answered if locales is None else locales))
    responses = inputs.responses.filter(here)
    reviews, lost = without_lost(inputs.reviews.filter(here), responses)
    sheet = answer_sheet(inputs.questions.filter(here), responses, reviews, everything=everything, lost=lost)
    if sheet.is_empty() and lost:
        places = ", ".join(one.source for one in lost)
        raise InputError(
            f"nothing to review: nobody gives the answers of {places} any more; delete that review"
        )
    if sheet.is_empty():
        why = "nobody has given an answer yet" if everything else "every answer is reviewed"
        more = "`everything=True` shows what was decided"
        fix = "`blend status` says what is missing" if everything else more
        raise InputError(f"nothing to review: {why}; {fix}")
    return _ToReview(sheet, lost)


def pairs_to_review(recipe: Recipe, *, base: Path = Path(), everything: bool = False) -> pl.DataFrame:
    """The pairs of answers that may stand side by side and about which nobody has decided.

    Args:
        recipe: Names the sources, and perhaps a table of verdicts.
        base: Folder to which its relative locations refer.
        everything: Whether pairs are there as well for which nothing speaks.

    Returns:
        `sheets.PAIR_SHEET`, the most frequent first, not empty.

    Raises:
        InputError: If there is nothing to decide; otherwise as `builders.release.inputs.read_inputs`.
    """
    known = known_locales(recipe, base=base)
    inputs = read_inputs(recipe, base=base, locales=known)
    annotations = annotations_of(inputs, recipe)
    pairs = candidate_pairs(inputs.questions, annotations, options=recipe.mcq, locales=known)
    verdicts = verdicts_of(recipe.mcq, base)
    decided = [
        *(() if verdicts is None else decisions_in(verdicts)),
        *(shipped_decisions() if recipe.mcq.judge.shipped else ()),
    ]
    done = {pair_key(decision.answer_a, decision.answer_b) for decision in decided}
    texts = inputs.questions.group_by("template_id").agg(pl.col("en_question").sort().first())
    question = dict(texts.iter_rows())
    rows = [
        (a, b, None, None, n, cause, template_id, question[template_id], PAIR_SHEET.mark(a, b))
        for a, b, n, template_id in pairs.iter_rows()
        if pair_key(a, b) not in done and ((cause := why_suspected(a, b)) or everything)
    ]
    if not rows:
        why = "every pair that can meet is decided" if everything else "no undecided pair looks alike"
        fix = "" if everything else "; `everything=True` shows every pair that can meet"
        raise InputError(f"nothing to decide: {why}{fix}")
    return pl.DataFrame(rows, PAIR_SHEET.columns, orient="row")


class _OfferedOption(NamedTuple):
    """An option that a question may show, and who has read it."""

    row: dict[str, Any]
    """A row of `builders.mcq.to_review.OFFERED_OPTIONS`."""
    readers: Sequence[Reader]
    """Those who have given a verdict on it."""
    read_by: frozenset[str | None]
    """What `Verdicts.read_by` says of it, for each region that gave it."""


class _RecipeOptions:
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
    ) -> Iterator[_OfferedOption]:
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
        decisions = () if verdicts is None else decisions_in(verdicts)
        offered = offered_options(
            self.questions,
            self._annotations,
            options=self._recipe.mcq,
            seed=self._recipe.seed,
            # Of the judges of the recipe, its model is not asked.
            judges=make_judges(JudgeOptions(), decisions=decisions, shipped=shipped_for(self._recipe.mcq)),
            verdicts=read,
            everything=everything,
            locales=self.locales,
        )
        asked = set(offered["locale"])
        for tag in locales or ():
            if tag not in asked:
                there = ", ".join(tag for tag in self.locales.tags if tag in asked) or "no locale at all"
                more = "" if everything else "; `everything=True` also shows what verdicts leave out"
                raise InputError(f"`locales={tag}`: no question can ask about it; some ask about {there}{more}")
        for row in offered.iter_rows(named=True):
            if locales is None or row["locale"] in locales:
                key = row["template_id"], row["locale"], row["option"]
                read_by = frozenset(read.read_by(*key, origin) for origin in row["regions"])
                yield _OfferedOption(row, read.readers(*key), read_by)


class _OptionsToReview(NamedTuple):
    """Options to read, and questions that have none."""

    sheet: pl.DataFrame
    """`sheets.OPTION_SHEET`, not empty."""
    without_options: list[tuple[str, str]]
    """Template and locale of answered questions about which a build asks nothing, by locale."""


def options_to_review(
    recipe: Recipe,
    *,
    base: Path = Path(),
    locales: Sequence[str] | None = None,
    only: Collection[tuple[str, str]] | None = None,
    unread: bool = False,
    everything: bool = False,
    blind: bool = False,
) -> _OptionsToReview:
    """The option sheet of a recipe: every option that a build may show, see `_RecipeOptions`.

    Args:
        recipe: Names the sources, and perhaps a file of verdicts (``mcq.verdicts``).
        base: Folder to which its relative locations refer.
        locales: Only options of questions about these locales; about all when absent.
        only: Only options of these templates with locales; of all when absent.
        unread: Whether those are left out that a person or a model has read; what a model is unsure of is
            there.
        everything: Whether those are there as well that verdicts leave out.
        blind: Whether ``read`` is empty, for a reader who is not to know what others said.

    Raises:
        InputError: If the recipe is in paper mode, no question asks about a locale, or there is nothing to
            read; otherwise as `builders.release.inputs.read_inputs`.
    """
    options = _RecipeOptions(recipe, base)
    verdicts = verdicts_of(recipe.mcq, base)
    offered = [
        one
        for one in options.offered(verdicts, everything=everything, locales=locales)
        if only is None or (one.row["template_id"], one.row["locale"]) in only
    ]
    rows = []
    for row, readers, read_by in offered:
        if unread and None not in read_by:
            continue
        by = "" if blind else "; ".join(map(str, readers)) or ("" if None in read_by else MODEL)
        mark = OPTION_SHEET.mark(*(row[name] for name in OPTION_SHEET.proposed))
        rows.append({**row, "regions": ", ".join(row["regions"]), "read": by, "check": mark})
    if not rows:
        why = "every option has been read" if offered else "no question has options enough"
        left_out = not (everything or offered) and any(options.offered(verdicts, everything=True))
        more = "; `everything=True` also shows what verdicts leave out" if left_out else ""
        raise InputError(f"nothing to read: {why}{more}")
    shown = {(one.row["template_id"], one.row["locale"]) for one in offered}
    asked = options.answered.select(KEY).sort(KEY[::-1]).iter_rows()
    chosen = (key for key in asked if (only is None or key in only) and (locales is None or key[1] in locales))
    return _OptionsToReview(
        pl.DataFrame(rows, OPTION_SHEET.columns), [key for key in chosen if key not in shown]
    )


def options_for_natives(
    recipe: Recipe, *, base: Path = Path(), known: Registry
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The options that a build of a recipe may show and that no native of the region has read.

    Args:
        recipe: Names the sources, and perhaps a file of verdicts (``mcq.verdicts``).
        base: Folder to which its relative locations refer.
        known: Known locales.

    Returns:
        `offered_options.OFFERED_OPTIONS`, perhaps without rows, and the questions with their answers,
        `frames.ANNOTATION_ROWS`.

    Raises:
        InputError: If the recipe is in paper mode; otherwise as `builders.release.inputs.read_inputs`.
    """
    options = _RecipeOptions(recipe, base, known)
    unread = [
        one.row
        for one in options.offered(verdicts_of(recipe.mcq, base))
        if not any(reader.kind == NATIVE for reader in one.readers)
    ]
    return pl.DataFrame(unread, OFFERED_OPTIONS), options.answered


# Options read by a model, before people read what it is unsure of.


_MAX_OPTIONS = 40
"""Options in one request at most; questions rarely have as many."""


class _ModelVerdicts(NamedTuple):
    """Verdicts that a model has added."""

    reader: str
    """Name under which they are kept."""
    by_verdict: Counter[str]
    """How many of each."""
    unsure: int
    """Those of them that count for nothing, since the model is too unsure."""


def read_by_model(
    recipe: Recipe,
    out: Path,
    *,
    model: str,
    base: Path = Path(),
    base_url: str | None = None,
    locales: Sequence[str] | None = None,
    everything: bool = False,
    on_progress: ProgressCallback = silent,
) -> _ModelVerdicts:
    """Have a model read options, and add its verdicts to a file as they come: a further run asks the rest.

    What it refuses makes room for options that were not needed before; they are read as well.

    Args:
        recipe: Names the sources, perhaps a file of verdicts (``mcq.verdicts``), and how many requests are
            under way at a time (``mcq.judge.concurrency``).
        out: File of verdicts to add to, .tsv or .csv.
        model: Name of the model as the server knows it.
        base: Folder to which the recipe's relative locations refer.
        base_url: Address of the server, see `judges.chat.OptionReader`.
        locales: Only options of questions about these locales; about all when absent.
        everything: Whether options that people or the package's model have read, and those that verdicts leave
            out, are read as well: to compare the model with people.
        on_progress: Told about progress.

    Raises:
        InputError: If the recipe is in paper mode, or no question asks about a locale.
        ServerError: As `judges.chat.OptionReader.read`.
        BlendError: As `builders.release.inputs.read_inputs` and `append_verdicts`.
    """
    given: list[GivenVerdict] = []
    done = total = 0

    def record(verdicts: Sequence[GivenVerdict]) -> None:
        append_verdicts(out, verdicts, reader=reader.name, when=datetime.now(UTC).date())
        nonlocal done
        given.extend(verdicts)
        done += 1
        on_progress("read options", done, total)

    concurrency = recipe.mcq.judge.concurrency
    # All options of a question take longer than a pair.
    reader = OptionReader(model, record=record, base_url=base_url, concurrency=concurrency, timeout_s=300.0)
    append_verdicts(out, (), reader=reader.name, when=datetime.now(UTC).date())
    options = _RecipeOptions(recipe, base)
    while requests := list(_requests(options, _verdicts(recipe, base, out), reader.name, locales, everything)):
        total += len(requests)
        on_progress("read options", done, total)
        reader.read(requests)
    unsure = sum((one.confidence or 0) < recipe.mcq.model_confidence for one in given)
    return _ModelVerdicts(reader.name, Counter(one.verdict for one in given), unsure)


def _verdicts(recipe: Recipe, base: Path, out: Path) -> pl.DataFrame | None:
    """All verdicts so far: those that the recipe names, and those in the file that is added to."""
    options = recipe.mcq
    is_same = options.verdicts is not None and (base / options.verdicts).resolve() == out.resolve()
    parts = [None if is_same else verdicts_of(options, base), read_verdicts(out) if out.exists() else None]
    known = [part for part in parts if part is not None]
    return pl.concat(known) if known else None


def _requests(
    options: _RecipeOptions,
    verdicts: pl.DataFrame | None,
    reader: str,
    locales: Sequence[str] | None,
    everything: bool,
) -> Iterator[AskedOptions]:
    """What to ask about, question by question: nothing on which the reader has given a verdict."""
    offered = options.offered(verdicts, everything=everything, locales=locales)
    for (template_id, tag), of_question in groupby(
        offered, key=lambda one: (one.row["template_id"], one.row["locale"])
    ):
        every = list(of_question)
        keys = [one.row["option"] for one in every if one.row["role"] == KEY_ROLE]
        wanted = [one for one in every if _is_open(one, reader) and (everything or not _is_read(one))]
        for start in range(0, len(wanted), _MAX_OPTIONS):
            part = wanted[start : start + _MAX_OPTIONS]
            asked = tuple((one.row["option"], one.row["role"]) for one in part)
            others = tuple(key for key in keys if (key, KEY_ROLE) not in asked)
            region = options.locales.get(tag).prompt_name
            yield AskedOptions(template_id, tag, every[0].row["question"], region, asked, others)


def _is_open(one: _OfferedOption, reader: str) -> bool:
    return all(other.name != reader for other in one.readers)


def _is_read(one: _OfferedOption) -> bool:
    """Whether people or the package's model have read it; that another model has says nothing of this one."""
    return not one.read_by & {None, MODEL}
