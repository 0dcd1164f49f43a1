"""Calibration: whether a model's confidence says how often it is correct, and what abstaining would gain."""

import numpy as np
from numpy.typing import ArrayLike

from blend.eval.statistics.clusters import FloatArray

BINS = 15
"""Bins of equal width between 0 and 1 in which confidence is compared with accuracy, as in Guo et al."""


def expected_calibration_error(confidence: ArrayLike, correct: ArrayLike, *, bins: int = BINS) -> float | None:
    """The mean distance of accuracy from confidence, over bins of equal width, each weighing as its answers.

    Args:
        confidence: Shares between 0 and 1, shape ``(n,)``; a bin holds its upper end, the first one 0 as well.
        correct: 1 or 0, same shape.
        bins: How many bins.

    Returns:
        A share; null without answers.

    References:
        Guo, Pleiss, Sun and Weinberger (2017), On Calibration of Modern Neural Networks, section 2, equation 3.
    """
    sure, hits = (np.asarray(numbers, dtype=np.float64) for numbers in (confidence, correct))
    if not sure.size:
        return None
    bin_of = np.clip(np.ceil(sure * bins) - 1, 0, bins - 1).astype(np.intp)
    gaps = np.abs(np.bincount(bin_of, weights=hits - sure, minlength=bins))
    return float(gaps.sum() / sure.size)


def auroc(confidence: ArrayLike, correct: ArrayLike) -> float | None:
    """The chance that a correct answer is more confident than a wrong one, a tie counting as half.

    Returns:
        A share, 1/2 where confidence says nothing; null where all answers are correct, or all wrong.

    References:
        Hanley and McNeil (1982), The Meaning and Use of the Area under a Receiver Operating Characteristic
        (ROC) Curve: the area is Mann and Whitney's statistic.
    """
    is_correct = np.asarray(correct, dtype=bool)
    n_correct, n_wrong = int(is_correct.sum()), int((~is_correct).sum())
    if not (n_correct and n_wrong):
        return None
    _, code, size = np.unique(np.asarray(confidence), return_inverse=True, return_counts=True)
    # Equal ones share the mean of the ranks that they take up together.
    ranks = (size.cumsum() - (size - 1) / 2)[code]
    return float((ranks[is_correct].sum() - n_correct * (n_correct + 1) / 2) / (n_correct * n_wrong))


def coverage_weights(confidence: ArrayLike, coverage: float) -> FloatArray:
    """How much of every answer counts if only the most confident ones are given.

    Args:
        confidence: Shape ``(n,)``; NaN where none is known, which is less than any other.
        coverage: Share of the answers that is given, above 0.

    Returns:
        Weights from 0 to 1 that add up to ``coverage * n``. Equally confident answers of which only some are
        given count in part, all alike.

    References:
        El-Yaniv and Wiener (2010), On the Foundations of Noise-free Selective Classification, section 2.
    """
    sure = np.nan_to_num(np.asarray(confidence, dtype=np.float64), nan=-1.0)
    _, code, size = np.unique(-sure, return_inverse=True, return_counts=True)
    above = size.cumsum() - size
    return np.clip((coverage * sure.size - above) / size, 0.0, 1.0)[code]
