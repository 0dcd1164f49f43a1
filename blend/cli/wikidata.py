"""``blend wikidata``: snapshots of Wikidata, from which releases are built offline."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blend.cli.application import Application
from blend.schemas.texts import agreeing, pluralise

if TYPE_CHECKING:
    from blend.schemas.manifest import SnapshotInfo

app = Application(
    no_args_is_help=True,
    help="Take snapshots of Wikidata to build from offline. `docs/wikidata.md` walks through it.",
)

Endpoint = Annotated[
    str | None,
    typer.Option(
        metavar="NAME|URL",
        help="`wdqs` (the Wikidata Query Service, when absent), `wdqs-scholarly`, `qlever`, or the address of "
        "a SPARQL 1.1 endpoint.",
    ),
]
DomainFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Domains of your own (TOML), beside those of the package."),
]
Contact = Annotated[
    str | None,
    typer.Option(help="Mail or web address under which the service can reach you; the public one wants it."),
]


@app.command()
def snapshot(
    out: Annotated[
        Path, typer.Option(help="File to write, `….nt.gz`; `snapshot.json` is written beside it.")
    ] = Path("snapshot.nt.gz"),
    endpoint: Endpoint = None,
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
    domain_file: DomainFile = None,
    language: Annotated[
        list[str] | None,
        typer.Option(help="Language of labels, as Wikidata tags it; repeat it. All when absent."),
    ] = None,
    contact: Contact = None,
    batch_size: Annotated[int, typer.Option(min=1, help="Items per question.")] = 100,
) -> None:
    """Ask an endpoint for exactly the statements that a build needs, or find them in a dump.

    May be stopped at any moment; the same command goes on where it stopped and asks nothing again.
    """
    from blend.loaders.files.progress import shown_progress
    from blend.loaders.files.toml import known_domains
    from blend.loaders.wikidata.dump import take_snapshots_from_dump
    from blend.loaders.wikidata.partial import NoItemError
    from blend.loaders.wikidata.snapshot import take_snapshots
    from blend.loaders.wikidata.sparql import DEFAULT_ENDPOINT
    from blend.schemas.errors import InputError
    from blend.schemas.recipe import find_domain
    from blend.stopping import interruptible

    if dump is not None and (endpoint is not None or contact is not None):
        raise InputError("`dump` is read from the disk; leave out `endpoint` and `contact`, or `dump`")
    known = known_domains(domain_file)
    wanted = {name: find_domain(name, known) for name in domain or ["dish"]}
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
        _show_snapshots(error.taken)
        raise
    _show_snapshots(dict(zip(outs, infos, strict=True)))


@app.command()
def demonyms(
    language: Annotated[
        list[str], typer.Option(help="Language to ask for, as Wikidata tags it (`de`, `pt-br`); repeat it.")
    ],
    out: Annotated[Path, typer.Option(help="Folder to write `forms.tsv` and `other-forms.tsv` into.")] = Path(
        "nationalities"
    ),
    endpoint: Endpoint = None,
    contact: Contact = None,
) -> None:
    """Ask what nationalities are called in other languages, for cultural prompts in these.

    `forms.tsv` is a draft for `cultural.forms` of a recipe, to be read by somebody who speaks the language.
    """
    from blend.loaders.files.progress import shown_progress
    from blend.loaders.wikidata.demonyms import ask_demonyms, write_demonyms
    from blend.loaders.wikidata.sparql import DEFAULT_ENDPOINT
    from blend.stopping import interruptible

    with interruptible("interrupted; nothing was written"), shown_progress() as on_progress:
        found = ask_demonyms(
            language,
            endpoint=DEFAULT_ENDPOINT if endpoint is None else endpoint,
            contact=contact,
            on_progress=on_progress,
            on_wait=lambda sentence: typer.echo(sentence, err=True),
        )
        forms, others = sorted(write_demonyms(out, found))
    for tag, by_name in found.forms.items():
        missing = found.missing(tag)
        without = f"; none for {', '.join(missing)}" if missing else ""
        several = sum(len(names) > 1 for names in by_name.values())
        names = f"{len(by_name)} {agreeing(len(by_name), 'nationality', 'nationalities')}"
        typer.echo(f"{tag}: {names}, {several} with several forms{without}")
    typer.echo(f"{out / forms}: the shortest form of each, to be checked; {out / others}: the others")


@app.command()
def domains(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Domain to print; all are listed when absent.")
    ] = None,
    domain_file: DomainFile = None,
) -> None:
    """List what snapshots can be about, or print one as a domain file has it, to begin one of your own with."""
    from blend.loaders.files.toml import domain_toml, known_domains
    from blend.schemas.recipe import find_domain

    known = known_domains(domain_file)
    if name is not None:
        typer.echo(domain_toml(find_domain(name, known)), nl=False)
        return
    for domain in known.values():
        typer.echo(f"{domain.name:<20} {domain.title}")


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
