"""Models and asking on the command line, made of the library's objects, whose fields are written once, there.

The fields of `chosen.Decoding` and `chosen.Asking` are options, with the sentence under each as its help. Those
of `chosen.Local` and `chosen.Server` are typed behind ``-M``, as Inspect has it, since each is for one kind of
model alone.
"""

import json
import typing
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, make_dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from annotated_types import Ge

from blend.cli.eval_outcome import plan_teller, print_outcome
from blend.cli.option_names import HERE, THERE
from blend.cli.task_options import named_value
from blend.eval.models import chosen
from blend.eval.models.chosen import Decoding, Local, Server
from blend.exit_codes import UsageError
from blend.schemas.errors import did_you_mean
from blend.schemas.models import FrozenModel, field_sentences

ModelName = typer.Option(
    metavar="DIR|REPO[@REV]|NAME", help="Model directory, Hub id, or name of a model on a --server."
)
Seed = Annotated[int, typer.Option(min=0, help="Seed of the intervals.")]
SeedOfTests = Annotated[int, typer.Option(min=0, help="Seed of intervals and tests.")]

ModelValues = Annotated[
    list[str] | None,
    typer.Option(
        "-M",
        metavar="NAME=VALUE",
        help=f"Option of the model: {', '.join(HERE)} of one here, {', '.join(THERE)} of one on a server, such "
        "as dtype=float32; can be repeated.",
    ),
]

_PAIRS: Mapping[str, tuple[type, str, str, str]] = {
    "thought_marks": (str, ",", "BEGIN,END", "two marks such as '<plan>,</plan>'"),
    "shard": (int, "/", "I/N", "two numbers such as 2/4, the second of four machines"),
    "price": (float, ",", "IN,OUT", "two numbers such as 0.15,0.60"),
}
"""Fields that are pairs: what of, the sign between them, and how messages name and show them."""


def _options(model: type[FrozenModel], *, without: Collection[str] = ()) -> list[tuple[str, Any, Any]]:
    """An option for each field of a model, null where none is given, as fields of a dataclass; see `groups`."""
    sentences, fields = field_sentences(model), []
    typed: Mapping[str, Any] = {"thought_marks": list[str], "batch_in": list[Path], "shard": str, "price": str}
    metavars = {name: metavar for name, (_, _, metavar, _) in _PAIRS.items()}
    metavars |= {"system": "TEXT", "batch_out": "FILE", "batch_in": "FILE"}
    for name, info in model.model_fields.items():
        if name not in without:
            least: Any = next((one.ge for one in info.metadata if isinstance(one, Ge)), None)
            help_ = " ".join(sentences[name].replace("when absent", "if absent").split())
            option = typer.Option(min=least, metavar=metavars.get(name), help=help_)
            kind = typed.get(name, info.annotation)
            fields.append((name, Annotated[kind | None, option], field(default=None)))
    return fields


if typing.TYPE_CHECKING:
    Writing: typing.TypeAlias = Any

    class _Asking:
        batch_out: Path | None = None
        batch_in: list[Path] | None = None
        shard: str | None = None
        budget: float | None = None

else:
    Writing = make_dataclass("Writing", _options(Decoding), frozen=True)
    _Asking = make_dataclass("_Asking", _options(chosen.Asking, without=["on_plan"]), frozen=True)


@dataclass(frozen=True)
class Asking(_Asking):
    """Whom `blend eval run` and `blend eval judge` ask, and by which way."""

    model_values: ModelValues = None
    server: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Address of a server, such as http://localhost:8000/v1."),
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
        on_plan = plan_teller(self.server is not None, stops=self.plan)
        given = _given(self, chosen.Asking.model_fields)
        return {
            "decoding": Decoding(**_given(writing, Decoding.model_fields)),
            "asking": chosen.Asking(on_plan=on_plan, **given),
        }

    def tell(self, outcome: Any, out: Path, *, score: str) -> None:
        """Say how the run in a directory stands, and how to go on: `blend eval score` with ``score``."""
        again = "--batch-out writes them out again" if self.batch_in else "the same command asks them again"
        price = _given(self, ["price"]).get("price")
        print_outcome(outcome, out, again=again, score=score, price=price)


def _given(options: Any, names: Collection[str]) -> dict[str, Any]:
    """The values of options that were given, with pairs as such."""
    found = {name: value for name in names if (value := getattr(options, name, None)) not in (None, [])}
    return {name: _pair(name, value) if name in _PAIRS else value for name, value in found.items()}


def _pair(name: str, typed: str | Sequence[str]) -> Any:
    if not isinstance(typed, str):
        return [_pair(name, one) for one in typed]
    kind, sign, _, example = _PAIRS[name]
    try:
        first, second = (kind(part) for part in typed.split(sign) if part)
    except ValueError:
        raise UsageError(f"--{name.replace('_', '-')} {typed}: expected {example}") from None
    return first, second


def chosen_model(
    name: str, server: str | None, values: Sequence[str] | None, *, in_files: bool
) -> Local | Server:
    """The model that options name: on a server, or on this machine.

    Args:
        name: Its directory, Hub id (``org/name@revision``) or name.
        server: Address of the server.
        values: What stands behind ``-M``, ``NAME=VALUE``.
        in_files: Whether questions go out, or answers come in, in files, which needs no server.
    """
    given = read_values(values)
    if server is not None or in_files:
        _check_names(given, THERE, HERE, "for a model on this machine")
        if "extra_body" in given:
            given["extra_body"] = _json(given["extra_body"])
        return Server(name=name, url=server, **given)
    _check_names(given, HERE, THERE, "with `server`")
    path, sign, revision = name.rpartition("@")
    if sign and not Path(name).exists():
        return Local(path=path, revision=revision, **given)
    return Local(path=name, **given)


def read_values(values: Sequence[str] | None) -> dict[str, Any]:
    """The values behind ``-M``, by name."""
    given: dict[str, Any] = {}
    for text in values or ():
        name, value = named_value("-M", text, example="dtype=float32")
        if given.setdefault(name, value) is not value:
            raise UsageError(f"-M {text}: {name} is given twice")
    return given


def _check_names(given: Mapping[str, Any], known: Sequence[str], others: Sequence[str], where: str) -> None:
    for name, value in given.items():
        if name in others and name not in known:
            refuse({name: value}, where)
        if name not in known:
            raise UsageError(
                f"-M {name}={value}: there is no such option; {did_you_mean(name, known)}a model there has "
                f"{', '.join(known)}"
            )


def refuse(options: Mapping[str, Any], where: str) -> None:
    """Refuse options that make no sense, by the first that is given."""
    for name, value in options.items():
        if value is not None:
            raise UsageError(f"`{name}={value}` makes sense only {where}; leave it out")


def _json(text: str) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise UsageError(f"-M extra_body={text}: expected an object of JSON such as '{{\"top_k\": 20}}'")
    return value
