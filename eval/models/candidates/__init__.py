"""Candidates: how likely each of many is in the gap of a prompt, by models of three kinds.

What comes in are prompts with one gap (`probing_terms.GAP`) and candidates as text; what goes out is a sum of
log-probabilities per candidate, and over how many tokens. Nothing here knows of dishes, gold or ranks.
"""

from collections.abc import Sequence

import numpy as np

from blend.eval.models import AnswerTable, Likelihoods, ModelDescription, OnLikelihoods
from blend.eval.models.batches import ANOTHER, GPU_TOKENS, Batches, check_alone, short_and_usual, spread
from blend.eval.models.candidates.candidate_protocol import (
    CandidateScorer,
    CandidateSet,
    KindScorer,
    Request,
    Tokenised,
    divided,
)
from blend.eval.models.candidates.causal import CausalScorer
from blend.eval.models.candidates.gap_filling import MaskedScorer, SpanScorer
from blend.eval.models.checkpoint import KINDS, kind_of, readable
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
    name, kind = opened.checkpoint.id, kind_of(opened.checkpoint)
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
    opened.kind = kind
    of_kind: KindScorer
    if kind == "masked":
        of_kind = MaskedScorer(opened, max_masks)
    else:
        of_kind = SpanScorer(opened) if kind == "encoder_decoder" else CausalScorer(opened, causal)
    return _LocalCandidateScorer(opened, of_kind, batch_size)


class _LocalCandidateScorer:
    """See `candidate_protocol.CandidateScorer`.

    On a CPU each prompt is computed on its own: its scores depend on nothing else.
    """

    def __init__(self, opened: OpenCheckpoint, scorer: KindScorer, batch_size: int | None) -> None:
        self._opened = opened
        self._scorer = scorer
        # One token at a time means one prompt at a time, however long it is.
        self._batches = Batches(1 if opened.device.on_cpu else GPU_TOKENS, batch_size=batch_size)
        self._tried: Sequence[str] | None = None
        """The candidates with which the model was last compared with itself."""

    def describe(self) -> ModelDescription:
        """See `eval.models.Described.describe`."""
        return self._opened.describe(chat=False, delimiter="", scorer=self._opened.kind)

    def candidate_logprobs(
        self,
        prompts: Sequence[str],
        sets: Sequence[int],
        candidates: Sequence[Sequence[str]],
        *,
        keep: OnLikelihoods | None = None,
    ) -> Sequence[Likelihoods]:
        """See `candidate_protocol.CandidateScorer.candidate_logprobs`; the longest prompts come first."""
        table = AnswerTable[Likelihoods](len(prompts), keep)
        known: dict[tuple[int, bool], CandidateSet] = {}
        requests: dict[int, Request] = {}
        context = self._opened.context_tokens
        for position, (prompt, which) in enumerate(zip(prompts, sets, strict=True)):
            try:
                gapped = divided(prompt)
                ids = self._scorer.encoded(gapped)
            except InputError as error:
                table.put([position], [Likelihoods.failed(str(error))])
                continue
            key = which, gapped.after_blank
            if key not in known:
                tokens = self._scorer.tokens(candidates[which], after_blank=gapped.after_blank)
                known[key] = CandidateSet(candidates[which], tokens)
            request = Request(gapped, ids, known[key])
            if context is not None and (seen := self._scorer.seen(request)) > context:
                why = f"prompt and candidate need {seen} tokens, but the model sees {context}"
                table.put([position], [Likelihoods.failed(why, tokens_in=len(ids))])
            else:
                requests[position] = request

        def compute(batch: list[int]) -> None:
            table.put(batch, self._scorer.scores([requests[position] for position in batch]))

        def failed(position: int) -> None:
            n = len(requests[position].ids)
            why = f"out of memory: {n} tokens and their candidates do not fit into that of"
            table.put([position], [Likelihoods.failed(f"{why} {self._opened.device.device}", tokens_in=n)])

        if requests:
            costs = {position: self._scorer.cost(request) for position, request in requests.items()}
            self._try(list(requests.values()))
            self._batches.run(costs, compute, failed)
        return table.all()

    def tokenised(self, candidates: Sequence[str], *, after_blank: bool) -> list[Tokenised]:
        """See `candidate_protocol.CandidateScorer.tokenised`."""
        unknown = self._opened.tokenizer.unk_token_id
        tokens = self._scorer.tokens(candidates, after_blank=after_blank)
        return [Tokenised(len(ids), 0 if unknown is None else ids.count(unknown)) for ids in tokens]

    def _try(self, requests: Sequence[Request]) -> None:
        """Compute a short prompt of the largest set and one of usual length as the run will, and compare.

        Raises:
            InputError: If candidates have other scores alone (`batches.check_alone`).
        """
        largest = max((one.candidates for one in requests), key=lambda candidates: len(candidates.texts))
        if largest.texts == self._tried:
            return
        of_largest = [one for one in requests if one.candidates is largest]
        tried = short_and_usual(of_largest, [len(one.ids) for one in of_largest])
        some = spread([ids if len(ids) <= self._scorer.most_tokens else [] for ids in largest.tokens])
        name = self._opened.checkpoint.id
        with readable(name, "it", cannot="be computed as scores need it", fix=ANOTHER):
            for request, scores in zip(tried, self._scorer.scores(tried), strict=True):
                check_alone(
                    self._opened.model,
                    name,
                    [largest.texts[i] for i in some],
                    scores.tokens[some],
                    scores.logprobs[some],
                    np.array(self._scorer.alone(request, some)),
                )
        self._tried = largest.texts
