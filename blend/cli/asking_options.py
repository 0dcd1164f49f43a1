"""Options of asking that are of no model: what it may cost, which files, which machine."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from blend.exit_codes import UsageError


def _pair(text: str, kind: type, flag: str, sign: str, example: str) -> tuple[Any, Any]:
    try:
        first, second = map(kind, text.split(sign))
    except ValueError:
        raise UsageError(f"{flag} {text}: expected two numbers such as {example}") from None
    return first, second


def read_shard(text: str | None) -> tuple[int, int] | None:
    """Which of several machines ``2/4`` names, and how many there are."""
    if text is None:
        return None
    number, of = _pair(text, int, "--shard", "/", "2/4, the second of four machines")
    if not 1 <= number <= of:
        raise UsageError(f"--shard {text}: expected two numbers such as 2/4, the second of four machines")
    return number, of


ShardOf = Annotated[
    str | None,
    typer.Option(
        "--shard",
        metavar="I/N",
        help="This machine is the I-th of N that write to one run, and asks every N-th item.",
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the intervals.")]
SeedOfTests = Annotated[int, typer.Option(min=0, help="Seed of intervals and tests.")]


@dataclass(frozen=True)
class Files:
    """How questions go out other than one by one."""

    batch_out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Ask nobody, and write the requests as a batch file (JSON Lines) for OpenAI, vLLM or others.",
        ),
    ] = None
    batch_in: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Ask nobody, and read results of a batch file; can be repeated."),
    ] = None

    @property
    def in_files(self) -> bool:
        """Whether files take the place of a server."""
        return self.batch_out is not None or bool(self.batch_in)

    def given(self) -> dict[str, Any]:
        """The options, as the library takes them."""
        return {"batch_out": self.batch_out, "batch_in": self.batch_in or ()}


@dataclass(frozen=True)
class Costs:
    """What asking may cost, and whether it is only planned."""

    price: Annotated[
        str | None,
        typer.Option(
            metavar="IN,OUT", help="Price of a million tokens in, and of a million out, in any money."
        ),
    ] = None
    budget: Annotated[
        float | None, typer.Option(min=0, help="Cost at --price from which on nobody is asked.")
    ] = None
    plan: Annotated[
        bool, typer.Option("--plan", help="Say how many requests and tokens it will take, and stop.")
    ] = False

    def read_price(self) -> tuple[float, float] | None:
        """The prices that ``0.15,0.60`` names."""
        return None if self.price is None else _pair(self.price, float, "--price", ",", "0.15,0.60")

    def given(self) -> dict[str, Any]:
        """The options, as the library takes them."""
        return {"price": self.read_price(), "budget": self.budget}
