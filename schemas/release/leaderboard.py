"""Tasks of a release's ``eval.yaml``, by which the Hub lists a model's results beside those of others."""

MULTIPLE_CHOICE = "multiple-choice"
"""All multiple-choice questions."""

SHORT_ANSWER = "short-answer"
"""The questions of all regions, with a written answer."""


def region_task(region: str) -> str:
    """The task of the questions of one region with a written answer; ``KR`` is ``short-answer-KR``."""
    return f"{SHORT_ANSWER}-{region}"
