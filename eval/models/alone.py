"""Alone: what a text is worth computed by itself, to tell models for which others beside it change that.

A run computes side by side what it can: padded texts, options that go on from one cache, candidates as branches
of a tree. That is correct only where a text does not feel what is computed with it, and no list of names says
where: FNet mixes padding into the text, an expert of Switch Transformers turns away what comes after its
capacity is used up, and tomorrow's architecture does something else. So every model is tried before it answers.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING

from blend.schemas.errors import BlendError, InputError

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel

TRIED = 32
"""Candidates that are computed alone at most; with each more, so many passes of the model are made."""

FACTOR = 4
"""A token's log-probability may differ by so many square roots of the number type's precision.

The root says that half of the type's digits have to agree, which leaves the other half to the noise of adding
up in another order. Random models of 2 to 24 layers differ by up to half a root, whatever the type."""


@dataclass(frozen=True, slots=True)
class Twice:
    """A candidate or an option, computed in both ways."""

    text: str
    """What it says."""
    n_tokens: int
    """Tokens of which the log-probabilities are added up, at least one."""
    together: float
    """Sum of its log-probabilities (natural logarithm), computed as a run does."""
    alone: float
    """The same, computed by itself."""


def tolerance(model: "PreTrainedModel") -> float:
    """By how much the log-probability of a token may differ, from the precision of the model's number type."""
    import torch

    return float(FACTOR * torch.finfo(model.dtype).eps ** 0.5)


def agrees(model: "PreTrainedModel", tried: Sequence[Twice]) -> bool:
    """Whether a model gives the same alone and together, but for the noise of its number type.

    In float32 every one has to agree. With fewer digits, noise makes a model of experts choose another expert
    now and then, and that token is then far off: there at least half have to.
    """
    import torch

    off = _off(model, tried)
    return not off if model.dtype == torch.float32 else 2 * len(off) <= len(tried)


def check_alone(model: "PreTrainedModel", name: str, tried: Sequence[Twice]) -> None:
    """Check that a model's scores do not depend on what is computed beside them.

    Args:
        model: The model.
        name: What messages call it.
        tried: Candidates or options, computed in both ways.

    Raises:
        InputError: If they do, or if it finds no scores at all; shows the one that is furthest off.
    """
    dtype = str(model.dtype).removeprefix("torch.")
    if lost := [one.text for one in tried if isnan(one.alone)]:
        raise InputError(
            f"model {name}: {lost[0]!r} has no log-probability in {dtype}: its numbers do not fit into "
            "that type, so nothing was computed; use dtype bfloat16 or float32"
        )
    if agrees(model, tried):
        return
    worst = max(_off(model, tried), key=lambda one: abs(one.together - one.alone) / one.n_tokens)
    tokens = f"{worst.n_tokens} tokens" if worst.n_tokens > 1 else "1 token"
    raise InputError(
        f"model {name}: {worst.text!r} has the log-probability {worst.alone:.4g} computed by itself and "
        f"{worst.together:.4g} computed with the others ({tokens}; {dtype} explains "
        f"{worst.n_tokens * tolerance(model):.2g}); scores of a {type(model).__name__} would depend on what "
        "happens to be computed beside them, so nothing was computed: evaluate a model of another architecture"
    )


@contextmanager
def explained_trial(model: "PreTrainedModel", name: str) -> Iterator[None]:
    """Turn an architecture's refusal to be computed as a run does into an error of the model's."""
    try:
        yield
    except BlendError:
        raise
    except (RuntimeError, ValueError, TypeError, LookupError, AttributeError, AssertionError) as error:
        reason = " ".join(str(error).split())[:200]
        raise InputError(
            f"model {name}: a {type(model).__name__} cannot be computed as scores need it ({reason}); evaluate "
            "a model of another architecture"
        ) from error


def plain_logprob(model: "PreTrainedModel", prefix: Sequence[int], tokens: Sequence[int]) -> float:
    """Log-probability of tokens after others by a causal model: one text, no padding, no cache, all logits."""
    import torch

    # The last token tells a model that looks ahead, but nothing is read after it: it need not fit any more.
    context = getattr(model.config.get_text_config(), "max_position_embeddings", None) or 0
    text = [*prefix, *tokens][: context if context > 0 else None]
    ids = torch.tensor([text], device=model.device)
    with torch.inference_mode():
        logits = model(input_ids=ids, attention_mask=torch.ones_like(ids), use_cache=False).logits[0]
    return summed(logits[len(prefix) - 1 :], tokens)


def summed(logits: "torch.Tensor", tokens: Sequence[int]) -> float:
    """Sum of the log-probabilities of tokens, each by its row of the logits."""
    import torch

    rows = torch.log_softmax(logits.float(), dim=-1)
    return float(sum(rows[i, token].double() for i, token in enumerate(tokens)))


def spread(candidates: Sequence[Sequence[int]]) -> list[int]:
    """Positions of up to `TRIED` candidates, evenly spread over those that have tokens, in order of these."""
    ordered = sorted((i for i, tokens in enumerate(candidates) if tokens), key=lambda i: list(candidates[i]))
    n = min(TRIED, len(ordered))
    # The last one is among them: what comes after many others is what a full expert turns away.
    return [ordered[(k + 1) * len(ordered) // n - 1] for k in range(n)]


def _off(model: "PreTrainedModel", tried: Sequence[Twice]) -> list[Twice]:
    allowed = tolerance(model)
    # Written so that NaN, close to nothing, is off, and two that are impossible (minus infinity) agree.
    return [
        one
        for one in tried
        if one.together != one.alone and not abs(one.together - one.alone) <= allowed * one.n_tokens
    ]
