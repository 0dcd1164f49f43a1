"""What several commands share: options, the recipe where none is named, and how results are printed."""

import json
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar

import typer

from blend.cli.application import UsageError, with_options
from blend.schemas.errors import BlendWarning
from blend.schemas.summaries import Table
from blend.schemas.texts import escape_controls, escape_controls_in_json, pluralise

if TYPE_CHECKING:
    from collections import Counter

    from blend.loaders.files.diagnostics import Diagnostics
    from blend.loaders.files.progress import ProgressCallback
    from blend.loaders.responses.verdicts import GivenVerdict
    from blend.schemas.recipe import Recipe
    from blend.schemas.sheets import Sheet

_T = TypeVar("_T")


def _pseudonym(given: str) -> str:
    from blend.schemas.personal_data import pseudonym

    if not given.strip():
        raise UsageError("--reviewer is empty; write a pseudonym, for example r01")
    try:
        return pseudonym(given)
    except ValueError as error:
        raise UsageError(f"--reviewer: {error}") from None


DEFAULT_OUT = Path("release")
Release = Annotated[
    str, typer.Argument(metavar="DIR|REPO@REV", help="Release directory, or org/name@v1.0.0 on the Hub.")
]
Limit = Annotated[
    int | None, typer.Option(min=1, help="Question templates per region at most; all when absent.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would change, and change nothing.")]
NewFolder = Annotated[Path, typer.Argument(metavar="DIR", help="Folder to make; nothing in it is replaced.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")]
RawRecipe = Annotated[
    Path | None,
    typer.Argument(help="Recipe with raw responses. Without one, recipe.toml here, or else the sample."),
]
NewSheet = Annotated[
    Path,
    typer.Option(
        help="File to make: .csv, .jsonl, or .xlsx with lists to choose from; an existing one is never "
        "replaced."
    ),
]
ReturnedSheet = Annotated[
    Path, typer.Argument(help="The sheet as it came back: .xlsx, CSV, tab-separated or .jsonl.")
]


Reviewer = Annotated[
    str, typer.Option(callback=_pseudonym, help="Pseudonym of who decided; no name, no address.")
]
TablesFolder = Annotated[
    Path | None, typer.Option(help="Also write every table to this directory, as parquet and JSON.")
]
LocaleFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Locales of your own (TOML), beside those of the package."),
]
VerdictFile = Annotated[
    Path, typer.Option(help="File of verdicts to add to, `verdicts` in the recipe's [mcq].")
]


_USUAL = Path("recipe.toml")
"""The recipe of a folder, as `blend init` and `blend annotate init` name it."""


def say_how_to_name(verdicts: Path) -> None:
    """Say how a recipe names a new file of verdicts."""
    typer.echo(
        f'`blend build` reads them once the recipe names the file: verdicts = "{verdicts.as_posix()}" below '
        "[mcq], relative to the recipe's folder."
    )


class _UsedRecipe(NamedTuple):
    """A recipe, and where it stands."""

    recipe: "Recipe"
    path: Path | None
    """Its file; null for the sample in the package."""

    @property
    def base(self) -> Path:
        """The folder that its locations refer to."""
        return Path() if self.path is None else self.path.parent


def used_recipe(path: Path | None) -> _UsedRecipe:
    """The recipe at a path; without one that in this folder, or else the sample, which is said.

    Raises:
        BlendError: If it cannot be read.
    """
    from blend.loaders.recipes import read_recipe, sample_recipe

    chosen = path
    if path is None:
        chosen = _USUAL if _USUAL.exists() else None
        # Nobody is to take the sample for their own data.
        typer.echo(
            f"No recipe is named, and there is no {_USUAL} here: this is about the sample in the package."
            if chosen is None
            else f"No recipe is named: this is about {chosen} in this folder.",
            err=True,
        )
    return _UsedRecipe(sample_recipe() if chosen is None else read_recipe(chosen), chosen)


def evenly(rows: Sequence[_T], n: int) -> list[_T]:
    """Up to so many of the rows, evenly from all."""
    step = max(len(rows) / n, 1)
    return [rows[int(at * step)] for at in range(min(len(rows), n))]


def say_of_file(diagnostics: "Diagnostics") -> None:
    """Say what was odd about a file that was read."""
    from blend.cli.terminal import shown

    for _, where, _, _, detail in diagnostics.findings:
        typer.echo(f"{where}: {shown(detail)}", err=True)


def added_line(out: Path, by_verdict: "Counter[str]", names: Mapping[str, str] | None = None) -> str:
    """Say how many verdicts of each kind were added to a file; ``names`` are those in the sheet, if others."""
    from blend.schemas.sheets import ALL_VERDICTS

    names = {one: one for one in ALL_VERDICTS} if names is None else names
    each = ", ".join(f"{by_verdict[verdict]:,} {name}" for name, verdict in names.items())
    return f"{out}: {pluralise(by_verdict.total(), 'verdict')} added, {each}"


def accept_verdicts(
    kind: "Sheet", sheet: Path, out: Path, reviewer: str, *, native: bool = False
) -> "Sequence[GivenVerdict]":
    """Add the verdicts of a sheet that came back to a file of verdicts, and say what was done."""
    from datetime import UTC, datetime

    from blend.loaders.files.diagnostics import Diagnostics
    from blend.loaders.responses.returned_sheets import read_verdict_sheet
    from blend.loaders.responses.verdicts import add_verdicts
    from blend.schemas.sheets import ON_PAIRS, PAIR_SHEET

    diagnostics = Diagnostics()
    verdicts = read_verdict_sheet(kind, sheet, diagnostics=diagnostics)
    is_new = not out.exists()
    added = add_verdicts(out, verdicts, reader=reviewer, native=native, when=datetime.now(UTC).date())
    line = added_line(out, added.by_verdict, ON_PAIRS if kind is PAIR_SHEET else None)
    known = f"; {added.known:,} stood there already" if added.known else ""
    who = "; of a native" if native else f"; not of a native: give --native if {reviewer} is of the region"
    typer.echo(f"{line}{known}{'' if kind is PAIR_SHEET else who}.")
    if is_new:
        say_how_to_name(out)
    say_of_file(diagnostics)
    return verdicts


def print_json(value: Any) -> None:
    """Print a result for a program, and nothing that a terminal would obey."""
    typer.echo(escape_controls_in_json(json.dumps(value, ensure_ascii=False, indent=2)))


def print_tables(tables: Iterable[Table], *, everything: bool = True) -> None:
    """Print tables for people: all of all of them, or a first screen."""
    # Only here: a command that prints JSON loads nothing that draws.
    from blend.cli.terminal import show_tables

    show_tables(list(tables), everything=everything)


def print_result(found: Any, *, as_json: bool, everything: bool = True) -> None:
    """Print a result as its tables (all of them, or a first screen), or as JSON."""
    if as_json:
        print_json(found.to_json())
    else:
        print_tables(found.as_tables(), everything=everything)


def keep_tables(found: Any, out: Path | None, *, name: str, what: str) -> None:
    """Write all frames of a result to a folder, where one is named, and all figures as one file of JSON.

    Files of these names are replaced, each at once; others stay.

    Args:
        found: The result.
        out: The folder; one that holds something must hold an earlier file ``name``.
        name: Name of the file with all figures.
        what: What the error calls them.
    """
    from blend.loaders.files.atomic import atomic_file, atomic_write, check_own_folder, storage_errors

    if out is None:
        return
    is_known = (out / name).is_file()
    check_own_folder(out, what=f"a folder of {what}", is_ours=lambda _: is_known)
    text = json.dumps(found.to_json(), ensure_ascii=False, indent=2) + "\n"
    with storage_errors(out):
        out.mkdir(parents=True, exist_ok=True)
        for table, frame in found.frames().items():
            with atomic_file(out / f"{table}.parquet") as part:
                frame.write_parquet(part)
        atomic_write(out / name, text)


def print_lines(lines: Iterable[str]) -> None:
    """Print lines for people that are not broken, so that a path or a command can be copied."""
    for line in lines:
        typer.echo(escape_controls(line))


@contextmanager
def reporting(stopped: str) -> "Iterator[ProgressCallback]":
    """Say of a block how far it is, what the library warns of, and, on Ctrl-C, how things stand."""
    from blend.loaders.files.progress import shown_progress
    from blend.stopping import interruptible

    with interruptible(f"interrupted; {stopped}"), _notices(), shown_progress() as on_progress:
        yield on_progress


@contextmanager
def _notices() -> Iterator[None]:
    """Say what the library warns of as notes while the block runs."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", BlendWarning)
        before = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any) -> None:
            if issubclass(category, BlendWarning):
                print_warning(str(message))
            else:
                before(message, category, *where)

        warnings.showwarning = show  # type: ignore[assignment]  # the rest is passed on as it comes
        yield


def print_warning(warning: str) -> None:
    """Say what a user should know."""
    typer.echo(f"note: {with_options(warning)}", err=True)
