"""Options read by a model, before people read what it is unsure of."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import polars as pl

from blend.builders.judges.option_prompt import AskedOptions
from blend.builders.judges.option_reader import OptionReader
from blend.builders.release.recipe_options import OfferedOption, RecipeOptions
from blend.builders.release.tables import verdicts_of
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.responses.verdicts import GivenVerdict, append_verdicts, read_verdicts
from blend.schemas.personal_data import MODEL
from blend.schemas.recipe import Recipe
from blend.schemas.sheets import KEY_ROLE

MAX_OPTIONS = 40
"""Options in one request at most; questions rarely have as many."""


class ModelVerdicts(NamedTuple):
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
) -> ModelVerdicts:
    """Have a model read options, and add its verdicts to a file as they come: a further run asks the rest.

    What it refuses makes room for options that were not needed before; they are read as well.

    Args:
        recipe: Names the sources, perhaps a file of verdicts (``mcq.verdicts``), and how many requests are
            under way at a time (``mcq.judge.concurrency``).
        out: File of verdicts to add to, .tsv or .csv.
        model: Name of the model as the server knows it.
        base: Folder to which the recipe's relative locations refer.
        base_url: Address of the server, see `judges.option_reader.OptionReader`.
        locales: Only options of questions about these locales; about all when absent.
        everything: Whether options that people or the package's model have read, and those that verdicts leave
            out, are read as well: to compare the model with people.
        on_progress: Told about progress.

    Raises:
        InputError: If the recipe is in paper mode, or no question asks about a locale.
        ServerError: As `judges.option_reader.OptionReader.read`.
        BlendError: As `builders.release.inputs.read_inputs` and `append_verdicts`.
    """
    given: list[GivenVerdict] = []
    progress = _Progress(on_progress)

    def record(verdicts: Sequence[GivenVerdict]) -> None:
        append_verdicts(out, verdicts, reader=reader.name, when=datetime.now(UTC).date())
        given.extend(verdicts)
        progress.advance()

    reader = OptionReader(model, record=record, base_url=base_url, concurrency=recipe.mcq.judge.concurrency)
    append_verdicts(out, (), reader=reader.name, when=datetime.now(UTC).date())
    options = RecipeOptions(recipe, base)
    while requests := list(_requests(options, _verdicts(recipe, base, out), reader.name, locales, everything)):
        progress.expect(len(requests))
        reader.read(requests)
    unsure = sum((one.confidence or 0) < recipe.mcq.model_confidence for one in given)
    return ModelVerdicts(reader.name, Counter(one.verdict for one in given), unsure)


class _Progress:
    def __init__(self, on_progress: ProgressCallback) -> None:
        self._on_progress = on_progress
        self._done = self._total = 0

    def expect(self, more: int) -> None:
        self._total += more
        self._on_progress("read options", self._done, self._total)

    def advance(self) -> None:
        self._done += 1
        self._on_progress("read options", self._done, self._total)


def _verdicts(recipe: Recipe, base: Path, out: Path) -> pl.DataFrame | None:
    """All verdicts so far: those that the recipe names, and those in the file that is added to."""
    options = recipe.mcq
    is_same = options.verdicts is not None and (base / options.verdicts).resolve() == out.resolve()
    parts = [None if is_same else verdicts_of(options, base), read_verdicts(out) if out.exists() else None]
    known = [part for part in parts if part is not None]
    return pl.concat(known) if known else None


def _requests(
    options: RecipeOptions,
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
        for start in range(0, len(wanted), MAX_OPTIONS):
            part = wanted[start : start + MAX_OPTIONS]
            asked = tuple((one.row["option"], one.row["role"]) for one in part)
            others = tuple(key for key in keys if (key, KEY_ROLE) not in asked)
            region = options.locales.get(tag).prompt_name
            yield AskedOptions(template_id, tag, every[0].row["question"], region, asked, others)


def _is_open(one: OfferedOption, reader: str) -> bool:
    return all(other.name != reader for other in one.readers)


def _is_read(one: OfferedOption) -> bool:
    """Whether people or the package's model have read it; that another model has says nothing of this one."""
    return not one.read_by & {None, MODEL}
