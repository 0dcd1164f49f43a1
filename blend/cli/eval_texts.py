"""Options of ``blend eval score`` for texts for readers of many nationalities."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from blend.exit_codes import UsageError

if TYPE_CHECKING:
    from blend.eval.runs.directory import Shard
    from blend.eval.scoring.extrinsic import ExtrinsicOptions


@dataclass(frozen=True)
class TextOptions:
    """What texts are compared with, and how; null where the paper decides."""

    surveys: Annotated[
        list[str] | None,
        typer.Option(
            "--survey",
            metavar="NAME=FILE",
            help="Texts for many nationalities: a survey of values to compare with, your copy of it, such as "
            "hofstede=FILE or wvs=FILE; can be repeated.",
        ),
    ] = None
    distance: Annotated[
        Literal["published", "standardised"] | None,
        typer.Option(
            help="Texts for many nationalities: distance in a survey, over raw answers as published (as if "
            "absent), or over standardised ones of complete countries.",
        ),
    ] = None
    bleu: Annotated[
        Literal["multi-reference", "pairwise"] | None,
        typer.Option(
            help="Texts for many nationalities: all samples as references (as if absent), or pair by pair.",
        ),
    ] = None
    top: Annotated[
        int | None,
        typer.Option(min=1, help="Texts for many nationalities: words kept of each nationality; 15 if absent."),
    ] = None
    stop_words: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Texts for many nationalities: words that are not counted, one per line, in place of the "
            "packaged English ones.",
        ),
    ] = None
    dask: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Texts for many nationalities: analyse on the Dask cluster whose scheduler is there.",
        ),
    ] = None


def read_text_options(texts: TextOptions) -> "ExtrinsicOptions | None":
    """What was chosen about texts for many nationalities; null where nothing was."""
    given = {**vars(texts), "surveys": _survey_files(texts.surveys or ()) or None}
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if not chosen:
        return None
    from blend.eval.scoring.extrinsic import ExtrinsicOptions

    return ExtrinsicOptions(**chosen)


def read_shard(text: str | None) -> "Shard | None":
    """The shard that ``2/4`` names."""
    if text is None:
        return None
    from blend.eval.runs.directory import Shard

    number, sign, of = text.partition("/")
    if not (sign and number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise UsageError(f"--shard {text}: expected two numbers such as 2/4, the second of four machines")
    return Shard(int(number), int(of))


def _survey_files(given: Sequence[str]) -> dict[str, Path]:
    files: dict[str, Path] = {}
    for text in given:
        name, sign, path = text.partition("=")
        if not (sign and name and path):
            raise UsageError(f"--survey {text}: expected a name and a file, such as hofstede=hofstede.csv")
        if name in files:
            raise UsageError(f"--survey {text}: there is a survey {name!r} already; name each once")
        files[name] = Path(path)
    return files
