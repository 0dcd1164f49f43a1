"""Options of asking that `blend eval run` and `blend eval judge` share: whom, at what cost, in files or not."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from blend.cli.eval_outcome import plan_teller, print_outcome
from blend.cli.model_options import ModelValues, Writing, chosen_model, read_writing
from blend.eval.models.chosen import Local, Server
from blend.exit_codes import UsageError

Seed = Annotated[int, typer.Option(min=0, help="Seed of the intervals.")]
SeedOfTests = Annotated[int, typer.Option(min=0, help="Seed of intervals and tests.")]


@dataclass(frozen=True)
class Asking:
    """Whom to ask, and how; see `groups.with_groups`."""

    model_values: ModelValues = None
    server: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Address of a server, such as http://localhost:8000/v1."),
    ] = None
    shard: Annotated[
        str | None,
        typer.Option(
            metavar="I/N",
            help="This machine is the I-th of N that write to one run, and asks every N-th item.",
        ),
    ] = None
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

    def model(self, name: str) -> Local | Server:
        """The model of this name, on a server or on this machine."""
        in_files = self.batch_out is not None or bool(self.batch_in)
        return chosen_model(name, self.server, self.model_values, in_files=in_files)

    def arguments(self, writing: Writing) -> dict[str, Any]:
        """What the library is told besides the model."""
        return {
            "decoding": read_writing(writing),
            "shard": self._shard(),
            "batch_out": self.batch_out,
            "batch_in": self.batch_in or (),
            "price": self._price(),
            "budget": self.budget,
            "on_plan": plan_teller(self.server is not None, stops=self.plan),
        }

    def tell(self, outcome: Any, out: Path, *, score: str) -> None:
        """Say how the run in a directory stands, and how to go on: `blend eval score` with ``score``."""
        again = "--batch-out writes them out again" if self.batch_in else "the same command asks them again"
        print_outcome(outcome, out, again=again, score=score, price=self._price())

    def _shard(self) -> tuple[int, int] | None:
        if self.shard is None:
            return None
        number, of = _pair(self.shard, int, "--shard", "/", _SHARD)
        if not 1 <= number <= of:
            raise UsageError(f"--shard {self.shard}: expected two numbers such as {_SHARD}")
        return number, of

    def _price(self) -> tuple[float, float] | None:
        return None if self.price is None else _pair(self.price, float, "--price", ",", "0.15,0.60")


_SHARD = "2/4, the second of four machines"


def _pair(text: str, kind: type, flag: str, sign: str, example: str) -> tuple[Any, Any]:
    try:
        first, second = map(kind, text.split(sign))
    except ValueError:
        raise UsageError(f"{flag} {text}: expected two numbers such as {example}") from None
    return first, second
