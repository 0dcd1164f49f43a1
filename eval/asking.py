"""Asking: who answers the questions of a run and how, settled once before the first question is asked."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from typing import Any, get_args

from blend.eval.batch_runs import keep_results, write_run_requests
from blend.eval.few_shot import BLANK_LINE
from blend.eval.models.callers_model import OwnModel, callers_model, callers_scorer, writes_alone
from blend.eval.models.candidates import open_candidate_scorer
from blend.eval.models.candidates.candidate_protocol import CandidateScorer
from blend.eval.models.chosen import Decoding, Local, Server
from blend.eval.models.local_model import open_local
from blend.eval.models.protocols import ChatOptions, Model, OpenedModel, Thinking
from blend.eval.models.protocols import Decoding as Settled
from blend.eval.models.server import ServerModel, open_server
from blend.eval.release_items import ReleaseItems, read_items
from blend.eval.runs import opened
from blend.eval.runs.ask_model import ask_model, pending_items
from blend.eval.runs.candidate_answers import ask_candidates
from blend.eval.runs.run_description import DESCRIPTION_NAME, read_description
from blend.eval.runs.run_directory import Run, RunOutcome, Shard
from blend.eval.runs.usage import OnPlan, Price, plan_asking
from blend.eval.task import Task
from blend.loaders.files.progress import ProgressCallback
from blend.schemas.errors import ArgumentError, InputError

THINKING_TOKENS = 16_384
"""Tokens that an answer may have by default of a model that thinks before it: thoughts take thousands."""

OF_OUR_MODELS = ("causal", "max_masks")
"""Options of a task that say how a model of ours scores candidates."""

_OF_WRITING = ("max_tokens", "temperature", "seed", "samples", "thought_marks")
_OF_SPEAKING = ("system", "thinking")


@dataclass(frozen=True)
class Asking:
    """How a run asks, besides whom: parameters of `evaluation.run_task`."""

    decoding: Decoding
    """How answers are written."""
    shard: Shard | None = None
    """Which of several machines this is."""
    batch_out: Path | None = None
    """File of requests to write in place of asking."""
    batch_in: tuple[Path, ...] = ()
    """Files of results to read in place of asking."""
    price: Price | None = None
    """Price of tokens."""
    budget: float | None = None
    """Cost from which on nobody is asked."""
    on_plan: OnPlan | None = None
    """Hears what is about to be asked."""

    def __post_init__(self) -> None:
        if self.batch_out is not None and self.batch_in:
            raise ArgumentError("give `batch_out` or `batch_in`, and not both")
        if self.budget is not None and self.price is None:
            raise ArgumentError("`budget` needs a `price`, by which it is known what is spent")
        if self.budget is not None and self.budget < 0:
            raise ArgumentError(f"`budget`: {self.budget} is not possible (it is 0 at least)")

    @property
    def in_files(self) -> bool:
        """Whether questions go out, or answers come in, in files."""
        return self.batch_out is not None or bool(self.batch_in)

    def given(self, *names: str) -> dict[str, Any]:
        """Fields of the decoding that were given, by name."""
        return {name: value for name in names if (value := getattr(self.decoding, name)) not in (None, ())}


def refuse(options: Mapping[str, Any], where: str) -> None:
    """Refuse options that would change nothing, by the first that is given.

    Raises:
        ArgumentError: If there is one.
    """
    for name, value in options.items():
        if value not in (None, ()):
            first = value[0] if type(value) in (tuple, list) else value
            raise ArgumentError(f"`{name}={first}` makes sense only {where}; leave it out")


def questions_for(
    release: str | Path, task: Task, model: Local | Server | OwnModel, how: Asking, options: Mapping[str, Any]
) -> tuple[ReleaseItems, tuple[str, ...]]:
    """What a model is asked, and what a user should know about it.

    A model that cannot say which option is the likeliest, or whose choice would not be its answer, is asked
    to answer in words.
    """
    given = {name: value for name, value in options.items() if value is not None}
    in_words = {**task.of_texts, **given}
    if not isinstance(model, Local | Server):
        asked = read_items(release, task, in_parts=True, **(in_words if writes_alone(model) else given))
        refuse(
            {name: given.get(name) for name in OF_OUR_MODELS},
            "for a model that is loaded, and `model` is an object",
        )
        return asked, asked.asked.warnings
    asked = read_items(release, task, in_parts=True, **(in_words if how.in_files else given))
    why = _why_in_words(model, asked, how)
    if why is None:
        return asked, asked.asked.warnings
    words = " and ".join(f"`{name}={value}`" for name, value in task.of_texts.items())
    if task.of_texts.keys() & given.keys():
        if isinstance(model, Server):
            raise ArgumentError(f"{why}; give {words}, or leave it out")
        return asked, (*asked.asked.warnings, f"{why}; give {words} to have it answer")
    asked = read_items(release, task, in_parts=True, **in_words)
    return asked, (*asked.asked.warnings, f"{why}; asked with {words}")


def _why_in_words(model: Local | Server, asked: ReleaseItems, how: Asking) -> str | None:
    """Say why a model that is to choose the likeliest option has to answer in words; null where it need not."""
    if asked.asked.kind != "logprobs":
        return None
    if isinstance(model, Server):
        return "a server writes answers, and does not say how likely an option is"
    if model.chat is False or not _opened_local(model, how).thinks():
        return None
    return "the model thinks before it answers, so what is likeliest right behind a question is not its answer"


def ask(
    asked: ReleaseItems,
    model: Local | Server | OwnModel,
    out: Path,
    how: Asking,
    on_progress: ProgressCallback,
) -> tuple[Run, RunOutcome]:
    """Ask a model what the run has no answer to yet; a run that is planned only, and is new, leaves nothing."""
    kind = asked.asked.kind
    if kind != "text":
        files = {"batch_out": how.batch_out, "batch_in": how.batch_in, "budget": how.budget}
        refuse(
            {**how.given(*_OF_WRITING), **files},
            "where answers are written, and here the likeliest option or candidate is the answer",
        )
    if not isinstance(model, Local | Server):
        refuse(how.given(*_OF_SPEAKING), "for a model that is loaded or on a server, and `model` is an object")
    is_new = not out.exists()
    used: Model | CandidateScorer
    if kind == "candidates":
        used, decoding, spoken = _candidate_scorer(asked, model, how), None, None
    else:
        used, decoding = _writer(asked, model, out, how)
        spoken = _chat_options(model, how)
    with opened(
        out,
        asked,
        used.describe(),
        decoding if kind == "text" else None,
        chat_options=spoken,
        thought_marks=how.decoding.thought_marks or None,
        shard=how.shard,
    ) as run:
        _plan(run, used, decoding, how, is_new=is_new)
        if how.batch_out is not None:
            assert isinstance(used, ServerModel)
            return run, write_run_requests(run, used, how.batch_out)
        if how.batch_in:
            assert isinstance(used, ServerModel)
            return keep_results(run, used, how.batch_in)
        if kind == "candidates":
            assert isinstance(used, CandidateScorer)
            return run, ask_candidates(run, used, on_progress=on_progress)
        return run, ask_model(run, used, price=how.price, budget=how.budget, on_progress=on_progress)


def _plan(run: Run, model: object, decoding: Settled | None, how: Asking, *, is_new: bool) -> None:
    """Say what is about to be asked; who hears it can keep it from being asked."""
    if how.on_plan is None:
        return
    max_tokens = decoding.max_tokens if decoding is not None else 0
    prompts, system = pending_items(run)["prompt"], how.decoding.system
    try:
        how.on_plan(plan_asking(prompts, model, max_tokens, system=system, price=how.price))
    except BaseException:
        # Of several machines another one may have begun.
        if is_new and not any(run.answers_folder.iterdir()):
            rmtree(run.directory)
        raise


def _candidate_scorer(asked: ReleaseItems, model: Local | Server | OwnModel, how: Asking) -> CandidateScorer:
    """The model, ready to score candidates."""
    if isinstance(model, Server):
        raise ArgumentError("a server does not say how likely a candidate is; name a `model` on this machine")
    refuse(how.given(*_OF_SPEAKING), "where a model writes or chooses, and here candidates are scored")
    if not isinstance(model, Local):
        return callers_scorer(model, at_a_time=None)
    refuse({"chat": model.chat}, "where a model writes or chooses, and here candidates are scored")
    where = model.model_dump(include={"revision", "device", "dtype", "batch_size"}, exclude_none=True)
    return open_candidate_scorer(model.path, **{name: asked.options[name] for name in OF_OUR_MODELS}, **where)


def _writer(
    asked: ReleaseItems, model: Local | Server | OwnModel, out: Path, how: Asking
) -> tuple[Model, Settled | None]:
    """The model, ready to be asked, and how it writes, where somebody knows."""
    kind, fields = asked.asked.kind, how.given("max_tokens", "temperature", "seed")
    assert kind != "candidates"
    if not isinstance(model, Local | Server):
        used = callers_model(model, kind, at_a_time=None, thought_marks=how.decoding.thought_marks)
        # How an object writes is its own matter, as long as nobody says it.
        return used, Settled(**fields) if fields else None
    n_samples = asked.options.get("samples", 1)
    if n_samples > 1 and not how.decoding.temperature:
        raise ArgumentError(
            f"{n_samples} samples at temperature 0 are one text {n_samples} times; "
            "give a `temperature` above 0, or `samples=1`"
        )
    ours: OpenedModel = _opened_local(model, how) if isinstance(model, Local) else _opened_server(model, how)
    if kind != "text":
        return ours, None
    decoding = _settled(ours, fields, out)
    if asked.options.get("shots") and not ours.describe().chat:
        # A base model takes examples up as a series, and would go on with questions of its own.
        decoding = decoding.model_copy(update={"stop": (BLANK_LINE,)})
    return ours.with_decoding(decoding), decoding


def _opened_local(model: Local, how: Asking) -> OpenedModel:
    refuse({"batch_out": how.batch_out, "batch_in": how.batch_in}, "for a model on a server (`server`)")
    return open_local(
        model.path,
        options=_chat_options(model, how),
        thought_marks=how.decoding.thought_marks,
        **model.model_dump(exclude={"path"}),
    )


def _opened_server(model: Server, how: Asking) -> ServerModel:
    if how.in_files:
        alone = {"shard": how.shard and "{}/{}".format(*how.shard), "budget": how.budget}
        refuse(alone, "where questions are asked one by one, and files are answered elsewhere")
    return open_server(
        model.name,
        model.url,
        chat=model.chat,
        options=_chat_options(model, how),
        thought_marks=how.decoding.thought_marks,
        concurrency=model.concurrency,
        # One that only reads or writes files need not be at hand.
        reachable=not how.batch_in and (how.batch_out is None or model.url is not None),
    )


def _chat_options(model: Local | Server | OwnModel, how: Asking) -> ChatOptions | None:
    fields = how.given(*_OF_SPEAKING)
    if (thinking := fields.pop("thinking", None)) is not None:
        fields["thinking" if thinking in get_args(Thinking) else "reasoning_effort"] = thinking
    if isinstance(model, Server) and model.extra_body is not None:
        fields["extra_body"] = model.extra_body
    return ChatOptions(**fields) if fields else None


def _settled(model: OpenedModel, fields: Mapping[str, Any], out: Path) -> Settled:
    """How a model writes, with room for thoughts where it has any.

    A run that goes on keeps to what was settled when it began: what a server's first reply shows may change.
    """
    if "max_tokens" in fields:
        return Settled(**fields)
    usual = Settled(**fields)
    for_thoughts = usual.model_copy(update={"max_tokens": THINKING_TOKENS})
    before = _decoding_before(out)
    if before is not None and before.max_tokens in (usual.max_tokens, THINKING_TOKENS):
        return usual.model_copy(update={"max_tokens": before.max_tokens})
    return for_thoughts if model.thinks() else usual


def _decoding_before(out: Path) -> Settled | None:
    """How the run in a directory writes; null where there is none that can be read."""
    try:
        return read_description(out).decoding if (out / DESCRIPTION_NAME).exists() else None
    except InputError:
        return None
