"""``blend wikidata``: snapshots of Wikidata, from which releases are built offline."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blend.cli.application import Application
from blend.loaders.files.progress import shown_progress
from blend.schemas.errors import InputError
from blend.schemas.texts import pluralise
from blend.stopping import interruptible

if TYPE_CHECKING:
    from blend.schemas.manifest import SnapshotInfo

app = Application(
    no_args_is_help=True,
    help="Take snapshots of Wikidata to build from offline. `docs/wikidata.md` walks through it.",
)


@app.command()
def _snapshot(
    out: Annotated[
        Path, typer.Option(help="File to write, `….nt.gz`; `snapshot.json` is written beside it.")
    ] = Path("snapshot.nt.gz"),
    endpoint: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|URL",
            help="`wdqs` (the Wikidata Query Service, when absent), `qlever`, or the address of a SPARQL 1.1 "
            "endpoint.",
        ),
    ] = None,
    dump: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Wikidata's dump to read instead of asking: `latest-truthy.nt.gz`, or unpacked.",
        ),
    ] = None,
    domain: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="What to look for: `dish` (when absent), `musical-instrument` or one of your own. Repeat it: "
            "the file of each goes into a folder of its name.",
        ),
    ] = None,
    domain_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Domains of your own (TOML), beside those of the package."),
    ] = None,
    language: Annotated[
        list[str] | None,
        typer.Option(help="Language of labels, as Wikidata tags it; repeat it. All when absent."),
    ] = None,
    contact: Annotated[
        str | None,
        typer.Option(
            help="Mail or web address under which the service can reach you; the public one wants it."
        ),
    ] = None,
    batch_size: Annotated[int, typer.Option(min=1, help="Items per question.")] = 100,
) -> None:
    """Ask an endpoint for exactly the statements that a build needs, or find them in a dump.

    May be stopped at any moment; the same command goes on where it stopped and asks nothing again.
    """
    from blend.loaders.files.toml import known_domains
    from blend.loaders.wikidata.dump import take_snapshots_from_dump
    from blend.loaders.wikidata.partial import NoItemError
    from blend.loaders.wikidata.snapshot import take_snapshots
    from blend.loaders.wikidata.sparql import DEFAULT_ENDPOINT
    from blend.schemas.recipe import find_domain

    if dump is not None and (endpoint is not None or contact is not None):
        raise InputError("`dump` is read from the disk; leave out `endpoint` and `contact`, or `dump`")
    known = known_domains(domain_file)
    wanted = {name: find_domain(name, known) for name in domain or ["dish"]}
    # Each in a folder of its own, since `snapshot.json` lies beside its file.
    outs = {out if len(wanted) == 1 else out.parent / name / out.name: each for name, each in wanted.items()}
    try:
        with interruptible("interrupted; run the same command again to go on"), shown_progress() as on_progress:
            if dump is not None:
                infos = take_snapshots_from_dump(outs, dump, languages=language, on_progress=on_progress)
            else:
                infos = take_snapshots(
                    outs,
                    endpoint=DEFAULT_ENDPOINT if endpoint is None else endpoint,
                    languages=language,
                    contact=contact,
                    batch_size=batch_size,
                    on_progress=on_progress,
                    on_wait=lambda sentence: typer.echo(sentence, err=True),
                )
    except NoItemError as error:
        # The other domains have theirs, and can be built from.
        _show_snapshots(error.taken)
        raise
    _show_snapshots(dict(zip(outs, infos, strict=True)))


def _show_snapshots(taken: Mapping[Path, "SnapshotInfo"]) -> None:
    """Say what was found and what to build from it."""
    from blend.schemas.recipe import domains

    for path, info in taken.items():
        about = f"{pluralise(info.triples, 'triple')} about {pluralise(info.items, 'item')}"
        typer.echo(f"{path}: {about}. Build from it:")
        if info.domain.name in domains():
            typer.echo(f"  blend build --food {path}")
        else:
            typer.echo(f'  with a recipe whose [food] has domain = "{info.domain.name}" and domain_file')
