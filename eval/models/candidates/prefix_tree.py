"""Prefix trees: candidates that begin with the same tokens are computed once as far as they do.

Every distinct beginning of a candidate is a node. A node that others go on from is *fed* to the model, once,
and sees nothing but the prompt and its own beginnings; what it predicts is read for all nodes after it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
    for row, node in enumerate(nodes):
        if parents[node] != ROOT:
            sees[row] |= sees[row_of[int(parents[node])]]
    rows = np.array([row_of[int(parents[node])] for node in read], dtype=np.int64)
    return TokenRun(tokens[nodes], sees.sum(axis=1) - 1, sees, rows, np.array(read, dtype=np.int64))
