"""Models: prompts go in, texts or log-probabilities of options come out.

Nothing here knows of tasks or scores. `protocols` says what every model can be asked; `open_model` finds one.
"""

import json
from collections.abc import Sequence
from typing import Literal

from blend.eval.models.local_model import open_local
from blend.eval.models.model_loading import Dtype
from blend.eval.models.protocols import ChatOptions, Decoding, OpenedModel
from blend.eval.models.server import open_server
from blend.eval.models.thoughts import Marks
from blend.schemas.errors import ArgumentError, InputError


def open_model(
    model: str,
    *,
    server: str | None = None,
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
    rpm: int | None = None,
    tpm: int | None = None,
) -> OpenedModel:
    """A model, here or on a server, ready to be asked.

    Args:
        model: Directory or Hub id; with a server, the name by which it knows the model.
        server: Address of an OpenAI-compatible server; the model is loaded here when absent.
        asked_for: What the model will be asked for: texts, or log-probabilities of options.
        chat: Whether prompts go through the model's chat template. When absent: here, if it has one; on a
            server, for texts and not for log-probabilities, which servers give only of plain prompts.
        decoding: How texts are generated; the defaults of `Decoding` when absent.
        options: What is said besides the prompt; needs the chat template, but for ``extra_body``, which needs a
            server.
        thought_marks: Pairs of marks around thoughts besides the usual ones (`thoughts.MARKS`).
        revision: See `local_model.open_local`, like the three that follow; they are not for servers.
        device: See there.
        dtype: See there.
        batch_size: See there.
        concurrency: Requests under way at a time on a server at most, see `server.open_server`, like the two
            that follow; they are only for servers.
        rpm: See there.
        tpm: See there.

    Raises:
        MissingExtraError: If the extra ``eval`` is not installed.
        InputError: If the model cannot be used, or if an option does not fit the others.
        BlendError: If the Hub does not hold the model or does not give it.
    """
    if server is None:
        extra = None if options is None or options.extra_body is None else json.dumps(options.extra_body)
        _check_absent("with", concurrency=concurrency, rpm=rpm, tpm=tpm, extra_body=extra)
        return open_local(
            model,
            revision=revision,
            device=device,
            dtype=dtype,
            chat=chat,
            decoding=decoding,
            options=options,
            thought_marks=thought_marks,
            batch_size=batch_size,
        )
    _check_absent("without", revision=revision, device=device, dtype=dtype, batch_size=batch_size)
    return open_server(
        model,
        server,
        chat=_chat_of_server(model, asked_for, chat=chat),
        decoding=decoding,
        options=options,
        thought_marks=thought_marks,
        concurrency=concurrency,
        rpm=rpm,
        tpm=tpm,
    )


def _chat_of_server(model: str, asked_for: Literal["text", "logprobs"], *, chat: bool | None) -> bool:
    """Settle whether a server's model is asked in a chat."""
    if asked_for == "logprobs" and chat:
        raise InputError(
            f"model {model}: a server scores options only of prompts that it is sent as they are, "
            "without a chat template; leave `chat` out"
        )
    return asked_for == "text" if chat is None else chat


def _check_absent(needed: Literal["with", "without"], /, **options: str | int | None) -> None:
    for name, value in options.items():
        if value is not None:
            fix = "leave it out" if needed == "with" else "leave one of the two out"
            raise ArgumentError(f"`{name}={value}` makes sense only {needed} `server`; {fix}")
