"""Candidates: how likely each of many is in the gap of a prompt, by models of three kinds.

What comes in are prompts with one gap (`rows.GAP`) and candidates as text; what goes out is a sum of
log-probabilities per candidate, and over how many tokens. Nothing here knows of dishes, gold or ranks.

Here stand what every scorer is asked and gives back, what those of models here share, and prefix trees. In a
tree, candidates that begin with the same tokens are computed once as far as they do. Every distinct beginning
of a candidate is a node. A node that others go on from is *fed* to the model, once, and sees nothing but the
prompt and its own beginnings; what it predicts is read for all nodes after it.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

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
"""The parent of a candidate's first token: the end of the prompt."""


@dataclass(frozen=True, slots=True, eq=False)
class TokenRun:
    """Nodes that are fed in one pass, and what is read after each of them."""

    tokens: IntArray
    """Tokens that are fed, shape ``(n_fed,)``; every node stands behind those that it goes on from."""
    depths: IntArray
    """How many tokens of the candidate stand before each, from 0."""
    sees: NDArray[np.bool_]
    """Which of them each sees, itself among them, shape ``(n_fed, n_fed)``."""
    rows: IntArray
    """For every node read, the fed one that predicts it, shape ``(n_read,)``; `ROOT` for first tokens."""
    read: IntArray
    """The nodes read, by their number in the tree."""


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """Candidates as a tree; nodes stand before those that go on from them."""

    tokens: IntArray
    """Token of each node, shape ``(n_nodes,)``."""
    parents: IntArray
    """Node that each goes on from, `ROOT` for first tokens."""
    ends: IntArray
    """For each candidate the node of its last token; `ROOT` for one without tokens."""
    lengths: NDArray[np.int32]
    """Tokens of each candidate."""
    parts: tuple[TokenRun, ...]
    """What is fed and read, in passes of limited size; together they read every node once."""

    def sums(self, logprobs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums along the candidates from one log-probability per node; NaN for a candidate without tokens."""
        # The last number is that of `ROOT`, from which first tokens go on.
        totals = np.append(logprobs, 0.0)
        for node, parent in enumerate(self.parents.tolist()):
            totals[node] += totals[parent]
        return np.where(self.ends == ROOT, np.nan, totals[self.ends])


def make_tree(candidates: Sequence[Sequence[int]], *, fed_at_a_time: int) -> Tree:
    """The tree of candidates.

    Args:
        candidates: Tokens of each.
        fed_at_a_time: Nodes that a pass feeds at most, unless candidates with one first token need more.
    """
    # (parent, token) to number; the order of insertion is that of the numbers.
    nodes: dict[tuple[int, int], int] = {}
    end_of: dict[tuple[int, ...], int] = {}
    # In order, those that begin alike stand together, and a beginning stands before what goes on from it.
    for tokens in sorted(set(map(tuple, candidates))):
        node = ROOT
        for token in tokens:
            node = nodes.setdefault((node, token), len(nodes))
        end_of[tokens] = node
    # Of no nodes an array of shape ``(0, 2)``, which can be taken apart as well.
    parents, tokens_of = np.array([*nodes], dtype=np.int64).reshape(-1, 2).T
    return Tree(
        tokens_of,
        parents,
        np.array([end_of[tuple(tokens)] for tokens in candidates], dtype=np.int64),
        np.array([len(tokens) for tokens in candidates], dtype=np.int32),
        tuple(_parts(tokens_of, parents, fed_at_a_time)),
    )


def _parts(tokens: IntArray, parents: IntArray, fed_at_a_time: int) -> Iterator[TokenRun]:
    """Whole branches of the root, as many of them together as the limit allows."""
    fed = np.zeros(len(tokens), dtype=bool)
    # Nodes that others go on from; a last token is read, and never fed.
    fed[parents[parents != ROOT]] = True
    begin = size = 0
    # Numbers are given depth first, so a branch is the nodes up to the next child of the root.
    for branch in np.split(np.arange(len(tokens)), np.flatnonzero(parents == ROOT)[1:]):
        added = int(fed[branch].sum())
        if size and size + added > fed_at_a_time:
            yield _part(tokens, parents, fed, range(begin, branch[0]))
            begin, size = branch[0], 0
        size += added
    yield _part(tokens, parents, fed, range(begin, len(tokens)))


def _part(tokens: IntArray, parents: IntArray, fed: NDArray[np.bool_], read: range) -> TokenRun:
    """The fed nodes of a run of branches."""
    nodes = [node for node in read if fed[node]]
    row_of = {node: row for row, node in enumerate(nodes)} | {ROOT: ROOT}
    sees = np.eye(len(nodes), dtype=bool)
    # A parent stands before its children, so that what it sees is known before what they see.
    for row, node in enumerate(nodes):
        if parents[node] != ROOT:
            sees[row] |= sees[row_of[int(parents[node])]]
    rows = np.array([row_of[int(parents[node])] for node in read], dtype=np.int64)
    # A node sees itself and the tokens before it, so that one less is its depth.
    return TokenRun(tokens[nodes], sees.sum(axis=1) - 1, sees, rows, np.array(read, dtype=np.int64))


_FED_ON_CPU = 256
"""Nodes of a tree fed in a pass on a CPU: what a layer computes of more no longer fits into its caches, and
the scores of 250,000 tokens at as many places would take gigabytes."""

_FED_ON_GPU = 2048
"""Nodes of a tree fed in a pass on a GPU."""


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
    fed_at_a_time: int
    """Nodes of their tree that a pass feeds at most."""

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
    def tree(self) -> Tree:
        """Their tree."""
        return make_tree(self.tokens, fed_at_a_time=self.fed_at_a_time)


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
        self._tried: Sequence[str] | None = None
        """The candidates with which the model was last compared with itself."""

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
        raise NotImplementedError

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
        fed = _FED_ON_CPU if self._opened.device.on_cpu else _FED_ON_GPU
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
                known[key] = CandidateSet(candidates[which], tokens, fed)
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
        """Compute a short prompt of the largest set and one of usual length as the run will, and compare.

        Raises:
            InputError: If candidates have other scores alone (`batches.check_alone`).
        """
        largest = max((one.candidates for one in requests), key=lambda candidates: len(candidates.texts))
        if largest.texts == self._tried:
            return
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
        self._tried = largest.texts


def picked(logits: "torch.Tensor", rows: NDArray[np.int64], tokens: NDArray[np.int64]) -> Any:
    """Log-probabilities of some tokens in float64: row ``rows[i]`` of the logits predicts ``tokens[i]``."""
    import torch

    values = logits.float()
    at = torch.from_numpy(rows).to(logits.device), torch.from_numpy(tokens).to(logits.device)
    # Not `log_softmax`, whose result would be as large as all logits again.
    return (values[at] - values.logsumexp(dim=-1)[at[0]]).double().cpu().numpy()
