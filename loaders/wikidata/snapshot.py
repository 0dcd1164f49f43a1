"""Snapshots: the part of Wikidata that a domain needs, taken once, sorted, and pinned by its digest."""

import gzip
import hashlib
import io
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
from filelock import FileLock, Timeout

from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.pins import file_sha256
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.files.storage import is_disk_full, storage_error
from blend.loaders.wikidata import queries
from blend.loaders.wikidata.accounts import read_snapshot_info
from blend.loaders.wikidata.endpoints import DEFAULT_ENDPOINT, KnownEndpoint, find_endpoint
from blend.loaders.wikidata.probe import probe
from blend.loaders.wikidata.session import (
    NOT_ASKED,
    Session,
    note_written,
    open_folder,
    read_written,
    remove_folders,
)
from blend.loaders.wikidata.sparql import RequestPolicy, SparqlClient, construct_query, unheard
from blend.loaders.wikidata.store import DIRECT, ENTITY, INSTANCE_OF
from blend.schemas.distribution import DISTRIBUTION
from blend.schemas.errors import ConflictError, InputError
from blend.schemas.language.languages import is_language
from blend.schemas.language.text_comparison import pluralise
from blend.schemas.recipe.domains import Domain
from blend.schemas.release.snapshots import SNAPSHOT_NAME, DumpInfo, SnapshotInfo, StageInfo

if TYPE_CHECKING:
    from blend.loaders.wikidata.dump import DumpAnswers

BATCH_SIZE = 100
"""Items per question: some ten thousand labels, well under the minute that the public service allows."""

Ask = Callable[[str, Iterable[str]], Iterator[tuple[str, str, str]]]
"""Answers a question, given its stage and the items that it is about, with triples in N-Triples form."""

_CHUNK_LINES = 100_000


def take_snapshot(
    out: Path | str,
    domain: Domain,
    *,
    endpoint: str = DEFAULT_ENDPOINT,
    languages: Sequence[str] | None = None,
    contact: str | None = None,
    batch_size: int = BATCH_SIZE,
    policy: RequestPolicy | None = None,
    on_progress: ProgressCallback = silent,
    on_wait: Callable[[str], None] | None = None,
) -> SnapshotInfo:
    """Ask an endpoint for exactly the statements that a domain needs.

    May be stopped at any moment (Ctrl-C, kill -9, a lost connection); the same call goes on where it stopped
    and asks nothing again that was answered. The answers wait in the folder ``OUT.partial`` until all are
    there. The same facts give the same bytes, in whatever order and batches they were asked for.

    Args:
        out: File to write, ``….nt.gz``; ``snapshot.json`` with its account is written beside it.
        domain: What to look for.
        endpoint: Name of a known endpoint, ``wdqs``, ``wdqs-scholarly`` or ``qlever``, or the address of a
            SPARQL 1.1 endpoint that holds Wikidata. What it can do is asked first, see `probe`.
        languages: Languages of labels and descriptions, as Wikidata tags them; all when absent.
        contact: Mail or web address under which the service can reach whoever asks; the public one wants it.
        batch_size: Items per question. A question that is too heavy is divided by itself.
        policy: How the endpoint is asked; ``contact`` is ignored beside it.
        on_progress: Told about progress.
        on_wait: Told what is waited for when the endpoint does not answer, and what is unusual about it;
            ignored beside a policy.

    Returns:
        The account, as written to ``snapshot.json``.

    Raises:
        EndpointError: If the endpoint is down, is at another address, refuses, or does not answer as it must.
            Nothing is lost.
        InputError: If an option is wrong, ``out`` or its account is there already, or ``OUT.partial`` belongs
            to another snapshot.
        NoItemError: If the domain has no item there; nothing is written.
        ConflictError: If another process is taking it.
        StorageError: If the disk is full.
        MissingExtraError: If SPARQLWrapper or pyoxigraph is not installed.

    References:
        https://foundation.wikimedia.org/wiki/Policy:Wikimedia_Foundation_User-Agent_Policy for the contact;
        https://www.mediawiki.org/wiki/Wikidata_Query_Service/User_Manual for the limits of the service.
    """
    [info] = take_snapshots(
        {Path(out): domain},
        endpoint=endpoint,
        languages=languages,
        contact=contact,
        batch_size=batch_size,
        policy=policy,
        on_progress=on_progress,
        on_wait=on_wait,
    )
    return info


def take_snapshots(
    domains: Mapping[Path, Domain],
    *,
    endpoint: str = DEFAULT_ENDPOINT,
    languages: Sequence[str] | None = None,
    contact: str | None = None,
    batch_size: int = BATCH_SIZE,
    policy: RequestPolicy | None = None,
    on_progress: ProgressCallback = silent,
    on_wait: Callable[[str], None] | None = None,
) -> list[SnapshotInfo]:
    """Take the snapshots of several domains, one after another, as `take_snapshot` takes one.

    Args:
        domains: What to look for, by the file to write; each needs a folder of its own, since ``snapshot.json``
            is written beside it.
        endpoint: As for `take_snapshot`, with all that follow.
        languages: Of labels and descriptions.
        contact: Of whoever asks.
        batch_size: Items per question.
        policy: How the endpoint is asked.
        on_progress: Told about progress.
        on_wait: Told what is waited for.

    Returns:
        The accounts, in the order of the files.

    Raises:
        BlendError: As from `take_snapshot`.
    """
    wanted = None if languages is None else languages_of(languages)
    check_outs(domains)
    client = client_of(endpoint, contact=contact, policy=policy, on_wait=on_wait)
    with ExitStack() as taking:
        folders = [taking.enter_context(partial_folder(out)) for out in domains]
        infos: dict[Path, SnapshotInfo | None] = {**check_nothing_is_replaced(domains, folders)}
        for (out, domain), folder in zip(domains.items(), folders, strict=True):
            started = open_folder(folder, _plan(client, domain, wanted, batch_size))
            if out not in infos:
                session = Session(folder, probe(client, folder), domain, wanted, batch_size, on_progress)
                items = ask_everything(session.ask, domain)
                # All are noted in the first folder, which is removed last.
                infos[out] = write_snapshot(
                    session, out, started, items, folder=folders[0], endpoint=client.endpoint
                )
        remove_folders(folders)
    return found_snapshots(infos, domains)


def _plan(
    client: SparqlClient, domain: Domain, languages: Sequence[str] | None, batch_size: int
) -> dict[str, Any]:
    """What decides the questions of a snapshot."""
    return {
        "endpoint": client.endpoint,
        "domain": domain.model_dump(mode="json", exclude=NOT_ASKED),
        "languages": None if languages is None else list(languages),
        "batch size": batch_size,
    }


def client_of(
    endpoint: str,
    *,
    contact: str | None = None,
    policy: RequestPolicy | None = None,
    on_wait: Callable[[str], None] | None = None,
) -> SparqlClient:
    """Somebody who asks an endpoint; the arguments are those of `take_snapshot`.

    Raises:
        InputError: If the endpoint is neither known nor an address, or the contact is missing or wrong.
    """
    known = find_endpoint(endpoint)
    if policy is None:
        agent = agent_of(contact, known)
        policy = RequestPolicy(agent, pause_s=known.pause_s, on_wait=unheard if on_wait is None else on_wait)
    return SparqlClient(known.url, policy)


def languages_of(tags: Sequence[str]) -> tuple[str, ...]:
    """Language tags in text order, each once.

    Raises:
        InputError: If one is not a tag.
    """
    wrong = [tag for tag in tags if not is_language(tag)]
    if wrong:
        raise InputError(
            f"languages: {', '.join(map(repr, wrong))} is not a BCP 47 tag; "
            "write tags such as en, zh or zh-hans"
        )
    return tuple(sorted(set(tags)))


def agent_of(contact: str | None, endpoint: KnownEndpoint) -> str:
    """The user agent: this software, its version, and how to reach whoever uses it.

    Raises:
        InputError: If a service would be asked without a contact, against its policy, or if the contact cannot
            stand in a header.
    """
    if contact is None and endpoint.wants_contact:
        raise InputError(
            f"the {endpoint.title} wants to know whom to reach about its use; "
            "give a mail or web address as `contact`"
        )
    if contact is not None and not (contact.isascii() and contact.isprintable() and contact.strip()):
        raise InputError(f"contact {contact!r}: write a mail or web address in ASCII")
    return f"{DISTRIBUTION}/{version(DISTRIBUTION)}" + (f" ({contact})" if contact else "")


@contextmanager
def partial_folder(out: Path) -> Iterator[Path]:
    """Where answers wait until all are there, ``OUT.partial``, for one process at a time.

    Raises:
        ConflictError: If another process is taking the snapshot.
        StorageError: If the disk is full.
    """
    folder = out.with_name(f"{out.name}.partial")
    out.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(out.with_name(f".{out.name}.lock"))
    try:
        with _translate_errors(out), lock.acquire(blocking=False), _tidied(folder, Path(lock.lock_file)):
            yield folder
    except Timeout:
        raise ConflictError(f"{out}: another process is taking this snapshot; wait for it") from None


@contextmanager
def _tidied(folder: Path, lock: Path) -> Iterator[None]:
    """Leave no lock behind, and no folder of this run without an answer in it."""
    is_new = not folder.exists()
    try:
        yield
    finally:
        if is_new and folder.is_dir() and not any(folder.glob("*.nt")) and not any(folder.glob("*.parquet")):
            shutil.rmtree(folder)
        lock.unlink(missing_ok=True)


@contextmanager
def _translate_errors(out: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if not is_disk_full(error):
            raise
        raise storage_error(out, error, kept="what was answered is kept; ") from error


def check_outs(outs: Collection[Path]) -> None:
    """Check that snapshots can have these names.

    Raises:
        InputError: If one does not end in ``.nt.gz``, or another snapshot has its account in this folder.
    """
    for out in outs:
        if not out.name.endswith(".nt.gz"):
            raise InputError(
                f"{out}: a snapshot is gzipped N-Triples; name it {out.name.partition('.')[0]}.nt.gz"
            )
        account = out.with_name(SNAPSHOT_NAME)
        if account.exists() and read_snapshot_info(account).file != out.name:
            raise InputError(
                f"{account}: is the account of another snapshot; choose another folder for {out.name}"
            )
    if len({out.parent for out in outs}) < len(outs):
        raise InputError("each snapshot has its account beside it; give each domain's file a folder of its own")


def check_nothing_is_replaced(outs: Iterable[Path], folders: Iterable[Path]) -> dict[Path, SnapshotInfo]:
    """Check that none of the snapshots is there, other than by an earlier run that was stopped before its end.

    A release names its snapshot by digest, and what a live service said cannot be asked for again.

    Args:
        outs: Files to write.
        folders: Where that earlier run has noted what it wrote.

    Returns:
        The accounts of those that the earlier run finished, by file.

    Raises:
        InputError: If a snapshot or its account would be replaced.
    """
    written = frozenset[str]().union(*map(read_written, folders))
    finished: dict[Path, SnapshotInfo] = {}
    for out in outs:
        account = out.with_name(SNAPSHOT_NAME)
        info = read_snapshot_info(account) if account.exists() else None
        if out.exists():
            digest = file_sha256(out) if written else None
            if digest not in written:
                raise InputError(
                    f"{out}: {'a file' if info is None else _described(info)} is there already and would be "
                    "replaced; choose another `out`, or move it away"
                    f"{'' if info is None else f' together with {SNAPSHOT_NAME}'}"
                )
            if info is not None and info.sha256 == digest:
                finished[out] = info
        elif info is not None:
            raise InputError(
                f"{account}: is the account of {_described(info)}, which is not beside it as {out.name}, and "
                "would be replaced; choose another `out`, or move it to where that snapshot is"
            )
    return finished


def _described(info: SnapshotInfo) -> str:
    about = f"{pluralise(info.triples, 'triple')} about {pluralise(info.items, 'item')}"
    return f"a snapshot of {info.finished[:10]} with {about}"


class NoItemError(InputError):
    """No item of a domain was found, so there is no snapshot of it."""

    def __init__(self, domains: Iterable[Domain], taken: Mapping[Path, SnapshotInfo]) -> None:
        names = ", ".join(repr(domain.name) for domain in domains)
        super().__init__(
            f"no item of the domain {names} was found, so nothing was written for it; "
            "check the classes of the domain, and whether all of Wikidata was searched"
        )
        self.taken = dict(taken)
        """The accounts of the other domains' snapshots, which were written."""


def found_snapshots(
    infos: Mapping[Path, SnapshotInfo | None], domains: Mapping[Path, Domain]
) -> list[SnapshotInfo]:
    """The accounts in the order of the files, if all domains have items.

    Raises:
        NoItemError: If one has none.
    """
    taken = {out: info for out in domains if (info := infos[out]) is not None}
    if len(taken) < len(domains):
        raise NoItemError([domain for out, domain in domains.items() if out not in taken], taken)
    return list(taken.values())


def ask_everything(ask: Ask, domain: Domain) -> int:
    """Ask all questions; each stage asks about what the earlier ones brought. Returns the number of items."""
    members = _ask_members(ask, domain)
    claims = {(s, p, o) for s, p, o in ask(queries.CLAIMS, members)}
    origins = _objects(claims, domain.origin_properties)
    through = _objects(claims, domain.route_properties)
    origins |= _objects(ask(queries.ROUTES, through), domain.route_origin_properties)
    countries, continents = _ask_countries(ask, origins, domain)
    # An item without parts has no row in any language, so nobody needs its names.
    with_parts = {_qid(s) for s, p, _ in claims if p in _iris(domain.part_properties)} & members
    parts = _objects(claims, (*domain.part_properties, *domain.material_properties))
    # Asked for the answers that they leave in the folder; nobody here looks at them.
    for _ in ask(queries.LABELS, with_parts | parts | countries | continents):
        pass
    for _ in ask(queries.DESCRIPTIONS, with_parts):
        pass
    return len(members)


def _ask_members(ask: Ask, domain: Domain) -> set[str]:
    """All items of the class, level by level; what is below an excluded class is asked for as well."""
    members: set[str] = set()
    asked: set[str] = set()
    level = {domain.item_class, *domain.excluded_classes}
    while level:
        asked |= level
        found = {_qid(subject) for subject, _, _ in ask(queries.MEMBERS, level)} - {""}
        members |= found
        level = found - asked
    return members


def _ask_countries(ask: Ask, origins: set[str], domain: Domain) -> tuple[set[str], set[str]]:
    """The countries among the origins and their successors, and the continents of all of them."""
    countries: set[str] = set()
    continents: set[str] = set()
    asked: set[str] = set()
    level = origins
    while level:
        asked |= level
        facts = set(ask(queries.COUNTRIES, level))
        countries |= {_qid(s) for s, p, _ in facts if p in _iris((INSTANCE_OF,))}
        continents |= _objects(facts, (domain.continent_property,))
        level = _objects(facts, (domain.successor_property,)) - asked
    return countries, continents


def _objects(facts: Iterable[tuple[str, str, str]], properties: Sequence[str]) -> set[str]:
    """The items that these properties lead to."""
    wanted = _iris(properties)
    return {_qid(value) for _, name, value in facts if name in wanted} - {""}


def _iris(properties: Sequence[str]) -> set[str]:
    return {f"<{DIRECT}{name}>" for name in properties}


def _qid(term: str) -> str:
    """The identifier of an item from its N-Triples form; empty for anything else."""
    name = term.removeprefix(f"<{ENTITY}").removesuffix(">")
    return name if name[:1] == "Q" and name[1:].isdecimal() else ""


def write_snapshot(
    answers: "Session | DumpAnswers",
    out: Path,
    started: str,
    items: int,
    *,
    folder: Path,
    endpoint: str | None = None,
    dump: tuple[DumpInfo, ...] = (),
) -> SnapshotInfo | None:
    """Write what was answered, every different line once in byte order, and its account; none of no item."""
    if not items:
        return None
    answers.on_progress("write the snapshot", 0, 1)
    lines = pl.concat([pl.Series("line", [], pl.String), *answers.lines()]).unique().sort()
    packed, content = _gzipped(lines)
    info = SnapshotInfo(
        file=out.name,
        endpoint=endpoint,
        dump=dump,
        started=started,
        finished=datetime.now(UTC).isoformat(timespec="seconds"),
        domain=answers.domain,
        languages=answers.languages,
        stages=_stages(answers),
        items=items,
        triples=len(lines),
        bytes=len(packed),
        sha256=hashlib.sha256(packed).hexdigest(),
        content_sha256=content,
        sdk_version=version(DISTRIBUTION),
    )
    # Noted first: where the snapshot stands, the next run knows it as this one's.
    note_written(folder, info.sha256)
    atomic_write(out, packed)
    # The account last: where it stands, the snapshot that it tells of is there.
    atomic_write(out.with_name(SNAPSHOT_NAME), info.to_json())
    answers.on_progress("write the snapshot", 1, 1)
    return info


def _gzipped(lines: pl.Series) -> tuple[bytes, str]:
    """The lines compressed, without name or time in the header, and the digest of the text."""
    digest = hashlib.sha256()
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, compresslevel=9, mtime=0) as file:
        for start in range(0, len(lines), _CHUNK_LINES):
            text = "".join(f"{line}\n" for line in lines[start : start + _CHUNK_LINES]).encode()
            digest.update(text)
            file.write(text)
    return packed.getvalue(), digest.hexdigest()


def _stages(answers: "Session | DumpAnswers") -> tuple[StageInfo, ...]:
    return tuple(
        StageInfo(
            stage=stage,
            requests=answers.tallies[stage].requests,
            triples=answers.tallies[stage].triples,
            query=construct_query(
                queries.pattern(queries.Batch(stage, ("…",)), answers.domain, answers.languages)
            ),
        )
        for stage in queries.STAGES
        if stage in answers.tallies
    )
