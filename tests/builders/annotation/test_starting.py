"""Starting: what `init` writes is without mistakes, and leads to questions that can be asked."""

import stat
import tomllib
from pathlib import Path

import polars as pl
import pytest

from blend.builders.annotation.starting import check_project, start_project
from blend.builders.annotation.ui_strings import texts_of
from blend.loaders.files.toml import registry_with
from blend.loaders.recipes import read_recipe
from blend.loaders.responses import read_responses
from helpers.in_process import run
from helpers.label_studio.exported import write_lines
from helpers.messages import wrong

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
    assert others[0].startswith("pages in wo show these words in English: instruction, start, answers, ")
    assert "silly" not in others[0]  # no page of this project has it
    # Translated but for a word that is missing, and one that is still as it was.
    own, words = Path("instructions/wo.md"), texts_of("en", "answer").ui_strings
    lines = [f"- {name}: {text} (wo)" for name, text in words.items() if name not in ("english", "why_invalid")]
    stages = "# answer\n\nTontul.\n\n# review\n\nXoolal.\n"
    own.write_text("\n".join([stages, "# words", "", *lines, f"- why_invalid: {words['why_invalid']}", ""]))
    lacks = "pages in wo show these words in English: english, why_invalid: write them in instructions/wo.md"
    assert list(check_project(Path("project.toml")).diagnostics) == [lacks, *nobody]
    answered = [{"template_id": "start-01", "annotator": "p-1", "answers": ["ceeb"]}]
    write_lines(Path("collected/responses/wo-SN.jsonl"), answered)
    recipe = read_recipe(Path("recipe.toml"))
    assert (recipe.name, recipe.locale_file) == ("senegal", "locales.toml")
    assert len(read_responses(Path("collected"), locales=registry_with(Path("locales.toml"))).responses) == 1


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
    assert wrong(lambda: start_project(tmp_path / "x", [case["tag"]], name=case.get("name"))) == case["told"]
    assert not (tmp_path / "x").exists()
