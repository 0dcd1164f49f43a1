"""Models: prompts go in, texts or log-probabilities of options come out.

Nothing here knows of tasks or scores. `protocols` says what every model can be asked; `open_model` finds one.
"""

from blend.eval.models.loading import Dtype
from blend.eval.models.local import open_local
from blend.eval.models.protocols import Decoding, Model


def open_model(
    model: str,
    *,
    revision: str | None = None,
    device: str | None = None,
    dtype: Dtype | None = None,
    chat: bool | None = None,
    decoding: Decoding | None = None,
    batch_size: int | None = None,
) -> Model:
    """See `local.open_local`."""
    return open_local(
        model,
        revision=revision,
        device=device,
        dtype=dtype,
        chat=chat,
        decoding=decoding,
        batch_size=batch_size,
    )
