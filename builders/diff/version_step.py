"""Version step: which number of the version a difference raises, and why.

The three numbers promise something to who pins them (https://semver.org, applied to data):

=====  ===================================  ==============================================================
step   a user's code or results             raised when
=====  ===================================  ==============================================================
major  can break                            a configuration, split, column or row is gone, a type changed
                                            (or a field in it), or licence or dataset's name are others
minor  keep working, with more to find      configurations, splits, columns or rows came, or a question is
                                            asked with other options than before, and nothing broke
patch  keep working, numbers can change     values, the order of rows, files or the recipe changed
none   are the same                         nothing differs but the version
=====  ===================================  ==============================================================

Before 1.0.0 nothing is promised to stay: a break raises the second number, as an addition does, and a
correction the third. Going from 0.x to 1.0.0 is a decision, which no difference makes; it is always allowed.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

from blend.builders.diff.model import ConfigDiff, ReleaseDiff
from blend.schemas.addresses import numbers_of
from blend.schemas.models import FrozenModel

Step = Literal["none", "patch", "minor", "major"]

STEPS: tuple[Step, ...] = ("none", "patch", "minor", "major")
"""The steps, smallest first."""

_BREAKING_SETTINGS = {
    "name": "the dataset's name is {new}, was {old}",
    "recipe.license": "the licence is {new}, was {old}",
}
_NAMED = 5
"""Names given before the rest is counted."""


class Reason(FrozenModel):
    """One thing that differs, and the step it asks for."""

    step: Step
    """Step that this alone would make."""
    text: str
    """What differs, for example ``annotations: 3 rows removed``."""


class VersionStep(FrozenModel):
    """The step from one version to the next."""

    step: Step
    """The largest step that a reason asks for."""
    reasons: tuple[Reason, ...]
    """All that differs, largest step first; within a step in the order of the comparison."""


def version_step(diff: ReleaseDiff) -> VersionStep:
    """The step that follows from a comparison, with its reasons."""
    reasons = sorted(_reasons(diff), key=lambda reason: -STEPS.index(reason.step))
    return VersionStep(step=reasons[0].step if reasons else "none", reasons=tuple(reasons))


def expected_version(old: str, step: Step) -> str:
    """The version that follows ``old`` after a step.

    Args:
        old: Version, ``1.2.3`` or ``v1.2.3``.
        step: Step; below 1.0.0 ``major`` raises the second number.

    Returns:
        Version without ``v``; ``old`` itself after the step ``none``.
    """
    major, minor, patch = numbers_of(old.removeprefix("v"))
    if step == "none":
        return f"{major}.{minor}.{patch}"
    if step == "patch":
        return f"{major}.{minor}.{patch + 1}"
    if step == "minor" or major == 0:
        return f"{major}.{minor + 1}.0"
    return f"{major + 1}.0.0"


def accepted_versions(old: str, step: Step) -> tuple[str, ...]:
    """The versions that may follow ``old`` after a step: the expected one first, then those of larger steps.

    A larger step is never wrong, only cautious. ``1.0.0`` is among them for an ``old`` below it.
    """
    found = [expected_version(old, larger) for larger in STEPS[STEPS.index(step) :]]
    if found[-1].startswith("0."):
        found.append("1.0.0")
    return tuple(dict.fromkeys(found))


def _reasons(diff: ReleaseDiff) -> Iterator[Reason]:
    for config in diff.configs:
        yield from _config_reasons(config)
    others = []
    for setting in diff.settings:
        if setting.path in _BREAKING_SETTINGS:
            text = _BREAKING_SETTINGS[setting.path].format(old=setting.old, new=setting.new)
            yield Reason(step="major", text=text)
        else:
            others.append(setting.path)
    if others:
        yield Reason(step="patch", text=f"changed in the manifest: {_some(others)}")
    if diff.files:
        yield Reason(step="patch", text=f"other files changed: {_some([file.path for file in diff.files])}")


def _config_reasons(diff: ConfigDiff) -> Iterator[Reason]:
    if diff.presence == "removed":
        yield Reason(step="major", text=f"configuration {diff.config} removed")
    elif diff.presence == "added":
        yield Reason(step="minor", text=f"configuration {diff.config} added")
    else:
        yield from _schema_reasons(diff)
        yield from _row_reasons(diff)


def _schema_reasons(diff: ConfigDiff) -> Iterator[Reason]:
    for change in diff.schema_changes:
        where = f"{diff.config}: column {change.path}"
        if change.presence == "kept":
            yield Reason(step="major", text=f"{where} is {change.new}, was {change.old}")
        else:
            step: Step = "major" if change.presence == "removed" else "minor"
            yield Reason(step=step, text=f"{where} {change.presence}")
    if diff.columns_reordered:
        yield Reason(step="patch", text=f"{diff.config}: columns stand in another order")


def _row_reasons(diff: ConfigDiff) -> Iterator[Reason]:
    gone, new = ([s.split for s in diff.splits if s.presence == p] for p in ("removed", "added"))
    changed = dict.fromkeys(name for split in diff.splits for name in split.columns)
    still_asked = diff.total("still_asked")
    found: list[tuple[Step, int, str, str]] = [
        ("major", len(gone), "split", f"removed: {_some(gone)}"),
        ("major", diff.total("removed") - still_asked, "row", "removed"),
        ("minor", len(new), "split", f"added: {_some(new)}"),
        ("minor", diff.total("replaced"), "row", "replaced by others that ask the same with other options"),
        ("minor", still_asked, "row", "removed whose questions are still asked by other rows"),
        ("minor", diff.total("added"), "row", "added"),
        ("patch", diff.total("changed"), "row", f"changed in {_some(list(changed))}"),
        ("patch", diff.total("moved"), "row", "moved"),
    ]
    for step, n, thing, what in found:
        if n:
            yield Reason(step=step, text=f"{diff.config}: {n:,} {thing}{'' if n == 1 else 's'} {what}")


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
