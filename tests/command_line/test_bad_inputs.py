"""Whatever stands where an input was expected, a command ends with one sentence: no traceback, no waiting.

Here are strange things behind every argument that names a place, and values that a recipe or card cannot have;
`tests/damage` damages the files of inputs that are sound.
"""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest

import blend.cli
from blend.builders.release import build_release
from blend.builders.release.reviewing import answers_to_review
from blend.loaders.files.new_files import write_sheet
from blend.loaders.recipes.ready import sample_recipe
from blend.schemas.sheets import ANSWER_SHEET

VALID = Path(__file__).parents[1] / "loaders" / "valid"
DEEP = 100_000


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("bad") / "release"
    four = ("ko-KR", "en-US", "fa-IR", "es-MX")
    build_release(sample_recipe().model_copy(update={"locales": four}), out)
    return out


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Iterator:
    """Run a command; its exit code and what it wrote to standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.delenv("BLEND_TRACEBACK", raising=False)

    def run(*arguments: object) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["blend", *map(str, arguments)])
        try:
            blend.cli.main()
            code = 0
        except SystemExit as stopped:
            code = stopped.code if isinstance(stopped.code, int) else int(stopped.code is not None)
        return code, capfd.readouterr().err

    return run


def refused(outcome: tuple[int, str], *, by: int = 1) -> str:
    """The sentence of a command that refused its input."""
    code, words = outcome
    assert code == by, words
    assert words.strip()
    assert "Traceback" not in words
    return words


PLACES: dict[str, Callable[[Path], object]] = {
    "folder": Path.mkdir,
    "pipe": os.mkfifo,
    "dangling": lambda path: path.symlink_to("nowhere"),
    "loop": lambda path: path.symlink_to(path.name),
    "binary": lambda path: path.write_bytes(bytes(range(256)) * 4),
    "empty": Path.touch,
    "missing": lambda path: None,
}
NAMES = {"below-a-file": "file/below", "too-long": "x" * 300, "markup": "r[/bold]x", "not-utf-8": "n\udcff"}

COMMANDS: dict[str, tuple[str, ...]] = {
    "build": ("build", "{place}"),
    "build --blend": ("build", "--blend", "{place}"),
    "build --food": ("build", "--food", "{place}"),
    "show": ("show", "{place}"),
    "stats": ("stats", "{place}"),
    "plan": ("plan", "{place}"),
    "status": ("status", "{place}"),
    "diff": ("diff", "{place}", "{release}"),
    "diff, second": ("diff", "{release}", "{place}"),
    "validate": ("validate", "{place}"),
    "publish": ("publish", "{place}", "org/x", "--dry-run"),
    "templates propose": ("templates", "propose", "{place}"),
    "templates accept": ("templates", "accept", "{place}"),
    "reviews propose": ("reviews", "propose", "{place}"),
    "reviews accept": ("reviews", "accept", "{place}"),
    "questions options": ("questions", "options", "{place}"),
    "questions accept": ("questions", "accept", "{place}"),
    "questions agreement": ("questions", "agreement", "{place}"),
    "items": ("items", "{place}"),
    "items select": ("items", "select", "{place}"),
}


@pytest.mark.sampled
@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("strange", [*PLACES, *NAMES])
def test_a_place_that_holds_something_else(told, release: Path, tmp_path: Path, command: str, strange: str):
    (tmp_path / "file").write_text("text")
    place = tmp_path / NAMES.get(strange, "place")
    if strange in PLACES:
        PLACES[strange](place)
    by = 2 if strange == "not-utf-8" else 1
    refused(told(*(word.format(place=place, release=release) for word in COMMANDS[command])), by=by)


@pytest.mark.parametrize("out", ["/", "file/below", "x" * 250, "x" * 300, "loop", "pipe", "file"])
def test_a_place_that_cannot_be_made(told, tmp_path: Path, out: str):
    (tmp_path / "file").write_text("text")
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    before = sorted(tmp_path.iterdir())
    words = refused(told("build", "--out", out))
    assert "--out" in words or out in words
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("reviews", "accept", "sheet.csv", "--out", "reviews", "--reviewer", "n\udcff"), "--reviewer"),
        (("build", "--out", "n\udcff"), "--out"),
        (("eval", "tiny-model", "n\udcff"), "DIR"),
        (("eval", "report", "run", "n\udcff"), "RUN…"),
    ],
)
def test_a_word_whose_bytes_are_not_utf_8(told, tmp_path: Path, words: tuple[str, ...], name: str):
    code, said = told(*words)
    assert (code, said) == (2, f"error: {name}: 'n\\udcff' is not possible (it is not text in UTF-8)\n")
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_name_that_looks_like_markup_is_only_a_name(told, release: Path, tmp_path: Path):
    out = tmp_path / "r[/bold]x"
    shutil.copytree(release, out)
    assert told("show", out)[0] == 0
    assert told("stats", out)[0] == 0


@pytest.fixture(scope="module")
def sheet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("bad") / "sheet.csv"
    few = sample_recipe().model_copy(update={"locales": ("ko-KR",)})
    write_sheet(ANSWER_SHEET, answers_to_review(few, everything=True).sheet, out)
    return out


WRONG = {
    "locales = []": "key locales: [] is not long enough",
    'seed = "0"': "key seed: '0' is not a whole number",
    "seed = true": "key seed: true is not a whole number",
    "seed = 1.0": "key seed: 1.0 is not a whole number",
    f"seed = {'9' * 5000}": "not usable as TOML: a number of thousands of digits",
    f"seed = {'[' * DEEP}{']' * DEEP}": "not usable as TOML: nested too deeply",
    f"saq = {{wanted = {'9' * 30}}}": f"key saq.wanted: {'9' * 30} is not 1000000 or less",
    f"seed = {'9' * 30}": f"key seed: {'9' * 30} is not 9223372036854775807 or less",
    "food = {languages = []}": "key food.languages: [] is not long enough",
    'title = "a\\u001b[31m"': "key title: 'a\\x1b[31m' is not of the right form",
    'authors = ["Mina\\u202eKim"]': "key authors[0]: 'Mina\\u202eKim' is not of the right form",
}


@pytest.mark.slow
@pytest.mark.parametrize("line", WRONG, ids=lambda line: line[:24])
def test_values_that_a_recipe_cannot_have(told, tmp_path: Path, line: str):
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(f'name = "x"\nversion = "1.0.0"\n{line}\n[[sources]]\nkind = "sample"\n')
    assert WRONG[line] in refused(told("build", recipe))


INTO = {
    "build": ("build --out {out}", "a release", "--out"),
    "init": ("init {out}", "empty", "DIR"),
    "annotate init": ("annotate init {out} --locale ko-KR", "empty", "DIR"),
    "stats": ("stats {release} --out {out}", "a folder of statistics", "--out"),
    "audit": ("audit {release} --out {out}", "a folder of audit", "--out"),
    "reviews accept": ("reviews accept {sheet} --out {out}", "a folder of reviews", "--out"),
    "eval run": ("eval run {release} --answers {answers} --out {out}", "the directory of a run", "--out"),
    "eval export": ("eval export {release} --to lm-eval --out {out}", "empty", "--out"),
}


@pytest.mark.sampled
@pytest.mark.slow
@pytest.mark.parametrize("command", INTO)
def test_a_folder_in_which_somebody_keeps_something_else(
    told, release: Path, sheet: Path, tmp_path: Path, command: str
):
    answers = tmp_path / "answers.csv"
    rows = pl.read_parquet(release / "data" / "multiple-choice-questions" / "*.parquet")
    rows.select("MCQID", response=pl.lit("A")).write_csv(answers)
    out = tmp_path / "home"
    out.mkdir()
    (out / "thesis.txt").write_text("years of work")
    words, what, option = INTO[command]
    line = words.format(out=out, release=release, sheet=sheet, answers=answers).split()
    assert refused(told(*line)).splitlines()[-1] == (
        f"error: {out}: holds 'thesis.txt' and is not {what}, so nothing is written there; choose another "
        f"{option} or empty it yourself"
    )
    assert [path.name for path in out.iterdir()] == ["thesis.txt"]
    (out / "thesis.txt").unlink()
    assert told(*line)[0] == 0


PIPED = {
    "vectors": ("eval", "score", "{run}", "-T", "vectors={pipe}"),
    "answers": ("eval", "run", "{release}", "--answers", "{pipe}"),
    "locales": ("locales", "KR", "--locale-file", "{pipe}"),
    "domains": ("wikidata", "domains", "--domain-file", "{pipe}"),
    "questions": ("audit", "{pipe}"),
    "project": ("annotate", "check", "{pipe}"),
    "run": ("eval", "score", "{folder}"),
}


@pytest.mark.parametrize("name", PIPED)
def test_a_pipe_is_never_waited_for(told, release: Path, tmp_path: Path, name: str):
    pipe, folder = tmp_path / "pipe.csv", tmp_path / "run"
    os.mkfifo(pipe)
    folder.mkdir()
    os.mkfifo(folder / "run.json")
    line = [word.format(pipe=pipe, release=release, folder=folder, run=folder) for word in PIPED[name]]
    words = refused(told(*line))
    assert "pipe" in words


HEADERS = {
    "a date that cannot be": "x: 2026-13-45",
    "nested too deeply": "a: " + "[" * 3000,
    "null": "",
    "a list": "- a",
    "a tag": "!!python/object:os.system x",
    "a tab": "\ta: b",
    "an alias of nothing": "a: *b",
    "configs that are a number": "configs: 5",
}


@pytest.mark.sampled
@pytest.mark.slow
@pytest.mark.parametrize("header", HEADERS)
def test_a_damaged_header_of_the_card(told, release: Path, tmp_path: Path, header: str):
    copy = shutil.copytree(release, tmp_path / "copy")
    body = (copy / "README.md").read_text(encoding="utf-8").partition("\n---\n")[2]
    (copy / "README.md").write_text(f"---\n{HEADERS[header]}\n---\n{body}", encoding="utf-8")
    assert told("validate", copy, "--only", "card")[0] == 1
    words = refused(told("show", copy, "--config", "annotations", "--split", "KR"))
    assert words.splitlines()[-1].startswith(f"error: {copy}: `datasets` cannot load annotations, split KR (")
    assert words.rstrip().endswith(f"); `blend validate {copy}` says what is wrong with it")
