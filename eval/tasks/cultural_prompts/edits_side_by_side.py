"""Edits between sixteen texts and all others at once, as machine code that Numba compiles.

A column of the table of distances is held as differences from cell to cell, two bits for each, 64 of them in a
number (Myers 1999, Hyyrö 2003), as RapidFuzz does. There each step waits for the one before. Here a step is
done for sixteen texts, which do not wait for each other, and the processor works on four or eight at a time.

References:
    Myers (1999), A fast bit-vector algorithm for approximate string matching based on dynamic programming,
    Journal of the ACM 46; Hyyrö (2003), A bit-vector algorithm for computing Levenshtein and Damerau edit
    distances, Nordic Journal of Computing 10.
"""

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
"""An array of whole numbers."""

Bits = NDArray[np.uint64]
"""An array of 64 bits in each number."""

LANES = 16
"""Texts side by side. With fewer the processor waits, with more it holds less of them at hand."""

LONGEST = 2048
"""Tokens of the longest text: the table of where each token stands has then at most 134 MB."""

WIDTH = 64
"""Tokens in a number."""

_ONE, _LAST, _ALL = np.uint64(1), np.uint64(WIDTH - 1), ~np.uint64(0)


def edits_side_by_side(texts: Sequence[IntArray]) -> IntArray:
    """Tokens to insert, delete or replace between every two texts; only where `compiled` has something.

    Args:
        texts: Codes of their tokens.

    Returns:
        Shape ``(n_texts, n_texts)``, symmetric.
    """
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    # Texts that are compared side by side cost as much as the longest of them.
    order = np.argsort(lengths, kind="stable")
    edits = np.zeros((len(texts), len(texts)), dtype=np.int64)
    n_codes = 1 + max(int(text.max(initial=-1)) for text in texts)
    for start in range(0, len(texts), LANES):
        # Those before are done: the others of a pair come later in the order.
        others = order[start:]
        found = _edits_of([texts[n] for n in others[:LANES]], [texts[n] for n in others], n_codes)
        edits[np.ix_(others[:LANES], others)] = found
        edits[np.ix_(others, others[:LANES])] = found.T
    return edits


def _edits_of(some: Sequence[IntArray], others: Sequence[IntArray], n_codes: int) -> IntArray:
    """Edits between up to `LANES` texts and each of the others, shape ``(n_some, n_others)``."""
    step = compiled()
    assert step is not None
    lengths = np.zeros(LANES, dtype=np.int64)
    lengths[: len(some)] = [len(text) for text in some]
    other_lengths = np.array([len(text) for text in others], dtype=np.int64)
    n_blocks = max(1, -(-int(lengths.max()) // WIDTH))
    table, matches = _matches(some, n_codes, n_blocks)
    shape = (len(others), n_blocks, LANES)
    # At first every cell is one more than the one above.
    more, less = np.full(shape, _ALL), np.zeros(shape, dtype=np.uint64)
    step(matches, table[np.concatenate(others)], np.append(0, np.cumsum(other_lengths)), more, less)
    # Shape ``(n_blocks, LANES)``: the bits of a block that stand for tokens of that lane's text.
    ours = _lowest_bits(lengths - WIDTH * np.arange(n_blocks)[:, np.newaxis])
    risen, fallen = (np.bitwise_count(bits & ours).sum(axis=1, dtype=np.int64) for bits in (more, less))
    # The distance is the last cell of the last column: its top cell, as long as the column's text, and from
    # there one more or less for each bit.
    edits: IntArray = (other_lengths[:, np.newaxis] + risen - fallen).T
    return edits[: len(some)]


def _matches(some: Sequence[IntArray], n_codes: int, n_blocks: int) -> tuple[NDArray[np.int32], Bits]:
    """Find where each token stands in texts.

    Returns:
        The row of each code, 0 for those that none of the texts holds; and the rows, shape ``(n_rows, n_blocks,
        LANES)``: bit i of block b is set where token 64 b + i of a text is that of the row.
    """
    tokens, row_of = np.unique(np.concatenate(some), return_inverse=True)
    table = np.zeros(n_codes, dtype=np.int32)
    table[tokens] = np.arange(1, len(tokens) + 1)
    lane_of = np.repeat(np.arange(len(some)), [len(text) for text in some])
    position = np.concatenate([np.arange(len(text)) for text in some])
    rows = np.zeros((len(tokens) + 1, n_blocks, LANES), dtype=np.uint64)
    where = np.ravel_multi_index((row_of + 1, position // WIDTH, lane_of), rows.shape)
    np.bitwise_or.at(rows.reshape(-1), where, _ONE << (position % WIDTH).astype(np.uint64))
    return table, rows


def _lowest_bits(counts: IntArray) -> Bits:
    """Numbers whose lowest bits are set, as many as a count says: none below 1, all from 64 on."""
    some = (_ONE << np.clip(counts, 0, WIDTH - 1).astype(np.uint64)) - _ONE
    bits: Bits = np.where(counts >= WIDTH, _ALL, some)
    return bits


@cache
def compiled() -> Callable[[Bits, NDArray[np.int32], IntArray, Bits, Bits], None] | None:
    """`_step` as machine code; None where Numba is not installed, or not for the NumPy that is."""
    try:
        from numba import njit
    except ImportError:
        return None
    machine_code: Callable[[Bits, NDArray[np.int32], IntArray, Bits, Bits], None] = njit(nogil=True)(_step)
    return machine_code


def _step(matches: Bits, codes: NDArray[np.int32], starts: IntArray, more: Bits, less: Bits) -> None:
    """Go through the table of distances of each text and `LANES` others, column by column.

    Args:
        matches: Where the tokens stand in the others; see `_matches`.
        codes: Row of ``matches`` of each token of the texts.
        starts: Where each text starts in ``codes``.
        more: Bits of the cells that are one more than the cell above, shape ``(n_texts, n_blocks, LANES)``;
            those of the first column come in, those of the last go out.
        less: The same of cells that are one less.
    """
    from_more = np.empty(LANES, dtype=np.uint64)
    from_less = np.empty(LANES, dtype=np.uint64)
    for text in range(len(more)):
        for position in range(starts[text], starts[text + 1]):
            match = matches[codes[position]]
            # Above the first token of the others, a column is one more than the column before.
            from_more[:] = _ONE
            from_less[:] = 0
            for block in range(more.shape[1]):
                for lane in range(LANES):
                    up, down = more[text, block, lane], less[text, block, lane]
                    found = match[block, lane] | from_less[lane]
                    # Cells that equal the one diagonally above. The addition carries a match on through cells
                    # that rise; its overflow is dropped, since `from_less` takes it to the next block.
                    same = (((found & up) + up) ^ up) | found | down
                    # How the cells differ from those of the column before, then moved down by one row, the
                    # block's last bit going on into the next block.
                    right_more = down | ~(same | up)
                    right_less = same & up
                    moved_more = (right_more << _ONE) | from_more[lane]
                    moved_less = (right_less << _ONE) | from_less[lane]
                    from_more[lane] = right_more >> _LAST
                    from_less[lane] = right_less >> _LAST
                    more[text, block, lane] = moved_less | ~(same | moved_more)
                    less[text, block, lane] = moved_more & same
