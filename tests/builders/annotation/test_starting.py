"""Starting: what `init` writes is without mistakes, and leads to questions that can be asked."""

import stat
from pathlib import Path

import polars as pl
import pytest

from blend.builders.annotation.check import check_project
from blend.builders.annotation.starting import start_project
from blend.builders.annotation.ui_strings import texts_of
from blend.cli import app
from blend.loaders.files.toml import registry_with
from blend.loaders.recipes import read_recipe
from blend.loaders.responses import read_responses
from blend.schemas.errors import BlendError
from helpers.label_studio.exported import write_lines


def run(*arguments: object) -> None:
    app([str(argument) for argument in arguments], standalone_mode=False)


NO_TEXTS = (
    "pages in wo are in English, since we have no texts in it: write your own, and name them under "
    "[instructions]"
)
WRITE = "are in English: write your own, and name them under [instructions]"
NOBODY = "no annotators are named, so whoever has an account may answer"


@pytest.mark.slow
def test_a_culture_that_nobody_knew_is_asked_in_four_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "senegal"
    written = start_project(folder, ["wo-SN", "en-GB"])
    assert written == sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )
    assert stat.S_IMODE((folder / "annotators.key").stat().st_mode) == 0o600
    wolof = registry_with(folder / "locales.toml").get("wo-SN")
    assert (wolof.region_name, wolof.native_name, wolof.script, wolof.direction) == (
        "Senegal",
        "Senegaal",
        "Latn",
        "ltr",
    )
    assert wolof.prompt_name == "Senegal"
    rows = pl.read_csv(folder / "translations.csv")
    assert rows["en_question"].to_list() == pl.read_csv(folder / "sheet.csv")["template"].to_list()
    translated = rows.with_columns(question=pl.format("{} ci Senegaal?", "template_id"))
    translated.write_csv(folder / "translations.csv")
    assert texts_of("en", "review", folder / "instructions/english.md") == texts_of("en", "review")
    monkeypatch.chdir(folder)
    commands = [
        line.strip() for line in Path("README.md").read_text().splitlines() if line.startswith("   blend")
    ]
    assert len(commands) == 2
    for command in commands:
        run(*command.split()[1:])
    checked = check_project(Path("project.toml"))
    assert sorted(set(checked.material.questions["locale"])) == ["en-GB", "wo-SN"]
    assert len(checked.material.questions) == 20
    nobody = [f"{tag}: {NOBODY}" for tag in ("wo-SN", "en-GB")]
    assert list(checked.diagnostics) == [NO_TEXTS, *nobody]
    project = Path("project.toml").read_text()
    for line in ("[instructions]", 'wo = "instructions/wo.md"'):
        assert f"# {line}\n" in project
        project = project.replace(f"# {line}", line)
    Path("project.toml").write_text(project)
    Path("instructions/english.md").rename("instructions/wo.md")
    still, *others = check_project(Path("project.toml")).diagnostics
    assert still == f"wo: the instructions for answer, review {WRITE}"
    assert others == nobody
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
    assert (
        "`locales.toml`, what region, language and people are called, and `project.toml`, who works on"
        in (tmp_path / "ng" / "README.md").read_text()
    )


def test_pages_that_are_english_in_part_are_told(tmp_path: Path):
    start_project(tmp_path / "x", ["ha-NG", "ur-PK", "ko-KR"])
    project = tmp_path / "x" / "project.toml"
    settings = project.read_text().replace('["answer", "review"]', '["collect", "statements"]')
    settings = settings.replace("# topics =", "topics =").replace(
        "[server]", '[sheets]\nstatements = "sheet.csv"\n\n[server]'
    )
    project.write_text(settings.replace("# [instructions]", "[instructions]").replace("# ur =", "ur ="))
    (tmp_path / "x" / "sheet.csv").write_text("id,locale,question,options\nd1,ko-KR,x,a|b\n")
    own = "# collect\n\nسوال لکھیں\n\n# statements\n\nچنیں\n\n# words\n\n- start: ٹیب دبائیں\n"
    (tmp_path / "x" / "instructions" / "ur.md").write_text(own, encoding="utf-8")
    hausa, korean, unchecked = check_project(project).diagnostics
    for language, told in (("ha", hausa), ("ko", korean)):
        assert told == f"{language}: the instructions for collect, statements {WRITE}"
    assert unchecked == (
        "no native speaker has checked our instructions in ha, ko: have them read, or name your own under "
        "[instructions]"
    )


NO_LOCALE = (
    "is not a locale, which is a language and a country; write one like wo-SN, or one that `blend locales` "
    "lists"
)
NO_COUNTRY = (
    "ZZ is not an ISO 3166 country; for another region write the country that it lies in, and change region "
    "and names in the locale file"
)
NO_NAME = "cannot be the name of a project; give up to 24 lower-case letters, digits, dots, _ and - as `name`"


@pytest.mark.parametrize(
    ("tag", "name", "told"),
    [
        ("Wolof", None, f"'Wolof' {NO_LOCALE}"),
        ("wo_SN", None, f"'wo_SN' {NO_LOCALE}"),
        (
            "ge-KA",
            None,
            "'ge-KA' is not a locale, which is a language and a country; did you mean 'ka-GE'?",
        ),
        ("wo-ZZ", None, f"'wo-ZZ': {NO_COUNTRY}"),
        ("ko-KR", "My Project", f"'My Project' {NO_NAME}, for example my-project"),
        ("ko-KR", "한국", f"'한국' {NO_NAME}"),
    ],
)
def test_what_cannot_be_started_is_told(tmp_path: Path, tag: str, name: str | None, told: str):
    with pytest.raises(BlendError) as raised:
        start_project(tmp_path / "x", [tag], name=name)
    assert str(raised.value) == told
    assert not (tmp_path / "x").exists()


def test_nothing_is_replaced(tmp_path: Path):
    (tmp_path / "recipe.toml").write_text("mine")
    with pytest.raises(BlendError) as raised:
        start_project(tmp_path, ["ko-KR"], name="x")
    told = (
        "holds 'recipe.toml' and is not empty, so nothing is written there; choose another `folder` or "
        "empty it yourself"
    )
    assert str(raised.value) == f"{tmp_path}: {told}"
    assert [path.name for path in tmp_path.iterdir()] == ["recipe.toml"]
    with pytest.raises(BlendError) as raised:
        start_project(tmp_path / "recipe.toml", ["ko-KR"])
    assert str(raised.value) == f"{tmp_path}/recipe.toml: is not a folder; choose another `folder`"
