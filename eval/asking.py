"""Asking: who answers the questions of a run, how, and what it will take, settled before the first question.

Or nobody is asked, and a file of what another tool's model answered becomes a run (`keep_recorded`).
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from shutil import rmtree
from typing import Any, NamedTuple, get_args

from blend.eval.items import BLANK_LINE
from blend.eval.models import ChatOptions, Thinking
from blend.eval.models import Decoding as Settled
from blend.eval.models.chosen import (
    Asking,
    Decoding,
    Local,
    OwnModel,
    Price,
    Recorded,
    Server,
    callers_model,
    money,
    writes_alone,
)
from blend.eval.models.local_model import LocalModel, open_candidate_scorer, open_local
from blend.eval.models.server import ServerModel, open_server
from blend.eval.recorded_answers import is_predictions, read_predictions, read_recorded
from blend.eval.release_items import read_items, read_run
from blend.eval.runs import DESCRIPTION_NAME, RecordedAnswers, ReleaseItems, read_description
from blend.eval.runs.answer_logs import style_of
from blend.eval.runs.answers import write_answers
from blend.eval.runs.ask_model import ask_model, keep_results, pending_items, requests_of, write_requests
from blend.eval.runs.run_directory import Run, RunOutcome, open_run, outcome_of
from blend.eval.task_protocol import Task
from blend.loaders.files.progress import ProgressCallback
from blend.schemas.errors import ArgumentError
from blend.schemas.texts import pluralise

THINKING_TOKENS = 16_384
"""Tokens that an answer may have by default of a model that thinks before it: thoughts take thousands."""

_OF_OUR_MODELS = ("causal", "max_masks")
"""Options of a task that say how a model of ours scores candidates."""

_BYTES_PER_TOKEN = 3
"""Bytes of UTF-8 that count as a token where no tokenizer is at hand. English has four or five, most other
scripts two to four: rather too many tokens than too few."""

_WRITES = "the model writes answers, and does not say how likely an option is"
_THINKS = "the model thinks before it answers, so what is likeliest right behind a question is not its answer"

_OF_WRITING = ("max_tokens", "temperature", "seed")
_OF_SPEAKING = ("system", "thinking")


def refuse(options: Mapping[str, Any], where: str) -> None:
    """Refuse options that would change nothing, by the first that is given.

    Raises:
        ArgumentError: If there is one.
    """
    for name, value in options.items():
        if value not in (None, ()):
            first = value[0] if type(value) in (tuple, list) else value
            first = f"{first:g}" if isinstance(first, float) else first
            raise ArgumentError(f"`{name}={first}` makes sense only {where}; leave it out")


def questions_for(
    release: str | Path,
    task: Task,
    model: Local | Server | OwnModel,
    decoding: Decoding,
    asking: Asking,
    options: Mapping[str, Any],
) -> tuple[ReleaseItems, tuple[str, ...]]:
    """What a model is asked, and what a user should know about it.

    A model that cannot say which option is the likeliest, or whose choice would not be its answer, is asked
    to answer in words.
    """
    given = {name: value for name, value in options.items() if value is not None}
    if not isinstance(model, Local | Server):
        ours = {name: given.get(name) for name in _OF_OUR_MODELS}
        refuse(ours, "for a model that is loaded, and `model` is an object")
    in_words = {**task.of_texts, **given}
    words = " and ".join(f"`{name}={value}`" for name, value in task.of_texts.items())
    writes = isinstance(model, Server) or writes_alone(model)
    asked = read_items(release, task, **(in_words if writes else given))
    warnings, chooses = asked.asked.warnings, asked.asked.kind == "logprobs"
    if writes:
        if chooses and isinstance(model, Server):
            raise ArgumentError(f"{_WRITES}; give {words}, or leave it out")
        return asked, warnings if in_words == given else (*warnings, f"{_WRITES}; asked with {words}")
    if not (chooses and isinstance(model, Local) and model.chat is not False):
        return asked, warnings
    if not _opened(asked, model, decoding, asking).thinks():
        return asked, warnings
    if task.of_texts.keys() & given.keys():
        return asked, (*warnings, f"{_THINKS}; give {words} to have it answer")
    asked = read_items(release, task, **in_words)
    return asked, (*asked.asked.warnings, f"{_THINKS}; asked with {words}")


def ask(
    asked: ReleaseItems,
    model: Local | Server | OwnModel,
    out: Path,
    decoding: Decoding,
    asking: Asking,
    on_progress: ProgressCallback,
) -> tuple[Run, RunOutcome]:
    """Ask a model what the run has no answer to yet; a run that is planned only, and is new, leaves nothing."""
    _check_settings(asked, model, decoding, asking)
    kind, is_new = asked.asked.kind, not out.exists()
    used = _opened(asked, model, decoding, asking)
    settled = _settled(asked, used, decoding, out) if kind == "text" else None
    if isinstance(used, LocalModel | ServerModel) and settled is not None:
        used = used.with_decoding(settled)
    run = open_run(
        out,
        asked,
        used.describe(),
        settled,
        chat_options=None if kind == "candidates" else _chat_options(model, decoding),
        shard=asking.shard,
    )
    if asking.on_plan is not None:
        try:
            prompts = pending_items(run)["prompt"]
            max_tokens = 0 if settled is None else settled.max_tokens
            asking.on_plan(plan_asking(prompts, used, max_tokens, system=decoding.system, price=asking.price))
        except BaseException:
            # Of several machines another one may have begun.
            if is_new and not any(run.answers_folder.iterdir()):
                rmtree(run.directory)
            raise
    if isinstance(used, ServerModel) and asking.batch_out is not None:
        files = write_requests(asking.batch_out, requests_of(run, used.form))
        return run, outcome_of(run)._replace(files=files)
    if isinstance(used, ServerModel) and asking.batch_in:
        return keep_results(run, asking.batch_in)
    return run, ask_model(run, used, price=asking.price, budget=asking.budget, on_progress=on_progress)


class AskingPlan(NamedTuple):
    """What is about to be asked."""

    n_requests: int
    """Items without an answer."""
    tokens_in: int
    """Tokens of their prompts."""
    is_estimated: bool
    """Whether they are estimated from the length of the texts, since no tokenizer is at hand."""
    tokens_out: int
    """Tokens that may be written at most."""
    cost: float | None
    """Cost of them, if all is written that may be; null without a price."""

    def in_words(self) -> str:
        """A line for people."""
        about = "about " if self.is_estimated else ""
        parts = [pluralise(self.n_requests, "request"), f"{about}{pluralise(self.tokens_in, 'token')} in"]
        if self.tokens_out:
            parts.append(f"{self.tokens_out:,} out at most")
        if self.cost is not None:
            # Prompts may take more than is estimated.
            parts.append(f"cost about {money(self.cost)}" if about else f"cost {money(self.cost)} at most")
        return ", ".join(parts)


def plan_asking(
    prompts: Iterable[str], model: object, max_tokens: int, *, system: str | None, price: Price | None
) -> AskingPlan:
    """Plan what some prompts will take.

    Args:
        prompts: What is to be asked.
        model: The model, which may know the tokens of a prompt.
        max_tokens: Tokens of an answer at most; none where nothing is written.
        system: What is said before each prompt.
        price: Price of tokens.
    """
    texts, count_tokens = list(prompts), getattr(model, "count_tokens", None)
    if count_tokens is not None:
        tokens_in = count_tokens(texts)
    else:
        n_bytes = sum(len(text.encode()) for text in texts) + len(texts) * len((system or "").encode())
        tokens_in = -(-n_bytes // _BYTES_PER_TOKEN)
    tokens_out = len(texts) * max_tokens
    cost = None if price is None else price.of(tokens_in, tokens_out)
    return AskingPlan(len(texts), tokens_in, count_tokens is None, tokens_out, cost)


def _check_settings(
    asked: ReleaseItems, model: Local | Server | OwnModel, decoding: Decoding, asking: Asking
) -> None:
    """Refuse what would change nothing, or cannot be, where a model is asked in this way."""
    kind, n_samples = asked.asked.kind, asked.options.get("samples", 1)
    spoken, files = decoding.given(*_OF_SPEAKING), asking.given("batch_out", "batch_in")
    is_own = not isinstance(model, Local | Server)
    if kind != "text":
        written = decoding.given(*_OF_WRITING) | files | asking.given("budget")
        refuse(
            written | {"samples": n_samples if n_samples > 1 else None},
            "where answers are written, and here the likeliest option or candidate is the answer",
        )
    if kind == "candidates":
        if isinstance(model, Server):
            raise ArgumentError(
                "a server does not say how likely a candidate is; name a `model` on this machine"
            )
        of_chats = spoken | {"chat": getattr(model, "chat", None)}
        refuse(of_chats, "where a model writes or chooses, and here candidates are scored")
    if is_own:
        refuse(spoken, "for a model that is loaded or on a server, and `model` is an object")
    if not isinstance(model, Server):
        refuse(files, "for a model on a server (`server`)")
    if files:
        alone = asking.given("shard", "budget")
        refuse(alone, "where questions are asked one by one, and files are answered elsewhere")
    # How an object writes is its own matter, as long as nobody says it.
    if n_samples > 1 and not decoding.temperature and not (is_own and decoding.temperature is None):
        raise ArgumentError(
            f"{n_samples} samples at temperature 0 are one text {n_samples} times; "
            "give a `temperature` above 0, or `samples=1`"
        )


def _opened(asked: ReleaseItems, model: Local | Server | OwnModel, decoding: Decoding, asking: Asking) -> Any:
    """The model, ready to be asked, with the methods that answers of this kind take."""
    kind = asked.asked.kind
    if isinstance(model, Server):
        return open_server(
            model.name,
            model.url,
            chat=model.chat,
            options=_chat_options(model, decoding),
            concurrency=model.concurrency,
            # One that only reads or writes files need not be at hand.
            reachable=not asking.in_files or (model.url is not None and not asking.batch_in),
        )
    if not isinstance(model, Local):
        return callers_model(model, kind)
    if kind == "candidates":
        return open_candidate_scorer(model, **{name: asked.options[name] for name in _OF_OUR_MODELS})
    return open_local(model, options=_chat_options(model, decoding))


def _chat_options(model: Local | Server | OwnModel, decoding: Decoding) -> ChatOptions | None:
    fields = decoding.given(*_OF_SPEAKING)
    if (thinking := fields.pop("thinking", None)) is not None:
        fields["thinking" if thinking in get_args(Thinking) else "reasoning_effort"] = thinking
    if isinstance(model, Server) and model.extra_body is not None:
        fields["extra_body"] = model.extra_body
    return ChatOptions(**fields) if fields else None


def _settled(asked: ReleaseItems, used: Any, decoding: Decoding, out: Path) -> Settled | None:
    """How a model writes, with room for thoughts where it has any; null of an object of which nobody says it.

    A run that goes on keeps to what was settled when it began: what a server's first reply shows may change.
    """
    fields = decoding.given(*_OF_WRITING)
    if not isinstance(used, LocalModel | ServerModel):
        return Settled(**fields) if fields else None
    if "max_tokens" not in fields:
        before = read_description(out).decoding if (out / DESCRIPTION_NAME).exists() else None
        if before is not None and before.max_tokens in (Settled().max_tokens, THINKING_TOKENS):
            fields["max_tokens"] = before.max_tokens
        elif used.thinks():
            fields["max_tokens"] = THINKING_TOKENS
    if asked.options.get("shots") and not used.describe().chat:
        # A base model takes examples up as a series, and would go on with questions of its own.
        fields["stop"] = (BLANK_LINE,)
    return Settled(**fields)


def keep_recorded(
    release: str | Path,
    task: Task,
    given: Recorded,
    out: Path,
    decoding: Decoding,
    asking: Asking,
    options: Mapping[str, Any],
) -> tuple[Run, RunOutcome]:
    """Make a run of the answers in a file: of the task's own kind of table, or of answers to items."""
    of_models = decoding.given(*_OF_WRITING, *_OF_SPEAKING) | {"plan": asking.on_plan and True}
    of_models |= asking.given("batch_out", "batch_in", "budget", "shard", "price")
    refuse(of_models, "where a model is asked, and recorded answers ask nobody")
    path = given.path
    if task.takes_table(path):
        refuse(options, "for answers to items, and this is a table of texts")
        kept = task.run_of_table(path, out, model=given.name)
        return read_run(out), kept
    stated = {name: value for name, value in options.items() if value is not None}
    style = style_of(path)
    of_log = {"style": style} if style is not None and "style" in task.of_texts else {}
    asked = read_items(release, task, **{**task.of_texts, **of_log, **stated})
    if asked.asked.kind == "candidates":
        raise ArgumentError(
            "recorded answers are texts, and this task keeps scores of candidates; name a `model` without them"
        )
    if asked.asked.kind == "logprobs" and style is None:
        raise ArgumentError(
            f"`style={asked.options['style']}`: {path.name} holds what a model wrote, and not how likely "
            "options are to it; leave it out"
        )
    form = task.predictions()
    if form is None or not is_predictions(path):
        answers, noticed = read_recorded(path, asked.asked)
    else:
        answers, noticed = read_predictions(path, asked.asked, form)
    warnings = (*asked.asked.warnings, *(f"{path.name}: {warning}" for warning in noticed))
    run = open_run(out, asked, RecordedAnswers.of(path, given.name), None)
    write_answers(run.answers_folder / "main.jsonl", answers)
    outcome = outcome_of(run)
    return run, outcome._replace(warnings=(*warnings, *outcome.warnings), usage=None)
