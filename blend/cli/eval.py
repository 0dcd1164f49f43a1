"""``blend eval``: from a release and a model to scores."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from blend.cli.build import DEFAULT_OUT
from blend.schemas.errors import BlendError

if TYPE_CHECKING:
    from blend.eval.runs.running import Outcome
    from blend.eval.tasks.asking import AskedOfRelease

app = typer.Typer(
    no_args_is_help=True,
    help="Ask a model the questions of a release, and score what it answers.",
)

DEFAULT_RUN = Path("run")


@app.command()
def run(
    release: Annotated[
        str, typer.Argument(metavar="DIR|REPO@REV", help="Release directory, or org/name@v1.0.0 on the Hub.")
    ] = str(DEFAULT_OUT),
    task: Annotated[
        str, typer.Option(help="What to ask: multiple-choice or short-answer.")
    ] = "multiple-choice",
    out: Annotated[
        Path, typer.Option(help="Directory of the run; the same run goes on where it stopped.")
    ] = DEFAULT_RUN,
    answers: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Keep the answers in this CSV, JSON Lines or Parquet file instead of asking."
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(metavar="DIR|REPO|NAME", help="Model directory, Hub id, or name on the server."),
    ] = None,
    locales: Annotated[
        list[str] | None,
        typer.Option(
            metavar="REGION", help="Ask about this region only, by any of its names; may be repeated."
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Question templates per region at most; all when absent.")
    ] = None,
    style: Annotated[
        Literal["letters", "texts", "json"] | None,
        typer.Option(
            help="Multiple choice: by the likeliest letter, the likeliest option text, or the published prompt "
            "that asks for JSON; json with --answers, letters otherwise."
        ),
    ] = None,
    rotations: Annotated[
        int | None,
        typer.Option(min=1, max=4, help="Multiple choice: ask with the right answer in so many positions."),
    ] = None,
) -> None:
    """Ask a model every question of a release, and keep the answers.

    Stopped at any moment, the same command goes on where it stopped.

    - `blend eval run release --model path/to/model` asks a local model.
    - `blend eval run release --answers answers.csv` keeps what another tool's model answered.
    """
    from blend.eval.tasks.asking import ask
    from blend.views.progress import interruptible

    options: dict[str, Any] = {"style": style or ("json" if answers else None), "rotations": rotations}
    with interruptible("interrupted; what was answered is kept, and the same command goes on from there"):
        asked = ask(
            release,
            task,
            locales=locales,
            limit=limit,
            **{name: value for name, value in options.items() if value is not None},
        )
        if answers is None:
            raise BlendError("nobody to ask; name a --model, or a file of recorded --answers")
        outcome = _keep(asked, answers, model, out)
    _print_outcome(outcome, out)


def _keep(asked: "AskedOfRelease", answers: Path, model: str | None, out: Path) -> "Outcome":
    from blend.eval.runs import opened
    from blend.eval.runs.recorded import read_recorded
    from blend.eval.runs.running import keep_recorded

    recorded = read_recorded(answers, asked.asked.items, model=model)
    for remark in recorded.remarks:
        typer.echo(f"note: {answers.name}: {remark}", err=True)
    with opened(out, asked, recorded.description, None) as run:
        return keep_recorded(run, recorded)


def _print_outcome(outcome: "Outcome", out: Path) -> None:
    kept = outcome.n_items - outcome.n_failed
    typer.echo(f"{kept:,} of {outcome.n_items:,} items are answered in {out}.")


@app.callback()
def _eval() -> None:
    """Keep ``run`` a command of its own while it is the only one."""
