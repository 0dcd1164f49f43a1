"""A comparison as text: Markdown for the changelog of a release, and JSON for programs."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from blend.builders.diff import OpenRelease, diff_tables
from blend.builders.diff.model import CellChange, ConfigDiff, Count, ReleaseDiff, SplitDiff
from blend.builders.diff.values import value_pair
from blend.builders.diff.version_step import Step, VersionStep, expected_version, version_step
from blend.loaders.releases import document_text
from blend.schemas.language.text_comparison import escape_controls, pluralise
from blend.schemas.release.manifest import ReleaseManifest
from blend.schemas.release.release_layout import CHANGELOG_NAME

CHANGELOG_TITLE = (
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


def diff_json(diff: ReleaseDiff) -> dict[str, Any]:
    """All that a comparison found, with the version step that follows from it.

    Returns:
        The fields of the diff, and ``step``, ``reasons`` and ``expected_version``.
    """
    step = version_step(diff)
    return {
        **diff.model_dump(mode="json"),
        **step.model_dump(mode="json"),
        "expected_version": expected_version(diff.old.version, step.step),
    }


def changelog_entry(diff: ReleaseDiff, version: str) -> str:
    """Write what a version changes, as a section of ``CHANGELOG.md``: the same text for the same comparison.

    Args:
        diff: Comparison with the version before.
        version: The new version, without ``v``.
    """
    step = version_step(diff)
    parts = [f"## {version}", _opening(diff, step), *_reasons(step)]
    for config in diff.changed_configs():
        parts += _config_part(config, diff.counts())
    if diff.settings:
        rows = [(markdown_code(s.path), *map(markdown_code, value_pair(s.old, s.new))) for s in diff.settings]
        parts += ["### Recipe and tools", _table(("setting", "before", "now"), rows, numbers=False)]
    return escape_controls("\n\n".join(parts)) + "\n"


def first_entry(manifest: ReleaseManifest) -> str:
    """The section for a dataset's first version: what it holds."""
    rows: dict[str, list[int]] = {}
    for table in manifest.tables:
        rows.setdefault(table.config, []).append(table.rows)
    lines = [
        f"* `{config}`: {pluralise(sum(counts), 'row')} in {pluralise(len(counts), 'split')}"
        for config, counts in rows.items()
    ]
    return f"## {manifest.version}\n\nFirst version.\n\n" + "\n".join(lines) + "\n"


def next_changelog(previous: OpenRelease, new: OpenRelease) -> str:
    """The ``CHANGELOG.md`` of a release that follows another: what it changes, above what was before.

    Args:
        previous: The release before.
        new: The new release; its tables have to be there, its documents not yet.

    Raises:
        BlendError: If a file cannot be read.
    """
    path = previous.folder / CHANGELOG_NAME
    before = document_text(path) if path.is_file() else changelog(first_entry(previous.manifest))
    return changelog(changelog_entry(diff_tables(previous, new, examples=1), new.manifest.version), before)


def changelog(entry: str, previous: str | None = None) -> str:
    """The whole ``CHANGELOG.md``: a new section on top of those of the version before.

    Args:
        entry: Section of the new version.
        previous: ``CHANGELOG.md`` of the version before; null if it had none.
    """
    earlier = "" if previous is None else previous[previous.find("\n## ") + 1 :] if "\n## " in previous else ""
    return "\n".join(part for part in (CHANGELOG_TITLE, entry, earlier) if part)


def markdown_code(text: str) -> str:
    """Text as it stands, whatever backticks are in it."""
    text = escape_controls(text).replace("\n", "\\n")
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    # Markdown ends code at a run of as many backticks as it began with, so one more than the text has.
    fence, pad = "`" * (longest + 1), " " if longest else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def column_totals(config: ConfigDiff) -> dict[str, int]:
    """Changed rows of every changed column, over all splits."""
    totals: dict[str, int] = {}
    for split in config.splits:
        for name, n in split.columns.items():
            totals[name] = totals.get(name, 0) + n
    return totals


def examples_by_column(config: ConfigDiff, n: int) -> dict[str, list[tuple[str, CellChange]]]:
    """The first examples of every changed column with their split, in the order of the splits."""
    found: dict[str, list[tuple[str, CellChange]]] = {}
    for split in config.splits:
        for example in split.examples:
            chosen = found.setdefault(example.column, [])
            if len(chosen) < n:
                chosen.append((split.split, example))
    return found


def _opening(diff: ReleaseDiff, step: VersionStep) -> str:
    return f"After {diff.old.version}: {_OPENINGS[step.step]}."


def _reasons(step: VersionStep) -> Iterator[str]:
    for size, heading in _HEADINGS.items():
        texts = [reason.text for reason in step.reasons if reason.step == size]
        if texts:
            yield f"**{heading}**\n\n" + "\n".join(f"* {text}" for text in texts)


def _config_part(config: ConfigDiff, counts: Sequence[Count]) -> Iterator[str]:
    splits = [split for split in config.splits if not split.is_empty]
    yield f"### {config.config}"
    if config.schema_changes:
        types = [
            (markdown_code(change.path), *(markdown_code(text or "–") for text in (change.old, change.new)))
            for change in config.schema_changes
        ]
        yield _table(("column", "type before", "type"), types, numbers=False)
    if splits:
        yield _table(("split", "rows before", "rows", *counts), [_split_row(split, counts) for split in splits])
    columns = column_totals(config)
    if columns:
        rows = [(markdown_code(name), f"{n:,}") for name, n in columns.items()]
        yield _table(("column", "changed rows"), rows)
    examples = [
        _example(split, example) for group in examples_by_column(config, 1).values() for split, example in group
    ]
    if examples:
        yield "For example:\n\n" + "\n".join(examples)


def _split_row(split: SplitDiff, counts: Sequence[Count]) -> tuple[str, ...]:
    rows = ["–" if n is None else f"{n:,}" for n in (split.old_rows, split.new_rows)]
    return (markdown_code(split.split), *rows, *(f"{getattr(split, count):,}" for count in counts))


def _example(split: str, change: CellChange) -> str:
    old, new = value_pair(change.old, change.new)
    where = f"{split}, {markdown_code(change.id)}, {markdown_code(change.column)}"
    return f"* {where}: {markdown_code(old)} → {markdown_code(new)}"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: bool = True) -> str:
    rule = ("---", *("--:" if numbers else "---" for _ in header[1:]))
    lines = ((cell.replace("|", "\\|") for cell in cells) for cells in (header, rule, *rows))
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
