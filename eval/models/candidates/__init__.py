"""Candidates: how likely each of many is in the gap of a prompt, by models of three kinds.

What comes in are prompts with one gap (`probing_terms.GAP`) and candidates as text; what goes out is a sum of
log-probabilities per candidate, and over how many tokens. Nothing here knows of dishes, gold or ranks.
"""

from blend.eval.models.candidates.candidate_protocol import CandidateScorer, KindScorer
from blend.eval.models.candidates.causal import CausalScorer
from blend.eval.models.candidates.encoder_decoder import SpanScorer
from blend.eval.models.candidates.local_candidates import LocalCandidateScorer
from blend.eval.models.candidates.masked import MaskedScorer
from blend.eval.models.checkpoint import KINDS, Kind, kind_of
from blend.eval.models.model_loading import Dtype, OpenCheckpoint
from blend.schemas.errors import InputError
from blend.schemas.prompts import MAX_MASKS, Causal


def open_candidate_scorer(
    model: str,
    *,
    causal: Causal = "conditional",
    max_masks: int = MAX_MASKS,
    scorer: Kind | None = None,
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
        scorer: The kind of model that is wanted; whatever the checkpoint is when absent.
        revision: See `models.local_model.open_local`, like those that follow.
        device: See there.
        dtype: See there.
        batch_size: Prompts computed at a time at most, on a GPU; on a CPU each is computed on its own, so that
            no score depends on its neighbours.

    Raises:
        MissingExtraError: If the extra ``eval`` is not installed.
        InputError: If there is no such model or device, if it cannot be used, or if it is of another kind than
            wanted, or than an option is for; says which kind it is.
        BlendError: If the Hub does not hold the model or does not give it.
    """
    opened = OpenCheckpoint(model, revision=revision, device=device, dtype=dtype)
    name, kind = opened.checkpoint.id, kind_of(opened.checkpoint)
    if kind is None:
        raise InputError(
            f"model {name}: it is neither {KINDS['masked']} nor {KINDS['encoder_decoder']} nor "
            f"{KINDS['causal']} but {opened.checkpoint.architecture}; probing needs a model with the "
            "head that predicts tokens"
        )
    if scorer not in (None, kind):
        raise InputError(
            f"model {name}: it is {KINDS[kind]}, and the scorer {scorer!r} asks {KINDS[scorer]}; choose the "
            f"scorer {kind!r}, or another model"
        )
    _check_option(name, kind, "causal", f"`causal={causal}`", is_given=causal != "conditional")
    _check_option(name, kind, "masked", f"`max_masks={max_masks}`", is_given=max_masks != MAX_MASKS)
    opened.kind = kind
    of_kind: KindScorer
    if kind == "masked":
        of_kind = MaskedScorer(opened, max_masks)
    else:
        of_kind = SpanScorer(opened) if kind == "encoder_decoder" else CausalScorer(opened, causal)
    return LocalCandidateScorer(opened, of_kind, batch_size)


def _check_option(model: str, kind: Kind, wanted: Kind, option: str, *, is_given: bool) -> None:
    if is_given and kind != wanted:
        raise InputError(
            f"{option} makes sense only with {KINDS[wanted]}, and {model} is {KINDS[kind]}; leave one of the "
            "two out"
        )
