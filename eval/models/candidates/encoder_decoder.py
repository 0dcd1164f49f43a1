"""Encoder-decoders of T5's kind: a candidate fills the span that the first sentinel stands for.

The encoder reads the prompt with ``<extra_id_0>`` in its gap, once. The decoder is given ``<extra_id_0>`` and
the candidate (teacher forcing); the sentinels themselves and what follows are not counted.

References:
    Raffel et al. (2020), Exploring the Limits of Transfer Learning, section 3.1.4 (spans and sentinels);
    Zhou et al. (2025), FmLAMA, section 4.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from blend.eval.models.alone import summed
from blend.eval.models.candidates.candidate_protocol import CandidateScores, Gapped
from blend.eval.models.candidates.prefix_tree import TokenRun, Tree
from blend.eval.models.candidates.read_positions import picked
from blend.schemas.errors import InputError

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

OPENING, CLOSING = "<extra_id_0>", "<extra_id_1>"
"""Sentinels before and after the span."""


def check_sentinels(tokenizer: "PreTrainedTokenizerBase", *, model: str) -> None:
    """Check that a tokenizer knows the sentinels.

    Raises:
        InputError: If not.
    """
    known = tokenizer.get_vocab()
    if OPENING not in known or CLOSING not in known:
        raise InputError(
            f"model {model}: its tokenizer has no {OPENING}, so it was not trained to fill spans; "
            "probe an encoder-decoder of T5's kind (T5, mT5, UMT5), a masked or a causal model"
        )


def encoded(tokenizer: "PreTrainedTokenizerBase", prompt: Gapped) -> list[int]:
    """The tokens of a prompt with the sentinel in its gap, and the one that ends a text."""
    ids: list[int] = tokenizer(f"{prompt.before}{OPENING}{prompt.after}", verbose=False)["input_ids"]
    return ids


def span_tokens(tokenizer: "PreTrainedTokenizerBase", candidates: Sequence[str]) -> list[list[int]]:
    """The tokens of each candidate between the sentinels."""
    texts = [f"{OPENING} {candidate} {CLOSING}" for candidate in candidates]
    opening, closing = tokenizer.convert_tokens_to_ids([OPENING, CLOSING])
    encoded_whole: list[list[int]] = tokenizer(texts, verbose=False)["input_ids"]
    # From the first opening to the last closing sentinel, whatever special tokens stand around them.
    return [ids[ids.index(opening) + 1 : len(ids) - 1 - ids[::-1].index(closing)] for ids in encoded_whole]


def encoder_decoder_logprobs(
    model: "PreTrainedModel", prompts: Sequence[Sequence[int]], sentinel: int, sets: Sequence[Tree]
) -> list[CandidateScores]:
    """Scores of each prompt's candidates; every prompt goes through the encoder once.

    Args:
        model: An encoder-decoder.
        prompts: Tokens of each prompt, the sentinel among them.
        sentinel: The token of the first sentinel.
        sets: Candidates of each prompt, their tokens between the sentinels.
    """
    import torch

    found: list[CandidateScores] = []
    with torch.inference_mode():
        for prompt, tree in zip(prompts, sets, strict=True):
            ids = torch.tensor([list(prompt)], device=model.device)
            read = model.get_encoder()(input_ids=ids)
            logprobs = np.zeros(len(tree.tokens))
            # Candidates of one token each feed nothing, and are still read after the sentinel.
            parts: list[TokenRun | None] = [*tree.parts] or [None]
            for number, part in enumerate(parts):
                _read_part(model, read, sentinel, tree, part, logprobs, first=number == 0)
            found.append(CandidateScores(tree.sums(logprobs), tree.lengths.astype(np.int32), len(prompt)))
    return found


def plain_logprob(
    model: "PreTrainedModel", prompt: Sequence[int], sentinel: int, tokens: Sequence[int]
) -> float:
    """Score of one candidate: one pass of encoder and decoder over plain texts, all logits."""
    import torch

    ids = torch.tensor([list(prompt)], device=model.device)
    given = torch.tensor([[_start(model), sentinel, *tokens[:-1]]], device=model.device)
    with torch.inference_mode():
        logits = model(
            input_ids=ids, attention_mask=torch.ones_like(ids), decoder_input_ids=given, use_cache=False
        ).logits[0]
    # From the sentinel on: what stands at row i predicts the token after it.
    return summed(logits[1:], tokens)


def _start(model: "PreTrainedModel") -> int:
    """The token that a decoder begins with; newer checkpoints name it among the settings of generation only."""
    for settings in (model.config, model.generation_config):
        if (start := getattr(settings, "decoder_start_token_id", None)) is not None:
            return int(start)
    raise InputError(
        "the model does not say which token its decoder begins with; add decoder_start_token_id to its "
        "config.json"
    )


def _read_part(
    model: "PreTrainedModel",
    read: Any,
    sentinel: int,
    tree: Tree,
    part: TokenRun | None,
    logprobs: np.ndarray[Any, np.dtype[np.float64]],
    *,
    first: bool,
) -> None:
    """Feed the start, the sentinel and some nodes to the decoder, and read the nodes after them."""
    import torch

    tokens = [_start(model), sentinel, *(part.tokens.tolist() if part is not None else ())]
    positions = [0, 1, *(part.depths + 2 if part is not None else ())]
    n_fed = len(tokens)
    # Rows see columns: the start and the sentinel as in any text, nodes both of these and their own beginnings.
    sees = np.tril(np.ones((n_fed, n_fed), dtype=bool))
    if part is not None:
        sees[2:, :2] = True
        sees[2:, 2:] = part.sees
    mask = torch.from_numpy(sees)[None, None].to(model.device)
    with _positions(model, torch.tensor(positions, device=model.device)):
        logits = model(
            encoder_outputs=read,
            decoder_input_ids=torch.tensor([tokens], device=model.device),
            decoder_attention_mask=mask,
            use_cache=False,
        ).logits[0]
    if first:
        nodes = tree.first
        # Row 0 is the start and row 1 the sentinel, which predicts first tokens; nodes follow from row 2 on.
        logprobs[nodes] = _of(logits, np.full(len(nodes), 1), tree.tokens[nodes])
    if part is not None:
        logprobs[part.read] = _of(logits, part.rows + 2, tree.tokens[part.read])


def _of(logits: "torch.Tensor", rows: Any, tokens: Any) -> Any:
    import torch

    return picked(
        logits, torch.from_numpy(rows).to(logits.device), torch.from_numpy(tokens).to(logits.device)
    ).numpy()


@contextmanager
def _positions(model: "PreTrainedModel", positions: "torch.Tensor") -> Iterator[None]:
    """Have a decoder take the tokens that it is fed for those at given positions.

    T5 knows how far tokens are apart from their places in the text alone, and takes no positions. Nodes of a
    tree stand side by side: the biases that the model has for a plain text are looked up by the true positions.
    """
    biased = [
        module
        for module in model.get_decoder().modules()
        if getattr(module, "has_relative_attention_bias", False)
    ]
    longest = int(positions.max()) + 1

    def looked_up(module: Any) -> Any:
        plain = type(module).compute_bias

        def compute(*_sizes: Any, device: Any = None, **_options: Any) -> Any:
            # Shape ``(1, n_heads, n_fed, n_fed)`` once rows and columns are taken at the nodes' positions.
            table = plain(module, longest, longest, device=device)
            return table[:, :, positions][:, :, :, positions]

        return compute

    for module in biased:
        module.compute_bias = looked_up(module)
    try:
        yield
    finally:
        for module in biased:
            # Takes away the instance's attribute, and the method of the class shows again.
            del module.compute_bias
