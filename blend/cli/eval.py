"""``blend eval``: from a release and a model to scores."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from blend.cli import eval_export
from blend.cli.application import Application
from blend.cli.build import DEFAULT_OUT
from blend.schemas.errors import InputError

app = Application(
    no_args_is_help=True,
    help="Ask a model the questions of a release, and score what it answers.",
)

eval_export.register(app)

DEFAULT_RUN = Path("run")


@app.command()
def run(
    release: Annotated[
        str, typer.Argument(metavar="DIR|REPO@REV", help="Release directory, or org/name@v1.0.0 on the Hub.")
    ] = str(DEFAULT_OUT),
    task: Annotated[
        str, typer.Option(help="What to ask: multiple-choice or short-answer.")
    ] = "multiple-choice",
    model: Annotated[
        str | None,
        typer.Option(
            metavar="DIR|REPO|NAME", help="Model directory, Hub id, or name of a model on a --server."
        ),
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Ask nobody, and keep the answers in this CSV, JSON Lines or Parquet file; --model then says "
            "whose they are.",
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option(help="Directory of the run; the same run goes on where it stopped.")
    ] = DEFAULT_RUN,
    locales: Annotated[
        list[str] | None,
        typer.Option(
            metavar="REGION", help="Ask about this region only, by any of its names; can be repeated."
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Question templates per region at most; all when absent.")
    ] = None,
    style: Annotated[
        Literal["letters", "texts", "json"] | None,
        typer.Option(
            help="Multiple choice: the likeliest letter, the likeliest option text, or the published "
            "prompt that asks for JSON; letters when absent, with --answers json.",
        ),
    ] = None,
    rotations: Annotated[
        int | None,
        typer.Option(
            min=1, max=4, help="Multiple choice: ask each question with the right option in so many positions."
        ),
    ] = None,
    prompts: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID", help="Short answers: ask with this prompt of the release only; can be repeated."
        ),
    ] = None,
    language: Annotated[
        Literal["local", "english"] | None,
        typer.Option(help="Short answers: ask in this language only, instead of in both."),
    ] = None,
    server: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Ask the model on this OpenAI-compatible server, for example http://localhost:8000/v1.",
        ),
    ] = None,
    concurrency: Annotated[
        int | None, typer.Option(min=1, help="Requests under way at a time on a server; 16 if absent.")
    ] = None,
    revision: Annotated[str | None, typer.Option(help="Commit or tag of a model on the Hub.")] = None,
    device: Annotated[
        str | None, typer.Option(help="Where a local model computes, as torch names it; a GPU if there is one.")
    ] = None,
    dtype: Annotated[
        Literal["float32", "bfloat16", "float16"] | None,
        typer.Option(help="Numbers a local model computes in: bfloat16 on a GPU, else float32."),
    ] = None,
    batch_size: Annotated[
        str, typer.Option(metavar="N|auto", help="Questions computed at a time; auto finds what memory allows.")
    ] = "auto",
    chat: Annotated[
        bool | None,
        typer.Option("--chat/--no-chat", help="Use the model's chat template; when it has one, if absent."),
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option(min=1, help="Tokens that a written answer may have; 128 if absent.")
    ] = None,
    temperature: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Written answers: 0 writes the likeliest token each time, as if absent; above it, tokens are "
            "drawn.",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Written answers: where drawing starts; 0 if absent.")
    ] = None,
) -> None:
    """Ask a model every question of a release, and keep the answers.

    Stopped at any moment, the same command goes on where it stopped; what failed is asked again.

    - `blend eval run release --model path/to/model` asks a model on this machine.
    - `blend eval run release --model org/name --style texts` compares the options' texts.
    - `blend eval run release --model name --server http://localhost:8000/v1` asks one on a server.
    - `blend eval run release --answers answers.csv` keeps what another tool's model answered.
    """
    from blend.cli import eval_asking
    from blend.eval.tasks.asking import ask
    from blend.views.progress import interruptible

    style = style or ("json" if answers is not None and task == "multiple-choice" else None)
    options = eval_asking.given(
        style=style,
        rotations=rotations,
        prompts=None if prompts is None else tuple(prompts),
        languages=None if language is None else (language,),
    )
    decoding = eval_asking.given(max_tokens=max_tokens, temperature=temperature, seed=seed)
    how = eval_asking.given(
        server=server,
        concurrency=concurrency,
        revision=revision,
        device=device,
        dtype=dtype,
        chat=chat,
        batch_size=eval_asking.read_batch_size(batch_size),
    )
    with interruptible("interrupted; what was answered is kept, and the same command goes on from there"):
        asked = ask(release, task, locales=locales, limit=limit, **options)
        if answers is not None:
            eval_asking.refuse({**how, **decoding}, "where a model is asked, and --answers asks nobody")
            outcome = eval_asking.keep_answers(asked, answers, model, out)
        elif model is not None:
            outcome = eval_asking.ask_model_named(asked, model, out, decoding=decoding, how=how)
        else:
            raise InputError("nobody to ask: name a --model, or a file of recorded --answers")
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
def score(
    directory: Annotated[Path, typer.Argument(metavar="RUN", help="Directory of the run.")] = DEFAULT_RUN,
    rule: Annotated[
        str, typer.Option(help="Rule by which answers are judged; docs/scores.md explains each.")
    ] = "default",
    lemmas: Annotated[
        str | None,
        typer.Option(
            help="Short answers: how words are brought to their base forms, 'none', 'default', a name, or one "
            "per language (ko=kiwi,zh=jieba); docs/short-answers.md lists them."
        ),
    ] = None,
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="Score although more than 1 % of the items have no answer.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the intervals.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print scores.json, and nothing else.")] = False,
) -> None:
    """Score what a run has kept: scores.json and decisions.parquet in its directory, and a table.

    No model is needed, and it can be done any number of times.
    """
    from blend.eval.runs.directory import read_run
    from blend.eval.scoring import score_run, write_scores
    from blend.views.progress import interruptible

    with interruptible("interrupted; the scores are as they were"):
        run = read_run(directory)
        scored = score_run(run, rule=rule, lemmas=lemmas, allow_missing=allow_missing, seed=seed)
        write_scores(run, scored)
    if json:
        typer.echo(scored.scores.to_json(), nl=False)
        return
    from blend.views.safe import SafeConsole
    from blend.views.scores import score_tables

    console = SafeConsole()
    for table in score_tables(scored.scores):
        console.print(table)
    console.print(scored.scores.signature, highlight=False, markup=False, soft_wrap=True)


@app.command()
def compare(
    directories: Annotated[list[Path], typer.Argument(metavar="RUN RUN…", help="Directories of scored runs.")],
    seed: Annotated[int, typer.Option(min=0, help="Seed of intervals and tests.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")] = False,
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
        console.print(part)


@app.command()
def report(
    directories: Annotated[list[Path], typer.Argument(metavar="RUN…", help="Directories of scored runs.")],
    out: Annotated[Path, typer.Option(help="HTML file to write.")] = Path("report.html"),
    seed: Annotated[int, typer.Option(min=0, help="Seed of intervals and tests.")] = 0,
) -> None:
    """Show scored runs on one page: intervals, map, heat maps, hardest questions.

    The file needs no network and no other file. Runs of one task must have equal signatures, the model apart.
    """
    from blend.eval.report.page import write_report
    from blend.views.progress import interruptible

    with interruptible():
        write_report(directories, out, seed=seed)
    typer.echo(f"Wrote {out}: open it in a browser.")
