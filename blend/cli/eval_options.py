"""Options of ``blend eval``: what is asked, who is asked and how, and how answers are judged."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from blend.cli.options import Limit

Task = Annotated[
    str | None,
    typer.Option(
        help="What to ask: multiple-choice (as if absent), short-answer, cultural-prompts, free-answers, or "
        "probe (as if absent with --config)."
    ),
]
Config = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Probing: the configuration of triples, such as food-triples or food-aligned."
    ),
]
Model = Annotated[
    str | None,
    typer.Option(metavar="DIR|REPO|NAME", help="Model directory, Hub id, or name of a model on a --server."),
]
Answers = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Ask nobody, and keep the answers in this table, JSON Lines or Parquet file; --model then says "
        "whose they are.",
    ),
]
RunFolder = Annotated[Path, typer.Option(help="Directory of the run; the same run goes on where it stopped.")]
ShardOf = Annotated[
    str | None,
    typer.Option(
        "--shard",
        metavar="I/N",
        help="Written answers: this machine is the I-th of N that write to one run, and asks every N-th item.",
    ),
]
Rule = Annotated[str, typer.Option(help="Rule by which answers are judged; docs/scores.md explains each.")]
Lemmas = Annotated[
    str | None,
    typer.Option(
        help="Short answers: how words are brought to their base forms, 'none', 'default', a name, or one "
        "per language (ko=kiwi,zh=jieba); docs/short-answers.md lists them."
    ),
]
VectorFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--vectors",
        metavar="[LANGUAGE=]FILE",
        help="Probing: word vectors in fastText's text format, for one language or for all; can be repeated.",
    ),
]
IntervalSeed = Annotated[int, typer.Option(min=0, help="Seed of the intervals.")]
IntervalAndTestSeed = Annotated[int, typer.Option(min=0, help="Seed of intervals and tests.")]


@dataclass(frozen=True)
class Questions:
    """Which questions of a task are asked, and how they are put; null where the task decides."""

    locales: Annotated[
        list[str] | None,
        typer.Option(
            metavar="REGION", help="Ask about this region only, by any of its names; can be repeated."
        ),
    ] = None
    limit: Limit = None
    style: Annotated[
        Literal["letters", "texts", "json"] | None,
        typer.Option(
            help="Multiple choice: the likeliest letter, the likeliest option text, or the published "
            "prompt that asks for JSON; letters when absent, with --answers json.",
        ),
    ] = None
    rotations: Annotated[
        int | None,
        typer.Option(
            min=1, max=4, help="Multiple choice: ask each question with the right option in so many positions."
        ),
    ] = None
    prompts: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID",
            help="Short answers and probing: ask with this prompt or template of the release only; can be "
            "repeated.",
        ),
    ] = None
    language: Annotated[
        list[str] | None,
        typer.Option(
            metavar="local|english|TAG",
            help="Ask in this language only: short answers, 'local' or 'english'; probing, a tag of the "
            "configuration; can be repeated.",
        ),
    ] = None
    candidates: Annotated[
        str | None,
        typer.Option(
            metavar="language|country|FILE",
            help="Probing: what is ranked, every part of the configuration in the language (as if absent), "
            "those of the item's country, or those in a file.",
        ),
    ] = None
    causal: Annotated[
        Literal["sound", "published-greedy", "statement"] | None,
        typer.Option(
            help="Probing a causal model: after the prompt and the candidate so far (as if absent), as "
            "published, or by the log-probability of the whole statement."
        ),
    ] = None
    max_masks: Annotated[
        int | None,
        typer.Option(min=1, help="Probing a masked model: tokens that a candidate may have; 10 if absent."),
    ] = None
    names: Annotated[
        str | None,
        typer.Option(
            metavar="LANGUAGE", help="Probing: names of the items in this language, in templates of the others."
        ),
    ] = None
    countries: Annotated[
        list[str] | None,
        typer.Option(
            "--country",
            metavar="NAME",
            help="Probing: only items from this country, by its English name; can be repeated.",
        ),
    ] = None
    samples: Annotated[
        int | None,
        typer.Option(min=1, help="Cultural prompts: texts asked for with each prompt; 5 if absent."),
    ] = None
    kinds: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            metavar="NAME",
            help="Cultural prompts: only this kind of text, 'qa' or 'stories'; can be repeated.",
        ),
    ] = None
    nationalities: Annotated[
        list[str] | None,
        typer.Option(
            "--nationality",
            metavar="NAME",
            help="Cultural prompts: only this nationality, by its demonym or ISO code; can be repeated.",
        ),
    ] = None


@dataclass(frozen=True)
class Machine:
    """Where a model computes, and with what; null where the model decides."""

    server: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Ask the model on this OpenAI-compatible server, for example http://localhost:8000/v1.",
        ),
    ] = None
    concurrency: Annotated[
        int | None, typer.Option(min=1, help="Requests under way at a time on a server; 16 if absent.")
    ] = None
    revision: Annotated[str | None, typer.Option(help="Commit or tag of a model on the Hub.")] = None
    device: Annotated[
        str | None,
        typer.Option(help="Where a local model computes, as torch names it; a GPU if there is one."),
    ] = None
    dtype: Annotated[
        Literal["float32", "bfloat16", "float16"] | None,
        typer.Option(help="Numbers a local model computes in: bfloat16 on a GPU, else float32."),
    ] = None
    batch_size: Annotated[
        str, typer.Option(metavar="N|auto", help="Questions computed at a time; auto finds what memory allows.")
    ] = "auto"
    chat: Annotated[
        bool | None,
        typer.Option("--chat/--no-chat", help="Use the model's chat template; when it has one, if absent."),
    ] = None


@dataclass(frozen=True)
class Writing:
    """How answers are written; null where the model decides."""

    max_tokens: Annotated[
        int | None, typer.Option(min=1, help="Tokens that a written answer may have; 128 if absent.")
    ] = None
    temperature: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Written answers: 0 writes the likeliest token each time, as if absent; above it, tokens are "
            "drawn.",
        ),
    ] = None
    seed: Annotated[
        int | None, typer.Option(min=0, help="Written answers: where drawing starts; 0 if absent.")
    ] = None
