"""Kinds of findings: what each means, for the cards of releases, the documentation and the terminal."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from blend.schemas.part import Part
from blend.schemas.toml import toml_tables

PACKAGED = "findings.toml"


class FindingKind(Part):
    """A kind of oddity, or a reason for which a row is left out."""

    meaning: str
    """What was found, and what was done about it."""
    example: str
    """A ``detail`` of such a finding."""
    remedy: str
    """What to do, if anything."""


class FindingStep(Part):
    """The kinds that a step meets first; later steps can meet them as well."""

    name: str
    """What is done in the step."""
    kinds: dict[str, FindingKind]
    """By name."""


class _File(Part):
    step: tuple[FindingStep, ...]


@cache
def finding_steps() -> tuple[FindingStep, ...]:
    """All kinds by the step that meets them, in the order of a build."""
    text = files("blend.schemas").joinpath(PACKAGED).read_text(encoding="utf-8")
    return _File.model_validate(toml_tables(text, source=PACKAGED)).step


def finding_kinds() -> Mapping[str, FindingKind]:
    """All kinds by name."""
    return {name: kind for step in finding_steps() for name, kind in step.kinds.items()}
