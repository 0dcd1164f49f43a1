"""Prefix trees: candidates that begin with the same tokens are computed once as far as they do.

Every distinct beginning of a candidate is a node. A node that others go on from is *fed* to the model, once,
and sees nothing but the prompt and its own beginnings; what it predicts is read for all nodes after it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

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
    """For every node read, the fed one that predicts it, shape ``(n_read,)``."""
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
    lengths: IntArray
    """Tokens of each candidate."""
    parts: tuple[TokenRun, ...]
    """What is fed, in passes of limited size."""

    @property
    def first(self) -> IntArray:
        """The nodes that the end of the prompt predicts."""
        return np.flatnonzero(self.parents == ROOT)

    def sums(self, logprobs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums along the candidates from one log-probability per node; NaN for a candidate without tokens."""
        totals = logprobs.copy()
        for node, parent in enumerate(self.parents.tolist()):
            if parent != ROOT:
                totals[node] += totals[parent]
        return (
            np.where(self.ends == ROOT, np.nan, totals[self.ends])
            if len(totals)
            else np.full(len(self.ends), np.nan)
        )


def make_tree(candidates: Sequence[Sequence[int]], *, fed_at_a_time: int) -> Tree:
    """The tree of candidates.

    Args:
        candidates: Tokens of each.
        fed_at_a_time: Nodes that a pass feeds at most, unless candidates with one first token need more.
    """
    # (parent, token) to number; the order of insertion is that of the numbers.
    nodes: dict[tuple[int, int], int] = {}
    ends: list[int] = []
    # In order, those that begin alike stand together, and a beginning stands before what goes on from it.
    for tokens in sorted(set(map(tuple, candidates))):
        node = ROOT
        for token in tokens:
            node = nodes.setdefault((node, token), len(nodes))
    for tokens in map(tuple, candidates):
        node = ROOT
        for token in tokens:
            node = nodes[node, token]
        ends.append(node)
    parents = np.array([parent for parent, _ in nodes], dtype=np.int64)
    tokens_of = np.array([token for _, token in nodes], dtype=np.int64)
    return Tree(
        tokens_of,
        parents,
        np.array(ends, dtype=np.int64),
        np.array(list(map(len, candidates)), dtype=np.int64),
        tuple(_parts(tokens_of, parents, fed_at_a_time)),
    )


def _parts(tokens: IntArray, parents: IntArray, fed_at_a_time: int) -> Iterator[TokenRun]:
    """Whole branches of the root, as many of them together as the limit allows."""
    fed = np.zeros(len(tokens), dtype=bool)
    fed[parents[parents != ROOT]] = True
    # Numbers are given depth first, so a branch is the nodes up to the next child of the root.
    starts = [*np.flatnonzero(parents == ROOT).tolist(), len(tokens)]
    begin, size = 0, 0
    for start, end in pairwise(starts):
        branch = int(fed[start:end].sum())
        if size and size + branch > fed_at_a_time:
            yield _part(tokens, parents, fed, begin, start)
            begin, size = start, 0
        size += branch
    if size:
        yield _part(tokens, parents, fed, begin, len(tokens))


def _part(tokens: IntArray, parents: IntArray, fed: NDArray[np.bool_], begin: int, end: int) -> TokenRun:
    """The fed nodes of a run of branches."""
    nodes = [node for node in range(begin, end) if fed[node]]
    position = {node: row for row, node in enumerate(nodes)}
    sees = np.eye(len(nodes), dtype=bool)
    depths = np.zeros(len(nodes), dtype=np.int64)
    for row, node in enumerate(nodes):
        parent = int(parents[node])
        if parent != ROOT:
            sees[row] |= sees[position[parent]]
            depths[row] = depths[position[parent]] + 1
    read = [node for node in range(begin, end) if parents[node] != ROOT]
    rows = [position[int(parents[node])] for node in read]
    return TokenRun(tokens[nodes], depths, sees, np.array(rows, dtype=np.int64), np.array(read, dtype=np.int64))
