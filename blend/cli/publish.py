"""``blend publish`` and ``blend pull``: a release goes to the Hub as a tagged version, and comes back."""

from math import inf
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Annotated

import typer

from blend.cli.options import DryRun
from blend.schemas.texts import pluralise
from blend.stopping import UNCHANGED

if TYPE_CHECKING:
    from blend.builders.publish.plan import Publication, PublicationPlan
    from blend.views.terminal import SafeConsole

_STOPPED = "interrupted; readers see no half release; run it again to finish"

_BuiltRelease = Annotated[Path, typer.Argument(help="Release directory, as `blend build` makes it.")]
Repository = Annotated[
    str, typer.Argument(metavar="ORG/NAME", help="Dataset repository; made if it is not there.")
]
_Private = Annotated[bool, typer.Option("--private", help="Only the owners may see it.")]
_ForceVersion = Annotated[
    str | None,
    typer.Option(metavar="REASON", help="Publish under a version that does not follow from the changes."),
]
_Despite = Annotated[
    str | None,
    typer.Option(metavar="REASON", help="Publish although validation finds errors; the changelog tells why."),
]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command()(publish)
    app.command()(pull)


def publish(
    release: _BuiltRelease,
    repo: Repository,
    private: _Private = False,
    dry_run: DryRun = False,
    force_version: _ForceVersion = None,
    allow_errors: _Despite = None,
) -> None:
    """Publish a release on the Hub as one commit and the tag vX.Y.Z.

    Readers see the release whole or not at all. A published version never changes: the same content again does
    nothing, other content needs a new version. If it is interrupted, run it again.

    - `blend publish release org/blend --dry-run` shows what would change.
    - `hf auth login` (or HF_TOKEN) gives the token.
    """
    from blend.builders.publish import plan_publication, publish_release
    from blend.builders.publish.plan import PublicationPlan
    from blend.loaders.files.progress import shown_progress
    from blend.stopping import interruptible
    from blend.views.terminal import SafeConsole

    with interruptible(UNCHANGED if dry_run else _STOPPED), shown_progress() as on_progress:
        # Both take the same arguments: a plan is what publishing would do.
        act = plan_publication if dry_run else publish_release
        done = act(
            release,
            repo,
            private=private,
            force_version=force_version,
            allow_errors=allow_errors,
            on_progress=on_progress,
            on_wait=_WaitingLines(),
        )
    if isinstance(done, PublicationPlan):
        _say_what_would_be(done, SafeConsole())
    else:
        _say_what_was_done(done, SafeConsole())


class _WaitingLines:
    """Says what is waited for: once where requests side by side wait for the same."""

    def __init__(self) -> None:
        self._last_shown: dict[str, float] = {}
        self._one_at_a_time = Lock()

    def __call__(self, sentence: str) -> None:
        with self._one_at_a_time:
            before, now = self._last_shown.get(sentence, -inf), monotonic()
            self._last_shown[sentence] = now
        if now - before > _SIDE_BY_SIDE_S:
            typer.echo(sentence, err=True)


_SIDE_BY_SIDE_S = 0.9
"""Seconds in which the same sentence is about one trouble; the shortest wait is a second."""


def _say_what_would_be(plan: "PublicationPlan", console: "SafeConsole") -> None:
    _print_plan(plan, _announcement(plan), console)
    if plan.creates:
        _say(
            console,
            f"Whether your token may make a repository of {plan.repo_id.partition('/')[0]} shows only then; "
            "`hf auth whoami` lists its organisations.",
        )
    if plan.action != "nothing":
        _say(console, "Nothing was changed. Without --dry-run it would then load with:")
    _say_how_to_load(plan, console)


def _say_what_was_done(done: "Publication", console: "SafeConsole") -> None:
    _print_plan(done.plan, _report(done), console)
    _say(console, "Load it:")
    _say_how_to_load(done.plan, console)


def pull(
    reference: Annotated[str, typer.Argument(metavar="ORG/NAME@REVISION", help="A tag or a commit.")],
    out: Annotated[
        Path,
        typer.Argument(metavar="DIR", help="Directory to make; a release of this dataset is replaced."),
    ],
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace the release of another dataset there as well.")
    ] = False,
) -> None:
    """Get a published release back as a directory, every file checked against its manifest.

    The directory appears complete or not at all, and holds what was published, byte for byte.

    - `blend pull org/blend@v1.2.0 release`
    """
    from blend.loaders.releases.references import pull_release
    from blend.stopping import interruptible, unless_made

    with interruptible(unless_made(out)):
        manifest = pull_release(reference, out, replace=replace)
    files = pluralise(len(manifest.files) + 1, "file")
    typer.echo(f"{manifest.name} {manifest.version} is in {out}: {files}, all as published")


def _print_plan(plan: "PublicationPlan", headline: str, console: "SafeConsole") -> None:
    from rich.table import Table

    _say(console, headline)
    if plan.action == "publish":
        table = Table("on main", "files", "", box=None, pad_edge=False)
        for kind in ("added", "changed", "removed", "unchanged"):
            paths = getattr(plan.changes, kind)
            table.add_row(kind, str(len(paths)), "" if kind == "unchanged" else _some(paths))
        console.print(table)
    for path in plan.edited:
        _say(console, f"edited on the Hub since v{plan.previous}, and replaced: {path}")


def _announcement(plan: "PublicationPlan") -> str:
    """Say what a dry run says first."""
    if plan.action == "nothing":
        return _already(plan)
    if plan.action == "tag":
        return f"Would finish what a stopped run left: {_location(plan)} on its commit {plan.made}"
    return f"Would publish {_location(plan)}{' (a new repository)' if plan.creates else ''}"


def _report(done: "Publication") -> str:
    """Say what a publish says first."""
    if done.plan.action == "nothing":
        return _already(done.plan)
    if done.plan.action == "tag":
        return f"Finished what a stopped run left: {_location(done.plan)} on its commit {done.commit}"
    first = " (a new repository)" if done.new_repository else ""
    return f"Published {_location(done.plan)}{first}, commit {done.commit}"


def _already(plan: "PublicationPlan") -> str:
    return f"Already published, with the same content: {_location(plan)}, commit {plan.made}"


def _location(plan: "PublicationPlan") -> str:
    return f"{plan.repo_id}, tag {plan.tag}"


def _say_how_to_load(plan: "PublicationPlan", console: "SafeConsole") -> None:
    _say(console, f"  from datasets import load_dataset; {plan.load}")


def _some(paths: tuple[str, ...]) -> str:
    return ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")


def _say(console: "SafeConsole", line: str) -> None:
    console.print(line, highlight=False, markup=False, soft_wrap=True)
