"""``blend eval ask``: requests in files, asked of a server here or by a cluster."""

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command to ``blend eval``."""
    app.command()(ask)


def ask(
    requests: Annotated[
        Path,
        typer.Argument(metavar="REQUESTS", help="Folder of batch files, or one, as --batch-out writes them."),
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the answers, which --batch-in reads.")],
    server: Annotated[
        str | None, typer.Option(metavar="URL", help="The OpenAI-compatible server; OpenAI's own if absent.")
    ] = None,
    concurrency: Annotated[
        int | None, typer.Option(min=1, help="Requests under way at most; as many as it serves, if absent.")
    ] = None,
    ray: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS|auto", help="Have the workers of this Ray cluster ask the server."),
    ] = None,
    ray_items: Annotated[
        int | None,
        typer.Option(min=1, help="Requests that a worker asks before it keeps their answers; 1,000 if absent."),
    ] = None,
) -> None:
    """Ask a server the requests in batch files, without a release, and keep the answers.

    Stopped at any moment, the same command goes on where it stopped.

    - `blend eval ask requests --server URL --ray auto --out answers` has a cluster ask.
    """
    from blend.eval.request_runs import ask_requests
    from blend.loaders.files.progress import shown_progress
    from blend.schemas.language.text_comparison import agreeing, pluralise
    from blend.views.progress import interruptible
    from blend.views.safe import shown

    stopped = "interrupted; the same command goes on, and asks the shards again that were under way"
    with interruptible(stopped), shown_progress(unit="requests") as on_progress:
        found = ask_requests(
            requests,
            out,
            server=server,
            concurrency=concurrency,
            ray=ray,
            ray_items=ray_items,
            on_progress=on_progress,
        )
    n = found.n_answers - found.n_failed
    are, them = agreeing(n, "is", "are"), agreeing(n, "it", "them")
    typer.echo(
        f"{pluralise(n, 'request')} {are} answered in {out}. The command that wrote {them} reads the "
        f"answers with --batch-in {out} in place of --batch-out."
    )
    if found.first_error is not None:
        typer.echo(f"note: {found.n_failed:,} failed (first: {shown(found.first_error)})", err=True)
