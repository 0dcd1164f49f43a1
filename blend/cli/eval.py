"""``blend eval``: from a release and a model to scores."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from blend.cli.application import Application, UsageError, check_known, with_groups
from blend.cli.eval_judging import judge, judge_sheet, judged
from blend.cli.eval_options import (
    ModelChoice,
    ModelName,
    Regions,
    Seed,
    SeedOfTests,
    TaskValues,
    named_value,
    print_outcome,
    read_options,
    read_values,
)
from blend.cli.options import (
    DEFAULT_OUT,
    AsJson,
    Limit,
    Release,
    print_lines,
    print_result,
    print_tables,
    print_warning,
    reporting,
)
from blend.eval.models.chosen import Asking, Decoding, Local, Recorded, Server
from blend.eval.tasks import TASKS
from blend.schemas.errors import InputError
from blend.schemas.texts import pluralise

if TYPE_CHECKING:
    from blend.eval.report import ScoredRun


app = Application(
    no_args_is_help=True,
    help="Ask a model the questions of a release, and score what it answers.",
)


_DEFAULT_RUN = Path("run")


@app.command()
@with_groups
def _run(
    release: Release = str(DEFAULT_OUT),
    task: Annotated[str, typer.Option(help=f"What to ask: {', '.join(TASKS)}.")] = "multiple-choice",
    model: Annotated[str | None, ModelName] = None,
    answers: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Ask nobody, and keep the answers in this table, log of lm-eval or Inspect, results of a "
            "batch, or SemEval's predictions; --model then says whose they are.",
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option(help="Directory of the run; the same run goes on where it stopped.")
    ] = _DEFAULT_RUN,
    locales: Regions = None,
    limit: Limit = None,
    options: TaskValues = None,
    *,
    choice: ModelChoice,
    decoding: Decoding,
    asking: Asking,
) -> None:
    """Ask a model every question of a release, and keep the answers.

    Stopped at any moment, the same command goes on where it stopped; what failed is asked again.

    - `blend eval run release --model path/to/model` asks a model on this machine.
    - `blend eval run release --model org/name -T style=texts` compares the options' texts.
    - `blend eval run release --model name --server http://localhost:8000/v1` asks one on a server.
    - `blend eval run release --task probing --model org/name` probes what it knows of dishes.
    - `blend eval run release -T style=json --model org/name --thinking off` has it answer without a thought.
    - `blend eval run release --task cultural-prompts --model org/name --temperature 0.7` asks for stories
      and explanations for readers of many nationalities.
    - `blend eval run release --answers answers.csv` keeps what another tool's model answered.
    """
    check_known("task", task, TASKS)
    given = {"locales": locales, "limit": limit} | read_options(TASKS[task], "options", options)
    if asking.shard is not None and asking.budget is not None:
        print_warning(f"--budget {asking.budget:g} holds for this process alone, not for all shards together")
    from blend.eval.asking import refuse
    from blend.eval.evaluation import run_task

    used: Local | Server | Recorded
    if answers is not None:
        used = Recorded(path=answers, name=model)
        of_models = {"server": choice.server, **read_values(choice.model_values)}
        refuse(of_models, "where a model is asked, and recorded answers ask nobody")
    elif model is None:
        raise UsageError("nobody to ask: name a --model, or a file of recorded --answers")
    else:
        used = choice.model(model, asking)
    how: dict[str, Any] = {"decoding": decoding, "asking": choice.planned(asking), **given}
    stopped = "what was answered is kept, and the same command goes on from there"
    with reporting(stopped) as on_progress:
        kept = run_task(release, task, used, out, on_progress=on_progress, **how)
    print_outcome(kept, asking, score=str(out))


@app.command()
def _tiny_model(
    out: Annotated[Path, typer.Argument(metavar="DIR", help="Directory to make.")],
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random weights.")] = 0,
) -> None:
    """Make a tiny model that knows nothing, to try the commands with: no download, no account.

    It is a GPT-2 of two layers with random weights and a tokenizer learned from the sample; its answers are
    guesses.
    """
    from blend.eval.models.model_loading import make_tiny_model

    make_tiny_model(out, seed=seed)
    typer.echo(f"Made a model in {out}. Ask it:\n  blend eval run {DEFAULT_OUT} --model {out}")


@app.command()
def _score(
    directory: Annotated[
        Path,
        typer.Argument(
            metavar="RUN",
            help="Directory of the run, or of several.",
        ),
    ] = _DEFAULT_RUN,
    rule: Annotated[
        str, typer.Option(help="Rule by which answers are judged; docs/scores.md explains each.")
    ] = "default",
    *,
    scoring: TaskValues = None,
    release: Annotated[
        str | None,
        typer.Option(metavar="DIR|REPO@REV", help="Where the release lies now that the run asked."),
    ] = None,
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="Score although more than 1 % of the items have no answer.")
    ] = False,
    seed: Seed = 0,
    json: Annotated[bool, typer.Option("--json", help="Print scores.json, and nothing else.")] = False,
) -> None:
    """Score what a run has kept: scores.json and decisions.parquet in its directory, and a table.

    No model is needed, and it can be done any number of times.
    """
    from blend.eval.evaluation import score_run
    from blend.eval.runs import read_description
    from blend.eval.runs.run_directory import runs_in
    from blend.eval.tasks import task_of

    how: dict[str, Any] = {"rule": rule, "seed": seed, "allow_missing": allow_missing, "release": release}
    found: list[ScoredRun] = []
    errors: list[InputError] = []
    with reporting("the scores are as they were") as on_progress:
        for one in runs_in(directory):
            try:
                chosen = read_options(task_of(read_description(one).task), "scoring", scoring)
                found.append(score_run(one, on_progress=on_progress, **how, **chosen))
            except InputError as error:
                # One of several that cannot be scored yet hides none of the others.
                errors.append(error)
    if json:
        typer.echo("".join(scored.scores.to_json() for scored in found), nl=False)
    else:
        for scored in found:
            print_tables(scored.as_tables())
            usage = scored.scores.usage
            print_lines([*([] if usage is None else [f"Usage: {usage.in_words()}"]), scored.signature])
    # Of each run why it cannot be scored; the command ends as of the first.
    for later in errors[1:]:
        print_warning(str(later))
    if errors:
        raise errors[0]
    if not json:
        typer.echo(f"Show them on a page:\n  blend eval report {directory}")


@app.command()
def _compare(
    directories: Annotated[list[Path], typer.Argument(metavar="RUN RUN…", help="Directories of scored runs.")],
    seed: SeedOfTests = 0,
    json: AsJson = False,
) -> None:
    """Say who is better, where, and whether it is chance.

    The runs must have asked the same questions in the same way: their signatures are equal, the model apart.
    """
    from blend.eval.evaluation import compare_runs

    with reporting("nothing was changed"):
        found = compare_runs(directories, seed=seed)
    print_result(found, as_json=json)
    if not json:
        print_lines([found.signature])


@app.command()
def _report(
    directories: Annotated[
        list[Path], typer.Argument(metavar="RUN…", help="Directories of scored runs, or of several.")
    ],
    out: Annotated[
        Path, typer.Option(help="HTML file to write; a page that blend wrote there is replaced.")
    ] = Path("report.html"),
    seed: SeedOfTests = 0,
    *,
    semeval_questions: Annotated[
        bool,
        typer.Option(
            "--semeval-questions",
            help="Show SemEval's single questions as well, on a page that nobody may pass on.",
        ),
    ] = False,
) -> None:
    """Show scored runs on one page: intervals, comparisons, heat maps, every question.

    The file needs no network and no other file. Runs of one task must have equal signatures, the model apart.
    """
    from blend.eval.evaluation import write_report
    from blend.stopping import interruptible

    with interruptible():
        write_report(directories, out, seed=seed, semeval_questions=semeval_questions)
    typer.echo(f"Wrote {out}: open it in a browser.")


@app.command()
def _cluster(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Directory of a run that --batch-out has begun.")],
    server: Annotated[
        str, typer.Option(metavar="URL|vllm", help="Server to ask, or vllm: an engine that each task starts.")
    ],
    executor: Annotated[
        Literal["local", "slurm", "ray"], typer.Option(help="Who schedules the tasks.")
    ] = "local",
    task_requests: Annotated[int, typer.Option(min=1, help="Requests of a task.")] = 5000,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Argument of datatrove's executor, or field of its InferenceConfig; can be repeated.",
        ),
    ] = None,
) -> None:
    """Have datatrove answer what a run has no answer to: here, on Slurm or on Ray.

    Stopped at any moment, the same command goes on where it stopped. With Slurm it submits the tasks; once they
    have ended, the same command reads their answers. Every node sees RUN under the same path.

    - `blend eval cluster RUN --server URL --set max_concurrent_generations=64` asks from this machine.
    - `blend eval cluster RUN --server vllm --executor slurm --set partition=gpu --set time=04:00:00 --set
      gpus_per_task=1 --set model_max_context=32768` starts vLLM for each task.
    """
    from blend.eval.cluster import run_on_cluster
    from blend.stopping import interruptible

    typed = (named_value("--set", text, example="partition=gpu") for text in settings or ())
    chosen = {name: int(value) if value.isdecimal() else value for name, value in typed}
    with interruptible("interrupted; what was answered is kept, and the same command goes on from there"):
        kept = run_on_cluster(
            run, server=server, executor=executor, task_requests=task_requests, settings=chosen
        )
    if kept is None or kept.outcome is None:
        logs = run / "cluster" / "logs"
        typer.echo(f"Slurm has the tasks (logs in {logs}); run the same once they have ended.")
        return
    for warning in kept.outcome.warnings:
        print_warning(warning)
    print_outcome(kept, Asking(), score=str(run))


for command in (judge, judge_sheet, judged):
    app.command()(command)


@app.command()
def _export(
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
    locales: Regions = None,
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
    from blend.eval.release_items import read_items
    from blend.eval.tasks import task_of
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


@app.command()
def _push(
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
