"""Models on the command line, made of the library's objects, whose fields are written once, there.

The fields of `chosen.Decoding` and `chosen.Asking` are options (`groups`). Those of `chosen.Local` and
`chosen.Server` are typed behind ``-M``, as Inspect has it, since each is for one kind of model alone.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from blend.cli.eval_outcome import plan_teller
from blend.cli.task_options import HERE, THERE, named_value
from blend.eval.models.chosen import Asking, Local, Server
from blend.exit_codes import UsageError
from blend.schemas.errors import did_you_mean
from blend.schemas.models import FrozenModel

ModelName = typer.Option(
    metavar="DIR|REPO[@REV]|NAME", help="Model directory, Hub id, or name of a model on a --server."
)
Seed = Annotated[int, typer.Option(min=0, help="Seed of the intervals.")]
SeedOfTests = Annotated[int, typer.Option(min=0, help="Seed of intervals and tests.")]


class ModelChoice(FrozenModel):
    """Who `blend eval run` and `blend eval judge` ask, besides a model's name."""

    model_values: Annotated[
        list[str] | None,
        typer.Option(
            "-M",
            metavar="NAME=VALUE",
            help=f"Option of the model: {', '.join(HERE)} of one here, {', '.join(THERE)} of one on a server, "
            "such as dtype=float32; can be repeated.",
        ),
    ] = None
    server: Annotated[
        str | None, typer.Option(metavar="URL", help="Address of a server, such as http://localhost:8000/v1.")
    ] = None
    plan: Annotated[
        bool, typer.Option("--plan", help="Say how many requests and tokens it will take, and stop.")
    ] = False

    def model(self, name: str, asking: Asking) -> Local | Server:
        """The model of a name: its directory, Hub id (``org/name@revision``), or how a server calls it."""
        given = read_values(self.model_values)
        # Questions that go out, and answers that come in, in files need no server.
        is_served = self.server is not None or asking.in_files
        known, there = (THERE, "on a server") if is_served else (HERE, "on this machine")
        for option, value in given.items():
            if option not in known:
                raise UsageError(
                    f"-M {option}={value}: a model {there} has no such option; {did_you_mean(option, known)}it "
                    f"has {', '.join(known)}"
                )
        if is_served:
            return Server(name=name, url=self.server, **given)
        path, sign, revision = name.rpartition("@")
        if sign and not Path(name).exists():
            return Local(path=path, revision=revision, **given)
        return Local(path=name, **given)

    def planned(self, asking: Asking) -> Asking:
        """The same way to ask, with somebody who says what it will take."""
        return asking.model_copy(update={"on_plan": plan_teller(self.server is not None, stops=self.plan)})


def read_values(values: Sequence[str] | None) -> dict[str, Any]:
    """The values behind ``-M``, by name."""
    given: dict[str, Any] = {}
    for text in values or ():
        name, value = named_value("-M", text, example="dtype=float32")
        if given.setdefault(name, value) is not value:
            raise UsageError(f"-M {text}: {name} is given twice")
    return given
