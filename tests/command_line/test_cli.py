"""The command line: it mirrors the library, explains itself, and says what went wrong in one sentence."""

import codecs
import inspect
import json
from pathlib import Path

import polars as pl
import pytest
import typer

from blend.cli import app
from blend.loaders.releases import read_manifest
from blend.schemas.errors import BlendError
from blend.version import __version__
from helpers.in_process import run

COMMANDS = typer.main.get_command(app)


def all_commands() -> list[tuple[str, ...]]:
    """Every command as typed after ``blend``."""
    names: list[tuple[str, ...]] = []
    for name, command in COMMANDS.commands.items():
        inner = getattr(command, "commands", None)
        names += [(name,)] if inner is None else [(name, under) for under in inner]
    return names


def command_of(path: tuple[str, ...]):
    command = COMMANDS
    for name in path:
        command = command.commands[name]
    return command


@pytest.fixture(scope="module")
def release(sample_release: Path) -> Path:
    return sample_release


@pytest.mark.slow
@pytest.mark.parametrize("path", all_commands(), ids=" ".join)
def test_every_command_explains_itself_and_every_option(path: tuple[str, ...]):
    assert "Usage:" in run(*path, "--help")
    command = command_of(path)
    assert command.help
    for parameter in command.params:
        if parameter.name != "help":
            assert parameter.help, f"{parameter.name} of {' '.join(path)}"


@pytest.mark.parametrize("path", all_commands(), ids=" ".join)
def test_every_command_stands_in_the_docs(path: tuple[str, ...], root: Path):
    pages = [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    assert f"blend {' '.join(path)}" in text


def test_build_has_the_options_of_its_function():
    from blend.builders.release import build_release

    assert {"recipe", "out"} <= set(inspect.signature(build_release).parameters)
    assert {"recipe", "out"} <= {parameter.name for parameter in command_of(("build",)).params}


def test_the_version():
    assert run("--version") == f"blend {__version__}\n"


@pytest.mark.slow
def test_build_without_arguments_builds_the_sample(release: Path, tmp_path: Path):
    tables_and_notes, _, to_copy = run("build", "--out", tmp_path / "release").partition(
        "\nBuilt blend-sample 0.1.0"
    )
    assert "267 of 267 multiple-choice questions show options that nobody has read" in tables_and_notes
    assert max(map(len, tables_and_notes.splitlines())) <= 80
    assert to_copy
    manifest = read_manifest(tmp_path / "release")
    assert manifest == read_manifest(release)
    assert manifest.name == "blend-sample"
    assert {table.config for table in manifest.tables} == {
        "annotations",
        "short-answer-questions",
        "short-answer-prompts",
        "multiple-choice-questions",
    }


@pytest.mark.nightly
@pytest.mark.slow
def test_build_says_what_it_replaced(tmp_path: Path):
    out = tmp_path / "r[/bold]x"
    assert f"Built blend-sample 0.1.0 in {out}. Look at it:" in run("build", "--out", out)
    printed = run("build", "--out", out)
    assert f"Built blend-sample 0.1.0 in {out}, in place of blend-sample 0.1.0. Look at it:" in printed


@pytest.mark.nightly
@pytest.mark.slow
def test_build_json_is_the_manifest(tmp_path: Path):
    printed = run("build", "--out", tmp_path / "release", "--json", "--seed", "3")
    assert printed == (tmp_path / "release" / "release.json").read_text(encoding="utf-8")
    assert json.loads(printed)["recipe"]["seed"] == 3


@pytest.mark.nightly
@pytest.mark.slow
def test_a_release_can_be_built_again_from_its_recipe(release: Path, tmp_path: Path):
    run("build", release / "recipe.toml", "--out", tmp_path / "again")
    for name in ("release.json", "README.md", "recipe.toml"):
        assert (tmp_path / "again" / name).read_bytes() == (release / name).read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--food", "food.nt.gz", "--mcq-mode", "paper"],
            "--mcq-mode is about questions, and a snapshot given with --food holds none; leave it out",
        ),
        (
            ["--revision", "v1"],
            "--revision names a version of the repository given with --blend; give both",
        ),
    ],
)
def test_what_build_refuses(arguments: list[str], message: str, tmp_path: Path):
    with pytest.raises(BlendError) as caught:
        run("build", "--out", tmp_path / "release", *arguments)
    assert str(caught.value) == message
    assert not (tmp_path / "release").exists()


@pytest.mark.nightly
def test_a_previous_release_that_is_not_there_is_told_before_anything_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def build_tables(*arguments: object, **options: object) -> None:
        pytest.fail("the tables were built first")

    monkeypatch.setattr("blend.builders.release.build_tables", build_tables)
    with pytest.raises(BlendError, match="nothere"):
        run("build", "--out", tmp_path / "release", "--previous", tmp_path / "nothere")


def sample_recipe_with(tmp_path: Path, version: str, *locales: str) -> Path:
    """A recipe of the sample in some locales."""
    path = tmp_path / f"{version}.toml"
    tags = ", ".join(f'"{tag}"' for tag in locales)
    path.write_text(
        f'name = "mine"\nversion = "{version}"\nlocales = [{tags}]\n\n[[sources]]\nkind = "sample"\n',
        encoding="utf-8",
    )
    return path


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(
    ("version", "locales", "line"),
    [
        (
            "1.0.1",
            ["ko-KR", "en-US"],
            (
                "Since 1.0.0: patch (changed in the manifest: recipe.previous; other files changed: "
                "README.md). 1.0.1 follows."
            ),
        ),
        (
            "1.1.0",
            ["ko-KR"],
            (
                "Since 1.0.0: major (annotations: 1 split removed: US; short-answer-questions: 1 split "
                "removed: US; short-answer-prompts: 1 split removed: US). 1.1.0 does not follow: build it as "
                "2.0.0 before you publish it."
            ),
        ),
    ],
)
def test_build_says_which_step_follows_on_the_previous_release(
    tmp_path: Path, version: str, locales: list[str], line: str
):
    before = sample_recipe_with(tmp_path, "1.0.0", "ko-KR", "en-US")
    run("build", before, "--out", tmp_path / "before")
    after = sample_recipe_with(tmp_path, version, *locales)
    printed = run("build", after, "--out", tmp_path / "after", "--previous", tmp_path / "before")
    assert printed.splitlines()[-1] == line


@pytest.mark.slow
def test_build_says_of_no_step_without_a_previous_release(release: Path, tmp_path: Path):
    recipe = sample_recipe_with(tmp_path, "1.0.0", "ko-KR")
    assert "Since" not in run("build", recipe, "--out", tmp_path / "release")


@pytest.mark.nightly
@pytest.mark.slow
def test_build_and_validate_say_where_findings_are_explained(release: Path, tmp_path: Path):
    assert "the card, README.md, says what each kind means" in " ".join(
        run("build", "--out", tmp_path / "r").split()
    )
    (stray := tmp_path / "r" / "notes.txt").touch()
    printed = run("validate", stray.parent, "--only", "files", code=1)
    assert "docs/validate.md explains the checks, the card (README.md) what a build found." in printed


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ('license = "CC BY 4"\n', "'CC BY 4' is not a licence identifier that the Hub knows; did you mean"),
        ("", "the key is missing, and nobody else can say"),
    ],
)
def test_a_licence_is_wrong_in_the_file_of_the_recipe(tmp_path: Path, given: str, said: str):
    path = tmp_path / "mine.toml"
    path.write_text(
        f'name = "x"\nversion = "0.1.0"\n{given}[[sources]]\nkind = "responses"\nlocation = "collected"\n'
    )
    with pytest.raises(BlendError) as caught:
        run("build", path, "--out", tmp_path / "release")
    assert str(caught.value).startswith(f"{path}, key license: {said}")


@pytest.mark.slow
def test_templates_of_a_locale_of_ones_own(tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    own = root / "loaders" / "starter" / "locales.toml"
    Path("natives.csv").write_text(
        "id,topic,text,locale\nn1,Food,What is the most popular fruit in New Zealand?,en-NZ\n", encoding="utf-8"
    )
    with pytest.raises(BlendError, match="needs an entry in a locale file"):
        run("templates", "propose", "natives.csv")
    run("templates", "propose", "natives.csv", "--locale-file", own)
    sheet = pl.read_csv("sheet.csv").with_columns(decision=pl.lit("keep"))
    assert sheet["template"].to_list() == ["What is the most popular fruit in {country}?"]
    sheet.write_csv("sheet.csv")
    with pytest.raises(BlendError, match=r"column source_locale: unknown locale 'en-NZ'.*--locale-file"):
        run("templates", "accept", "sheet.csv")
    run("templates", "accept", "sheet.csv", "--locale-file", own)
    assert pl.read_csv("templates.csv")["source_locale"].to_list() == ["en-NZ"]
    Path("translations.csv").write_text(
        "template_id,locale,question\nn1,en-NZ,Which fruit is the most popular in New Zealand?\n",
        encoding="utf-8",
    )
    printed = run("templates", "localise", "sheet.csv", "translations.csv", "--locale-file", own)
    assert "1 question in 1 locale." in printed
    assert pl.read_csv("questions.csv")["en_question"].to_list() == [
        "What is the most popular fruit in New Zealand?"
    ]


@pytest.mark.slow
def test_templates_from_questions_to_questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("natives.csv").write_text(
        "id,topic,text,locale\nn1,Food,What is the most popular fruit in South Korea?,KR\n", encoding="utf-8"
    )
    assert "1 question, 0 with something to look at" in run("templates", "propose", "natives.csv")
    assert Path("sheet.csv").read_bytes().startswith(codecs.BOM_UTF8)  # without it Excel reads another encoding
    with pytest.raises(BlendError) as caught:
        run("templates", "propose", "natives.csv")
    assert str(caught.value) == (
        "sheet.csv: exists, and may hold somebody's work; choose another --out or move it away"
    )
    sheet = pl.read_csv("sheet.csv").with_columns(decision=pl.lit("keep"))
    sheet.write_csv("sheet.csv")
    assert "1 template; 0 questions dropped" in run("templates", "accept", "sheet.csv")
    assert pl.read_csv("templates.csv")["text"].to_list() == ["What is the most popular fruit in {country}?"]
    Path("translations.csv").write_text(
        "template_id,locale,question\nn1,su-JB,Naon buah nu pangpopulerna di Jawa Barat?\n", encoding="utf-8"
    )
    assert "1 question in 2 locales" in run(
        "templates", "localise", "sheet.csv", "translations.csv", "--locale", "su-JB", "--locale", "KR"
    )
    assert pl.read_csv("questions.csv").rows() == [
        (
            "n1",
            "su-JB",
            "Naon buah nu pangpopulerna di Jawa Barat?",
            "What is the most popular fruit in West Java?",
        )
    ]
