"""Snapshots: the part of Wikidata that a domain needs, taken once, sorted, and pinned by its digest."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import polars as pl

from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.content import read_content
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.wikidata import queries
from blend.loaders.wikidata.facts import DIRECT, ENTITY, INSTANCE_OF
from blend.loaders.wikidata.partial import (
    NOT_ASKED,
    check_outs,
    found_snapshots,
    partial_snapshots,
    write_snapshot,
)
from blend.loaders.wikidata.queries import Batch, batches, pattern
from blend.loaders.wikidata.sparql import (
    DEFAULT_ENDPOINT,
    ENDPOINTS,
    RequestPolicy,
    SparqlClient,
    TooHeavyError,
    find_endpoint,
    unheard,
)
from blend.schemas.errors import DISTRIBUTION, InputError
from blend.schemas.languages import is_language
from blend.schemas.manifest import SnapshotInfo
from blend.schemas.recipe import Domain

_BATCH_SIZE = 100
"""Items per question: some ten thousand labels, well under the minute that the public service allows."""

Ask = Callable[[str, Iterable[str]], Iterator[tuple[str, str, str]]]
"""Answers a question, given its stage and the items that it is about, with triples in N-Triples form."""


def take_snapshots(
    domains: Mapping[Path, Domain] | Mapping[str, Domain],
    *,
    endpoint: str = DEFAULT_ENDPOINT,
    languages: Sequence[str] | None = None,
    contact: str | None = None,
    batch_size: int = _BATCH_SIZE,
    policy: RequestPolicy | None = None,
    on_progress: ProgressCallback = silent,
    on_wait: Callable[[str], None] | None = None,
) -> list[SnapshotInfo]:
    """Ask an endpoint for exactly the statements that domains need, one domain after another.

    May be stopped at any moment (Ctrl-C, kill -9, a lost connection); the same call goes on where it stopped
    and asks nothing again that was answered. The answers wait in the folder ``OUT.partial`` of the first file
    until all are there. The same facts give the same bytes, in whatever order and batches they were asked for.

    Args:
        domains: What to look for, by the file to write, ``….nt.gz``; each needs a folder of its own, since
            ``snapshot.json`` with its account is written beside it.
        endpoint: ``wdqs`` (the Wikidata Query Service), ``qlever``, or the address of a SPARQL 1.1 endpoint
            that holds Wikidata and takes questions by POST.
        languages: Languages of labels and descriptions, as Wikidata tags them; all when absent.
        contact: Mail or web address under which the service can reach whoever asks; the public one wants it.
        batch_size: Items per question. A question that is too heavy is divided by itself.
        policy: How the endpoint is asked; ``contact`` is ignored beside it.
        on_progress: Told about progress.
        on_wait: Told what is waited for when the endpoint does not answer; ignored beside a policy.

    Returns:
        The accounts, as written to ``snapshot.json``, in the order of the files.

    Raises:
        EndpointError: If the endpoint is down, is at another address, refuses, or does not answer as it must.
            Nothing is lost.
        InputError: If an option is wrong, one of the files or its account is there already, or ``OUT.partial``
            belongs to other snapshots.
        NoItemError: If a domain has no item there; the others are written.
        ConflictError: If another process is taking them.
        StorageError: If the disk is full.
        MissingExtraError: If SPARQLWrapper or pyoxigraph is not installed.

    References:
        https://foundation.wikimedia.org/wiki/Policy:Wikimedia_Foundation_User-Agent_Policy for the contact;
        https://www.mediawiki.org/wiki/Wikidata_Query_Service/User_Manual for the limits of the service.
    """
    outs = {Path(out): domain for out, domain in domains.items()}
    wanted = None if languages is None else languages_of(languages)
    check_outs(outs)
    client = _client_of(endpoint, contact=contact, policy=policy, on_wait=on_wait)
    plan = {
        "endpoint": client.endpoint,
        "domains": [domain.model_dump(mode="json", exclude=NOT_ASKED) for domain in outs.values()],
        "languages": None if wanted is None else list(wanted),
        "batch size": batch_size,
    }
    with partial_snapshots(outs, plan) as partial:
        infos: dict[Path, SnapshotInfo | None] = {}
        for out, domain in outs.items():
            session = _Session(partial.folder, client, domain, wanted, batch_size, on_progress)
            items = ask_everything(session.ask, domain)
            infos[out] = write_snapshot(session, out, partial, items, on_progress, endpoint=client.endpoint)
    return found_snapshots(infos, outs)


def _client_of(
    endpoint: str,
    *,
    contact: str | None = None,
    policy: RequestPolicy | None = None,
    on_wait: Callable[[str], None] | None = None,
) -> SparqlClient:
    """Somebody who asks an endpoint; the arguments are those of `take_snapshots`.

    Raises:
        InputError: If the endpoint is neither known nor an address, or the contact is missing or wrong.
    """
    address = find_endpoint(endpoint)
    if policy is None:
        agent = _agent_of(contact, address)
        policy = RequestPolicy(agent, on_wait=unheard if on_wait is None else on_wait)
    return SparqlClient(address, policy)


def languages_of(tags: Sequence[str]) -> tuple[str, ...]:
    """Language tags in small letters and text order, each once, English among them: countries are named by it.

    Raises:
        InputError: If one is not a tag.
    """
    wrong = [tag for tag in tags if not is_language(tag)]
    if wrong:
        raise InputError(
            f"languages: {', '.join(map(repr, wrong))} is not a BCP 47 tag; "
            "write tags such as en, zh or zh-hans"
        )
    return tuple(sorted({"en", *map(str.lower, tags)}))


def _agent_of(contact: str | None, address: str) -> str:
    """The user agent: this software, its version, and how to reach whoever uses it.

    Raises:
        InputError: If the public service would be asked without a contact, against its policy, or if the
            contact cannot stand in a header.
    """
    if contact is None and address == ENDPOINTS[DEFAULT_ENDPOINT]:
        raise InputError(
            "the Wikidata Query Service wants to know whom to reach about its use; "
            "give a mail or web address as `contact`"
        )
    if contact is not None and not (contact.isascii() and contact.isprintable() and contact.strip()):
        raise InputError(f"contact {contact!r}: write a mail or web address in ASCII")
    return f"{DISTRIBUTION}/{version(DISTRIBUTION)}" + (f" ({contact})" if contact else "")


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
        # What was asked about is left out, so that a circle of classes ends.
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


@dataclass(slots=True)
class _Session:
    """Asks the questions of a snapshot, or reads the answers that an earlier run left."""

    folder: Path
    client: SparqlClient
    domain: Domain
    languages: tuple[str, ...] | None
    batch_size: int
    on_progress: ProgressCallback
    _files: set[Path] = field(default_factory=set)
    _has_answered: bool = False

    def ask(self, stage: str, ids: Iterable[str]) -> Iterator[tuple[str, str, str]]:
        """The triples about some items, as ``(subject, property, object)`` in N-Triples form.

        Raises:
            EndpointError: If the endpoint does not answer as it must.
        """
        questions = list(batches(stage, ids, self.batch_size))
        for done, batch in enumerate(questions):
            self.on_progress(f"ask for {stage}", done, len(questions))
            for line in self._lines(batch):
                yield terms(line)
        self.on_progress(f"ask for {stage}", len(questions), len(questions))

    def lines(self) -> Iterator[pl.Series]:
        """The lines of all answers."""
        return (pl.Series("line", _read_lines(path)) for path in sorted(self._files))

    def _lines(self, batch: Batch) -> list[str]:
        question = pattern(batch, self.domain, self.languages)
        key = sha256(question.encode()).hexdigest()[:32]
        path = self.folder / f"{key}.nt"
        divided = self.folder / f"{key}.divided"
        if path.exists():
            lines = _read_lines(path)
        elif divided.exists():
            return [line for part in batch.divided() for line in self._lines(part)]
        else:
            try:
                lines = self.client.construct(
                    question, divisible=batch.divisible, has_answered=self._has_answered
                )
            except TooHeavyError:
                # Kept, so that a later run does not ask the heavy question again.
                atomic_write(divided, "")
                return self._lines(batch)
            atomic_write(path, "".join(f"{line}\n" for line in lines))
            self._has_answered = True
        self._files.add(path)
        return lines


def _read_lines(path: Path) -> list[str]:
    """The lines of an answer."""
    # Only line feeds part lines: a label may hold U+2028 and others at which str.splitlines would cut it.
    return read_content(path).decode().split("\n")[:-1]


def terms(line: str) -> tuple[str, str, str]:
    """Subject, property and object of a line of N-Triples, as they stand there."""
    subject, predicate, rest = line.split(" ", 2)
    return subject, predicate, rest.removesuffix(" .")
