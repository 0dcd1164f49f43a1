"""Stages: what people do one after the other, from questions of their own to reviewed answers."""

from importlib import import_module

from blend.builders.annotation.project import ORDER, StageName
from blend.builders.annotation.stages.model import Stage

STAGES: dict[StageName, Stage] = {
    # A module is called as its stage is: ``mcq-review`` is ``mcq_review.py``.
    name: import_module(f"{__name__}.{name.replace('-', '_')}").STAGE
    for name in ORDER
}
"""All stages, by name, in the order in which they happen."""
