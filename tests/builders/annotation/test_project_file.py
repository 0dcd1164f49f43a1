"""The project file: every mistake at once, with its line, and nothing to complain about where there is none."""

import re
from pathlib import Path

import pytest
from exported import sample_questions

from blend.builders.annotation.check import check_project
from blend.builders.annotation.pseudonyms import new_key
from blend.loaders.files.toml_lines import line_of, lines_of
from blend.schemas.errors import BlendError, InputError

BROKEN = Path(__file__).parent / "broken_projects"

GOOD = """\
name = "trial"
stages = ["answer", "review"]
key_file = "annotators.key"

[[locales]]
locale = "ko-KR"

[[locales]]
locale = "fa-IR"
annotators = ["a@example.org", "b@example.org", "c@example.org", "d@example.org", "p-0123456789ab"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the questions of the sample and a key."""
    sample_questions(tmp_path / "collected")
    (tmp_path / "annotators.key").write_text(new_key())
    return tmp_path


def test_a_project_without_mistakes(folder: Path):
    (folder / "project.toml").write_text(GOOD)
    checked = check_project(folder / "project.toml")
    assert len(checked.material.questions) == 395
    assert checked.file.project.stages_of("fa-IR") == ("answer", "review")
    assert "ko-KR: no annotators are named, so whoever has an account may answer" in checked.notes


@pytest.mark.parametrize("case", sorted(path.stem for path in BROKEN.glob("*.toml")))
def test_every_mistake_is_told_with_its_line(folder: Path, case: str):
    file = folder / "project.toml"
    file.write_bytes((BROKEN / f"{case}.toml").read_bytes())
    (folder / "partial.md").write_text("# answer\n\nAnswer.\n\n# answer\n\nTwice.\n")
    (folder / "short.md").write_text("# answer\n\nAnswer.\n")
    (folder / "sheet.csv").write_text("id,dish,ingredients\n1,,rice\n1,soup,\n")
    with pytest.raises(BlendError) as raised:
        check_project(file)
    told = str(raised.value).replace(str(folder) + "/", "")
    told = re.sub(r"(choose one of: )[^;\n]*", r"\1…", told)
    assert told + "\n" == (BROKEN / f"{case}.txt").read_text(encoding="utf-8")


def test_a_project_without_key_says_how_to_make_one(folder: Path):
    (folder / "annotators.key").unlink()
    (folder / "project.toml").write_text(GOOD)
    with pytest.raises(InputError) as raised:
        check_project(folder / "project.toml")
    where = f"{folder}/project.toml:3, key key_file: {folder}/annotators.key"
    assert str(raised.value) == (
        f"{where}: there is no key file; make one with `blend annotate init`, or bring back the one that this "
        "project began with, since with another key everybody gets another pseudonym"
    )


def test_lines_of_keys():
    lines = lines_of('a = 1\n[t]\nb = [\n  "x=1",\n]\n[[e]]\nc = 1\n[[e]]\n# c = 2\nc = 3\n')
    assert lines == {"a": 1, "t": 2, "t.b": 3, "e": 6, "e[0]": 6, "e[0].c": 7, "e[1]": 8, "e[1].c": 10}
    assert [line_of(key, lines) for key in ("e[1].c", "e[1].d", "t.b[3]", "z", "e[1].c[0].q")] == [
        10,
        8,
        3,
        1,
        10,
    ]
