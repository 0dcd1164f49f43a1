"""Kinds of findings: what each means, for the cards of releases, the documentation and the terminal."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from blend.schemas.base.frozen_model import FrozenModel
from blend.schemas.base.toml_tables import toml_tables

PACKAGED = "findings.toml"
NO_REMEDY = "Nothing."
"""Remedy of a kind about which nobody has to do anything."""


class FindingKind(FrozenModel):
    """A kind of oddity, or a reason for which a row is left out."""

    meaning: str
    """What was found, and what was done about it."""
    example: str
    """A ``detail`` of such a finding."""
    remedy: str
    """What to do, if anything."""


class FindingStep(FrozenModel):
    """The kinds that a step meets first; later steps can meet them as well."""

    name: str
    """What is done in the step."""
    kinds: dict[str, FindingKind]
    """By name."""


class _File(FrozenModel):
    step: tuple[FindingStep, ...]


@cache
def finding_steps() -> tuple[FindingStep, ...]:
    """All kinds by the step that meets them, in the order of a build."""
    text = files("blend.schemas.release").joinpath(PACKAGED).read_text(encoding="utf-8")
    return _File.model_validate(toml_tables(text, source=PACKAGED)).step


def finding_kinds() -> Mapping[str, FindingKind]:
    """All kinds by name."""
    return {name: kind for step in finding_steps() for name, kind in step.kinds.items()}
