"""SciPy's statistics, which only this room needs and the base install leaves out."""

from types import ModuleType

from blend.schemas.errors import MissingExtraError

EXTRA = "extrinsic"


def scipy_stats() -> ModuleType:
    """The module ``scipy.stats``.

    Raises:
        MissingExtraError: If SciPy is not installed.
    """
    try:
        from scipy import stats
    except ModuleNotFoundError:
        raise MissingExtraError("testing variances and rank correlations", extra=EXTRA) from None
    assert isinstance(stats, ModuleType)
    return stats
