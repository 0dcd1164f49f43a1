"""Reviewing: the answers of a recipe's sources, and pairs of them, that a person still has to look at."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

import polars as pl

from blend.builders.judges import why_suspected
from blend.builders.judges.chat import AskedOptions, OptionReader, recorded_judges
from blend.builders.mcq.to_review import OFFERED_OPTIONS, candidate_pairs, offered_options
from blend.builders.mcq.verdicts import Reader, Verdicts
from blend.builders.release.inputs import read_inputs
from blend.builders.release.tables import annotate
from blend.builders.saq.answer_sheet import Lost, answer_sheet, without_lost
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.recipes import RecipeInPlace
from blend.loaders.responses.verdicts import (
    NATIVE,
    GivenVerdict,
    append_verdicts,
    decisions_in,
    read_verdicts,
    shipped_decisions,
)
from blend.schemas.errors import InputError
from blend.schemas.frames import KEY, votes_known
from blend.schemas.locales import Registry
from blend.schemas.personal_data import MODEL
from blend.schemas.recipe import Recipe
from blend.schemas.sheets import KEY_ROLE, OPTION_SHEET, PAIR_SHEET
from blend.schemas.texts import pair_key


def answers_to_review(
    recipe: Recipe, *, base: Path = Path(), locales: Sequence[str] | None = None, everything: bool = False
) -> tuple[pl.DataFrame, list[Lost]]:
    """The answer sheet of a recipe with raw responses; see `builders.saq.answer_sheet`.

    Args:
        recipe: Names the sources.
        base: Folder to which its relative locations refer.
        locales: Only answers in these locales; in all when absent.
        everything: Whether questions are there as well on whose every answer a review has decided.

    Returns:
        `sheets.ANSWER_SHEET`, not empty, and what was left out of reviews since nobody gives it any more; the
        sheet takes up their questions again.

    Raises:
        InputError: If there are no responses, none in a locale, or none left to review; otherwise as
            `builders.release.tables.read_inputs`.
    """
    inputs = read_inputs(RecipeInPlace.of(recipe, base), reviewing=True)
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
    if sheet.is_empty():
        why = "every answer is reviewed; `everything=True` shows what was decided"
        if lost:
            places = ", ".join(one.source for one in lost)
            why = f"nobody gives the answers of {places} any more; delete that review"
        elif everything:
            why = "nobody has given an answer yet; `blend status` says what is missing"
        raise InputError(f"nothing to review: {why}")
    return sheet, lost


def pairs_to_review(recipe: Recipe, *, base: Path = Path(), everything: bool = False) -> pl.DataFrame:
    """The pairs of answers that may stand side by side and about which nobody has decided.

    Args:
        recipe: Names the sources, and perhaps a table of verdicts.
        base: Folder to which its relative locations refer.
        everything: Whether pairs are there as well for which nothing speaks.

    Returns:
        `sheets.PAIR_SHEET`, the most frequent first, not empty.

    Raises:
        InputError: If there is nothing to decide; otherwise as `builders.release.tables.read_inputs`.
    """
    placed = RecipeInPlace.of(recipe, base)
    inputs, (verdicts, _) = read_inputs(placed), placed.verdicts()
    annotations = annotate(inputs, recipe)[0].filter(votes_known())
    pairs = candidate_pairs(inputs.questions, annotations, options=recipe.mcq, locales=placed.locales)
    decided = [
        *decisions_in(verdicts),
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


_Offered = tuple[dict[str, Any], Sequence[Reader], frozenset[str | None]]
"""An option that a question may show: a row of `builders.mcq.to_review.OFFERED_OPTIONS`, those who have given a
verdict on it, and what `Verdicts.read_by` says of it, for each region that gave it."""


def _question(row: Mapping[str, Any]) -> tuple[str, str]:
    """The question of an option: template, and locale asked about."""
    return row["template_id"], row["locale"]


class _RecipeOptions:
    """Options that the questions of a recipe may show; its sources are read once.

    Args:
        placed: Names the sources.

    Raises:
        InputError: If the recipe is in paper mode; otherwise as `builders.release.tables.read_inputs`.
    """

    def __init__(self, placed: RecipeInPlace) -> None:
        if placed.recipe.mcq.mode == "paper":
            raise InputError("the recipe's key mcq.mode is 'paper', where verdicts on options have no say")
        self._recipe, self.locales = placed.recipe, placed.locales
        inputs = read_inputs(placed)
        self._questions = inputs.questions
        self._annotations = annotate(inputs, placed.recipe)[0].filter(votes_known())
        self.answered = inputs.questions.drop("source").join(self._annotations.drop("source"), on=KEY)
        """The questions with their answers, `frames.ANNOTATION_ROWS`."""

    def offered(
        self, verdicts: pl.DataFrame | None, *, everything: bool = False, locales: Sequence[str] | None = None
    ) -> Iterator[_Offered]:
        """List the options, in the order of `builders.mcq.to_review.offered_options`.

        Judges of pairs are asked as far as their verdicts are on file: no model, and no server.

        Args:
            verdicts: `frames.VERDICTS`, which leave options out and say who has read them.
            everything: Whether options that verdicts leave out are there as well.
            locales: Only options of questions about these locales; about all when absent.

        Raises:
            InputError: If no question can ask about a locale.
        """
        mcq = self._recipe.mcq
        read = Verdicts(
            verdicts,
            self._questions,
            self.locales,
            shipped=mcq.judge.shipped,
            annotations=self._annotations,
            model_confidence=mcq.model_confidence,
        )
        offered = offered_options(
            self._questions,
            self._annotations,
            options=mcq,
            seed=self._recipe.seed,
            # Of the judges of the recipe, its model is not asked.
            judges=recorded_judges(mcq.judge, verdicts),
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
                yield row, read.readers(*key), read_by


def options_to_review(
    recipe: Recipe,
    *,
    base: Path = Path(),
    locales: Sequence[str] | None = None,
    only: Collection[tuple[str, str]] | None = None,
    unread: bool = False,
    everything: bool = False,
    blind: bool = False,
) -> tuple[pl.DataFrame, list[tuple[str, str]]]:
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

    Returns:
        `sheets.OPTION_SHEET`, not empty, and template and locale of answered questions about which a build asks
        nothing, by locale.

    Raises:
        InputError: If the recipe is in paper mode, no question asks about a locale, or there is nothing to
            read; otherwise as `builders.release.tables.read_inputs`.
    """
    placed = RecipeInPlace.of(recipe, base)
    options, (verdicts, _) = _RecipeOptions(placed), placed.verdicts()
    every = options.offered(verdicts, everything=everything, locales=locales)
    offered = [one for one in every if only is None or _question(one[0]) in only]
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
    shown = {_question(row) for row, _, _ in offered}
    without = [
        key
        for key in options.answered.select(KEY).sort(KEY[::-1]).iter_rows()
        if key not in shown and (only is None or key in only) and (locales is None or key[1] in locales)
    ]
    return pl.DataFrame(rows, OPTION_SHEET.columns), without


def options_for_natives(
    recipe: Recipe, *, base: Path = Path(), known: Registry
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The options that a build of a recipe may show and that no native of the region has read.

    Args:
        recipe: Names the sources, and perhaps a file of verdicts (``mcq.verdicts``).
        base: Folder to which its relative locations refer.
        known: Known locales, those of the recipe among them.

    Returns:
        `offered_options.OFFERED_OPTIONS`, perhaps without rows, and the questions with their answers,
        `frames.ANNOTATION_ROWS`.

    Raises:
        InputError: If the recipe is in paper mode; otherwise as `builders.release.tables.read_inputs`.
    """
    placed = RecipeInPlace(recipe, base, known)
    options = _RecipeOptions(placed)
    unread = [
        row
        for row, readers, _ in options.offered(placed.verdicts()[0])
        if all(reader.kind != NATIVE for reader in readers)
    ]
    return pl.DataFrame(unread, OFFERED_OPTIONS), options.answered


# Options read by a model, before people read what it is unsure of.


_MAX_OPTIONS = 40
"""Options in one request at most; questions rarely have as many."""


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
) -> tuple[Counter[str], int]:
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

    Returns:
        How many verdicts of each kind the model has added, and how many of them count for nothing, since it is
        too unsure.

    Raises:
        InputError: If the recipe is in paper mode, or no question asks about a locale.
        ServerError: As `judges.chat.OptionReader.ask_all`.
        BlendError: As `builders.release.tables.read_inputs` and `append_verdicts`.
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
    placed = RecipeInPlace.of(recipe, base)
    options, named = _RecipeOptions(placed), recipe.mcq.verdicts
    is_same = named is not None and (base / named).resolve() == out.resolve()
    while True:
        # Those that the recipe names, and those in the file that is added to, as they stand by now.
        parts = [None if is_same else placed.verdicts()[0], read_verdicts(out) if out.exists() else None]
        known = [part for part in parts if part is not None]
        verdicts = pl.concat(known) if known else None
        offered = options.offered(verdicts, everything=everything, locales=locales)
        requests = list(_requests(offered, options.locales, reader.name, everything=everything))
        if not requests:
            unsure = sum((one.confidence or 0) < recipe.mcq.model_confidence for one in given)
            return Counter(one.verdict for one in given), unsure
        total += len(requests)
        on_progress("read options", done, total)
        reader.ask_all(requests)


def _requests(
    offered: Iterator[_Offered], locales: Registry, reader: str, *, everything: bool
) -> Iterator[AskedOptions]:
    """What to ask about, question by question: nothing on which the reader has given a verdict."""
    for (template_id, tag), of_question in groupby(offered, key=lambda one: _question(one[0])):
        every = list(of_question)
        keys = [row["option"] for row, _, _ in every if row["role"] == KEY_ROLE]
        wanted = [
            (row["option"], row["role"])
            for row, readers, read_by in every
            if all(other.name != reader for other in readers)
            # What people or the package's model have read; that another has says nothing of this one.
            and (everything or read_by & {None, MODEL})
        ]
        for start in range(0, len(wanted), _MAX_OPTIONS):
            asked = tuple(wanted[start : start + _MAX_OPTIONS])
            others = tuple(key for key in keys if (key, KEY_ROLE) not in asked)
            region = locales.get(tag).prompt_name
            yield AskedOptions(template_id, tag, every[0][0]["question"], region, asked, others)
