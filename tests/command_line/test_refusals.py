"""Whatever is typed, whatever stands where an input was expected: one sentence, one exit code, nothing harmed.

`refusals.txt` is the table of command lines with what they are refused with; `tests/damage` damages inputs.
"""

import os
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.builders.release.reviewing import answers_to_review
from blend.loaders.files.new_files import write_sheet
from blend.loaders.recipes import sample_recipe
from blend.schemas.sheets import ANSWER_SHEET
from helpers.in_process import run

TABLE = (Path(__file__).parent / "refusals.txt").read_text(encoding="utf-8")
REFUSED = dict(re.findall(r"^\$ blend (.+)\n(\[\d\] .+)$", TABLE, flags=re.MULTILINE))
DEEP = 100_000


STANDS_FOR = {
    "sample": "sample_release",
    "food": "food_release",
    "prompts": "prompts_release",
    "tiny": "tiny_model",
    "models": "models",
    "scored": "scored",
}
"""Name in the table to the fixture that it stands for."""

LANDING = {"food", "models"}
SLOW = {"sample", "prompts", "tiny", "scored"}


def marked(typed: str) -> Any:
    named = set(re.findall(r"{(\w+)}", typed))
    marks = [pytest.mark.landing] * bool(named & LANDING) + [pytest.mark.slow] * bool(named & SLOW)
    return pytest.param(typed, marks=marks)


@pytest.fixture(scope="session")
def models(shared: Path) -> Path:
    return shared / "models"


@pytest.fixture(scope="session")
def scored(once: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    table = tmp_path_factory.mktemp("texts") / "texts.csv"
    table.write_text(TEXTS)
    asked = ("eval", "run", "--task", "cultural-prompts", "--answers", table)
    return once.path("run-of-texts", lambda out: run(*asked, "--out", out))


TEXTS = "group,topic,text\nold,rain,a\nyoung,rain,b\n"


@pytest.mark.parametrize("typed", [marked(typed) for typed in REFUSED])
def test_what_is_refused_and_in_which_words(
    ended: Callable, request: pytest.FixtureRequest, root: Path, tmp_path: Path, monkeypatch, typed: str
):
    named = set(re.findall(r"{(\w+)}", typed))
    values = {name: request.getfixturevalue(STANDS_FOR[name]) for name in named}
    (tmp_path / "answers.csv").write_text("MCQID,response\n")
    (tmp_path / "texts.csv").write_text(TEXTS)
    (tmp_path / "file").write_text("text")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "task.zip").touch()
    for name in ("empty", "folder", "piped"):
        (tmp_path / name).mkdir()
    (tmp_path / "folder" / "notes.txt").touch()
    for name in ("pipe", "piped/run.json"):
        os.mkfifo(tmp_path / name)
    shutil.copytree(root / "tests" / "loaders" / "valid" / "blend", tmp_path / "published")
    begins = 'name = "x"\nversion = "1.0.0"\nlicense = "cc-by-sa-4.0"\n'
    pinned = f'location = "collected"\nsha256 = "{"0" * 64}"\n'
    for name, text in {
        "short.toml": 'name = "x"\nversion = "1"\n',
        "paper.toml": f'{begins}[[sources]]\nkind = "sample"\n[mcq]\nmode = "paper"\n',
        "finished.toml": f'{begins}[[sources]]\nkind = "blend"\nlocation = "published"\n',
        "pulled.toml": f'{begins}[[sources]]\nkind = "responses"\n{pinned}',
        "next.toml": f'{begins}previous = "before"\n[[sources]]\nkind = "sample"\n',
    }.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setenv("HOME", str(tmp_path.resolve()))
    before = sorted(tmp_path.rglob("*"))
    words = shlex.split(typed.replace("\\udcff", "\udcff").format(**values))
    code, printed = ended(*words)
    told = printed.rstrip().splitlines()[-1].replace(str(tmp_path.resolve()), "{here}")
    expected = REFUSED[typed]
    # Machines with GPUs have more devices.
    assert f"[{code}] {told}".removesuffix(", cuda:0") == expected or expected == f"[{code}] …"
    assert "Traceback" not in printed
    assert sorted(tmp_path.rglob("*")) == before


WRONG = {
    "locales = []": "key locales: [] is not long enough",
    'seed = "0"': "key seed: '0' is not a whole number",
    'mcq = {rungs = "true"}': "key mcq.rungs: 'true' is not true or false, without quotes",
    "seed = true": "key seed: true is not a whole number",
    "seed = 1.0": "key seed: 1.0 is not a whole number",
    f"seed = {'9' * 5000}": "not usable as TOML: a number of thousands of digits",
    f"seed = {'[' * DEEP}{']' * DEEP}": "not usable as TOML: nested too deeply",
    f"saq = {{wanted = {'9' * 30}}}": f"key saq.wanted: {'9' * 30} is not 1000000 or less",
    f"seed = {'9' * 30}": f"key seed: {'9' * 30} is not 9223372036854775807 or less",
    "food = {languages = []}": "key food.languages: [] is not long enough",
    'title = "a\\u001b[31m"': "key title: 'a\\x1b[31m' is not of the right form",
    'authors = ["Mina\\u202eKim"]': "key authors[0]: 'Mina\\u202eKim' is not of the right form",
    'license = "CC BY 4"': "key license: 'CC BY 4' is not a licence identifier that the Hub knows; ",
}


@pytest.mark.slow
@pytest.mark.parametrize("line", WRONG, ids=lambda line: line[:24])
def test_values_that_a_recipe_cannot_have(ended: Callable, tmp_path: Path, line: str):
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(f'name = "x"\nversion = "1.0.0"\n{line}\n[[sources]]\nkind = "sample"\n')
    code, told = ended("build", recipe)
    assert code == 1
    assert WRONG[line] in told


INTO = {
    "build --out {out}": ("a release", "--out"),
    "init {out}": ("empty", "DIR"),
    "annotate init {out} --locale ko-KR": ("empty", "DIR"),
    "stats {release} --out {out}": ("a folder of statistics", "--out"),
    "audit {release} --out {out}": ("a folder of audit", "--out"),
    "reviews accept {sheet} --out {out}": ("a folder of reviews", "--out"),
    "eval run {release} --answers {answers} --out {out}": ("the directory of a run", "--out"),
    "eval export {release} --to lm-eval --out {out}": ("empty", "--out"),
}


@pytest.fixture(scope="module")
def sheet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("bad") / "sheet.csv"
    few = sample_recipe().model_copy(update={"locales": ("ko-KR",)})
    write_sheet(ANSWER_SHEET, answers_to_review(few, everything=True)[0], out)
    return out


@pytest.mark.sampled
@pytest.mark.parametrize("command", INTO)
def test_a_folder_in_which_somebody_keeps_something_else(
    ended: Callable, mini_release: Path, sheet: Path, tmp_path: Path, command: str
):
    answers, out = tmp_path / "answers.csv", tmp_path / "home"
    rows = pl.read_parquet(mini_release / "data" / "multiple-choice-questions" / "*.parquet")
    rows.select("MCQID", response=pl.lit("A")).write_csv(answers)
    out.mkdir()
    (out / "thesis.txt").write_text("years of work")
    what, option = INTO[command]
    line = command.format(out=out, release=mini_release, sheet=sheet, answers=answers).split()
    assert ended(*line)[1].splitlines()[-1] == (
        f"error: {out}: holds 'thesis.txt' and is not {what}, so nothing is written there; choose another "
        f"{option} or empty it yourself"
    )
    assert [path.name for path in out.iterdir()] == ["thesis.txt"]
    (out / "thesis.txt").unlink()
    assert ended(*line)[0] == 0
