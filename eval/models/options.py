"""Options: their log-probabilities after a prompt, with each prompt computed once.

A prompt goes through the model once, and of its output only the last position is read: that is all that options
of one token, such as letters, need. Longer options go on from the prompt's key-value cache, each from a copy.
"""

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from blend.eval.models.encoding import Question
from blend.eval.models.padding import Padded, padded

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel


def option_logprobs(model: "PreTrainedModel", questions: Sequence[Question]) -> list[list[float]]:
    """Sums of log-probabilities of each question's options, computed as one batch.

    Args:
        model: A causal language model.
        questions: Prompts and options, none of them empty and none longer than the model's context.

    Returns:
        Per question, one sum per option in natural logarithm; softmax in float32, sums in float64.
    """
    import torch

    sums = [[0.0] * len(question.options) for question in questions]
    with torch.inference_mode():
        rows = [
            (q, o)
            for q, question in enumerate(questions)
            for o, ids in enumerate(question.options)
            if len(ids) > 1
        ]
        prefixes = padded([question.prefix for question in questions], model.device)
        output = _forward(model, prefixes, use_cache=bool(rows), logits_to_keep=1)
        first = torch.log_softmax(output.logits[:, -1].float(), dim=-1)
        if rows and not _shareable(getattr(output, "past_key_values", None)):
            return _without_sharing(model, questions)
        for q, question in enumerate(questions):
            for o, value in enumerate(first[q, [ids[0] for ids in question.options]].tolist()):
                sums[q][o] = value
        del first
        if rows:
            tails = [questions[q].options[o] for q, o in rows]
            for (q, o), value in zip(rows, _tails(model, output, prefixes, rows, tails), strict=True):
                sums[q][o] += value
    return sums


def _forward(model: "PreTrainedModel", texts: Padded, *, logits_to_keep: int, **options: Any) -> Any:
    """One pass; what a model does not take (positions for one without them) it is not given."""
    wanted = {"position_ids": texts.positions, "logits_to_keep": logits_to_keep}
    taken = inspect.signature(model.forward).parameters
    known = {name: value for name, value in wanted.items() if name in taken}
    return model(input_ids=texts.ids, attention_mask=texts.mask, **known, **options)


def _shareable(cache: Any) -> bool:
    """Whether options can go on from copies of a cache; recurrent states of some models cannot be copied."""
    layers = getattr(cache, "layers", None)
    return bool(layers and all(hasattr(layer, "batch_select_indices") for layer in layers))


def _tails(
    model: "PreTrainedModel",
    prefixed: Any,
    prefixes: Padded,
    rows: Sequence[tuple[int, int]],
    options: Sequence[Sequence[int]],
) -> list[float]:
    """Sums over the second and further tokens of options, which go on from their prompts' cache."""
    import torch

    device = prefixes.ids.device
    of_prompt = torch.tensor([q for q, _ in rows], device=device)
    prefixed.past_key_values.batch_select_indices(of_prompt)
    fed = padded([ids[:-1] for ids in options], device, left=False)
    lengths = prefixes.mask.sum(dim=1, keepdim=True)[of_prompt]
    going_on = Padded(
        fed.ids, torch.cat([prefixes.mask[of_prompt], fed.mask], dim=1), fed.positions + lengths * fed.mask
    )
    output = _forward(
        model, going_on, past_key_values=prefixed.past_key_values, use_cache=True, logits_to_keep=0
    )
    targets = padded([ids[1:] for ids in options], device, left=False)
    return _sums(output.logits, targets)


def _without_sharing(model: "PreTrainedModel", questions: Sequence[Question]) -> list[list[float]]:
    """The same for models whose state cannot be copied: every option with its whole prompt."""
    options = [ids for question in questions for ids in question.options]
    texts = [question.prefix + ids[:-1] for question in questions for ids in question.options]
    width = max(map(len, options))
    output = _forward(model, padded(texts, model.device), use_cache=False, logits_to_keep=width)
    values = iter(_sums(output.logits[:, -width:], padded(options, model.device)))
    return [[next(values) for _ in question.options] for question in questions]


def _sums(logits: "torch.Tensor", targets: Padded) -> list[float]:
    """Sums of the targets' log-probabilities by row; logits have the shape of the targets, by vocabulary."""
    logits = logits.float()
    chosen = logits.gather(2, targets.ids.unsqueeze(2)).squeeze(2) - logits.logsumexp(dim=2)
    return (chosen.double() * targets.mask).sum(dim=1).tolist()
