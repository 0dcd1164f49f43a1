"""Every command of the README and the documentation runs, page by page, in order, in a clean folder.

What a page takes for granted (a Hub with releases, a SPARQL endpoint, the reader's own files) really stands
there; what does not run is listed here with the reason, so that nothing is passed over unnoticed.
"""

import gzip
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from blend import build_release
from blend.eval.models.model_loading import make_tiny_model
from helpers.hub.hub_releases import digests, held, make_release, published
from helpers.hub.hub_server import Hub
from helpers.mini_release import mini_recipe
from helpers.models.chat_server import served
from helpers.questions.lunch import reads
from helpers.semeval_files import keys, write_semeval
from helpers.simulated_models import simulated_runs
from helpers.wikidata.wikidata_fixtures import FACTS, ntriples

pytestmark = [pytest.mark.integration, pytest.mark.nightly]

BLOCK = re.compile(r'^```(\w+)(?: title="(\S+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)

WALKED_ELSEWHERE = {
    "architecture": "test_extending_doc.py",
    "annotating": "label_studio/test_new_culture_doc.py",
}
"""Page to the test that follows it and looks at what comes out."""

INPUTS = Path(__file__).parent / "damage" / "inputs"
"""Small, sound files of many kinds."""

NOT_RUN = {
    "make ": "the set-up itself; .ci/run does both",
    "python3 -m venv": "tests have their environment",
    "pip install": "what tests need is installed",
    "hf download": "the client of another package, which its own tests hold",
    "inspect eval": "its environment is one of its own; tests/eval/export runs it",
}
"""Beginning of a command to why it does not run here."""


@dataclass
class Page:
    """What a page takes for granted, besides the Hub."""

    given: Callable[["Machine"], None] = lambda machine: None
    swaps: dict[str, str] = field(default_factory=dict)
    """Text of the page to what stands for it here; ``{name}`` is an attribute of `Machine`."""
    since: str | None = None
    """Heading up to which the page is a journey, see `JOURNEYS`."""
    until: str | None = None
    """Heading from which another test goes on: that of another domain is command_line/test_triples.py."""

    def part(self, text: str) -> str:
        """What is walked here of a page."""
        if self.since:
            text = text.partition(self.since)[2]
        return text.partition(self.until)[0] if self.until else text


@dataclass
class Machine:
    """Where a page is followed."""

    work: Path
    shared: Path
    endpoint: str
    release: Path
    """A release of the sample that others have built."""
    regions: Path
    """Four of the published regions: commands do the same with all 16, for many times as long."""


def given_regions(shared: Path, folder: Path) -> Path:
    published = shared / "data" / "blend"
    for path in published.rglob("*_*.*"):
        if path.name.rpartition("_")[0] in ("Iran", "South_Korea", "UK", "US"):
            copy = folder / path.relative_to(published)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
    return folder


def given_for_cultural_prompts(machine: Machine) -> None:
    import polars as pl
    import tomli_w

    shutil.copytree(INPUTS / "topics", machine.work / "topics")
    pl.read_csv(INPUTS / "texts.csv").write_parquet(machine.work / "texts.parquet")
    for name in ("hofstede.csv", "wvs.csv"):
        shutil.copy(INPUTS / "values.csv", machine.work / name)
    source = {"kind": "topics", "location": "topics"}
    recipe = {"name": "prompts", "version": "1.0.0", "sources": [source]}
    cultural = {"nationalities": ["BR", "JP", "UZ"]}
    (machine.work / "recipe.toml").write_text(tomli_w.dumps({**recipe, "cultural": cultural}), encoding="utf-8")


def given_for_probing(machine: Machine) -> None:
    shutil.copy(machine.shared / "data" / "wikidata" / "food_snapshot.nt.gz", machine.work)
    vectors = machine.shared / "golden" / "fmlama" / "probing" / "vectors_en.vec"
    shutil.copy(vectors, machine.work / "cc.en.300.vec")


def given_for_rungs(machine: Machine) -> None:
    mcq = mini_recipe().mcq.model_copy(update={"rungs": True})
    build_release(mini_recipe(mcq=mcq), machine.work / "release")


def given_a_release(machine: Machine) -> None:
    shutil.copytree(machine.release, machine.work / "release")


def given_for_items(machine: Machine) -> None:
    given_a_release(machine)
    simulated_runs(machine.work / "release", machine.work / "runs", models=8)
    (machine.work / "runs" / "answers.parquet").unlink()


def given_for_recipe(machine: Machine) -> None:
    begin = "blend init mine\nblend build mine/recipe.toml --out release"
    run(machine.work, machine.work.parent / "home", begin)
    (machine.work / "path" / "to").mkdir(parents=True)
    (machine.work / "mine" / "collected").rename(machine.work / "path" / "to" / "collected")


def given_for_semeval(machine: Machine) -> None:
    write_semeval(machine.work / "semeval")
    marks = ["\t".join([row_id, *("01"[letter == key] for letter in "ABCD")]) for row_id, key in keys().items()]
    predictions = "\n".join(["id\tA\tB\tC\tD", *marks]) + "\n"
    (machine.work / "track_2_mcq_prediction.tsv").write_text(predictions, encoding="utf-8")
    short = "id\tprediction\nam-ET_002\t3\nga-IE_001\ttae\nen-AU_001\ttea\n"
    (machine.work / "track_1_saq_prediction.tsv").write_text(short, encoding="utf-8")


SNAPSHOT = {"--contact you@example.org": "--contact you@example.org --endpoint {endpoint}"}


def given_for_wikidata(machine: Machine) -> None:
    (machine.work / "parts").mkdir()
    for name in ("latest-truthy.nt.gz", "parts/1.nt.gz"):
        (machine.work / name).write_bytes(gzip.compress(ntriples(FACTS).encode()))


PAGES = {
    "README": Page(
        swaps={
            "path/to/BLEnD/data": "{regions}",
            "--model tiny --out run": "--model tiny --limit 40 --out run",
        },
    ),
    "stats": Page(given_a_release),
    "cards": Page(given_a_release),
    "evaluation": Page(),
    "cultural-prompts": Page(
        given_for_cultural_prompts, {"--model org/name": "--model tiny"}, since="\n## Prompts\n"
    ),
    "scores": Page(given_for_items, {"options recipe.toml": "options"}),
    "short-answers": Page(given_a_release),
    "loading": Page(),
    "probing": Page(given_for_probing, {"--model org/name": "--model tiny --limit 2 -T languages=en"}),
    "recipe": Page(given_for_recipe, {"path/to/BLEnD/data": "{regions}"}),
    "mcq": Page(given_for_rungs, {"--model org/first": "--model tiny --limit 2"}, since="\n## True or false\n"),
    "semeval": Page(given_for_semeval, {"--model org/name": "--model tiny"}),
    "templates": Page(),
    "wikidata": Page(
        given_for_wikidata,
        swaps={**SNAPSHOT, "http://localhost:7001": "{endpoint}", "qlever": "{endpoint}"},
        until="## Another domain",
    ),
}


def commands(block: str) -> Iterator[str]:
    """The commands of a block without their comments; a backslash joins lines."""
    for line in block.replace("\\\n", " ").splitlines():
        command = re.sub(r"\s+#.*", "", line).strip()
        if command and not command.startswith("#"):
            yield command


def text_of(root: Path, name: str) -> str:
    return (root / ("README.md" if name == "README" else f"docs/{name}.md")).read_text(encoding="utf-8")


def run(folder: Path, home: Path, content: str, program: str = "bash", **environment: str) -> str:
    """What a block prints in a folder, with caches and tokens of its own."""
    command = {"bash": ["bash", "-euo", "pipefail", "-c"], "python": [sys.executable, "-c"]}[program]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [*command, content],
        cwd=folder,
        env=os.environ | {"HF_HOME": str(home), "PATH": path} | environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, f"{content}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.landing
def test_every_page_with_commands_is_walked(root: Path):
    with_commands = {
        path.stem
        for path in (root / "README.md", *(root / "docs").glob("*.md"))
        if any(kind == "bash" for kind, _, _ in BLOCK.findall(path.read_text(encoding="utf-8")))
    }
    assert with_commands == {*PAGES, *JOURNEYS, *WALKED_ELSEWHERE, "publishing"}
    assert all((root / "tests" / test).is_file() for test in WALKED_ELSEWHERE.values())


@pytest.mark.landing
@pytest.mark.sampled
@pytest.mark.parametrize("name", PAGES)
def test_the_commands_run_in_their_order(
    name: str,
    root: Path,
    shared: Path,
    hub: Hub,
    serve: Callable[[str], Any],
    sample_release: Path,
    tmp_path: Path,
):
    page, work = PAGES[name], tmp_path / "work"
    work.mkdir()
    regions = given_regions(shared, tmp_path / "regions")
    machine = Machine(work, shared, serve(FACTS).url, sample_release, regions)
    page.given(machine)
    if name not in ("README", "evaluation"):  # which make it themselves
        make_tiny_model(work / "tiny")
    environment = hub.environment(tmp_path / "home")
    # The published releases and the model that pages name.
    hub.store.create("org/model", private=False, author="alice").commit({"config.json": b"{}"})
    first = make_release(tmp_path / "v1.1.0", "1.1.0")
    for release in (first, make_release(tmp_path / "v1.2.0", "1.2.0", after=first)):
        run(work, tmp_path / "home", f"blend publish {release} org/blend", **environment)
    for kind, file, content in BLOCK.findall(page.part(text_of(root, name))):
        if kind == "csv" and file:
            (work / file).write_text(content, encoding="utf-8")
        for command in commands(content) if kind == "bash" else ():
            if any(command.startswith(beginning) for beginning in NOT_RUN):
                continue
            for text, instead in page.swaps.items():
                command = command.replace(text, instead.format(**vars(machine)))
            run(work, tmp_path / "home", command, **environment)


# Pages on which nothing is given: every file is written, every program run, and what is printed stands there


JOURNEYS = {
    "reviews": "csv toml bash text console",
    "mcq": "csv toml jsonl bash text",
    "contributing-data": "md csv jsonl toml bash text console",
    "cultural-prompts": "csv tsv toml bash python text",
    "one-culture": "csv toml bash text python",
}
"""Page to what it is made of: a block of another kind would be passed over."""

UNTIL = {name: page.since for name, page in PAGES.items() if page.since and name in JOURNEYS}


@pytest.mark.landing
@pytest.mark.sampled
@pytest.mark.parametrize("name", JOURNEYS)
def test_a_newcomer_can_follow_the_page(root: Path, tmp_path: Path, blend_data: Path, name: str):
    work, printed, kinds = tmp_path / "work", "", set()
    (work / "BLEnD").mkdir(parents=True)
    (work / "BLEnD" / "data").symlink_to(blend_data)
    page = text_of(root, name)
    with served() as chat:
        # The model of mcq.md, which reads options.
        reads(chat, {"salad": ("also_correct", 0.9), "homework": ("silly", 1), "tacos": ("also_correct", 0.6)})
        for kind, file, content in BLOCK.findall(page.partition(UNTIL[name])[0] if name in UNTIL else page):
            kinds.add(kind)
            if file:
                (work / file).parent.mkdir(parents=True, exist_ok=True)
                (work / file).write_text(content, encoding="utf-8")
            elif kind == "text":
                assert content in printed
            elif kind != "console":  # of data that the page does not have
                offline = {"HF_HUB_OFFLINE": "1", "OPENAI_BASE_URL": chat.url}
                printed = run(work, tmp_path / "home", content, kind, **offline)
    assert kinds == set(JOURNEYS[name].split())
    assert (work / "release" / "release.json").is_file()


@pytest.mark.landing
def test_a_newcomer_with_an_empty_account_publishes(hub: Hub, root: Path, tmp_path: Path):
    blocks = [content for kind, _, content in BLOCK.findall(text_of(root, "publishing")) if kind == "bash"]
    assert len(blocks) == 4
    for block in blocks:
        run(tmp_path, tmp_path / "home", block, **hub.environment(tmp_path / "home"))
    repository = hub.repository("alice/everyday")
    assert list(repository.tags) == ["v0.1.0", "v0.1.1"]
    first, second = (
        published(tmp_path / f"release-{version}", hub.url, "alice/everyday") for version in ("0.1.0", "0.1.1")
    )
    assert held(repository, "v0.1.0") == first == digests(tmp_path / "copy")
    assert held(repository, "main") == held(repository, "v0.1.1") == second


@pytest.mark.landing
def test_the_examples_of_the_readme_run_in_their_order(root: Path, tmp_path: Path):
    blocks = [content for kind, _, content in BLOCK.findall(text_of(root, "README")) if kind == "python"]
    examples = [block for block in blocks if "org/blend" not in block]
    assert len(examples) == 2
    run(tmp_path, tmp_path / "home", "blend build --out release", HF_HUB_OFFLINE="1")
    run(tmp_path, tmp_path / "home", "\n".join(examples), "python", HF_HUB_OFFLINE="1")
    made, again = ((tmp_path / name / "release.json").read_bytes() for name in ("release", "again"))
    assert made == again


@pytest.mark.landing
def test_the_lines_of_the_readme_that_ask_a_model_end_in_a_report(root: Path, tmp_path: Path):
    blocks = BLOCK.findall(text_of(root, "README"))
    (block,) = (content for kind, _, content in blocks if kind == "bash" and "eval tiny-model" in content)
    lines = [*commands(block)]
    assert [line.split()[2] for line in lines] == ["tiny-model", "run", "score", "report"]
    said = [run(tmp_path, tmp_path / "home", line, HF_HUB_OFFLINE="1") for line in ("blend build", *lines)]
    assert said[1] == "Made a model in tiny. Ask it:\n  blend eval run release --model tiny\n"
    assert re.fullmatch(
        r"In all: ([\d,]+) requests, [^\n]+\.\n\1 of \1 items are answered in run\. Score them:\n"
        r"  blend eval score run\n",
        said[2],
    )
    assert said[3].startswith("tiny on blend-sample@")
    assert said[3].endswith("Show them on a page:\n  blend eval report run\n")
    assert said[4] == "Wrote report.html: open it in a browser.\n"
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
