"""A reader beside a publisher: looks at every branch and tag of a repository in a loop, with the real clients.

For every line that comes in it looks once more and prints one JSON line: for each name the distinct things that
it held, in the order in which they were seen. An error is a thing seen as well.
"""

import functools
import hashlib
import json
import select
import sys
from pathlib import Path
from typing import Any

import datasets
from huggingface_hub import HfApi, snapshot_download
from huggingface_hub.errors import RepositoryNotFoundError

PAUSE_S = 0.2


def look(repo_id: str) -> dict[str, Any]:
    """What each branch and tag holds now."""
    try:
        refs = HfApi().list_repo_refs(repo_id, repo_type="dataset")
    except RepositoryNotFoundError:
        return {}
    return {ref.name: held(repo_id, ref.name, ref.target_commit) for ref in (*refs.branches, *refs.tags)}


# A commit never changes: a name is loaded again only when it names another one.
@functools.cache
def held(repo_id: str, name: str, commit: str) -> dict[str, Any]:
    """Digests of the files by path, and number and digest of the rows by configuration and split."""
    try:
        folder = Path(snapshot_download(repo_id, repo_type="dataset", revision=name))
        return {"files": digests(folder), "rows": rows(repo_id, name)}
    except Exception as error:
        return {"failed": f"{type(error).__name__}: {error}"}


def digests(folder: Path) -> dict[str, str]:
    """SHA-256 of every file by path, without the one that the Hub itself adds."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".gitattributes"
    }


def rows(repo_id: str, revision: str) -> dict[str, dict[str, str]]:
    """What ``load_dataset`` gives: nothing for a repository without data."""
    try:
        configs = datasets.get_dataset_config_names(repo_id, revision=revision)
    except FileNotFoundError:
        return {}
    return {
        config: {
            split: f"{table.num_rows} rows, {hashlib.sha256(json.dumps(table.to_list()).encode()).hexdigest()}"
            for split, table in datasets.load_dataset(repo_id, config, revision=revision).items()
        }
        for config in configs
    }


if __name__ == "__main__":
    answers, sys.stdout = sys.stdout, sys.stderr
    seen: dict[str, list[Any]] = {}
    while True:
        asked = select.select([sys.stdin], [], [], PAUSE_S)[0]
        if asked and not sys.stdin.readline():
            break
        for name, now in look(sys.argv[1]).items():
            if now not in seen.setdefault(name, []):
                seen[name].append(now)
        if asked:
            print(json.dumps(seen), file=answers, flush=True)
