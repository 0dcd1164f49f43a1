"""The project file: what is asked in which locales, of whom, in which stages, and where the server is.

People are known by keyed hash: the same on every server, and meaningless without the key file.
"""

import hmac
import json
import re
import secrets
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, Field, StrictFloat, StrictInt, StringConstraints

from blend.loaders.files.content import read_content
from blend.loaders.files.toml import read_toml, registry_with
from blend.loaders.label_studio.client import Account
from blend.loaders.recipes import read_recipe
from blend.loaders.servers import is_server_address, public_address
from blend.schemas.errors import InputError
from blend.schemas.locales import Locale, Registry
from blend.schemas.models import FrozenModel
from blend.schemas.personal_data import ACCOUNT_PSEUDONYM, EVENTS, KEY
from blend.schemas.recipe import SaqOptions

StageName = Literal["collect", "answer", "review", "equivalence", "mcq-review", "replies", "statements"]
"""The stages, in the order in which they happen; see `counting.stage_of`."""

ORDER: tuple[StageName, ...] = get_args(StageName)
"""Their names in this order."""

_MAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+")
"""An e-mail address, as far as it can be told from a pseudonym."""


def slug(topic: str) -> str:
    """A topic as it stands in ids: ``Work life`` is ``work-life``."""
    return re.sub(r"\W+", "-", topic.casefold()).strip("-")


def _shown(entry: str) -> str:
    """An entry as a message shows it: of an address only how it begins."""
    return f"{entry[:2]}…@…" if "@" in entry else repr(entry)


def _each_once(entries: tuple[str, ...]) -> tuple[str, ...]:
    folded = [entry.strip().casefold() for entry in entries]
    if twice := [entry for number, entry in enumerate(entries) if folded[number] in folded[:number]]:
        raise ValueError(f"{_shown(twice[0])} is listed twice; delete one of the two")
    return entries


def _distinct_topics(topics: tuple[str, ...]) -> tuple[str, ...]:
    slugs = [slug(topic) for topic in topics]
    for number, topic in enumerate(topics):
        if not slugs[number] or slugs[number] in slugs[:number]:
            raise ValueError(
                f"{topic!r} cannot be told from another topic; give every topic letters of its own: ids are "
                "made of them"
            )
    return topics


def _person(entry: str) -> str:
    if _MAIL.fullmatch(entry.strip()) or ACCOUNT_PSEUDONYM.fullmatch(entry.strip()):
        return entry
    raise ValueError(
        f"{_shown(entry)} is neither of the two ways to name people; write the e-mail address of an account, "
        "or the pseudonym that `blend annotate status` shows, p- and 12 digits and letters"
    )


def _server_address(url: str) -> str:
    if re.match(r"https?://[^/]*@", url):
        raise ValueError(
            "holds a name or password before the @; remove it, and give the token in the environment"
        )
    if not is_server_address(url):
        raise ValueError(
            f"{url!r} is not the address of a server; write it in full, for example http://localhost:8080"
        )
    return url


_Text = Annotated[str, StringConstraints(pattern=r"\S")]
_Stages = Annotated[tuple[StageName, ...], Field(min_length=1), AfterValidator(_each_once)]
_Topics = Annotated[tuple[_Text, ...], Field(min_length=1), AfterValidator(_distinct_topics)]
_People = Annotated[tuple[Annotated[str, AfterValidator(_person)], ...], AfterValidator(_each_once)]
_Url = Annotated[str, AfterValidator(_server_address)]


class _ServerSettings(FrozenModel):
    """Address of a Label Studio server; the access token is never in a file."""

    url: _Url = "http://localhost:8080"
    """Address of the server, for example ``http://localhost:8080``."""


class _LocaleSettings(FrozenModel):
    """A locale of the project, and who works on it."""

    locale: _Text
    """Tag of a locale, for example ``ko-KR``."""
    annotators: _People | None = None
    """Who answers, by pseudonym (``blend annotate status`` shows it) or e-mail address; whoever has an account
    when absent."""
    reviewers: _People | None = None
    """Who reviews, in the same way; whoever has an account when absent."""
    stages: _Stages | None = None
    """Stages of this locale; those of the project when absent."""


class Project(FrozenModel):
    """An annotation project: one Label Studio project for every locale and stage."""

    name: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,23}$")]
    """Short name, with which every title on the server begins: up to 24 lower-case letters, digits, ``.``,
    ``_`` and ``-``."""
    stages: _Stages = ("answer", "review")
    """Stages, each once: ``collect``, ``answer``, ``review``, ``equivalence``, ``mcq-review``,
    ``replies``, ``statements``."""
    locales: tuple[_LocaleSettings, ...] = Field(min_length=1)
    """One table ``[[locales]]`` for every locale."""
    collected: _Text = "collected"
    """Directory of raw responses, relative to this file: its templates and questions are asked, responses and
    reviews are written there."""
    pulled: _Text = "pulled"
    """Folder for what comes from the server as it is, relative to this file; it holds people's data and is
    never published."""
    key_file: _Text = "annotators.key"
    """File with the key of the pseudonyms, relative to this file; never published."""
    recipe: str | None = None
    """Recipe of the release, relative to this file; the stage ``mcq-review`` needs it. Its ``[saq]`` says how
    many responses are wanted."""
    locale_file: str | None = None
    """TOML file of further locales, relative to this file."""
    templates: tuple[_Text, ...] | None = Field(default=None, min_length=1)
    """Ids of the templates that are asked; all of the directory when absent."""
    topics: _Topics | None = None
    """Topics that questions are collected on and templates are asked of; every topic when absent. The stage
    ``collect`` needs them."""
    questions_per_topic: StrictInt = Field(default=5, ge=1, le=100)
    """Questions that are collected per topic and locale."""
    wanted: StrictInt = Field(default=5, ge=1, le=100)
    """Valid responses wanted per question."""
    readers: StrictInt = Field(default=2, ge=1, le=100)
    """People who read the options of a question in the stage ``mcq-review``, or a reply in ``replies``, and one
    more where they disagree."""
    max_idk: StrictInt = Field(default=5, ge=0)
    """With more *I don't know* than this, a question is not asked any more."""
    review_groups: StrictInt = Field(default=12, ge=2, le=40)
    """Groups into which the answers to one question can be sorted in a review."""
    sheets: dict[StageName, _Text] = Field(default={})
    """Sheets that people judge, relative to this file, by stage: ``equivalence``, ``replies``,
    ``statements``."""
    rate: StrictInt | StrictFloat | None = Field(default=None, ge=0)
    """What an hour of work is paid, for the table of ``blend annotate status --payment``."""
    instructions: dict[str, _Text] = Field(default={})
    """Markdown files with instructions of one's own, relative to this file, by language; ours for
    others."""
    server: _ServerSettings = _ServerSettings()
    """Where Label Studio runs."""

    def saq_options(self) -> SaqOptions:
        """The five-valid rule of the project."""
        return SaqOptions(wanted=self.wanted, max_idk=self.max_idk)

    def stages_of(self, locale: str) -> tuple[StageName, ...]:
        """The stages of a locale, in the order in which they happen."""
        settings = self.settings(locale)
        return tuple(sorted(settings.stages or self.stages, key=ORDER.index))

    def settings(self, locale: str) -> _LocaleSettings:
        """Return the settings of a locale in the file."""
        return next(settings for settings in self.locales if settings.locale == locale)


class ProjectFile:
    """A project and where its file lies, from which its paths are counted.

    Args:
        path: The file.
        project: What it says.
    """

    def __init__(self, path: Path, project: Project) -> None:
        self.path = path
        self.project = project
        self.base = path.parent

    @property
    def locales(self) -> Registry:
        """Known locales: the packaged ones and those of ``locale_file``."""
        file = self.project.locale_file
        return registry_with(None if file is None else self.base / file)

    @property
    def collected(self) -> Path:
        """Directory of raw responses."""
        return self.base / self.project.collected

    @property
    def pulled(self) -> Path:
        """Folder for what comes from the server."""
        return self.base / self.project.pulled

    @property
    def events(self) -> Path:
        """File of everything that people did, as it was seen."""
        return self.pulled / EVENTS

    @property
    def key_file(self) -> Path:
        """File with the key of the pseudonyms."""
        return self.base / self.project.key_file

    @property
    def server(self) -> str:
        """The address of the server, as it may be shown."""
        return public_address(self.project.server.url)

    def page(self, number: int) -> str:
        """The address of a project on the server, where people work."""
        return f"{self.server.rstrip('/')}/projects/{number}/data"

    def locale(self, tag: str) -> Locale:
        """A locale of the project."""
        return self.locales.get(tag)


def read_project(path: Path) -> ProjectFile:
    """The project of a file; `starting.check_project` looks at all that it names.

    Raises:
        RowError, RowErrors, InputError: As `loaders.files.toml.read_toml`, for the file and its recipe.
    """
    return with_recipe(project_in(path))


def project_in(path: Path) -> ProjectFile:
    """Read what a project file says by itself; without its recipe, the five-valid rule may be another one.

    Raises:
        RowError, RowErrors, InputError: As `loaders.files.toml.read_toml`.
    """
    return ProjectFile(path, read_toml(path, Project, what="project file"))


def with_recipe(file: ProjectFile) -> ProjectFile:
    """The project with the five-valid rule of its recipe, where it names one that is there.

    Raises:
        RowError, RowErrors, InputError: As `loaders.files.toml.read_toml`.
    """
    if file.project.recipe is None or not (file.base / file.project.recipe).is_file():
        return file
    rule = read_recipe(file.base / file.project.recipe).saq
    return ProjectFile(file.path, file.project.model_copy(update=dict(rule)))


# Pseudonyms: people by keyed hash.


_BYTES = 32
_DIGITS = 12


def new_key() -> str:
    """A key of 256 random bits, as the text of a key file."""
    return secrets.token_hex(_BYTES) + "\n"


def read_key(path: Path) -> bytes:
    """The key in a file.

    Raises:
        InputError: If there is no such file, or no key in it.
    """
    if not path.is_file():
        raise InputError(
            f"{path}: there is no key file; bring back the one that this project began with, since with "
            "another key everybody gets another pseudonym, or, if nobody has annotated yet, make one: "
            f"python -c \"import secrets; open('{path.as_posix()}', 'w').write(secrets.token_hex({_BYTES}))\""
        )
    text = read_content(path, what="key file").decode("utf-8-sig", errors="replace").strip()
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != _BYTES:
        raise InputError(f"{path}: is not a key of {2 * _BYTES} hexadecimal digits; bring back the right file")
    return key


def project_key(file: ProjectFile) -> bytes:
    """The key of a project, which is the one with which its events were written.

    Raises:
        InputError: As `read_key`; or if it is another one.
    """
    key, path = read_key(file.key_file), file.events
    first = read_content(path).partition(b"\n")[0] if path.is_file() else b""
    kept = None
    # What is wrong with a line is told where events are read.
    with suppress(ValueError, RecursionError, AttributeError):
        kept = json.loads(first).get("fingerprint")
    if kept not in (None, _fingerprint(key)):
        raise InputError(
            f"{file.key_file}: is not the key with which {path} was written; bring back the one that this "
            "project began with, since with another key everybody gets another pseudonym, and whoever was "
            "forgotten comes back"
        )
    return key


def key_line(key: bytes) -> dict[str, str]:
    """The first line of the events, by which the key is known again, and which tells nothing of it."""
    return {"stage": "", "id": "", "event": KEY, "fingerprint": _fingerprint(key)}


def _fingerprint(key: bytes) -> str:
    return hmac.new(key, b"which key this is", sha256).hexdigest()[:16]


def pseudonym(who: str, key: bytes) -> str:
    """The pseudonym of a person: ``p-`` and 12 hexadecimal digits.

    Args:
        who: E-mail address, in any case; for an account without one ``user:`` and its number.
        key: Of the key file.
    """
    return "p-" + hmac.new(key, who.strip().casefold().encode(), sha256).hexdigest()[:_DIGITS]


class People:
    """People behind annotations, by pseudonym: fixed when first seen, whatever becomes of their accounts.

    Args:
        key: Of the key file.
        accounts: The server's accounts by their number.
        events: Lines of the events, which say whose accounts were seen before.
    """

    def __init__(
        self,
        key: bytes,
        accounts: Mapping[int, Account] | None = None,
        events: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        self._key = key
        self._accounts = dict(accounts or {})
        self._known: dict[str, str] = {}
        self._by_number: dict[int, str] = {}
        for line in events:
            if (account := line.get("account")) and (who := line.get("annotator")):
                self._by_number[int(account.split()[0])] = self._known.setdefault(account, who)

    def named(self, entry: str) -> str:
        """The pseudonym for an entry of the project file: an address is hashed, a pseudonym stays."""
        return pseudonym(entry, self._key) if _MAIL.fullmatch(entry.strip()) else entry.strip()

    def account(self, completed_by: Any) -> str | None:
        """What an account is known by, whatever its address; null where an annotation names none."""
        if not isinstance(completed_by, int) or isinstance(completed_by, bool):
            return None
        found = self._accounts.get(completed_by)
        return f"{completed_by} {found.joined if found is not None else ''}".strip()

    def of(self, completed_by: Any) -> str | None:
        """The pseudonym for what names an author: an account by its number, in drafts by its address.

        Null where it names nobody.
        """
        if isinstance(completed_by, str) and completed_by.strip():
            return pseudonym(completed_by, self._key)
        account = self.account(completed_by)
        if account is None:
            return None
        if account in self._known:
            return self._known[account]
        if completed_by not in self._accounts and completed_by in self._by_number:
            return self._by_number[completed_by]
        return pseudonym(self._address(completed_by) or f"user:{completed_by}", self._key)

    def names_of(self, annotator: str) -> frozenset[str]:
        """All pseudonyms by which somebody is known again, also when the account has another address."""
        accounts = {account for account, who in self._known.items() if who == annotator}
        accounts |= {str(self.account(number)) for number in self._accounts if self.of(number) == annotator}
        numbered = {f"user:{account.split()[0]}" for account in accounts}
        return frozenset({annotator, *(pseudonym(one, self._key) for one in accounts | numbered)})

    def aliases(self, completed_by: Any) -> frozenset[str]:
        """The pseudonyms under which the author of an annotation may have been forgotten."""
        account = self.account(completed_by)
        own = () if account is None else (pseudonym(account, self._key),)
        return frozenset(filter(None, (self.of(completed_by), *own)))

    def addresses(self, besides: Collection[str] = ()) -> dict[str, str]:
        """Addresses of the server's accounts by pseudonym, but for some people, under whatever name."""
        numbers = [number for number in self._accounts if self.aliases(number).isdisjoint(besides)]
        return {str(self.of(number)): found for number in numbers if (found := self._address(number))}

    def _address(self, number: int) -> str | None:
        found = self._accounts.get(number)
        # Removed members are all called by one word in place of an address.
        return found.address if found is not None and _MAIL.fullmatch(found.address or "") else None
