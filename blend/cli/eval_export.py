"""``blend eval export`` and ``blend eval push``: a release for lm-eval, a run for a site, a score."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from blend.cli.build import DEFAULT_OUT
from blend.cli.options import Limit
from blend.exit_codes import UsageError
from blend.schemas.texts import pluralise


def export(
    to: Annotated[
        Literal["lm-eval", "semeval"],
        typer.Option(
            help="The harness; 'semeval' writes the predictions of a run as the task's site takes them."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Directory to make; of predictions the zip archive.")],
    release: Annotated[
        str,
        typer.Argument(
            metavar="DIR|REPO@REV|RUN", help="Release directory, org/name@v1.0.0, or of predictions the run."
        ),
    ] = str(DEFAULT_OUT),
    style: Annotated[
        Literal["letters", "texts"], typer.Option(help="What is scored after the question.")
    ] = "letters",
    locales: Annotated[
        list[str] | None,
        typer.Option(metavar="REGION", help="Only this region, by any of its names; can be repeated."),
    ] = None,
    limit: Limit = None,
) -> None:
    """Write the multiple-choice questions as tasks for lm-eval.

    The prompts are those of `blend eval run`, text by text.

    - `blend eval export release --to lm-eval --out tasks`
    - `blend eval export run --to semeval --out predictions.zip` writes what a run answered for SemEval's site.
    """
    if to == "semeval":
        if locales is not None or limit is not None:
            raise UsageError("--locales and --limit are for lm-eval; predictions are those of the run")
        from blend.eval.evaluation import export_predictions

        n = export_predictions(release, out)
        typer.echo(f"Wrote {pluralise(n, 'prediction')} to {out}.")
        return
    from blend.builders.export import export_lm_eval
    from blend.eval.registry import task_of
    from blend.eval.release_items import read_items
    from blend.loaders.files.atomic import check_own_folder

    check_own_folder(out)
    read = read_items(release, task_of("multiple-choice"), locales=locales, limit=limit, style=style)
    items = read.asked.items.join(
        read.asked.gold.select("item_id", "answer"), on="item_id", maintain_order="left"
    )
    made = export_lm_eval(items, out, name=read.release.name, version=read.release.version, style=style)
    typer.echo(
        f"Wrote {pluralise(made.n_questions, 'question')} about {', '.join(made.regions)} to {out}. Run them:"
    )
    typer.echo(f"  cd {out} && lm_eval --include_path . --tasks {made.task} --model hf --model_args …")


def push(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Directory of a run that has been scored.")],
    model: Annotated[str, typer.Option(metavar="ORG/MODEL", help="Repository of the model.")],
    dataset: Annotated[
        str, typer.Option(metavar="ORG/NAME", help="Repository of the release, whose leaderboard it is.")
    ],
    revision: Annotated[
        str | None, typer.Option(metavar="COMMIT", help="Commit of the release in that repository.")
    ] = None,
    source: Annotated[
        str | None, typer.Option(metavar="URL", help="Page about the run, such as its report.")
    ] = None,
    direct: Annotated[
        bool, typer.Option("--direct", help="Commit on main instead of opening a pull request.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be sent, and send nothing.")
    ] = False,
) -> None:
    """Write a run's score into the model's repository, where the Hub shows it: a pull request by default.

    `hf auth login` (or HF_TOKEN) gives the token.
    """
    from blend.eval.hub_results import push_scores

    sent = push_scores(
        run, model, dataset=dataset, revision=revision, source=source, direct=direct, dry_run=dry_run
    )
    typer.echo(f"{sent.path}:\n{sent.content}", nl=False)
    typer.echo("Nothing was sent." if sent.url is None else f"Sent: {sent.url}")
