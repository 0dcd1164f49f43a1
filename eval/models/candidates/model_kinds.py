"""Kinds of models: which scorer a checkpoint takes, by what it was made for."""

from typing import Literal, NoReturn

from blend.eval.models.checkpoint import Checkpoint
from blend.schemas.errors import InputError

Scorer = Literal["masked", "encoder_decoder", "causal"]
"""A masked model fills masks, an encoder-decoder fills a span, a causal model continues a text."""

_KINDS: dict[Scorer, str] = {
    "masked": "a masked language model",
    "encoder_decoder": "an encoder-decoder that fills spans",
    "causal": "a causal language model",
}


def scorer_of(checkpoint: Checkpoint, *, wanted: Scorer | None = None) -> Scorer:
    """The scorer for a checkpoint.

    Args:
        checkpoint: The files of the model.
        wanted: The scorer that it must take, if any.

    Raises:
        InputError: If there is none, or another than wanted; says what the model is.
    """
    found = _scorer(checkpoint)
    if found is None:
        shown = ", ".join(checkpoint.config.get("architectures") or ())
        what = shown or f"of type {checkpoint.config.get('model_type')!r}"
        raise InputError(
            f"model {checkpoint.id}: it is neither {_KINDS['masked']} nor {_KINDS['encoder_decoder']} nor "
            f"{_KINDS['causal']} but {what}; probing needs a model with the head that predicts tokens"
        )
    if wanted is not None and found != wanted:
        raise InputError(
            f"model {checkpoint.id}: it is {_KINDS[found]}, and the scorer {wanted!r} asks {_KINDS[wanted]}; "
            f"choose the scorer {found!r}, or another model"
        )
    return found


def refuse_option(checkpoint: Checkpoint, found: Scorer, option: str, *, wanted: Scorer) -> NoReturn:
    """Refuse an option that is for another kind of model.

    Raises:
        InputError: Always; says which kind the model is.
    """
    raise InputError(
        f"{option} makes sense only with {_KINDS[wanted]}, and {checkpoint.id} is {_KINDS[found]}; leave one "
        f"of "
        "the two out"
    )


def _scorer(checkpoint: Checkpoint) -> Scorer | None:
    """By the class that was saved; by the type of the model where the configuration names no class."""
    from transformers.models.auto import modeling_auto

    mappings: dict[Scorer, dict[str, str]] = {
        "encoder_decoder": dict(modeling_auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES),
        "masked": dict(modeling_auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES),
        "causal": dict(modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES),
    }
    kind = checkpoint.config.get("model_type")
    saved = set(checkpoint.config.get("architectures") or ())
    for scorer, classes in mappings.items():
        if kind in classes and (not saved or classes[kind] in saved):
            return scorer
    return None
