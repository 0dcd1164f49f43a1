"""``blend eval``: from a release and a model to scores."""

from pathlib import Path
from typing import Annotated

import typer

from blend.cli import eval_export, eval_judging
from blend.cli.application import Application
from blend.cli.build import DEFAULT_OUT
from blend.cli.eval_options import (
    Answers,
    BatchSize,
    Candidates,
    Causal,
    Chat,
    Concurrency,
    Config,
    Countries,
    Device,
    Dtype,
    Kinds,
    Language,
    Locales,
    MaxMasks,
    MaxTokens,
    Model,
    Names,
    Nationalities,
    Prompts,
    Revision,
    Rotations,
    RunFolder,
    Samples,
    Seed,
    Server,
    ShardOf,
    Style,
    Task,
    Temperature,
)
from blend.cli.eval_texts import (
    BleuKind,
    DaskAddress,
    StopWords,
    SurveyDistance,
    Surveys,
    Top,
    read_shard,
    read_text_options,
)
from blend.cli.options import AsJson, Limit, Release
from blend.exit_codes import UsageError, check_known

app = Application(
    no_args_is_help=True,
    help="Ask a model the questions of a release, and score what it answers.",
)

eval_export.register(app)
eval_judging.register(app)

DEFAULT_RUN = Path("run")


@app.command()
def run(
    release: Release = str(DEFAULT_OUT),
    task: Task = None,
    config: Config = None,
    model: Model = None,
    answers: Answers = None,
    out: RunFolder = DEFAULT_RUN,
    locales: Locales = None,
    limit: Limit = None,
    style: Style = None,
    rotations: Rotations = None,
    prompts: Prompts = None,
    language: Language = None,
    candidates: Candidates = None,
    causal: Causal = None,
    max_masks: MaxMasks = None,
    names: Names = None,
    countries: Countries = None,
    samples: Samples = None,
    kinds: Kinds = None,
    nationalities: Nationalities = None,
    shard: ShardOf = None,
    server: Server = None,
    concurrency: Concurrency = None,
    revision: Revision = None,
    device: Device = None,
    dtype: Dtype = None,
    batch_size: BatchSize = "auto",
    chat: Chat = None,
    max_tokens: MaxTokens = None,
    temperature: Temperature = None,
    seed: Seed = None,
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
    from blend.eval.tasks import IN_LANGUAGES, TASKS
    from blend.eval.tasks.asking import ask
    from blend.views.progress import interruptible

    task = task or ("multiple-choice" if config is None else "probe")
    check_known("task", task, TASKS)
    if locales is not None and task in IN_LANGUAGES:
        asks = "probing asks in languages (--language) about countries (--country)"
        eval_asking.refuse({"locales": locales[0]}, f"where regions are asked about, and {asks}")
    style = style or ("json" if answers is not None and task == "multiple-choice" else None)
    options = eval_asking.given(
        style=style,
        rotations=rotations,
        prompts=None if prompts is None else tuple(prompts),
        languages=None if language is None else tuple(language),
        config=config,
        causal=causal,
        max_masks=max_masks,
        names=names,
        countries=None if countries is None else tuple(countries),
        samples=samples,
        kinds=None if kinds is None else tuple(kinds),
        nationalities=None if nationalities is None else tuple(nationalities),
        **eval_asking.read_candidates(candidates),
    )
    decoding = eval_asking.given(max_tokens=max_tokens, temperature=temperature, seed=seed)
    n_at_a_time = eval_asking.read_batch_size(batch_size)
    how = eval_asking.given(server=server, concurrency=concurrency, revision=revision, device=device)
    how |= eval_asking.given(dtype=dtype, chat=chat, batch_size=n_at_a_time)
    of_shards = read_shard(shard)
    asks_a_model = {**how, **decoding, **eval_asking.given(shard=shard)}
    with interruptible("interrupted; what was answered is kept, and the same command goes on from there"):
        if answers is not None and task == "cultural-prompts" and eval_asking.is_table_of_texts(answers):
            eval_asking.refuse({**asks_a_model, **options}, "where a model is asked, and a table asks nobody")
            eval_asking.print_outcome(eval_asking.keep_texts(answers, model, out), out)
            return
        asked = ask(release, task, locales=locales, limit=limit, **options)
        eval_asking.print_remarks(asked)
        if answers is not None:
            eval_asking.refuse(asks_a_model, "where a model is asked, and --answers asks nobody")
            outcome = eval_asking.keep_answers(asked, answers, model, out)
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
    vectors: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[LANGUAGE=]FILE",
            help="Probing: word vectors in fastText's text format, for one language or for all; can be "
            "repeated.",
        ),
    ] = None,
    surveys: Surveys = None,
    distance: SurveyDistance = None,
    bleu: BleuKind = None,
    top: Top = None,
    stop_words: StopWords = None,
    dask: DaskAddress = None,
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="Score although more than 1 % of the items have no answer.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the intervals.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print scores.json, and nothing else.")] = False,
) -> None:
    """Score what a run has kept: scores.json and decisions.parquet in its directory, and a table.

    No model is needed, and it can be done any number of times.
    """
    from blend.cli.eval_asking import read_vector_files
    from blend.eval.runs.directory import read_run
    from blend.eval.scoring import score_run, write_scores
    from blend.eval.scoring.choosing import LETTER_RULES, OPTION_RULES, TEXT_RULES
    from blend.eval.scoring.extrinsic import RULES as DEFINITIONS
    from blend.eval.scoring.listing import RULES as LISTING_RULES
    from blend.eval.scoring.short_answers import RULES
    from blend.views.progress import interruptible, shown_progress

    # Which of them a run can be scored by depends on its task and style.
    check_known("rule", rule, {*RULES, *LETTER_RULES, *OPTION_RULES, *TEXT_RULES, *LISTING_RULES, *DEFINITIONS})
    texts = read_text_options(surveys, distance, bleu, top, stop_words, dask)
    with interruptible("interrupted; the scores are as they were"), shown_progress(unit="topics") as notify:
        run = read_run(directory)
        scored = score_run(
            run,
            rule=rule,
            lemmas=lemmas,
            vectors=read_vector_files(vectors),
            texts=texts,
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
    seed: Annotated[int, typer.Option(min=0, help="Seed of intervals and tests.")] = 0,
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
