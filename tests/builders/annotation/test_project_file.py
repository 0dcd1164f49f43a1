"""The project file: every mistake at once, with its key, and none in what `init` writes."""

import re
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import polars as pl
import pytest

from blend.builders.annotation.project import ORDER, new_key, read_key, read_project
from blend.builders.annotation.starting import check_project, start_project
from blend.builders.annotation.ui_strings import texts_of
from blend.loaders.files.toml import registry_with
from blend.loaders.recipes import sample_path
from helpers.in_process import run
from helpers.messages import wrong

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
RECIPE = """\
name = "trial"
version = "0.1.0"
license = "cc-by-4.0"
sources = [{kind = "responses", location = "collected"}]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the questions of the sample, no response, and a key."""
    (tmp_path / "collected" / "responses").mkdir(parents=True)
    with sample_path() as sample:
        for name in ("templates.csv", "questions.csv"):
            (tmp_path / "collected" / name).write_bytes((sample / name).read_bytes())
    (tmp_path / "annotators.key").write_text(new_key())
    return tmp_path


def test_a_project_without_mistakes(folder: Path):
    (folder / "project.toml").write_text(GOOD)
    checked = check_project(folder / "project.toml")
    assert len(checked.material.questions) == 395
    assert checked.file.project.stages_of("fa-IR") == ("answer", "review")
    unchecked, nobody = checked.diagnostics
    assert unchecked == (
        "no native speaker has checked our instructions in fa, ko: have them read, or name your own under "
        "[instructions]"
    )
    assert nobody == "ko-KR: no annotators are named, so whoever has an account may answer"
    (folder / "recipe.toml").write_text(RECIPE)
    named = '[[locales]]\nlocale = "ko-KR"\nreviewers = ["p-0123456789ab"]\n'
    keys = 'name = "t"\nstages = ["mcq-review"]\nrecipe = "recipe.toml"\n'
    (folder / "project.toml").write_text(f"{keys}{named}")
    *_, few = check_project(folder / "project.toml").diagnostics
    assert few == "ko-KR: 1 reviewer for the stage mcq-review, which 2 are to do; name more people"


@pytest.mark.parametrize("case", sorted(path.stem for path in BROKEN.glob("*.toml")))
def test_every_mistake_is_told_with_its_key(folder: Path, case: str):
    file = folder / "project.toml"
    file.write_bytes((BROKEN / f"{case}.toml").read_bytes())
    (folder / "partial.md").write_text("# answer\n\nAnswer.\n\n# answer\n\nTwice.\n")
    (folder / "short.md").write_text("# answer\n\nAnswer.\n")
    (folder / "sheet.csv").write_text("id,locale,question,reply\n1,ko-KR,,rice\n1,ko-KR,soup,\n")
    told = wrong(lambda: check_project(file)).replace(str(folder) + "/", "")
    listed = ", ".join(f'"{stage}"' for stage in ORDER)
    told = told.replace(f"Stages, each once: {listed}", "Stages, each once: …")
    *others, last = (f"'{stage}'" for stage in ORDER)
    told = told.replace(f"{', '.join(others)} or {last}", "…")
    told = re.sub(r"(choose one of: |the nearest of the \d+ there are: )[^;\n]*", r"\1…", told)
    assert told + "\n" == (BROKEN / f"{case}.txt").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_project_without_key_says_how_to_make_one(folder: Path):
    (folder / "annotators.key").unlink()
    (folder / "project.toml").write_text(GOOD)
    told, _, made_by = wrong(lambda: check_project(folder / "project.toml")).partition("python -c ")
    assert told.startswith(
        f"{folder}/project.toml, key key_file: {folder}/annotators.key: there is no key file;"
    )
    assert told.endswith("or, if nobody has annotated yet, make one: ")
    subprocess.run([sys.executable, "-c", made_by.strip('"')], check=True)
    check_project(folder / "project.toml")


@pytest.mark.slow
def test_what_is_wanted_stands_once_for_project_and_recipe(folder: Path):
    recipe, file = folder / "recipe.toml", folder / "project.toml"
    counting = f"{RECIPE}[saq]\nwanted = 3\n"
    for line in ("", "wanted = 3\n"):
        recipe.write_text(counting)
        file.write_text(f'recipe = "recipe.toml"\n{line}{GOOD}')
        assert check_project(file).file.project.wanted == read_project(file).project.wanted == 3
    assert read_project(file).project.max_idk == 5
    file.write_text(f'recipe = "recipe.toml"\nwanted = 4\n{GOOD}')
    # Without a number of its own, a recipe counts to five.
    for content, number in ((counting, 3), (RECIPE, 5)):
        recipe.write_text(content)
        assert wrong(lambda: check_project(file)) == (
            f"{file}, key wanted: is 4, and {number} in recipe.toml, by which a build counts; write wanted = 4 "
            "under [saq] of recipe.toml, if that is meant, and delete the key here"
        )


def test_what_editors_do_to_a_key_leaves_it_the_same_and_what_is_no_key_is_told(tmp_path: Path):
    path, key = tmp_path / "annotators.key", new_key()
    path.write_bytes(b"\xef\xbb\xbf" + key.upper().replace("\n", "\r\n").encode())
    assert read_key(path) == bytes.fromhex(key) != bytes.fromhex(new_key())
    for text in ("", "abc", "zz" * 32, "0" * 62):
        path.write_text(text)
        told = "is not a key of 64 hexadecimal digits; bring back the right file"
        assert wrong(lambda: read_key(path)) == f"{path}: {told}"


# Beginning: what `init` writes is without mistakes, and leads to questions that can be asked.


WRITE = "write your own, and name them under [instructions]"
NO_TEXTS = f"pages in wo are in English, since we have no texts in it: {WRITE}"


@pytest.mark.slow
def test_a_culture_that_nobody_knew_is_asked_in_four_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "senegal"
    written = start_project(folder, ["wo-SN", "en-GB"])
    assert written == sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )
    assert stat.S_IMODE((folder / "annotators.key").stat().st_mode) == 0o600
    wolof = registry_with(folder / "locales.toml").get("wo-SN")
    names = (wolof.region_name, wolof.native_name, wolof.prompt_name, wolof.script, wolof.direction)
    assert names == ("Senegal", "Senegaal", "Senegal", "Latn", "ltr")
    rows = pl.read_csv(folder / "translations.csv")
    assert rows["en_question"].to_list() == pl.read_csv(folder / "sheet.csv")["template"].to_list()
    translated = rows.with_columns(question=pl.format("{} ci Senegaal?", "template_id"))
    translated.write_csv(folder / "translations.csv")
    assert texts_of("en", "review", folder / "instructions/english.md") == texts_of("en", "review")
    monkeypatch.chdir(folder)
    commands = [
        line.split() for line in Path("README.md").read_text().splitlines() if line.startswith("   blend")
    ]
    assert len(commands) == 2
    for command in commands:
        run(*command[1:])
    checked = check_project(Path("project.toml"))
    assert sorted(set(checked.material.questions["locale"])) == ["en-GB", "wo-SN"]
    assert len(checked.material.questions) == 20
    unnamed = "no annotators are named, so whoever has an account may answer"
    nobody = [f"{tag}: {unnamed}" for tag in ("wo-SN", "en-GB")]
    assert list(checked.diagnostics) == [NO_TEXTS, *nobody]
    project = Path("project.toml").read_text()
    for line in ("[instructions]", 'wo = "instructions/wo.md"'):
        project = project.replace(f"# {line}\n", f"{line}\n")
    Path("project.toml").write_text(project)
    Path("instructions/english.md").rename("instructions/wo.md")
    still = f"wo: the instructions for answer, review are in English: {WRITE}"
    told, *others = check_project(Path("project.toml")).diagnostics
    assert (told, others[1:]) == (still, nobody)
    assert others[0].startswith("these words are in English for wo: instruction, start, answers, ")
    # Translated but for a word that is missing, and one that is still as it was.
    own, words = Path("instructions/wo.md"), texts_of("en", "answer").ui_strings
    lines = [f"- {name}: {text} (wo)" for name, text in words.items() if name not in ("english", "why_invalid")]
    stages = "# answer\n\nTontul.\n\n# review\n\nXoolal.\n"
    own.write_text("\n".join([stages, "# words", "", *lines, f"- why_invalid: {words['why_invalid']}", ""]))
    lacks = "these words are in English for wo: english, why_invalid: write them in instructions/wo.md"
    assert list(check_project(Path("project.toml")).diagnostics) == [lacks, *nobody]


def test_regions_that_share_a_code_get_splits_of_their_own(tmp_path: Path):
    start_project(tmp_path / "ng", ["yo-NG", "ar-SN", "ha-NG", "wo-SN"])
    known = registry_with(tmp_path / "ng" / "locales.toml")
    assert [known.get(tag).split for tag in ("yo-NG", "ar-SN", "wo-SN")] == ["NG_yo", "SN", "SN_wo"]
    assert known.get("ar-SN").direction == "rtl"
    readme = (tmp_path / "ng" / "README.md").read_text()
    assert "`locales.toml`, what region, language and people are called, and `project.toml`, who" in readme


REFUSED = tomllib.loads(Path(__file__).with_name("refused_starts.toml").read_text("utf-8"))


@pytest.mark.parametrize("case", REFUSED["cases"])
def test_what_cannot_be_started_is_told(tmp_path: Path, case: dict[str, str]):
    folder = tmp_path / case.get("folder", "x")
    assert wrong(lambda: start_project(folder, [case["tag"]])) == case["told"]
    assert not folder.exists()
