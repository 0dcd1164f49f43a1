"""Models that fill a gap: masked ones, and encoder-decoders of T5's kind.

A masked model: a candidate of n tokens fills n masks, all from one pass. With ``l[n][i][v]`` the log-softmax at
the i-th mask of the prompt with n masks, a candidate of the tokens ``t1..tn`` has the sum over i of
``l[n][i][ti]``. Masks are not filled one after the other.

An encoder-decoder: a candidate fills the span that the first sentinel stands for. The encoder reads the prompt
with ``<extra_id_0>`` in its gap, once. The decoder is given ``<extra_id_0>`` and the candidate (teacher
forcing); the sentinels themselves and what follows are not counted.

References:
    Zhou et al. (2025), FmLAMA, section 4; Kassner et al. (2021), Multilingual LAMA (several masks).
    Raffel et al. (2020), Exploring the Limits of Transfer Learning, section 3.1.4 (spans and sentinels).
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from blend.eval.models import Likelihoods
from blend.eval.models.batches import padded, summed
from blend.eval.models.candidates import (
    Gapped,
    KindScorer,
    Request,
    tree_scores,
)
from blend.eval.models.model_loading import OpenCheckpoint
from blend.schemas.errors import InputError
from blend.schemas.rows import GAP

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel


class MaskedScorer(KindScorer):
    """See `candidates.KindScorer`; a candidate of more tokens than `most_tokens` is not ranked."""

    def __init__(self, opened: OpenCheckpoint, batch_size: int | None, max_masks: int) -> None:
        super().__init__(opened, batch_size)
        if opened.tokenizer.mask_token_id is None:
            raise InputError(
                f"model {opened.checkpoint.id}: its tokenizer has no mask; save the one that the model was "
                "trained with beside it"
            )
        self.most_tokens = max_masks
        self._mask = opened.tokenizer.mask_token_id

    def encoded(self, prompt: Gapped) -> list[int]:
        """See `candidates.KindScorer.encoded`; one mask stands in the gap."""
        text = f"{prompt.before}{self._opened.tokenizer.mask_token}{prompt.after}"
        ids: list[int] = self._opened.tokenizer(text, verbose=False)["input_ids"]
        # A dish can be called like the mask.
        if (n_masks := ids.count(self._mask)) != 1:
            raise InputError(f"the prompt has {n_masks} masks in place of {GAP}; it must have one")
        return ids

    def seen(self, request: Request) -> int:
        """See `candidates.KindScorer.seen`; the prompt has one mask already."""
        return len(request.ids) - 1 + max(self._lengths(request), default=0)

    def cost(self, request: Request) -> int:
        """See `candidates.KindScorer.cost`."""
        return sum(len(request.ids) - 1 + n for n in self._lengths(request))

    def scores(self, requests: Sequence[Request]) -> list[Likelihoods]:
        """See `candidates.KindScorer.scores`."""
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
        """See `candidates.KindScorer.alone`; all logits of one text are read."""
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


OPENING, _CLOSING = "<extra_id_0>", "<extra_id_1>"
"""Sentinels before and after the span."""


class SpanScorer(KindScorer):
    """See `candidates.KindScorer`."""

    def __init__(self, opened: OpenCheckpoint, batch_size: int | None) -> None:
        super().__init__(opened, batch_size)
        known = opened.tokenizer.get_vocab()
        if OPENING not in known or _CLOSING not in known:
            raise InputError(
                f"model {opened.checkpoint.id}: its tokenizer has no {OPENING}, so it was not trained to fill "
                "spans; probe an encoder-decoder of T5's kind (T5, mT5, UMT5), a masked or a causal model"
            )
        self._opening, self._closing = known[OPENING], known[_CLOSING]

    def encoded(self, prompt: Gapped) -> list[int]:
        """See `candidates.KindScorer.encoded`; the sentinel stands in the gap."""
        text = f"{prompt.before}{OPENING}{prompt.after}"
        ids: list[int] = self._opened.tokenizer(text, verbose=False)["input_ids"]
        return ids

    def tokens(self, texts: Sequence[str], *, after_blank: bool) -> list[list[int]]:
        """See `candidates.KindScorer.tokens`; they stand between the sentinels."""
        del after_blank
        spans = [f"{OPENING} {text} {_CLOSING}" for text in texts]
        encoded: list[list[int]] = self._opened.tokenizer(spans, verbose=False)["input_ids"]
        # From the first opening to the last closing sentinel, whatever special tokens stand around them.
        return [
            ids[ids.index(self._opening) + 1 : len(ids) - 1 - ids[::-1].index(self._closing)] for ids in encoded
        ]

    def scores(self, requests: Sequence[Request]) -> list[Likelihoods]:
        """See `candidates.KindScorer.scores`."""
        return [self._scored(request) for request in requests]

    def _scored(self, request: Request) -> Likelihoods:
        """Scores of a prompt's candidates; the prompt goes through the encoder once."""
        import torch

        model, own = self._opened.model, request.candidates

        def predicted(tokens: Any, positions: Any, sees: Any) -> "torch.Tensor":
            with _at_positions(model, torch.from_numpy(positions).to(model.device)):
                logits: torch.Tensor = model(
                    encoder_outputs=read,
                    decoder_input_ids=torch.from_numpy(tokens)[None].to(model.device),
                    decoder_attention_mask=torch.from_numpy(sees)[None, None].to(model.device),
                    use_cache=False,
                ).logits[0]
            return logits

        with torch.inference_mode():
            read = model.get_encoder()(input_ids=torch.tensor([request.ids], device=model.device))
            scores = tree_scores(own.tokens, own.trees, [_start(model), self._opening], predicted)
        return replace(scores, tokens_in=len(request.ids))

    def alone(self, request: Request, some: Sequence[int]) -> list[float]:
        """See `candidates.KindScorer.alone`; one pass of encoder and decoder, all logits are read."""
        import torch

        model, found = self._opened.model, []
        ids = torch.tensor([request.ids], device=model.device)
        for tokens in (request.candidates.tokens[i] for i in some):
            given = torch.tensor([[_start(model), self._opening, *tokens[:-1]]], device=model.device)
            with torch.inference_mode():
                logits = model(
                    input_ids=ids, attention_mask=torch.ones_like(ids), decoder_input_ids=given, use_cache=False
                ).logits[0]
            # From the sentinel on: what stands at row i predicts the token after it.
            found.append(summed(logits[1:], tokens))
        return found


def _start(model: "PreTrainedModel") -> int:
    """The token that a decoder begins with; newer checkpoints name it among the settings of generation only."""
    for settings in (model.config, model.generation_config):
        if (start := getattr(settings, "decoder_start_token_id", None)) is not None:
            return int(start)
    raise InputError(
        "the model does not say which token its decoder begins with; add decoder_start_token_id to its "
        "config.json"
    )


@contextmanager
def _at_positions(model: "PreTrainedModel", positions: "torch.Tensor") -> Iterator[None]:
    """Have a decoder take the tokens that it is fed for those at given positions.

    T5 knows how far tokens are apart from their places in the text alone, and takes no positions. Nodes of a
    tree stand side by side: the biases that the model has for a plain text are looked up by the true positions.
    """
    longest = int(positions.max()) + 1

    def looked_up(module: Any) -> Any:
        plain = type(module).compute_bias

        def compute(*_sizes: Any, device: Any = None, **_options: Any) -> Any:
            # Shape ``(1, n_heads, n_fed, n_fed)`` once rows and columns are taken at the nodes' positions.
            table = plain(module, longest, longest, device=device)
            return table[:, :, positions][:, :, :, positions]

        return compute

    decoder = model.get_decoder().modules()
    biased = [module for module in decoder if getattr(module, "has_relative_attention_bias", False)]
    for module in biased:
        module.compute_bias = looked_up(module)
    try:
        yield
    finally:
        for module in biased:
            # Takes away the instance's attribute, and the method of the class shows again.
            del module.compute_bias
