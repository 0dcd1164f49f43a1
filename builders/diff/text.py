"""A comparison as text: the version that follows, a changelog in Markdown, and JSON for programs."""

from typing import Any

from blend.builders.diff import OpenRelease, diff_tables
from blend.builders.diff.model import STEPS, ReleaseDiff, Step, difference_tables, version_step
from blend.loaders.releases import document_text
from blend.schemas.manifest import CHANGELOG_NAME, ReleaseManifest, numbers_of
from blend.schemas.summaries import markdown_table
from blend.schemas.texts import escape_controls, pluralise

_CHANGELOG_TITLE = (
    "# Changelog\n\n"
    "The first number of a version counts breaks, the second additions, the third corrections; "
    "before 1.0.0 the second counts breaks as well.\n"
)
"""What the file begins with."""

_HEADINGS: dict[Step, str] = {"major": "Breaks", "minor": "Adds", "patch": "Changes"}
_OPENINGS: dict[Step, str] = {
    "major": "what was made for it can break",
    "minor": "additions that break nothing",
    "patch": "the same rows and columns, corrected",
    "none": "the same data",
}

_TYPED = ("annotations", "idks", "options", "choices", "prompt", "option")
"""Columns with what annotators typed, in questions made of it as well. A changelog goes on from version to
version, and quotes none of it: whoever asked to be forgotten would stand in it."""


def _expected_version(old: str, step: Step) -> str:
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
    found = [_expected_version(old, larger) for larger in STEPS[STEPS.index(step) :]]
    if found[-1].startswith("0."):
        found.append("1.0.0")
    return tuple(dict.fromkeys(found))


def diff_json(diff: ReleaseDiff) -> dict[str, Any]:
    """All that a comparison found, with the version step that follows from it.

    Returns:
        The fields of the diff, and ``step``, ``reasons`` and ``expected_version``.
    """
    step = version_step(diff)
    return {
        **diff.model_dump(mode="json"),
        **step.model_dump(mode="json"),
        "expected_version": _expected_version(diff.old.version, step.step),
    }


def _changelog_entry(diff: ReleaseDiff, version: str, changes: str | None = None) -> str:
    """Write what a version changes, as a section of ``CHANGELOG.md``: the same text for the same comparison.

    Args:
        diff: Comparison with the version before.
        version: The new version, without ``v``.
        changes: The maintainer's own words on it, Markdown without headings.
    """
    step = version_step(diff)
    parts = [f"## {version}", f"After {diff.old.version}: {_OPENINGS[step.step]}."]
    parts += [] if changes is None else [changes.strip()]
    for size, heading in _HEADINGS.items():
        if texts := [reason.text for reason in step.reasons if reason.step == size]:
            parts.append(f"**{heading}**\n\n" + "\n".join(f"* {text}" for text in texts))
    # The first table has the reasons of the step, which stand above already.
    for table in difference_tables(diff, examples=1, unquoted=_TYPED)[1:]:
        parts += [f"### {table.title}", markdown_table(table)]
    return escape_controls("\n\n".join(parts)) + "\n"


def verdict(diff: ReleaseDiff) -> str:
    """Which releases were compared, and which version step follows, in a line or two."""
    names = f"{diff.old.name} {diff.old.version} → {diff.new.name} {diff.new.version}"
    if diff.is_empty:
        return f"{names}\nNothing differs."
    step = version_step(diff).step
    lines = [f"Version step: {step}, so {_expected_version(diff.old.version, step)} follows."]
    if diff.new.name != diff.old.name:
        lines.insert(0, f"Two datasets, unless {diff.new.name} is a new name of {diff.old.name}; then:")
    if diff.new.version not in accepted_versions(diff.old.version, step):
        lines[-1] += f" The new release calls itself {diff.new.version}."
    return "\n".join([names, *lines])


def _first_entry(manifest: ReleaseManifest) -> str:
    """The section for a dataset's first version: what it holds."""
    rows: dict[str, list[int]] = {}
    for table in manifest.tables:
        rows.setdefault(table.config, []).append(table.rows)
    lines = [
        f"* `{config}`: {pluralise(sum(counts), 'row')} in {pluralise(len(counts), 'split')}"
        for config, counts in rows.items()
    ]
    own_words = [] if manifest.recipe.changes is None else [escape_controls(manifest.recipe.changes.strip())]
    return "\n\n".join([f"## {manifest.version}", "First version.", *own_words, "\n".join(lines)]) + "\n"


def next_changelog(previous: OpenRelease | None, new: OpenRelease) -> str:
    """The ``CHANGELOG.md`` of a release: what it changes, above what was before; of a first one what it holds.

    Args:
        previous: The release before; null for a first one.
        new: The new release; its tables have to be there, its documents not yet.

    Raises:
        BlendError: If a file cannot be read.
    """
    if previous is None:
        return changelog(_first_entry(new.manifest))
    path = previous.folder / CHANGELOG_NAME
    before = document_text(path) if path.is_file() else changelog(_first_entry(previous.manifest))
    found = diff_tables(previous, new, examples=1)
    entry = _changelog_entry(found, new.manifest.version, new.manifest.recipe.changes)
    return changelog(entry, before)


def changelog(entry: str, previous: str | None = None) -> str:
    """The whole ``CHANGELOG.md``: a new section on top of those of the version before.

    Args:
        entry: Section of the new version.
        previous: ``CHANGELOG.md`` of the version before; null if it had none.
    """
    # From the first section on: the title above it is written anew.
    earlier = "" if previous is None else previous[previous.find("\n## ") + 1 :] if "\n## " in previous else ""
    return "\n".join(part for part in (_CHANGELOG_TITLE, entry, earlier) if part)
