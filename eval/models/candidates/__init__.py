"""Candidates: how likely each of many is in the gap of a prompt, by models of three kinds.

What comes in are prompts with one gap (`probing_terms.GAP`) and candidates as text; what goes out is a sum of
log-probabilities per candidate, and over how many tokens. Nothing here knows of dishes, gold or ranks.
"""

from blend.eval.models.candidates.candidate_protocol import CandidateScorer
from blend.eval.models.candidates.local_candidates import LocalCandidateScorer
from blend.eval.models.candidates.model_kinds import Scorer, refuse_option, scorer_of
from blend.eval.models.checkpoint import find_checkpoint
from blend.eval.models.model_loading import Dtype, choose_device, load_tokenizer, read_limits
from blend.schemas.prompts.candidate_options import MAX_MASKS, Causal


def open_candidate_scorer(
    model: str,
    *,
    causal: Causal = "conditional",
    max_masks: int = MAX_MASKS,
    scorer: Scorer | None = None,
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
    chosen_device = choose_device(device, dtype)
    checkpoint = find_checkpoint(model, revision=revision)
    kind = scorer_of(checkpoint, wanted=scorer)
    if kind != "causal" and causal != "conditional":
        refuse_option(checkpoint, kind, f"`causal={causal}`", wanted="causal")
    if kind != "masked" and max_masks != MAX_MASKS:
        refuse_option(checkpoint, kind, f"`max_masks={max_masks}`", wanted="masked")
    return LocalCandidateScorer(
        checkpoint,
        load_tokenizer(checkpoint),
        chosen_device,
        kind,
        causal=causal,
        max_masks=max_masks,
        batch_size=batch_size,
        context=read_limits(checkpoint).context_tokens,
    )
