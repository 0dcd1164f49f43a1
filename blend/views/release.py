"""What a release holds, as tables for a terminal."""

from collections import Counter

from rich.table import Table

from blend.schemas.layout import FINDINGS_NAME
from blend.schemas.manifest import ReleaseManifest


def release_tables(manifest: ReleaseManifest) -> list[Table]:
    """What was written, and what each step kept and left out."""
    return [contents_table(manifest), _report(manifest)]


def contents_table(manifest: ReleaseManifest) -> Table:
    """Configurations with their splits and rows."""
    table = Table(title=f"{manifest.name} {manifest.version}", title_justify="left")
    table.add_column("configuration")
    table.add_column("splits", overflow="fold")
    table.add_column("rows", justify="right")
    rows: Counter[str] = Counter()
    splits: dict[str, list[str]] = {}
    for info in manifest.tables:
        rows[info.config] += info.rows
        splits.setdefault(info.config, []).append(info.split)
    for config, names in splits.items():
        table.add_row(config, " ".join(names), f"{rows[config]:,}")
    return table


def _report(manifest: ReleaseManifest) -> Table:
    table = Table(
        title="What each step kept and left out",
        title_justify="left",
        caption=f"Each is a line of {FINDINGS_NAME}; docs/findings.md says what the kinds mean and what to do.",
        caption_justify="left",
    )
    table.add_column("step")
    table.add_column("kept", justify="right")
    table.add_column("oddities and rows left out", overflow="fold")
    for stage in manifest.report:
        found = "\n".join(f"{kind} {count:,}" for kind, count in stage.findings.items())
        table.add_row(stage.stage, f"{sum(stage.kept.values()):,}", found or "none")
    return table
