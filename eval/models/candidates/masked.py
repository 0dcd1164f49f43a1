"""Masked models: a candidate of n tokens fills n masks, all from one pass.

With ``l[n][i][v]`` the log-softmax at the i-th mask of the prompt with n masks, a candidate of the tokens
``t1..tn`` has the sum over i of ``l[n][i][ti]``. Masks are not filled one after the other.

References:
    Zhou et al. (2025), FmLAMA, section 4; Kassner et al. (2021), Multilingual LAMA (several masks).
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from blend.eval.models.alone import summed
from blend.eval.models.batches import padded
from blend.eval.models.candidates.candidate_protocol import Gapped, Request, plain_tokens
from blend.eval.models.model_loading import OpenCheckpoint
from blend.eval.models.protocols import Likelihoods
from blend.schemas.errors import InputError
from blend.schemas.rows import GAP

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel


class MaskedScorer:
    """See `candidate_protocol.KindScorer`; a candidate of more tokens than `most_tokens` is not ranked."""

    def __init__(self, opened: OpenCheckpoint, max_masks: int) -> None:
        if opened.tokenizer.mask_token_id is None:
            raise InputError(
                f"model {opened.checkpoint.id}: its tokenizer has no mask; save the one that the model was "
                "trained with beside it"
            )
        self.most_tokens: float = max_masks
        self._opened = opened
        self._mask = opened.tokenizer.mask_token_id

    def encoded(self, prompt: Gapped) -> list[int]:
        """See `candidate_protocol.KindScorer.encoded`; one mask stands in the gap."""
        text = f"{prompt.before}{self._opened.tokenizer.mask_token}{prompt.after}"
        ids: list[int] = self._opened.tokenizer(text, verbose=False)["input_ids"]
        # A dish can be called like the mask.
        if (n_masks := ids.count(self._mask)) != 1:
            raise InputError(f"the prompt has {n_masks} masks in place of {GAP}; it must have one")
        return ids

    def tokens(self, texts: Sequence[str], *, after_blank: bool) -> list[list[int]]:
        """See `candidate_protocol.KindScorer.tokens`; the blank before a gap makes no difference."""
        del after_blank
        return plain_tokens(self._opened.tokenizer, texts)

    def seen(self, request: Request) -> int:
        """See `candidate_protocol.KindScorer.seen`; the prompt has one mask already."""
        return len(request.ids) - 1 + max(self._lengths(request), default=0)

    def cost(self, request: Request) -> int:
        """See `candidate_protocol.KindScorer.cost`."""
        return sum(len(request.ids) - 1 + n for n in self._lengths(request))

    def scores(self, requests: Sequence[Request]) -> list[Likelihoods]:
        """See `candidate_protocol.KindScorer.scores`."""
        import torch

        model, found = self._opened.model, [np.full(len(one.candidates.tokens), np.nan) for one in requests]
        asked = [(r, n) for r, request in enumerate(requests) for n in self._lengths(request)]
        if asked:
            batch = padded([self._text(requests[r], n) for r, n in asked], model.device, left=False)
            at = (batch.ids == self._mask) & batch.mask.bool()
            with torch.inference_mode(), _read_only(model, *at.nonzero(as_tuple=True)):
                # The head sees one text of all masks, in the order of `asked`: shape ``(n_masks, n_words)``.
                logits = model(input_ids=batch.ids, attention_mask=batch.mask).logits[0]
                logprobs = torch.log_softmax(logits.float(), dim=-1)
            for (r, n), masks in zip(asked, torch.split(logprobs, [n for _, n in asked]), strict=True):
                members, tokens = requests[r].candidates.by_length[n]
                # Rows of masks broadcast against tokens, shape ``(n_candidates, n)``: the i-th token at the
                # i-th mask.
                of_masks = masks[
                    torch.arange(n, device=model.device), torch.from_numpy(tokens).to(model.device)
                ]
                found[r][members] = of_masks.double().sum(dim=1).cpu().numpy()
        return [
            Likelihoods(sums, one.candidates.lengths, len(one.ids))
            for sums, one in zip(found, requests, strict=True)
        ]

    def alone(self, request: Request, some: Sequence[int]) -> list[float]:
        """See `candidate_protocol.KindScorer.alone`; all logits of one text are read."""
        import torch

        position, found = request.ids.index(self._mask), []
        for tokens in (request.candidates.tokens[i] for i in some):
            ids = torch.tensor([self._text(request, len(tokens))], device=self._opened.model.device)
            with torch.inference_mode():
                logits = self._opened.model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits[0]
            found.append(summed(logits[position:], tokens))
        return found

    def _lengths(self, request: Request) -> list[int]:
        """The numbers of masks that candidates need."""
        return [n for n in request.candidates.by_length if n <= self.most_tokens]

    def _text(self, request: Request, n: int) -> list[int]:
        """A prompt with n masks."""
        position = request.ids.index(self._mask)
        return [*request.ids[:position], *[self._mask] * n, *request.ids[position + 1 :]]


@contextmanager
def _read_only(model: "PreTrainedModel", rows: "torch.Tensor", columns: "torch.Tensor") -> Iterator[None]:
    """Have a model predict at some places only while the block runs.

    The layer over the vocabulary costs as much as the rest of a small model, or several times as much. What the
    layers below it give is cut down to these places, so that it sees a single text of as many tokens.

    Args:
        model: Any model with a head over its base model.
        rows: Texts of the batch, shape ``(n_read,)``.
        columns: Places in them.
    """

    def cut(_module: Any, _inputs: Any, output: Any) -> Any:
        # From ``(n_texts, n_tokens, n_hidden)`` to ``(1, n_read, n_hidden)``.
        output.last_hidden_state = output.last_hidden_state[rows, columns].unsqueeze(0)
        return output

    hook = model.base_model.register_forward_hook(cut)
    try:
        yield
    finally:
        hook.remove()
