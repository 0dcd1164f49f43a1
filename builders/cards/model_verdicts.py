"""What the card says of models that have read options: how they compare with people, and what that leaves."""

import math
from collections.abc import Iterable

import polars as pl

from blend.schemas.manifest import MODEL_VERDICTS_NAME
from blend.schemas.reports import ANY_REFUSAL, EVERY, ComparedKind, ModelComparison, ModelReport
from blend.schemas.sheets import OK
from blend.schemas.summaries import markdown_text

_FEWEST_ACCEPTED = 50
"""Options of a region that a model accepts and people have read, from which on the region speaks for itself."""

_Z_95 = 1.959963984540054


def model_verdicts(report: ModelReport | None, reading: pl.DataFrame) -> str:
    """Say of each model how it compares with people, and what they are expected to refuse of what it accepts.

    Args:
        report: The comparison; null where no model has given a verdict.
        reading: `builders.mcq.verdicts.reading.READING`.

    Returns:
        Sentences after a blank, or nothing.
    """
    if report is None:
        return ""
    beside = "".join(_beside(one, report.confidence) for one in report.each if one.verdicts)
    return f"{beside}{_expected(report.together, reading)}"


def _beside(model: ModelComparison, confidence: float) -> str:
    name = markdown_text(model.reviewer)
    if not model.compared:
        return f" Nobody has checked what {name} says: no person has read any option on which it is sure."
    refusals, accepted = model.of(EVERY, ANY_REFUSAL), model.of(EVERY, OK)
    statements = [
        *_statements(refusals, "it refuses {} that people refuse {}", "they refuse {} that it refuses {}"),
        *_statements(accepted, "it refuses {} that they accept {}", "they accept {} that it accepts {}"),
    ]
    return (
        f" {name}, beside people on {model.compared:,} options of which it is sure ({confidence:g} or more; "
        f"read by natives of the region {model.natives:,}, by others only {model.others:,}): "
        f"{'; '.join(statements)} (95 % intervals; by locale and kind of verdict in `{MODEL_VERDICTS_NAME}`)."
    )


def _statements(found: ComparedKind | None, of_people: str, of_model: str) -> Iterable[str]:
    if found is not None and found.options:
        yield of_people.format(*_stated(found.refused, found.options))
    if found is not None and found.given:
        yield of_model.format(*_stated(found.confirmed, found.given))


def _stated(part: int, total: int) -> tuple[str, str]:
    return f"{part:,} of {total:,}", f"({_percent(part, total)})"


def _percent(part: int, total: int) -> str:
    low, high = wilson_interval(part, total)
    return f"{100 * part / total:.0f} %, {100 * low:.0f} to {100 * high:.0f}"


def wilson_interval(part: int, total: int) -> tuple[float, float]:
    """The 95 % interval of a share, as fractions; ``total`` is not 0.

    References:
        Wilson (1927), Probable inference, the law of succession, and statistical inference.
    """
    share, z2 = part / total, _Z_95**2
    centre = share + z2 / (2 * total)
    half = _Z_95 * math.sqrt(share * (1 - share) / total + z2 / (4 * total**2))
    return max(0.0, (centre - half) / (1 + z2 / total)), min(1.0, (centre + half) / (1 + z2 / total))


def _expected(together: ModelComparison, reading: pl.DataFrame) -> str:
    """Say what people are expected to refuse of the options shown that one of these models alone has read."""
    tags = reading.filter(pl.col("model") > pl.col("by_question"))["locale"].to_list()
    overall = together.of(EVERY, OK)
    if not tags or overall is None or not overall.given:
        return ""
    own = {tag: together.of(tag, OK) for tag in tags}
    by_region = [
        f"`{tag}` {_missed(found)}"
        for tag, found in own.items()
        if found is not None and found.given >= _FEWEST_ACCEPTED
    ]
    regions = f", and about {', '.join(by_region)} by what they say there" if by_region else ""
    return (
        " So of the options that are shown on such a verdict alone, people would refuse "
        f"{_missed(overall)}{regions}."
    )


def _missed(accepted: ComparedKind) -> str:
    return _percent(accepted.given - accepted.confirmed, accepted.given)
