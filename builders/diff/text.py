"""A comparison as text: Markdown for the changelog of a release, and JSON for programs."""

import json
import unicodedata
from itertools import takewhile
from typing import Any

from pydantic import JsonValue

from blend.builders.diff import OpenRelease, diff_tables
from blend.builders.diff.model import CellChange, ConfigDiff, ReleaseDiff
from blend.builders.diff.version_step import Step, accepted_versions, expected_version, version_step
from blend.loaders.releases import document_text
from blend.schemas.manifest import CHANGELOG_NAME, ReleaseManifest
from blend.schemas.summaries import Table, markdown_table
from blend.schemas.texts import escape_controls, pluralise

# Two values side by side: short enough to read, cut where they differ.


WIDTH = 100
"""Characters of a quoted value at most."""

_LEAD = 20
"""Characters of what stands before the first difference; a third of the width if that is less."""


def value_pair(old: JsonValue, new: JsonValue, width: int = WIDTH) -> tuple[str, str]:
    """Both values in at most ``width`` characters each: text as it is, everything else as JSON.

    Long texts are cut to the part around their first difference. Characters that nobody sees, or that
    change the direction of writing, are spelled in ASCII escapes, and all but ASCII is where texts look alike.
    """
    first, second = _spelled(old), _spelled(new)
    if first != second and _looks(first) == _looks(second):
        first, second = _escaped(first), _escaped(second)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))
    start = max(0, same - min(_LEAD, width // 3))
    return _window(first, start, width), _window(second, start, width)


def _spelled(value: JsonValue) -> str:
    text = json.dumps(value, ensure_ascii=False)
    # Quotes only where a text would not be seen for what it is.
    if isinstance(value, str) and value == value.strip() and value not in ("", "null"):
        text = text[1:-1].replace('\\"', '"')
    # Cf: characters that nobody sees.
    return "".join(_escaped(char) if unicodedata.category(char) == "Cf" else char for char in text)


def _looks(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())


def _escaped(text: str) -> str:
    return text.encode("ascii", "backslashreplace").decode("ascii")


def _window(text: str, start: int, width: int) -> str:
    if len(text) <= width:
        return text
    # What is left may be short: there is room for more of what stands before.
    start = min(start, len(text) - width + 1)
    cut = text[start:] if start <= 0 else f"…{text[start:]}"
    return cut if len(cut) <= width else f"{cut[: width - 1]}…"


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
    parts = [f"## {version}", f"After {diff.old.version}: {_OPENINGS[step.step]}."]
    for size, heading in _HEADINGS.items():
        if texts := [reason.text for reason in step.reasons if reason.step == size]:
            parts.append(f"**{heading}**\n\n" + "\n".join(f"* {text}" for text in texts))
    for table in difference_tables(diff, examples=1)[1:]:
        parts += [f"### {table.title}", markdown_table(table)]
    return escape_controls("\n\n".join(parts)) + "\n"


def verdict(diff: ReleaseDiff) -> str:
    """Which releases were compared, and which version step follows, in a line or two."""
    names = f"{diff.old.name} {diff.old.version} → {diff.new.name} {diff.new.version}"
    if diff.is_empty:
        return f"{names}\nNothing differs."
    step = version_step(diff).step
    lines = [f"Version step: {step}, so {expected_version(diff.old.version, step)} follows."]
    if diff.new.name != diff.old.name:
        lines.insert(0, f"Two datasets, unless {diff.new.name} is a new name of {diff.old.name}; then:")
    if diff.new.version not in accepted_versions(diff.old.version, step):
        lines[-1] += f" The new release calls itself {diff.new.version}."
    return "\n".join([names, *lines])


def difference_tables(diff: ReleaseDiff, *, examples: int) -> list[Table]:
    """What differs, most important first: reasons of the step, rows, columns, values, settings.

    Args:
        diff: The comparison.
        examples: Quoted changes per column, and ids per configuration, at most.
    """
    changed, counts = list(diff.changed_configs()), diff.counts()
    splits = [(config, split) for config in changed for split in config.splits]
    found: list[tuple[str, tuple[str, ...], list[tuple[object, ...]]]] = [
        ("Reasons", ("step", "why"), [(reason.step, reason.text) for reason in version_step(diff).reasons]),
        (
            "Rows",
            ("table", "was", "now", *counts),
            [
                (
                    *(f"{config.config} {split.split}", split.old_rows, split.new_rows),
                    *(getattr(split, count) for count in counts),
                )
                for config, split in splits
                if not split.is_empty
            ],
        ),
        (
            "Columns added, removed, or of another type",
            ("configuration", "column", "before", "now"),
            [(config.config, of.path, of.old, of.new) for config in changed for of in config.schema_changes],
        ),
        (
            "Changed values",
            ("configuration", "column", "changed rows"),
            [(config.config, *total) for config in changed for total in _column_totals(config).items()],
        ),
        (
            "Rows added and removed",
            ("configuration", "split", "row", "became"),
            [row for config in changed for row in _came_and_went(config, examples)],
        ),
        (
            "Examples",
            ("where", "change"),
            [
                (f"{config.config} {split} {of.id} {of.column}", " → ".join(value_pair(of.old, of.new)))
                for config in changed
                for of_column in _examples_by_column(config, examples).values()
                for split, of in of_column
            ],
        ),
        (
            "Settings",
            ("setting", "before", "now"),
            [(of.path, *value_pair(of.old, of.new)) for of in diff.settings],
        ),
    ]
    # The reasons are always the first table.
    return [Table.of(title, columns, rows) for title, columns, rows in found if rows or title == "Reasons"]


def _came_and_went(config: ConfigDiff, n: int) -> list[tuple[object, ...]]:
    """The first ids of rows that were added, then of those that were removed."""
    return [
        row
        for what in ("added", "removed")
        for row in [
            (config.config, split.split, row_id, what)
            for split in config.splits
            for row_id in getattr(split, f"{what}_ids")
        ][:n]
    ]


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


def next_changelog(previous: OpenRelease | None, new: OpenRelease) -> str:
    """The ``CHANGELOG.md`` of a release: what it changes, above what was before; of a first one what it holds.

    Args:
        previous: The release before; null for a first one.
        new: The new release; its tables have to be there, its documents not yet.

    Raises:
        BlendError: If a file cannot be read.
    """
    if previous is None:
        return changelog(first_entry(new.manifest))
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
    return "\n".join(part for part in (_CHANGELOG_TITLE, entry, earlier) if part)


def _column_totals(config: ConfigDiff) -> dict[str, int]:
    """Changed rows of every changed column, over all splits."""
    totals: dict[str, int] = {}
    for split in config.splits:
        for name, n in split.columns.items():
            totals[name] = totals.get(name, 0) + n
    return totals


def _examples_by_column(config: ConfigDiff, n: int) -> dict[str, list[tuple[str, CellChange]]]:
    """The first examples of every changed column with their split, in the order of the splits."""
    found: dict[str, list[tuple[str, CellChange]]] = {}
    for split in config.splits:
        for example in split.examples:
            chosen = found.setdefault(example.column, [])
            if len(chosen) < n:
                chosen.append((split.split, example))
    return found
