"""Candidates: how likely each of many is in the gap of a prompt, by models of three kinds.

What comes in are prompts with one gap (`rows.GAP`) and candidates as text; what goes out is a sum of
log-probabilities per candidate, and over how many tokens. Nothing here knows of dishes, gold or ranks.

Here stand what every scorer is asked and gives back, what those of models here share, and prefix trees. In a
tree, candidates that begin with the same tokens are computed once as far as they do. Every distinct beginning
of a candidate that a token follows is a node. It is *fed* to the model, once, and sees nothing but the prompt
and its own beginnings; what it predicts is read for all tokens that follow it.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blend.eval.models import AnswerTable, Likelihoods, ModelDescription, OnLikelihoods
from blend.eval.models.batches import ANOTHER, GPU_TOKENS, Batches, check_alone, short_and_usual, spread
from blend.eval.models.checkpoint import readable
from blend.eval.models.model_loading import OpenCheckpoint
from blend.schemas.errors import InputError
from blend.schemas.rows import GAP

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerBase

IntArray = NDArray[np.int64]
ROOT = -1
"""The row that a candidate's first token is read from: the end of the prompt."""


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """Some candidates as a tree that is fed in one pass, and what is read of it."""

    tokens: IntArray
    """Tokens that are fed, shape ``(n_fed,)``; every node stands behind those that it goes on from."""
    sees: NDArray[np.bool_]
    """Which nodes each sees, those that it goes on from and itself, shape ``(n_fed, n_fed)``."""
    owners: IntArray
    """The candidate of each token read, shape ``(n_read,)``; those of one stand in its order."""
    rows: IntArray
    """The node that predicts it; `ROOT` for first tokens."""
    read: IntArray
    """The token."""

    def after(self, before: Sequence[int]) -> tuple[IntArray, IntArray, NDArray[np.bool_]]:
        """The tokens of one text of what stands before and the tree, their positions, and what each sees."""
        n = len(before)
        sees = np.tril(np.ones((n + len(self.tokens),) * 2, dtype=bool))
        sees[n:, n:] = self.sees
        # Siblings have the same position, though they stand behind each other: each sees as many tokens.
        return np.concatenate([np.array(before, dtype=np.int64), self.tokens]), sees.sum(axis=1) - 1, sees


def make_trees(candidates: Sequence[Sequence[int]], *, tokens_at_a_time: int) -> list[Tree]:
    """Candidates as trees, in each those that begin alike.

    Args:
        candidates: Tokens of each.
        tokens_at_a_time: Tokens of the candidates of a tree, more or less; it feeds fewer.
    """
    # In order, those that begin with the same tokens stand together.
    in_order = sorted(range(len(candidates)), key=lambda i: list(candidates[i]))
    number = np.cumsum([len(candidates[i]) for i in in_order]) // tokens_at_a_time
    parts = np.split(np.array(in_order, dtype=np.int64), np.flatnonzero(np.diff(number)) + 1)
    return [_tree(candidates, part.tolist()) for part in parts]


def _tree(candidates: Sequence[Sequence[int]], members: Sequence[int]) -> Tree:
    """The tree of some candidates, by their positions."""
    texts = {i: tuple(candidates[i]) for i in members}
    # A last token is read, and never fed. In order, what goes on from a beginning stands behind it.
    fed = sorted({text[:n] for text in texts.values() for n in range(1, len(text))})
    row_of = {beginning: row for row, beginning in enumerate(fed)}
    sees = np.zeros((len(fed), len(fed)), dtype=bool)
    for beginning, row in row_of.items():
        sees[row, [row_of[beginning[: n + 1]] for n in range(len(beginning))]] = True
    read = [(i, row_of.get(text[:n], ROOT), text[n]) for i, text in texts.items() for n in range(len(text))]
    # Of nothing read an array of shape ``(0, 3)``, which can be taken apart as well.
    owners, rows, tokens = np.array(read, dtype=np.int64).reshape(-1, 3).T
    return Tree(np.array([text[-1] for text in fed], dtype=np.int64), sees, owners, rows, tokens)


_TOKENS_ON_CPU = 512
"""Tokens of a tree's candidates on a CPU, of which about half are fed in a pass: what a layer computes of more
no longer fits into its caches, and the scores of 250,000 tokens at as many places would take gigabytes."""

_TOKENS_ON_GPU = 4096
"""The same on a GPU."""


@dataclass(frozen=True, slots=True)
class Tokenised:
    """Tokens that a tokenizer makes of a candidate, as counts."""

    n_tokens: int
    """Tokens; 0 where nothing is left of it."""
    n_unknown: int
    """Of these, tokens that stand for what the tokenizer does not know."""


class Gapped(NamedTuple):
    """A prompt, divided at its gap."""

    before: str
    """What stands before the gap."""
    after: str
    """What stands after it."""

    @property
    def after_blank(self) -> bool:
        """Whether a blank stands before the gap, as in English and not in Chinese."""
        return self.before[-1:].isspace()


def divided(prompt: str) -> Gapped:
    """A prompt, divided at its gap.

    Raises:
        InputError: If it has none or several.
    """
    parts = prompt.split(GAP)
    if len(parts) != 2:
        count = "no gap" if len(parts) == 1 else f"{len(parts) - 1} gaps"
        raise InputError(f"the prompt {prompt!r} has {count} {GAP}; it must have one")
    return Gapped(*parts)


@dataclass(eq=False)
class CandidateSet:
    """Candidates as a model's tokens: the same in all gaps, but for the blank before them."""

    texts: Sequence[str]
    """What they say."""
    tokens: list[list[int]]
    """Tokens of each."""
    tokens_at_a_time: int
    """See `make_trees`."""

    @cached_property
    def lengths(self) -> NDArray[np.int32]:
        """Number of tokens of each."""
        return np.array([len(ids) for ids in self.tokens], dtype=np.int32)

    @cached_property
    def by_length(self) -> dict[int, tuple[NDArray[np.intp], NDArray[np.int64]]]:
        """By number of tokens, positions of those that have so many, and their tokens."""
        positions = {n: np.flatnonzero(self.lengths == n) for n in sorted({*self.lengths.tolist()} - {0})}
        return {n: (at, np.array([self.tokens[i] for i in at])) for n, at in positions.items()}

    @cached_property
    def trees(self) -> list[Tree]:
        """The same as trees."""
        return make_trees(self.tokens, tokens_at_a_time=self.tokens_at_a_time)


class Request(NamedTuple):
    """A prompt and its candidates, as a model's tokens."""

    prompt: Gapped
    ids: list[int]
    """Tokens of the prompt, as the kind of model is given it."""
    candidates: CandidateSet


def plain_tokens(tokenizer: "PreTrainedTokenizerBase", texts: Sequence[str]) -> list[list[int]]:
    """Tokens of each text, without special ones."""
    ids: list[list[int]] = tokenizer(list(texts), add_special_tokens=False, verbose=False)["input_ids"]
    return ids


class KindScorer:
    """A model here that scores candidates; each kind of model says how it is asked.

    On a CPU each prompt is computed on its own: its scores depend on nothing else.
    """

    most_tokens: float = math.inf
    """Tokens of a candidate that is ranked at most."""

    def __init__(self, opened: OpenCheckpoint, batch_size: int | None) -> None:
        self._opened = opened
        # One token at a time means one prompt at a time, however long it is.
        self._batches = Batches(1 if opened.device.on_cpu else GPU_TOKENS, batch_size=batch_size)
        self._is_tried = False

    def encoded(self, prompt: Gapped) -> list[int]:
        """Tokens of a prompt.

        Raises:
            InputError: If it cannot be asked; says why.
        """
        raise NotImplementedError  # each kind of model has its own

    def tokens(self, texts: Sequence[str], *, after_blank: bool) -> list[list[int]]:
        """Tokens of candidates, in gaps with or without a blank before them, which may make no difference."""
        del after_blank
        return plain_tokens(self._opened.tokenizer, texts)

    def seen(self, request: Request) -> int:
        """Tokens that the model has to see at once; 0 where that is not limited."""
        del request
        return 0

    def cost(self, request: Request) -> int:
        """Tokens that a prompt takes of a batch."""
        return len(request.ids)

    def scores(self, requests: Sequence[Request]) -> list[Likelihoods]:
        """Scores of some prompts, as one batch where the kind has batches."""
        raise NotImplementedError

    def alone(self, request: Request, some: Sequence[int]) -> list[float]:
        """Scores of some candidates, each computed by itself."""
        raise NotImplementedError

    def describe(self) -> ModelDescription:
        """See `models.Model.describe`."""
        return self._opened.describe(chat=False, delimiter="", scorer=self._opened.kind)

    def candidate_logprobs(
        self,
        prompts: Sequence[str],
        sets: Sequence[int],
        candidates: Sequence[Sequence[str]],
        *,
        keep: OnLikelihoods | None = None,
    ) -> Sequence[Likelihoods]:
        """Say how likely each prompt's candidates are in its gap; the longest prompts come first.

        Args:
            prompts: Texts with one gap each (`rows.GAP`).
            sets: For each prompt the position of its candidates among ``candidates``.
            candidates: Sets of candidates, as text.
            keep: As for `local_model.LocalModel.generate`.

        Raises:
            BlendError: If the model cannot be asked at all. What was kept until then stays.
        """
        table = AnswerTable[Likelihoods](len(prompts), keep)
        known: dict[tuple[int, bool], CandidateSet] = {}
        requests: dict[int, Request] = {}
        context = self._opened.context_tokens
        at_a_time = _TOKENS_ON_CPU if self._opened.device.on_cpu else _TOKENS_ON_GPU
        for position, (prompt, which) in enumerate(zip(prompts, sets, strict=True)):
            try:
                gapped = divided(prompt)
                ids = self.encoded(gapped)
            except InputError as error:
                table.put([position], [Likelihoods.failed(str(error))])
                continue
            key = which, gapped.after_blank
            if key not in known:
                tokens = self.tokens(candidates[which], after_blank=gapped.after_blank)
                known[key] = CandidateSet(candidates[which], tokens, at_a_time)
            request = Request(gapped, ids, known[key])
            if context is not None and (seen := self.seen(request)) > context:
                why = f"prompt and candidate need {seen} tokens, but the model sees {context}"
                table.put([position], [Likelihoods.failed(why, tokens_in=len(ids))])
            else:
                requests[position] = request

        def compute(batch: list[int]) -> None:
            table.put(batch, self.scores([requests[position] for position in batch]))

        def failed(position: int) -> None:
            n = len(requests[position].ids)
            why = f"out of memory: {n} tokens and their candidates do not fit into that of"
            table.put([position], [Likelihoods.failed(f"{why} {self._opened.device.device}", tokens_in=n)])

        if requests:
            costs = {position: self.cost(request) for position, request in requests.items()}
            self._try(list(requests.values()))
            self._batches.run(costs, compute, failed)
        return table.all()

    def tokenised(self, candidates: Sequence[str], *, after_blank: bool) -> list[Tokenised]:
        """Count what the tokenizer makes of candidates, in gaps with or without a blank before them."""
        unknown = self._opened.tokenizer.unk_token_id
        tokens = self.tokens(candidates, after_blank=after_blank)
        return [Tokenised(len(ids), 0 if unknown is None else ids.count(unknown)) for ids in tokens]

    def _try(self, requests: Sequence[Request]) -> None:
        """Compute a short prompt of the largest set and one of usual length as the run will, and compare; once.

        Raises:
            InputError: If candidates have other scores alone (`batches.check_alone`).
        """
        if self._is_tried:
            return
        largest = max((one.candidates for one in requests), key=lambda candidates: len(candidates.texts))
        of_largest = [one for one in requests if one.candidates is largest]
        tried = short_and_usual(of_largest, [len(one.ids) for one in of_largest])
        some = spread([ids if len(ids) <= self.most_tokens else [] for ids in largest.tokens])
        name = self._opened.checkpoint.id
        with readable(name, "it", cannot="be computed as scores need it", fix=ANOTHER):
            for request, scores in zip(tried, self.scores(tried), strict=True):
                check_alone(
                    self._opened.model,
                    name,
                    [largest.texts[i] for i in some],
                    scores.tokens[some],
                    scores.logprobs[some],
                    np.array(self.alone(request, some)),
                )
        self._is_tried = True


def tree_scores(
    candidates: Sequence[Sequence[int]],
    trees: Sequence[Tree],
    before: Sequence[int],
    predicted: Callable[[IntArray, IntArray, NDArray[np.bool_]], "torch.Tensor"],
) -> Likelihoods:
    """Scores of candidates by their trees.

    Args:
        candidates: Tokens of each; one without any is not ranked.
        trees: Theirs.
        before: Tokens that stand before each, at least one.
        predicted: What the model predicts after each token of a text, from what `Tree.after` gives.
    """
    import torch

    lengths = np.array([len(tokens) for tokens in candidates], dtype=np.int32)
    sums = np.where(lengths > 0, 0.0, np.nan)
    for tree in trees:
        logits = predicted(*tree.after(before)).float()
        # `ROOT` is the row before that of the first node: the last token before it.
        rows = torch.from_numpy(tree.rows + len(before)).to(logits.device)
        chosen = logits[rows, torch.from_numpy(tree.read).to(logits.device)]
        # Not `log_softmax`, whose result would be as large as all logits again.
        logprobs = chosen - logits.logsumexp(dim=-1)[rows]
        np.add.at(sums, tree.owners, logprobs.double().cpu().numpy())
    return Likelihoods(sums, lengths, len(before))
