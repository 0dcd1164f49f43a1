"""Models: prompts go in, texts or log-probabilities of options come out.

Nothing here knows of tasks or scores. `protocols` says what every model can be asked; `open_model` finds one.
"""

import json
from collections.abc import Sequence
from typing import Literal

from blend.eval.models.local_model import open_local
from blend.eval.models.model_loading import Dtype
from blend.eval.models.protocols import Backend, ChatOptions, Decoding, OpenedModel
from blend.eval.models.server import open_server
from blend.eval.models.thoughts import Marks
from blend.eval.models.vllm_model import VllmModel, check_vllm
from blend.schemas.errors import ArgumentError, InputError


def open_model(
    model: str,
    *,
    server: str | None = None,
    backend: Backend | None = None,
    asked_for: Literal["text", "logprobs"] = "text",
    chat: bool | None = None,
    decoding: Decoding | None = None,
    options: ChatOptions | None = None,
    thought_marks: Sequence[Marks] = (),
    revision: str | None = None,
    device: str | None = None,
    dtype: Dtype | None = None,
    batch_size: int | None = None,
    concurrency: int | None = None,
) -> OpenedModel:
    """A model, here or on a server, ready to be asked.

    Args:
        model: Directory or Hub id; with a server, the name by which it knows the model.
        server: Address of an OpenAI-compatible server; the model is loaded here when absent.
        backend: Library that computes it here; ``transformers`` when absent.
        asked_for: What the model will be asked for: texts, or log-probabilities of options.
        chat: Whether prompts go through the model's chat template; if it has one when absent, and always on a
            server.
        decoding: How texts are generated; the defaults of `Decoding` when absent.
        options: What is said besides the prompt; needs the chat template, but for ``extra_body``, which needs a
            server.
        thought_marks: Pairs of marks around thoughts besides the usual ones (`thoughts.MARKS`).
        revision: See `local_model.open_local`, like the three that follow; they are not for servers.
        device: See there.
        dtype: See there.
        batch_size: See there.
        concurrency: See `server.open_server`; only for servers.

    Raises:
        MissingExtraError: If the extra ``eval`` is not installed.
        InputError: If the model cannot be used, or if an option does not fit the others.
        BlendError: If the Hub does not hold the model or does not give it.
    """
    if server is None:
        extra = None if options is None or options.extra_body is None else json.dumps(options.extra_body)
        _check_absent("with", concurrency=concurrency, extra_body=extra)
        return open_local(
            model,
            kind=_kind_of(backend, device=device, batch_size=batch_size),
            revision=revision,
            device=device,
            dtype=dtype,
            chat=chat,
            decoding=decoding,
            options=options,
            thought_marks=thought_marks,
            batch_size=batch_size,
        )
    _check_absent(
        "without", backend=backend, revision=revision, device=device, dtype=dtype, batch_size=batch_size
    )
    if asked_for == "logprobs":
        raise InputError(f"model {model}: a server only writes texts; load the model here, or ask it for texts")
    return open_server(
        model,
        server,
        chat=chat is not False,
        decoding=decoding,
        options=options,
        thought_marks=thought_marks,
        concurrency=concurrency,
    )


def _kind_of(backend: Backend | None, *, device: str | None, batch_size: int | None) -> type[VllmModel] | None:
    """Find the class of a model that a backend computes; null for the usual one."""
    if backend != "vllm":
        return None
    check_vllm()
    _check_absent("without", "backend=vllm", device=device, batch_size=batch_size)
    return VllmModel


def _check_absent(
    needed: Literal["with", "without"], other: str = "server", /, **options: str | int | None
) -> None:
    for name, value in options.items():
        if value is not None:
            fix = "leave it out" if needed == "with" else "leave one of the two out"
            raise ArgumentError(f"`{name}={value}` makes sense only {needed} `{other}`; {fix}")
