"""``blend eval``: from a release and a model to scores."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from blend.cli import eval_cluster, eval_export, eval_judging
from blend.cli.application import Application
from blend.cli.build import DEFAULT_OUT
from blend.cli.eval_options import (
    Answers,
    Batches,
    Costs,
    IntervalAndTestSeed,
    IntervalSeed,
    Machine,
    Model,
    Rule,
    RunFolder,
    Rungs,
    ShardOf,
    Task,
    Writing,
    read_how,
)
from blend.cli.eval_outcome import plan_teller, print_outcome, print_warning
from blend.cli.options import AsJson, Encoding, Release
from blend.cli.task_options import given_options, with_task_options
from blend.eval.registry import TASKS
from blend.exit_codes import UsageError, check_known
from blend.schemas.errors import InputError

app = Application(
    no_args_is_help=True,
    help="Ask a model the questions of a release, and score what it answers.",
)

eval_export.register(app)
eval_judging.register(app)
eval_cluster.register(app)

DEFAULT_RUN = Path("run")


@app.command()
@with_task_options("questions", "options")
def run(
    release: Release = str(DEFAULT_OUT),
    task: Task = None,
    model: Model = None,
    answers: Answers = None,
    encoding: Encoding = None,
    out: RunFolder = DEFAULT_RUN,
    *,
    rungs: Rungs = None,
    questions: Any,
    shard: ShardOf = None,
    machine: Machine,
    writing: Writing,
    batches: Batches,
    costs: Costs,
) -> None:
    """Ask a model every question of a release, and keep the answers.

    Stopped at any moment, the same command goes on where it stopped; what failed is asked again.

    - `blend eval run release --model path/to/model` asks a model on this machine.
    - `blend eval run release --model org/name --style texts` compares the options' texts.
    - `blend eval run release --model name --server http://localhost:8000/v1` asks one on a server.
    - `blend eval run release --config food-triples --model org/name` probes what it knows of dishes.
    - `blend eval run release --style json --model org/name --thinking off` has it answer without a thought.
    - `blend eval run release --task cultural-prompts --model org/name --temperature 0.7` asks for stories
      and explanations for readers of many nationalities.
    - `blend eval run release --task short-answer --model name --batch-out requests.jsonl` writes a batch.
    - `blend eval run release --rungs all --model org/name --out runs` asks multiple choice, true or false,
      regions and short answers, a run of each in runs.
    - `blend eval run release --answers answers.csv` keeps what another tool's model answered.
    """
    options = given_options(questions, "options")
    of_choices = options.get("config", "multiple-choice").startswith(("multiple-choice", "compact"))
    name = task or ("multiple-choice" if of_choices else "probing")
    check_known("task", name, TASKS)
    for flag, other in (("--task", task), ("--plan", costs.plan or None), ("--answers", answers)):
        if rungs is not None and other is not None:
            raise UsageError(f"--rungs asks several tasks, and {flag} is of one; leave one of the two out")
    how = read_how(machine, writing, batches, costs, shard)
    if shard is not None and costs.budget is not None:
        print_warning(f"--budget {costs.budget:g} holds for this process alone, not for all shards together")
    from blend.eval.evaluation import run_task
    from blend.eval.rung_runs import run_rungs
    from blend.loaders.files.progress import shown_progress
    from blend.views.progress import interruptible

    stopped = "interrupted; what was answered is kept, and the same command goes on from there"
    with (
        interruptible(stopped),
        shown_progress(unit="questions") as on_progress,
        _planned(out, only=costs.plan) as directory,
    ):
        asked_how = {
            **how,
            "on_plan": plan_teller(machine.server is not None, stops=costs.plan),
            "encoding": encoding,
            "on_progress": on_progress,
            "on_warning": print_warning,
            **options,
        }
        if rungs is not None:
            kept = run_rungs(release, model=model, out=directory, **asked_how)
        else:
            kept = {"": run_task(release, name, model=model, answers=answers, out=directory, **asked_how)}
    again = "--batch-out writes them out again" if batches.batch_in else "the same command asks them again"
    last = next(reversed(kept))
    for rung, one in kept.items():
        assert one.outcome is not None
        print_outcome(one.outcome, out / rung, again=again, score=str(out) if rung == last else None)


@contextmanager
def _planned(out: Path, *, only: bool) -> Iterator[Path]:
    """The directory of a run; one that is not kept where a run is planned only that has not begun."""
    if not only or (out / "run.json").exists():
        yield out
        return
    with TemporaryDirectory(prefix="blend-plan-") as folder:
        yield Path(folder) / out.name


@app.command("tiny-model")
def tiny_model(
    out: Annotated[Path, typer.Argument(metavar="DIR", help="Directory to make.")],
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random weights.")] = 0,
) -> None:
    """Make a tiny model that knows nothing, to try the commands with: no download, no account.

    It is a GPT-2 of two layers with random weights and a tokenizer learned from the sample; its answers are
    guesses.
    """
    from blend.eval.models.tiny_model import make_tiny_model

    make_tiny_model(out, seed=seed)
    typer.echo(f"Made a model in {out}. Ask it:\n  blend eval run {DEFAULT_OUT} --model {out}")


@app.command()
@with_task_options("options", "scoring")
def score(
    directory: Annotated[
        Path, typer.Argument(metavar="RUN", help="Directory of the run, or of several.")
    ] = DEFAULT_RUN,
    rule: Rule = "default",
    *,
    options: Any,
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="Score although more than 1 % of the items have no answer.")
    ] = False,
    seed: IntervalSeed = 0,
    json: Annotated[bool, typer.Option("--json", help="Print scores.json, and nothing else.")] = False,
) -> None:
    """Score what a run has kept: scores.json and decisions.parquet in its directory, and a table.

    No model is needed, and it can be done any number of times.
    """
    check_known(
        "rule", rule.partition(":")[0], sorted({known for task in TASKS.values() for known in task.rules})
    )
    chosen = given_options(options, "scoring")
    from blend.eval.evaluation import score_run
    from blend.eval.runs.run_directory import runs_in
    from blend.eval.scores_json import earlier_rule
    from blend.loaders.files.progress import shown_progress
    from blend.views.progress import interruptible

    earlier = {earlier_rule(one) for one in runs_in(directory)} - {None, rule}
    with (
        interruptible("interrupted; the scores are as they were"),
        shown_progress(unit="topics") as on_progress,
    ):
        how = {"rule": rule, "seed": seed, "allow_missing": allow_missing, **chosen}
        found = []
        errors: list[InputError] = []
        for one in runs_in(directory):
            try:
                found.append(score_run(one, on_progress=on_progress, on_warning=print_warning, **how))
            except InputError as error:
                # One of several that cannot be scored yet hides none of the others.
                errors.append(error)
    for replaced in earlier:
        print_warning(f"the scores by rule {replaced} are replaced; a run holds those of one rule")
    if json:
        typer.echo("".join(scored.scores.to_json() for scored in found), nl=False)
        _raise(errors)
        return
    from blend.views.safe import SafeConsole
    from blend.views.scores import score_tables

    console = SafeConsole()
    for scored in found:
        for table in score_tables(scored.scores, scored.task):
            console.print(table)
        if scored.scores.usage is not None:
            usage = f"Asked: {scored.scores.usage.in_words()}"
            console.print(usage, highlight=False, markup=False, soft_wrap=True)
        console.print(scored.scores.signature, highlight=False, markup=False, soft_wrap=True)
    _raise(errors)
    typer.echo(f"Show them on a page:\n  blend eval report {directory}")


def _raise(errors: Sequence[InputError]) -> None:
    """Say of each run why it cannot be scored, and end as of the first."""
    for error in errors[1:]:
        print_warning(str(error))
    if errors:
        raise errors[0]


@app.command()
def compare(
    directories: Annotated[list[Path], typer.Argument(metavar="RUN RUN…", help="Directories of scored runs.")],
    seed: IntervalAndTestSeed = 0,
    json: AsJson = False,
) -> None:
    """Say who is better, where, and whether it is chance.

    The runs must have asked the same questions in the same way: their signatures are equal, the model apart.
    """
    import json as json_

    from blend.eval.evaluation import compare_runs
    from blend.views.progress import interruptible

    with interruptible():
        found = compare_runs(directories, seed=seed)
    if json:
        typer.echo(json_.dumps(found.to_dict(), ensure_ascii=False, indent=2))
        return
    from rich.console import Console

    from blend.views.comparison import comparison_views

    console = Console()
    for part in comparison_views(found):
        console.print(part, crop=False)


@app.command()
def report(
    directories: Annotated[
        list[Path], typer.Argument(metavar="RUN…", help="Directories of scored runs, or of several.")
    ],
    out: Annotated[
        Path, typer.Option(help="HTML file to write; a page that blend wrote there is replaced.")
    ] = Path("report.html"),
    seed: IntervalAndTestSeed = 0,
    *,
    semeval_questions: Annotated[
        bool,
        typer.Option(
            "--semeval-questions",
            help="Show SemEval's single questions as well, on a page that nobody may pass on.",
        ),
    ] = False,
) -> None:
    """Show scored runs on one page: intervals, map, heat maps, hardest questions.

    The file needs no network and no other file. Runs of one task must have equal signatures, the model apart.
    """
    from blend.eval.evaluation import write_report
    from blend.views.progress import interruptible

    with interruptible():
        write_report(directories, out, seed=seed, semeval_questions=semeval_questions)
    typer.echo(f"Wrote {out}: open it in a browser.")
