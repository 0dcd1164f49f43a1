"""Asking: who answers the questions of a run and how, settled once before the first question is asked."""

from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from shutil import rmtree
from typing import Any

from blend.eval.asking_parameters import HowAsked, given, refuse
from blend.eval.batch_runs import BatchMode, run_in_batches
from blend.eval.few_shot import BLANK_LINE
from blend.eval.models import open_model
from blend.eval.models.callers_model import OwnModel, callers_model, callers_scorer, writes_alone
from blend.eval.models.candidates import open_candidate_scorer
from blend.eval.models.protocols import Decoding, Generator, Model, OpenedModel
from blend.eval.models.server import ServerModel, open_server
from blend.eval.ray_runs import opened_on_gpu, run_on_ray
from blend.eval.ray_workers import connected
from blend.eval.release_items import ReleaseItems, read_items
from blend.eval.runs import opened
from blend.eval.runs.ask_model import ask_model, pending_items
from blend.eval.runs.asked_shards import OnStatus
from blend.eval.runs.candidate_answers import ask_candidates
from blend.eval.runs.pending_shards import pending_shards
from blend.eval.runs.run_description import DESCRIPTION_NAME, read_description
from blend.eval.runs.run_directory import Run, RunOutcome, Shard
from blend.eval.runs.usage import OnPlan, Spending, keep_price, money, plan_asking
from blend.eval.task import Task
from blend.loaders.files.progress import ProgressCallback
from blend.schemas.errors import ArgumentError, InputError

THINKING_TOKENS = 16_384
"""Tokens that an answer may have by default of a model that thinks before it: thoughts take thousands."""

OF_OUR_MODELS = ("causal", "max_masks")
"""Options of a task that say how a model of ours scores candidates."""

_OF_CANDIDATES = ("revision", "device", "dtype", "batch_size")
"""Parameters of a model that scores candidates."""

_OF_OBJECTS = ("batch_size", "max_tokens", "temperature", "seed", "shard", "ray")
"""What concerns an object of a caller's as well."""

_NOT_WRITTEN = "where answers are written, and here the likeliest option is the answer"


def items_for(
    release: str | Path,
    task: Task,
    model: str | Path | OwnModel | None,
    how: HowAsked,
    options: Mapping[str, Any],
) -> tuple[ReleaseItems, tuple[str, ...]]:
    """What a model is asked, and what a user should know about it."""
    if model is not None and not isinstance(model, str | Path):
        if writes_alone(model):
            options = {**task.of_texts, **given(**options)}
        asked = read_items(release, task, in_parts=True, **options)
        of_ours = {name: value for name, value in options.items() if name in OF_OUR_MODELS}
        rest = {name: value for name, value in how.named().items() if name not in _OF_OBJECTS}
        refuse(
            {**rest, **given(**of_ours)}, "for a model that is loaded or on a server, and `model` is an object"
        )
        return asked, asked.asked.warnings
    if how.batch is not None or how.ray is not None:
        options = {**task.of_texts, **given(**options)}
    asked = read_items(release, task, in_parts=True, **options)
    why = None if model is None else _why_in_words(str(model), asked, how)
    if why is None:
        return asked, asked.asked.warnings
    in_words = " and ".join(f"`{name}={value}`" for name, value in task.of_texts.items())
    if any(options.get(name) is not None for name in task.of_texts):
        if why == _ON_SERVER:
            raise ArgumentError(f"{why}; give {in_words}, or leave it out")
        warning = f"{why}; give {in_words} to have it answer"
    else:
        asked = read_items(release, task, in_parts=True, **{**task.of_texts, **given(**options)})
        warning = f"{why}; asked with {in_words}"
    return asked, (*asked.asked.warnings, warning)


_THINKS = "the model thinks before it answers, so what is likeliest right behind a question is not its answer"


_ON_SERVER = "a server only writes, and does not say which option is the likeliest"


def _why_in_words(model: str, asked: ReleaseItems, how: HowAsked) -> str | None:
    """Say why a model that is to choose the likeliest option has to answer in words; null where it need not.

    If it thinks before it answers, its choice is not its answer: what comes right behind the question is the
    beginning of a thought. And a server is asked for texts alone.
    """
    if asked.asked.kind != "logprobs" or how.batch is not None or how.ray is not None:
        return None
    if how.machine.get("server") is not None:
        return _ON_SERVER
    if how.machine.get("chat") is False:
        return None
    opened = open_model(model, asked_for="logprobs", **how.machine, **_understanding(how))
    return _THINKS if opened.thinks() else None


def ask(
    asked: ReleaseItems,
    model: str | Path | OwnModel,
    out: Path,
    how: HowAsked,
    on_progress: ProgressCallback,
    on_plan: OnPlan | None = None,
    on_status: OnStatus | None = None,
) -> tuple[Run, RunOutcome]:
    """Ask a model what the run has no answer to yet; a run that is planned only, and is new, leaves nothing."""
    kind = asked.asked.kind
    if kind != "text":
        refuse(
            {**how.batches, **how.cluster},
            "where answers are written, and here the likeliest option or candidate is the answer",
        )
    if how.shard is not None and kind != "text":
        refuse({"shard": f"{how.shard[0]}/{how.shard[1]}"}, "where answers are written")
    if kind == "candidates":
        return _ask_for_candidates(asked, model, out, how, on_progress)
    if kind != "text":
        given_of_texts = {
            "samples": samples if (samples := asked.options.get("samples", 1)) > 1 else None,
            "thought_marks": how.thought_marks or None,
        }
        refuse({**how.writing, **how.paid, **given_of_texts}, _NOT_WRITTEN)
    with nullcontext() if how.ray is None else connected(how.ray.address):
        return _ask_to_write(asked, model, out, how, on_progress, on_plan, on_status)


def _ask_to_write(
    asked: ReleaseItems,
    model: str | Path | OwnModel,
    out: Path,
    how: HowAsked,
    on_progress: ProgressCallback,
    on_plan: OnPlan | None,
    on_status: OnStatus | None,
) -> tuple[Run, RunOutcome]:
    """Ask a model that writes, or chooses among options."""
    is_new = not out.exists()
    used, decoding = _writer(asked, model, out, how)
    with opened(
        out,
        asked,
        used.describe(),
        decoding if asked.asked.kind == "text" else None,
        chat_options=how.chat_options,
        thought_marks=how.thought_marks or None,
        shard=None if how.shard is None else Shard(*how.shard),
    ) as run:
        if how.price is not None:
            keep_price(run, how.price)
        if decoding is not None:
            try:
                _plan(run, used, decoding, how, on_plan)
            except BaseException:
                # Of several machines another one may have begun.
                if is_new and how.shard is None:
                    rmtree(out)
                raise
        if how.batch is not None:
            assert isinstance(used, ServerModel)
            return run_in_batches(run, used, how.batch, on_progress=on_progress)
        if how.ray is not None:
            assert isinstance(used, Generator)
            return run, run_on_ray(
                run,
                used,
                how.ray,
                price=how.price,
                budget=how.budget,
                on_progress=on_progress,
                on_status=on_status,
            )
        return run, ask_model(run, used, price=how.price, budget=how.budget, on_progress=on_progress)


def _plan(run: Run, model: Model, decoding: Decoding, how: HowAsked, on_plan: OnPlan | None) -> None:
    """Say what is about to be asked, and refuse batches that may cost more than the budget."""
    is_sent = how.batch is not None and not how.batch.results
    if on_plan is None and not (is_sent and how.budget is not None):
        return
    system = how.speaking.get("system")
    if how.ray is None:
        prompts: Iterable[str] = pending_items(run)["prompt"]
    else:
        prompts = (prompt for shard in pending_shards(run, how.ray.items) for prompt in shard.items["prompt"])
    plan = plan_asking(prompts, model, decoding, system=system, price=how.price)
    if on_plan is not None:
        on_plan(plan)
    if not is_sent or how.budget is None or how.price is None or plan.cost is None:
        return
    left = how.budget - Spending(run.answers_folder, how.price, how.budget).cost
    if plan.cost > left:
        raise InputError(
            f"{run.directory}: the requests may cost {money(plan.cost)}, {money(left)} of the budget are left, "
            "and nobody stops a batch half way; give a larger `budget`, or smaller `max_tokens`"
        )


def _ask_for_candidates(
    asked: ReleaseItems,
    model: str | Path | OwnModel,
    out: Path,
    how: HowAsked,
    on_progress: ProgressCallback,
) -> tuple[Run, RunOutcome]:
    others = {name: value for name, value in how.named().items() if name not in _OF_CANDIDATES}
    refuse(
        {**others, "thought_marks": how.thought_marks or None},
        "where a model writes or chooses, and here the scores of candidates of a model on this machine are "
        "read",
    )
    asks = {name: asked.options[name] for name in OF_OUR_MODELS}
    scorer = (
        open_candidate_scorer(str(model), **asks, **how.machine)
        if isinstance(model, str | Path)
        else callers_scorer(model, at_a_time=how.machine.get("batch_size"))
    )
    with opened(out, asked, scorer.describe(), None) as run:
        return run, ask_candidates(run, scorer, on_progress=on_progress)


def _writer(
    asked: ReleaseItems, model: str | Path | OwnModel, out: Path, how: HowAsked
) -> tuple[Model, Decoding | None]:
    """The model, ready to be asked, and how it writes, where somebody knows."""
    kind = asked.asked.kind
    assert kind != "candidates"
    if not isinstance(model, str | Path):
        at_a_time = how.machine.get("batch_size")
        used = callers_model(model, kind, at_a_time=at_a_time, thought_marks=how.thought_marks)
        # How an object writes is its own matter, as long as nobody says it.
        return used, Decoding(**how.writing) if how.writing else None
    n_samples = asked.options.get("samples", 1)
    if n_samples > 1 and not how.writing.get("temperature"):
        raise ArgumentError(
            f"{n_samples} samples at temperature 0 are one text {n_samples} times; "
            "give a `temperature` above 0, or `samples=1`"
        )
    opening = partial(open_model, str(model), asked_for=kind, **how.machine, **_understanding(how))
    ours: OpenedModel
    if how.batch is not None:
        ours = _batch_model(str(model), how.batch, how)
    elif how.ray is None or how.machine.get("server") is not None:
        ours = opening()
    elif how.machine.get("backend") == "vllm":
        ours = opened_on_gpu(opening)
    else:
        raise ArgumentError(
            "the workers of a cluster ask a `server`, an object of yours, or vLLM; give one of them, or leave "
            f"`ray={how.ray.address}` out"
        )
    if kind != "text":
        return ours, None
    decoding = _settled(ours, how.writing, out)
    if asked.options.get("shots") and not ours.describe().chat:
        # A base model takes examples up as a series, and would go on with questions of its own.
        decoding = decoding.model_copy(update={"stop": (BLANK_LINE,)})
    return ours.with_decoding(decoding), decoding


def _batch_model(model: str, batch: BatchMode, how: HowAsked) -> ServerModel:
    """The model on a server whose requests stand in files; only one that is sent them must be at hand."""
    one_by_one = ("revision", "device", "dtype", "batch_size", "shard")
    refuse(
        {name: value for name, value in how.named().items() if name in one_by_one},
        "where questions are asked one by one, and batches are answered elsewhere",
    )
    server = how.machine.get("server")
    if batch.submit and server is None:
        raise ArgumentError("`batch` needs a `server` that takes batches; `batch_out` writes files for any")
    return open_server(
        model,
        server,
        chat=how.machine.get("chat", True),
        concurrency=how.machine.get("concurrency"),
        reachable=server is not None and not batch.results,
        **_understanding(how),
    )


def _understanding(how: HowAsked) -> dict[str, Any]:
    """Parameters of `models.open_model` that say what is said to a model, and how its texts are read."""
    return {"options": how.chat_options, "thought_marks": how.thought_marks}


def _settled(model: OpenedModel, writing: Mapping[str, Any], out: Path) -> Decoding:
    """How a model writes, with room for thoughts where it has any.

    A run that goes on keeps to what was settled when it began: what a server's first reply shows may change.
    """
    if "max_tokens" in writing:
        return Decoding(**writing)
    usual = Decoding(**writing)
    for_thoughts = usual.model_copy(update={"max_tokens": THINKING_TOKENS})
    before = _decoding_before(out)
    if before is not None and before.max_tokens in (usual.max_tokens, THINKING_TOKENS):
        return usual.model_copy(update={"max_tokens": before.max_tokens})
    return for_thoughts if model.thinks() else usual


def _decoding_before(out: Path) -> Decoding | None:
    """How the run in a directory writes; null where there is none that can be read."""
    try:
        return read_description(out).decoding if (out / DESCRIPTION_NAME).exists() else None
    except InputError:
        return None
