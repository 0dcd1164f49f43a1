"""``blend eval``: from a release and a model to scores."""

from pathlib import Path
from typing import Annotated

import typer

from blend.cli import eval_export, eval_judging
from blend.cli.application import Application
from blend.cli.build import DEFAULT_OUT
from blend.cli.eval_options import (
    Answers,
    Config,
    IntervalAndTestSeed,
    IntervalSeed,
    Lemmas,
    Machine,
    Model,
    Questions,
    Rule,
    RunFolder,
    ShardOf,
    Task,
    VectorFiles,
    Writing,
)
from blend.cli.eval_texts import TextOptions, read_shard, read_text_options
from blend.cli.groups import with_groups
from blend.cli.options import AsJson, Encoding, Release
from blend.exit_codes import UsageError, check_known

app = Application(
    no_args_is_help=True,
    help="Ask a model the questions of a release, and score what it answers.",
)

eval_export.register(app)
eval_judging.register(app)

DEFAULT_RUN = Path("run")


@app.command()
@with_groups
def run(
    release: Release = str(DEFAULT_OUT),
    task: Task = None,
    config: Config = None,
    model: Model = None,
    answers: Answers = None,
    encoding: Encoding = None,
    out: RunFolder = DEFAULT_RUN,
    *,
    questions: Questions,
    shard: ShardOf = None,
    machine: Machine,
    writing: Writing,
) -> None:
    """Ask a model every question of a release, and keep the answers.

    Stopped at any moment, the same command goes on where it stopped; what failed is asked again.

    - `blend eval run release --model path/to/model` asks a model on this machine.
    - `blend eval run release --model org/name --style texts` compares the options' texts.
    - `blend eval run release --model name --server http://localhost:8000/v1` asks one on a server.
    - `blend eval run release --config food-triples --model org/name` probes what it knows of dishes.
    - `blend eval run release --task cultural-prompts --model org/name --temperature 0.7` asks for stories
      and explanations for readers of many nationalities.
    - `blend eval run release --answers answers.csv` keeps what another tool's model answered.
    """
    from blend.cli import eval_asking
    from blend.eval.tasks.asking import ask
    from blend.views.progress import interruptible

    task = eval_asking.chosen_task(task, config, questions)
    options = eval_asking.task_options(questions, task=task, config=config, is_recorded=answers is not None)
    how = eval_asking.machine_options(machine)
    decoding = eval_asking.given(**vars(writing))
    of_shards = read_shard(shard)
    asks_a_model = {**how, **decoding, **eval_asking.given(shard=shard)}
    with interruptible("interrupted; what was answered is kept, and the same command goes on from there"):
        if (
            answers is not None
            and task == "cultural-prompts"
            and eval_asking.is_table_of_texts(answers, encoding)
        ):
            eval_asking.refuse({**asks_a_model, **options}, "where a model is asked, and a table asks nobody")
            eval_asking.print_outcome(eval_asking.keep_texts(answers, model, out, encoding), out)
            return
        asked = ask(release, task, locales=questions.locales, limit=questions.limit, **options)
        eval_asking.print_remarks(asked)
        if answers is not None:
            eval_asking.refuse(asks_a_model, "where a model is asked, and --answers asks nobody")
            outcome = eval_asking.keep_answers(asked, answers, model, out, encoding)
        elif model is not None:
            outcome = eval_asking.ask_model_named(
                asked, model, out, decoding=decoding, how=how, shard=of_shards
            )
        else:
            raise UsageError("nobody to ask: name a --model, or a file of recorded --answers")
    eval_asking.print_outcome(outcome, out)


@app.command("tiny-model")
def tiny_model(
    out: Annotated[Path, typer.Argument(metavar="DIR", help="Directory to make.")],
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random weights.")] = 0,
) -> None:
    """Make a tiny model that knows nothing, to try the commands with: no download, no account.

    It is a GPT-2 of two layers with random weights and a tokenizer learned from the sample; its answers are
    guesses.
    """
    from blend.eval.models.tiny import make_tiny_model

    make_tiny_model(out, seed=seed)
    typer.echo(f"Made a model in {out}. Ask it:\n  blend eval run {DEFAULT_OUT} --model {out}")


@app.command()
@with_groups
def score(
    directory: Annotated[Path, typer.Argument(metavar="RUN", help="Directory of the run.")] = DEFAULT_RUN,
    rule: Rule = "default",
    lemmas: Lemmas = None,
    vectors: VectorFiles = None,
    *,
    texts: TextOptions,
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="Score although more than 1 % of the items have no answer.")
    ] = False,
    seed: IntervalSeed = 0,
    json: Annotated[bool, typer.Option("--json", help="Print scores.json, and nothing else.")] = False,
) -> None:
    """Score what a run has kept: scores.json and decisions.parquet in its directory, and a table.

    No model is needed, and it can be done any number of times.
    """
    from blend.cli.eval_asking import read_vector_files
    from blend.eval.runs.directory import read_run
    from blend.eval.scoring import RULES, score_run, write_scores
    from blend.views.progress import interruptible, shown_progress

    check_known("rule", rule, RULES)
    chosen = read_text_options(texts)
    with interruptible("interrupted; the scores are as they were"), shown_progress(unit="topics") as notify:
        run = read_run(directory)
        scored = score_run(
            run,
            rule=rule,
            lemmas=lemmas,
            vectors=read_vector_files(vectors),
            texts=chosen,
            notify=notify,
            allow_missing=allow_missing,
            seed=seed,
        )
        write_scores(run, scored)
    for remark in scored.remarks:
        typer.echo(f"note: {remark}", err=True)
    if json:
        typer.echo(scored.scores.to_json(), nl=False)
        return
    from blend.views.safe import SafeConsole
    from blend.views.scores import score_tables

    console = SafeConsole()
    for table in score_tables(scored.scores):
        console.print(table)
    console.print(scored.scores.signature, highlight=False, markup=False, soft_wrap=True)
    typer.echo(f"Show them on a page:\n  blend eval report {directory}")


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

    from blend.eval.report.compare import compare_runs
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
    directories: Annotated[list[Path], typer.Argument(metavar="RUN…", help="Directories of scored runs.")],
    out: Annotated[Path, typer.Option(help="HTML file to write.")] = Path("report.html"),
    seed: IntervalAndTestSeed = 0,
) -> None:
    """Show scored runs on one page: intervals, map, heat maps, hardest questions.

    The file needs no network and no other file. Runs of one task must have equal signatures, the model apart.
    """
    from blend.eval.report.page import write_report
    from blend.views.progress import interruptible

    with interruptible():
        write_report(directories, out, seed=seed)
    typer.echo(f"Wrote {out}: open it in a browser.")
