"""References: what names a release, and what does not."""

from pathlib import Path

import pytest

from blend.loaders.releases.references import hub_reference, resolve_release
from blend.schemas.errors import BlendError


@pytest.mark.parametrize(
    "text",
    ["", "name", "name@v1.0.0", "./org/name", "/org/name", "a/b/c", "org/name@", "org/name@v1 0", "org/na me"],
)
def test_other_texts_name_no_repository(text: str):
    assert hub_reference(text) is None


def test_a_directory_is_taken_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    below = tmp_path / "org" / "name"
    below.mkdir(parents=True)
    assert resolve_release(below) == below
    assert resolve_release(str(below)) == below
    # A directory comes before a repository of the same name.
    monkeypatch.chdir(tmp_path)
    assert resolve_release("org/name") == Path("org/name")


def test_messages_for_what_is_neither(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.txt").write_text("")
    advice = "name the directory of a release, or org/name@v1.0.0"
    assert message("nowhere") == f"nowhere: no such directory; {advice}"
    assert message("notes.txt") == f"notes.txt: is a file; {advice}"


def message(reference: str) -> str:
    with pytest.raises(BlendError) as caught:
        resolve_release(reference)
    return str(caught.value)
