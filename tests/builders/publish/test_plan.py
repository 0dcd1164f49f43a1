"""What publishing would change, and what it refuses, without a Hub."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.builders.publish.plan import (
    changes_between,
    check_order,
)
from blend.loaders.releases.files import ReleaseFile
from blend.loaders.releases.repository import RemoteFile
from blend.schemas.addresses import numbers_of
from blend.schemas.errors import BlendError

CONTENTS = st.integers(0, 3)
FILES = st.dictionaries(st.sampled_from(["a", "b/c", "d", "e.parquet"]), CONTENTS)


def local(path: str, content: int) -> ReleaseFile:
    return ReleaseFile(path, size=1, sha256=f"sha256 of {content}", git_id=f"git id of {content}")


def remote(path: str, content: int, *, large: bool) -> RemoteFile:
    # Of a large file git knows only the pointer.
    git_id = "git id of a pointer" if large else f"git id of {content}"
    return RemoteFile(path, 1, git_id, f"sha256 of {content}" if large else None)


@given(FILES, FILES, st.booleans())
def test_the_changes_lead_from_one_to_the_other(files: dict[str, int], there: dict[str, int], large: bool):
    changes = changes_between(
        {path: local(path, content) for path, content in files.items()},
        {path: remote(path, content, large=large) for path, content in there.items()},
    )
    after = {path: content for path, content in there.items() if path not in changes.removed}
    after |= {path: files[path] for path in (*changes.added, *changes.changed)}
    assert after == files
    assert bool(changes) == (files != there)
    assert set(changes.unchanged) == {path for path in files if there.get(path) == files[path]}


def test_the_same_length_is_not_the_same_content():
    assert changes_between({"a": local("a", 1)}, {"a": remote("a", 2, large=True)}).changed == ("a",)
    longer = remote("a", 1, large=True)._replace(size=2)
    assert changes_between({"a": local("a", 1)}, {"a": longer}).changed == ("a",)


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20), st.integers(0, 20)), min_size=2, max_size=2))
def test_versions_are_published_upwards(versions: list[tuple[int, int, int]]):
    old, new = (".".join(map(str, version)) for version in versions)
    assert numbers_of(old) == versions[0]
    if versions[1] > versions[0]:
        check_order(new, old, where="here")
    else:
        with pytest.raises(BlendError, match="is not above"):
            check_order(new, old, where="here")
