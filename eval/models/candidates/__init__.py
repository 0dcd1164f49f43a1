"""Candidates: how likely each of many is in the gap of a prompt, by models of three kinds.

What comes in are prompts with one gap (`rows.GAP`) and candidates as text; what goes out is a sum of
log-probabilities per candidate, and over how many tokens. Nothing here knows of dishes, gold or ranks.
"""

from blend.eval.models.candidates.candidate_protocol import CandidateScorer
from blend.eval.models.candidates.causal import CausalScorer
from blend.eval.models.candidates.gap_filling import MaskedScorer, SpanScorer
from blend.eval.models.checkpoint import KINDS
from blend.eval.models.model_loading import Dtype, OpenCheckpoint
from blend.schemas.errors import InputError
from blend.schemas.prompts import MAX_MASKS, Causal


def open_candidate_scorer(
    model: str,
    *,
    causal: Causal = "conditional",
    max_masks: int = MAX_MASKS,
    revision: str | None = None,
    device: str | None = None,
    dtype: Dtype | None = None,
    batch_size: int | None = None,
) -> CandidateScorer:
    """Find a model and check that it can be probed; its weights are loaded with the first prompt.

    Args:
        model: Directory, or Hub id.
        causal: How a causal model is asked.
        max_masks: Tokens that a candidate may have with a masked model.
        revision: See `models.local_model.open_local`, like those that follow.
        device: See there.
        dtype: See there.
        batch_size: Prompts computed at a time at most, on a GPU; on a CPU each is computed on its own, so that
            no score depends on its neighbours.

    Raises:
        MissingExtraError: If the extra ``eval`` is not installed.
        InputError: If there is no such model or device, if it cannot be used, or if it is of another kind than
            an option is for; says which kind it is.
        BlendError: If the Hub does not hold the model or does not give it.
    """
    opened = OpenCheckpoint(model, revision=revision, device=device, dtype=dtype)
    name, kind = opened.checkpoint.id, opened.kind
    if kind is None:
        raise InputError(
            f"model {name}: it is neither {KINDS['masked']} nor {KINDS['encoder_decoder']} nor "
            f"{KINDS['causal']} but {opened.checkpoint.architecture}; probing needs a model with the "
            "head that predicts tokens"
        )
    for option, value, usual, wanted in (
        ("causal", causal, "conditional", KINDS["causal"]),
        ("max_masks", max_masks, MAX_MASKS, KINDS["masked"]),
    ):
        if value != usual and KINDS[kind] != wanted:
            raise InputError(
                f"`{option}={value}` makes sense only with {wanted}, and {name} is {KINDS[kind]}; leave one of "
                "the two out"
            )
    if kind == "masked":
        return MaskedScorer(opened, batch_size, max_masks)
    if kind == "causal":
        return CausalScorer(opened, batch_size, causal)
    return SpanScorer(opened, batch_size)
