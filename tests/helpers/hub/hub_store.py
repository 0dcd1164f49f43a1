"""What a Hub of one's own remembers: accounts, repositories with their commits and tags, and file contents.

Contents lie on disk by their digest.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import RLock

GIT_ATTRIBUTES = "".join(
    f"*.{ending} filter=lfs diff=lfs merge=lfs -text\n"
    for ending in ("arrow", "bin", "gz", "jpg", "parquet", "png", "tar", "zip", "zst")
)
"""What the Hub puts into a new dataset repository: the files that are stored as large ones."""


@dataclass(frozen=True)
class Account:
    """A user of the Hub, known by a token."""

    name: str
    token: str
    writes_to: tuple[str, ...] = ()
    """Namespaces in which the token may create and change repositories."""
    reads: tuple[str, ...] = ()
    """Namespaces whose private repositories the token may read, besides those it writes to."""

    def may_read(self, repo_id: str) -> bool:
        """Whether a private repository is visible."""
        return repo_id.partition("/")[0] in (*self.writes_to, *self.reads)

    def may_write(self, repo_id: str) -> bool:
        """Whether a repository can be made and changed."""
        return repo_id.partition("/")[0] in self.writes_to


ALICE = Account("alice", "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", writes_to=("alice", "org"))
BOB = Account("bob", "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", writes_to=("bob", "org"))
CAROL = Account("carol", "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", reads=("org",))
DAVE = Account("dave", "hf_daveIsAStrangerDaveIsAStrangerXYZ", writes_to=("dave",))


@dataclass(frozen=True)
class Entry:
    """A file in a commit."""

    size: int
    oid: str
    """What git calls the file: the id of its content, or of the pointer to a large file."""
    sha256: str | None = None
    """Digest of a large file's content; null for a file that git itself keeps."""


@dataclass
class Commit:
    """A state of a repository."""

    parent: str | None
    title: str
    description: str
    author: str
    files: dict[str, Entry]


@dataclass
class Repository:
    """A dataset repository: files by commit, and the names of commits."""

    store: "Store"
    private: bool = False
    commits: dict[str, Commit] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)

    def resolve(self, revision: str) -> str | None:
        """The commit that a branch, a tag or a commit names."""
        commit = self.branches.get(revision) or self.tags.get(revision) or revision
        return commit if commit in self.commits else None

    def files(self, revision: str = "main") -> dict[str, Entry]:
        """The files at a revision; none in a repository without commits."""
        commit = self.resolve(revision)
        return {} if commit is None else self.commits[commit].files

    def content(self, path: str, revision: str = "main") -> bytes:
        return self.store.read(self.files(revision)[path])

    def commit(self, files: Mapping[str, bytes], *, title: str = "by hand", rest: bool = False) -> str:
        """Record the files as what ``main`` holds now, perhaps beside the rest of it; returns the commit."""
        kept = {path: self.store.keep_regular(content) for path, content in files.items()}
        return self.add_commit((self.files() if rest else {}) | kept, title=title)

    def edit(self, files: Mapping[str, bytes], *, title: str = "by hand") -> str:
        """Change some files of ``main`` and leave the others; returns the commit."""
        return self.commit(files, title=title, rest=True)

    def add_commit(
        self,
        files: Mapping[str, Entry],
        *,
        branch: str = "main",
        title: str = "",
        description: str = "",
        author: str = "system",
    ) -> str:
        with self.store.lock:
            parent = self.branches.get(branch)
            commit = Commit(parent, title, description, author, dict(sorted(files.items())))
            text = json.dumps([len(self.commits), asdict(commit)])
            oid = hashlib.sha1(text.encode()).hexdigest()
            self.commits[oid] = commit
            self.branches[branch] = oid
            return oid

    def history(self, revision: str) -> Iterator[tuple[str, Commit]]:
        """Commits from a revision back to the first."""
        oid = self.resolve(revision)
        while oid is not None:
            yield oid, self.commits[oid]
            oid = self.commits[oid].parent


class Store:
    """Repositories and contents below one folder."""

    def __init__(self, root: Path, accounts: tuple[Account, ...] = (ALICE, BOB, CAROL, DAVE)) -> None:
        self.root = root
        self.accounts = {account.token: account for account in accounts}
        self.repositories: dict[str, Repository] = {}
        self.lock = RLock()
        for folder in ("regular", "large"):
            (root / folder).mkdir(parents=True, exist_ok=True)

    def repository(self, repo_id: str) -> Repository:
        """The repository, made without any commit if it is not there."""
        with self.lock:
            return self.repositories.setdefault(repo_id, Repository(self))

    def create(self, repo_id: str, *, private: bool, author: str) -> Repository:
        """A new repository as the Hub makes one: with a first commit that holds ``.gitattributes``."""
        with self.lock:
            repository = self.repositories[repo_id] = Repository(self, private=private)
            first = {".gitattributes": self.keep_regular(GIT_ATTRIBUTES.encode())}
            repository.add_commit(first, title="initial commit", author=author)
            return repository

    def keep_regular(self, content: bytes) -> Entry:
        """Keep a file that git itself holds."""
        oid = git_id(content)
        atomic_write(self.root / "regular" / oid, content)
        return Entry(len(content), oid)

    def large_entry(self, sha256: str, size: int) -> Entry:
        """A large file, by the pointer that git holds for it."""
        pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256}\nsize {size}\n"
        return Entry(size, git_id(pointer.encode()), sha256)

    def large_path(self, sha256: str) -> Path:
        """Where the content of a large file lies, or will."""
        return self.root / "large" / sha256

    def read(self, entry: Entry) -> bytes:
        folder, name = ("large", entry.sha256) if entry.sha256 else ("regular", entry.oid)
        return (self.root / folder / name).read_bytes()


def git_id(content: bytes) -> str:
    return hashlib.sha1(f"blob {len(content)}\0".encode() + content).hexdigest()


def atomic_write(path: Path, content: bytes) -> None:
    """Make a file appear whole."""
    beside = path.with_name(f"{path.name}.{os.urandom(4).hex()}")
    beside.write_bytes(content)
    beside.replace(path)
