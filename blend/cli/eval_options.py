"""Models on the command line, made of the library's objects, whose fields are written once, there.

The fields of `chosen.Decoding` and `chosen.Asking` are options (`groups`). Those of `chosen.Local` and
`chosen.Server` are typed behind ``-M``, as Inspect has it, since each is for one kind of model alone.
"""

import typing
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from blend.cli.application import UsageError
from blend.eval.models.chosen import Asking, Local, Server
from blend.eval.task import no_such_option, offered
from blend.eval.task_protocol import Task
from blend.eval.tasks import TASKS
from blend.schemas.errors import did_you_mean
from blend.schemas.models import FrozenModel

if TYPE_CHECKING:
    from blend.eval.asking import AskingPlan
    from blend.eval.runs.run_directory import Run

TaskValues = Annotated[
    list[str] | None,
    typer.Option(
        "-T",
        metavar="NAME=VALUE",
        help="Option of the task, such as style=texts, with commas between several values; can be repeated. "
        "The error about a name that is none lists them.",
    ),
]


HERE = tuple(name for name in Local.model_fields if name not in ("path", "revision"))
"""Fields that ``-M`` takes of a model on this machine."""
THERE = tuple(name for name in Server.model_fields if name not in ("name", "url"))
"""Those of a model on a server."""


def read_options(
    task: Task, kind: Literal["options", "scoring"], texts: Sequence[str] | None
) -> dict[str, Any]:
    """The options of a task that some texts name, for the library, which checks them.

    Args:
        task: The task.
        kind: Whether they are of asking or of scoring.
        texts: ``NAME=VALUE``; of files by name ``NAME=KEY=FILE``.

    Raises:
        ArgumentError: If a text is not of this form, or the task has no such option.
    """
    known = offered(getattr(task, kind))
    found: dict[str, Any] = {}
    for text in texts or ():
        name, value = named_value("-T", text, example="style=texts")
        if name not in known:
            raise UsageError(f"-T {text}: {no_such_option(getattr(task, kind), name, task=task.name)}")
        holds = _kind_of(known[name])
        if holds is Mapping:
            files = found.setdefault(name, {})
            key, path = _file(value)
            if key in files:
                raise UsageError(f"-T {text}: there is a file for {key or 'all'} already; name each once")
            files[key] = path
        elif name in found:
            raise UsageError(f"-T {text}: {name} is given twice; write several values with commas between them")
        else:
            found[name] = value.split(",") if holds is tuple else value
    return found


def named_value(flag: str, text: str, *, example: str) -> tuple[str, str]:
    """A name, as Python has it, and a value that are typed behind a flag."""
    name, sign, value = text.partition("=")
    if not (name and sign):
        raise UsageError(f"{flag} {text}: expected a name and a value, such as {example}")
    return name.replace("-", "_"), value


def option_names(kind: Literal["options", "scoring"]) -> set[str]:
    """Names of the options of asking or of scoring that any task has."""
    return {name for task in TASKS.values() for name in offered(getattr(task, kind))}


def _kind_of(holds: Any) -> Any:
    """What of an option's type matters: whether it holds several values, or files by name."""
    # Of an option that may be null, the type stands among those of a union.
    kinds = {typing.get_origin(one) or one for one in (holds, *typing.get_args(holds))}
    return Mapping if Mapping in kinds else tuple if tuple in kinds else str


def _file(value: str) -> tuple[str, Path]:
    """A file with its name, ``hofstede=FILE``; the name is empty where there is none."""
    key, sign, path = value.partition("=")
    # A path can hold the sign as well; no name holds a slash or a dot.
    is_named = bool(sign and key and path) and not set("/.") & set(key)
    return (key, Path(path)) if is_named else ("", Path(value))


ModelName = typer.Option(
    metavar="DIR|REPO[@REV]|NAME", help="Model directory, Hub id, or name of a model on a --server."
)
Regions = Annotated[
    list[str] | None,
    typer.Option(metavar="REGION", help="These regions only, by any of their names, with commas between."),
]
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
        """The same way to ask, with somebody who says what it will take: of a model here on demand alone."""

        def tell(plan: "AskingPlan") -> None:
            typer.echo(f"To ask: {plan.in_words()}.", err=not self.plan)
            if self.plan:
                raise typer.Exit

        is_told = self.plan or self.server is not None
        return asking.model_copy(update={"on_plan": tell if is_told else None})


def read_values(values: Sequence[str] | None) -> dict[str, Any]:
    """The values behind ``-M``, by name."""
    given: dict[str, Any] = {}
    for text in values or ():
        name, value = named_value("-M", text, example="dtype=float32")
        if name in given:
            raise UsageError(f"-M {text}: {name} is given twice")
        given[name] = value
    return given


def print_outcome(run: "Run", asking: "Asking", *, score: str) -> None:
    """Say how a run stands, what it cost, and how to go on: `blend eval score` with ``score``."""
    from blend.cli.terminal import shown
    from blend.schemas.texts import agreeing, pluralise

    outcome = run.outcome
    assert outcome is not None
    if outcome.usage is not None and outcome.usage.requests:
        usage = outcome.usage.in_words(asking.price)
        typer.echo(f"{'Until now' if outcome.n_missing else 'In all'}: {usage}.")
    if outcome.files:
        names = ", ".join(shown(str(path)) for path in outcome.files)
        requests = pluralise(outcome.n_missing, "request")
        typer.echo(f"Wrote {requests} to {names}. With the results, run the same command again with")
        typer.echo("  --batch-in RESULTS in place of --batch-out")
        return
    kept = outcome.n_items - outcome.n_missing
    are, them = agreeing(kept, "is", "are"), agreeing(kept, "it", "them")
    standing = f"{kept:,} of {outcome.n_items:,} items {are} answered in {run.directory}."
    if not outcome.can_be_scored:
        others = "The others are still to be asked, or it is scored with --allow-missing."
        if outcome.usage is None:  # nobody is asked
            others = "The file lacks the others: ask about fewer (--locales), or score with --allow-missing."
        typer.echo(f"{standing} {others}")
    else:
        typer.echo(f"{standing} Score {them}:")
        typer.echo(f"  blend eval score {score}")
    if outcome.first_error is not None:
        again = "--batch-out writes them out again" if asking.batch_in else "the same command asks them again"
        typer.echo(
            f"note: {outcome.n_failed:,} failed (first: {shown(outcome.first_error)}); {again}", err=True
        )
