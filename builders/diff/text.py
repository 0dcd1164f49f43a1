"""A comparison as text: Markdown for the changelog of a release, and JSON for programs."""

import json
import unicodedata
from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from pydantic import JsonValue

from blend.builders.diff import OpenRelease, diff_tables
from blend.builders.diff.model import ReleaseDiff, Step, accepted_versions, expected_version, version_step
from blend.loaders.releases import document_text
from blend.schemas.manifest import CHANGELOG_NAME, ReleaseManifest
from blend.schemas.summaries import Table, markdown_table
from blend.schemas.texts import escape_controls, pluralise

# Two values side by side: short enough to read, cut where they differ.


_WIDTH = 100
"""Characters of a quoted value at most."""

_LEAD = 20
"""Characters of what stands before the first difference; a third of the width if that is less."""


def _value_pair(old: JsonValue, new: JsonValue, width: int = _WIDTH) -> tuple[str, str]:
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
    counts = diff.counts()
    rows, columns, values, ids, quoted = (list[tuple[object, ...]]() for _ in range(5))
    for config in diff.changed_configs():
        name, changed = config.config, dict[str, int]()
        for split in config.splits:
            if not split.is_empty:
                figures = (getattr(split, count) for count in counts)
                rows.append((f"{name} {split.split}", split.old_rows, split.new_rows, *figures))
            for column, n in split.columns.items():
                changed[column] = changed.get(column, 0) + n
        columns += [(name, of.path, of.old, of.new) for of in config.schema_changes]
        values += [(name, *total) for total in changed.items()]
        for what in ("added", "removed"):
            found_ids = [(split.split, one) for split in config.splits for one in getattr(split, f"{what}_ids")]
            ids += [(name, *one, what) for one in found_ids[:examples]]
        cells = [(split.split, cell) for split in config.splits for cell in split.examples]
        for column in dict.fromkeys(cell.column for _, cell in cells):
            of_column = [(split, cell) for split, cell in cells if cell.column == column]
            quoted += [
                (f"{name} {split} {cell.id} {column}", " → ".join(_value_pair(cell.old, cell.new)))
                for split, cell in of_column[:examples]
            ]
    of_splits = [split for config in diff.configs for split in config.splits]
    n_ids = sum(split.added + split.removed for split in of_splits)
    n_values = sum(sum(split.columns.values()) for split in of_splits)
    reasons = [(reason.step, reason.text) for reason in version_step(diff).reasons]
    settings = [(of.path, *_value_pair(of.old, of.new)) for of in diff.settings]
    found: dict[str, tuple[tuple[str, ...], Sequence[tuple[object, ...]]]] = {
        "Reasons": (("step", "why"), reasons),
        "Rows": (("table", "was", "now", *counts), rows),
        "Columns added, removed, or of another type": (("configuration", "column", "before", "now"), columns),
        "Changed values": (("configuration", "column", "changed rows"), values),
        "Rows added and removed": (("configuration", "split", "row", "became"), ids),
        "Examples": (("where", "change"), quoted),
        "Settings": (("setting", "before", "now"), settings),
    }
    first_of = "The first {:,} of {:,}; `blend diff OLD NEW --json` counts and quotes more."
    captions = {
        title: first_of.format(len(shown), total)
        for title, shown, total in (("Rows added and removed", ids, n_ids), ("Examples", quoted, n_values))
        if len(shown) < total
    }
    # The reasons are always the first table.
    return [
        Table.of(title, heads, of, captions.get(title, ""))
        for title, (heads, of) in found.items()
        if of or title == "Reasons"
    ]


def _first_entry(manifest: ReleaseManifest) -> str:
    """The section for a dataset's first version: what it holds."""
    rows: dict[str, list[int]] = {}
    for table in manifest.tables:
        rows.setdefault(table.config, []).append(table.rows)
    lines = [
        f"* `{config}`: {pluralise(sum(counts), 'row')} in {pluralise(len(counts), 'split')}"
        for config, counts in rows.items()
    ]
    said = [] if manifest.recipe.changes is None else [escape_controls(manifest.recipe.changes.strip())]
    return "\n\n".join([f"## {manifest.version}", "First version.", *said, "\n".join(lines)]) + "\n"


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
    earlier = "" if previous is None else previous[previous.find("\n## ") + 1 :] if "\n## " in previous else ""
    return "\n".join(part for part in (_CHANGELOG_TITLE, entry, earlier) if part)
