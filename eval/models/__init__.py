"""Models: prompts go in, texts or log-probabilities of options come out.

Nothing here knows of tasks or scores. `protocols` says what every model can be asked; `open_model` finds one.
"""

from typing import Literal

from blend.eval.models.loading import Dtype
from blend.eval.models.local import open_local
from blend.eval.models.protocols import Decoding, Model
from blend.eval.models.server import open_server
from blend.schemas.errors import InputError


def open_model(
    model: str,
    *,
    server: str | None = None,
    asked_for: Literal["text", "logprobs"] = "text",
    chat: bool | None = None,
    decoding: Decoding | None = None,
    revision: str | None = None,
    device: str | None = None,
    dtype: Dtype | None = None,
    batch_size: int | None = None,
    concurrency: int | None = None,
) -> Model:
    """A model, here or on a server, ready to be asked.

    Args:
        model: Directory or Hub id; with a server, the name by which it knows the model.
        server: Address of an OpenAI-compatible server; the model is loaded here when absent.
        asked_for: What the model will be asked for: texts, or log-probabilities of options.
        chat: Whether prompts go through the model's chat template. When absent: here, if it has one; on a
            server, for texts and not for log-probabilities, which servers give only of plain prompts.
        decoding: How texts are generated; the defaults of `Decoding` when absent.
        revision: See `local.open_local`, like the three that follow; they are not for servers.
        device: See there.
        dtype: See there.
        batch_size: See there.
        concurrency: Requests under way at a time on a server, 16 when absent; only for servers.

    Raises:
        MissingExtraError: If the extra ``eval`` is not installed.
        InputError: If the model cannot be used, or if an option does not fit the others.
        BlendError: If the Hub does not hold the model or does not give it.
    """
    if server is None:
        _check_absent("with", concurrency=concurrency)
        return open_local(
            model,
            revision=revision,
            device=device,
            dtype=dtype,
            chat=chat,
            decoding=decoding,
            batch_size=batch_size,
        )
    _check_absent("without", revision=revision, device=device, dtype=dtype, batch_size=batch_size)
    if asked_for == "logprobs" and chat:
        raise InputError(
            f"model {model}: a server scores options only of prompts that it is sent as they are, "
            "without a chat template; leave --chat out"
        )
    return open_server(
        model,
        server,
        chat=asked_for == "text" if chat is None else chat,
        decoding=decoding,
        concurrency=16 if concurrency is None else concurrency,
    )


def _check_absent(needed: Literal["with", "without"], **options: str | int | None) -> None:
    for name, value in options.items():
        if value is not None:
            option = f"--{name.replace('_', '-')}"
            raise InputError(f"{option} {value} makes sense only {needed} --server; leave one of the two out")
