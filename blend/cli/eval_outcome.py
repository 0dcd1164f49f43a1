"""What ``blend eval`` says while a model is asked: what it will take, what to know, how the run stands."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from blend.cli.application import with_options
from blend.schemas.errors import BlendWarning

if TYPE_CHECKING:
    from blend.eval.costs import AskingPlan
    from blend.eval.models.chosen import Asking
    from blend.eval.runs.run_directory import Run
    from blend.loaders.files.progress import ProgressCallback


def plan_teller(asks_server: bool, *, stops: bool) -> "Callable[[AskingPlan], None] | None":
    """Who says what a run will take: always before a server is asked, of a model here on demand."""
    if not (asks_server or stops):
        return None

    def tell(plan: "AskingPlan") -> None:
        typer.echo(f"To ask: {plan.in_words()}.", err=not stops)
        if stops:
            raise typer.Exit

    return tell


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


def print_outcome(run: "Run", asking: "Asking", *, score: str) -> None:
    """Say how a run stands, what it cost, and how to go on: `blend eval score` with ``score``."""
    from blend.schemas.texts import agreeing, pluralise
    from blend.views.terminal import shown

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
        others = "The others are still to be asked before it can be scored."
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
