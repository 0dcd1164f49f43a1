"""Options of ``blend eval``: what is asked, who is asked and how, and how answers are judged."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from blend.eval.registry import TASKS
from blend.exit_codes import UsageError

Task = Annotated[
    str | None,
    typer.Option(help=f"What to ask: {', '.join(TASKS)}; multiple-choice if absent, or probing with --config."),
]
Rungs = Annotated[
    Literal["all"] | None,
    typer.Option(help="Ask multiple choice, true or false, regions and short answers: a run of each in --out."),
]
Model = Annotated[
    str | None,
    typer.Option(metavar="DIR|REPO|NAME", help="Model directory, Hub id, or name of a model on a --server."),
]
Answers = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Ask nobody, and keep the answers in this table, JSON Lines or Parquet file, log of lm-eval or "
        "Inspect, results of a batch, or SemEval's predictions; --model then says whose they are.",
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
IntervalSeed = Annotated[int, typer.Option(min=0, help="Seed of the intervals.")]
IntervalAndTestSeed = Annotated[int, typer.Option(min=0, help="Seed of intervals and tests.")]


@dataclass(frozen=True)
class OnServer:
    """Which server is asked, and how much at a time."""

    server: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Ask the model on this OpenAI-compatible server, for example http://localhost:8000/v1.",
        ),
    ] = None
    concurrency: Annotated[
        int | None,
        typer.Option(min=1, help="Requests under way at a time on a server; 32 if absent."),
    ] = None


@dataclass(frozen=True)
class Machine(OnServer):
    """Where a model computes, and with what; null where the model decides."""

    backend: Annotated[
        Literal["transformers", "vllm"] | None,
        typer.Option(help="Library that computes a local model: transformers if absent, or vllm."),
    ] = None
    revision: Annotated[str | None, typer.Option(help="Commit or tag of a model on the Hub.")] = None
    device: Annotated[
        str | None,
        typer.Option(
            help="Where a local model computes, as torch names it, or auto for all GPUs; a GPU if absent."
        ),
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
        int | None,
        typer.Option(
            min=1,
            help="Tokens that a written answer may have, with the thought before it; 128 if absent, or 16,384 "
            "of a model that thinks.",
        ),
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
    system: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Message of an operator before each prompt.")
    ] = None
    thinking: Annotated[
        Literal["on", "off", "default"] | None,
        typer.Option(
            help="Have a model think that can do without, or not; as its chat template has it, if absent."
        ),
    ] = None
    reasoning_effort: Annotated[
        str | None,
        typer.Option(metavar="WORD", help="How much a model thinks, in its own word for it, such as low."),
    ] = None
    extra_body: Annotated[
        str | None,
        typer.Option(metavar="JSON", help="Further fields of every request to a server, an object of JSON."),
    ] = None
    thought_marks: Annotated[
        list[str] | None,
        typer.Option(
            metavar="BEGIN,END",
            help="Marks around what a model thinks, besides those that are known; can be repeated.",
        ),
    ] = None


@dataclass(frozen=True)
class Batches:
    """How questions go out other than one by one."""

    batch: Annotated[
        bool,
        typer.Option("--batch", help="Have the --server answer in batches: submit, wait, fetch."),
    ] = False
    batch_out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Ask nobody, and write the requests as a batch file (JSON Lines) for OpenAI, vLLM or others.",
        ),
    ] = None
    batch_in: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Ask nobody, and read results of a batch file, or a folder of `eval ask`; can be repeated.",
        ),
    ] = None


@dataclass(frozen=True)
class Cluster:
    """Which cluster asks."""

    ray: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS|auto",
            help="Written answers: have the workers of this Ray cluster ask the --server.",
        ),
    ] = None
    ray_out: Annotated[
        str | None,
        typer.Option(
            metavar="DIR|URL",
            help="Keep their answers in this folder or object store, and not in --out, which they may not see.",
        ),
    ] = None
    ray_items: Annotated[
        int | None,
        typer.Option(min=1, help="Items that a worker asks before it keeps their answers; 1,000 if absent."),
    ] = None


@dataclass(frozen=True)
class Costs:
    """What asking may cost, and whether it is only planned."""

    price: Annotated[
        str | None,
        typer.Option(
            metavar="IN,OUT", help="Price of a million tokens in, and of a million out, in any money."
        ),
    ] = None
    budget: Annotated[
        float | None, typer.Option(min=0, help="Cost at --price from which on nobody is asked.")
    ] = None
    plan: Annotated[
        bool, typer.Option("--plan", help="Say how many requests and tokens it will take, and stop.")
    ] = False


def read_how(
    machine: Machine, writing: Writing, batches: Batches, cluster: Cluster, costs: Costs, shard: str | None
) -> dict[str, Any]:
    """Who is asked and how, as the library takes it."""
    return {
        **vars(machine),
        "batch_size": read_batch_size(machine.batch_size),
        **read_writing(writing),
        "shard": read_shard(shard),
        **vars(batches),
        **vars(cluster),
        "price": read_price(costs.price),
        "budget": costs.budget,
    }


def read_price(text: str | None) -> tuple[float, float] | None:
    """Read the prices that ``0.15,0.60`` names."""
    if text is None:
        return None
    try:
        tokens_in, tokens_out = map(float, text.split(","))
    except ValueError:
        raise UsageError(f"--price {text}: expected two numbers such as 0.15,0.60") from None
    return tokens_in, tokens_out


def read_batch_size(text: str) -> int | None:
    """The number of questions computed at a time; null for ``auto``."""
    if text == "auto":
        return None
    if not (text.isdecimal() and int(text) > 0):
        raise UsageError(f"--batch-size {text}: expected a number from 1 on, or 'auto'")
    return int(text)


def read_writing(writing: Writing) -> dict[str, Any]:
    """How answers are written, as the library takes it."""
    return {
        **vars(writing),
        "extra_body": _read_json(writing.extra_body),
        "thought_marks": None if writing.thought_marks is None else _read_marks(writing.thought_marks),
    }


def _read_json(text: str | None) -> Any:
    try:
        return None if text is None else json.loads(text)
    except (ValueError, RecursionError):
        raise UsageError(
            f"--extra-body {text}: expected an object of JSON such as '{{\"top_k\": 20}}'"
        ) from None


def _read_marks(texts: list[str]) -> list[tuple[str, ...]]:
    pairs = [tuple(text.split(",")) for text in texts]
    for text, pair in zip(texts, pairs, strict=True):
        if len(pair) != 2 or not all(pair):
            raise UsageError(f"--thought-marks {text}: expected two marks such as '<plan>,</plan>'")
    return pairs


def read_shard(text: str | None) -> tuple[int, int] | None:
    """Read which of several machines ``2/4`` names, and how many there are."""
    if text is None:
        return None
    number, sign, of = text.partition("/")
    if not (sign and number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise UsageError(f"--shard {text}: expected two numbers such as 2/4, the second of four machines")
    return int(number), int(of)
