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

from blend import Recipe, build_release
from blend.eval.models.tiny_model import make_tiny_model
from helpers.hub.hub_releases import make_release
from helpers.hub.hub_server import Hub
from helpers.mini_release import mini_recipe
from helpers.semeval_files import keys, write_semeval
from helpers.simulated_models import simulated_runs
from helpers.wikidata.wikidata_fixtures import ntriples

pytestmark = [pytest.mark.integration, pytest.mark.nightly]

BLOCK = re.compile(r'^```(bash|csv)(?: title="(\S+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)

WALKED_ELSEWHERE = {
    "one-culture": "test_tutorial_doc.py",
    "reviews": "test_tutorial_doc.py",
    "contributing-data": "test_tutorial_doc.py",
    "publishing": "test_publishing_doc.py",
    "architecture": "test_extending_doc.py",
    "annotating": "label_studio/test_new_culture_doc.py",
}
"""Page to the test that follows it and looks at what comes out."""

NOT_RUN = {
    "make ": "the set-up itself; .ci/run does both",
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
    """Heading up to which another test goes: test_tutorial_doc.py."""
    until: str | None = None
    """Heading from which another test goes on: that of another domain is command_line/test_own_domain.py."""

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


def given_texts(machine: Machine) -> None:
    rows = [
        f"{group},{topic},{sample},{group} people say {sample} words on {topic} to each other"
        for group in ("Brazilian", "Japanese", "Uzbek")
        for topic in ("gravity", "sound")
        for sample in range(2)
    ]
    text = "\n".join(["group,topic,sample,text", *rows]) + "\n"
    (machine.work / "texts.csv").write_text(text, encoding="utf-8")


def prompts_recipe(machine: Machine) -> Recipe:
    topics = machine.work / "topics" / "qa"
    topics.mkdir(parents=True)
    (topics / "topics.tsv").write_text("physics\tgravity\nphysics\tsound\n", encoding="utf-8")
    line = "_\t_\tExplain {topic} to {article} {nationality}.\n"
    (topics / "templates.tsv").write_text(line, encoding="utf-8")
    return Recipe(
        name="prompts",
        version="1.0.0",
        sources=({"kind": "topics", "location": str(machine.work / "topics")},),
        cultural={"nationalities": ("BR", "JP", "UZ")},
    )


def given_for_cultural_prompts(machine: Machine) -> None:
    import polars as pl
    import tomli_w

    given_texts(machine)
    pl.read_csv(machine.work / "texts.csv").write_parquet(machine.work / "texts.parquet")
    recipe = prompts_recipe(machine).model_dump(mode="json", exclude_defaults=True)
    (machine.work / "recipe.toml").write_text(tomli_w.dumps(recipe), encoding="utf-8")
    make_tiny_model(machine.work / "tiny")
    survey = "Demonym,power,joy\nBrazilian,1,2\nJapanese,3,9\nUzbek,4,4\n"
    for name in ("hofstede.csv", "wvs.csv"):
        (machine.work / name).write_text(survey, encoding="utf-8")


def given_for_probing(machine: Machine) -> None:
    shutil.copy(machine.shared / "data" / "wikidata" / "food_snapshot.nt.gz", machine.work)
    shutil.copy(
        machine.shared / "golden" / "fmlama" / "probing" / "vectors_en.vec", machine.work / "cc.en.300.vec"
    )
    make_tiny_model(machine.work / "tiny")


def given_for_rungs(machine: Machine) -> None:
    mcq = mini_recipe().mcq.model_copy(update={"rungs": True})
    build_release(mini_recipe(mcq=mcq), machine.work / "release")
    make_tiny_model(machine.work / "tiny")


def given_a_release(machine: Machine) -> None:
    shutil.copytree(machine.release, machine.work / "release")


def given_for_items(machine: Machine) -> None:
    given_a_release(machine)
    simulated_runs(machine.work / "release", machine.work / "runs", models=8)
    for answers in (machine.work / "runs").glob("*.csv"):
        answers.unlink()


def given_for_judging(machine: Machine) -> None:
    given_a_release(machine)
    make_tiny_model(machine.work / "tiny")


def given_for_recipe(machine: Machine) -> None:
    begin = [sys.executable, "-m", "blend", "init", "mine"]
    build = [sys.executable, "-m", "blend", "build", "mine/recipe.toml", "--out", "release"]
    for command in (begin, build):
        subprocess.run(command, cwd=machine.work, check=True, capture_output=True)
    (machine.work / "path" / "to").mkdir(parents=True)
    (machine.work / "mine" / "collected").rename(machine.work / "path" / "to" / "collected")


def given_for_semeval(machine: Machine) -> None:
    write_semeval(machine.work / "semeval")
    marks = ["\t".join([row_id, *("01"[letter == key] for letter in "ABCD")]) for row_id, key in keys().items()]
    predictions = "\n".join(["id\tA\tB\tC\tD", *marks]) + "\n"
    (machine.work / "track_2_mcq_prediction.tsv").write_text(predictions, encoding="utf-8")
    short = "id\tprediction\nam-ET_002\t3\nga-IE_001\ttae\nen-AU_001\ttea\n"
    (machine.work / "track_1_saq_prediction.tsv").write_text(short, encoding="utf-8")
    make_tiny_model(machine.work / "tiny")


FACTS = """
    Q10 P31 Q746549
    Q10 P495 Q100
    Q10 P527 Q200
    Q11 P31 Q746549
    Q11 P495 Q101
    Q11 P527 Q201
    Q12 P31 Q34379
    Q12 P495 Q100
    Q12 P527 Q202
    Q100 P31 Q6256
    Q101 P31 Q6256
    Q100 P30 Q46
    Q101 P30 Q46
    Q46 label en:Europe
    Q10 label en:bread
    Q11 label en:rye bread
    Q100 label en:France
    Q101 label en:Gaul
    Q200 label en:flour
    Q201 label en:rye
    Q12 label en:musette
    Q202 label en:bellows
"""
"""What the SPARQL endpoint holds: two dishes and an instrument, in the shorthand of wikidata_fixtures.py."""

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
    "short-answers": Page(given_for_judging),
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


def page_path(root: Path, name: str) -> Path:
    return root / "README.md" if name == "README" else root / "docs" / f"{name}.md"


@pytest.mark.landing
def test_every_page_with_commands_is_walked(root: Path):
    with_commands = {
        path.stem
        for path in (root / "README.md", *(root / "docs").glob("*.md"))
        if any(kind == "bash" for kind, _, _ in BLOCK.findall(path.read_text(encoding="utf-8")))
    }
    assert with_commands == {*PAGES, *WALKED_ELSEWHERE}
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
    environment = os.environ | {
        **hub.environment(tmp_path / "home"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    fill_hub(hub, tmp_path, environment)
    text = page_path(root, name).read_text(encoding="utf-8")
    for kind, file, content in BLOCK.findall(page.part(text)):
        if kind == "csv":
            if file:
                (work / file).write_text(content, encoding="utf-8")
            continue
        for command in commands(content):
            if any(command.startswith(beginning) for beginning in NOT_RUN):
                continue
            for text, instead in page.swaps.items():
                command = command.replace(text, instead.format(**vars(machine)))
            run = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", command],
                cwd=work,
                env=environment,
                capture_output=True,
                text=True,
            )
            assert run.returncode == 0, f"{command}\n{run.stdout}\n{run.stderr}"


def fill_hub(hub: Hub, folder: Path, environment: dict[str, str]) -> None:
    """The published releases and the model that pages name."""
    hub.store.create("org/model", private=False, author="alice").commit({"config.json": b"{}"})
    first = make_release(folder / "v1.1.0", "1.1.0")
    second = make_release(folder / "v1.2.0", "1.2.0", after=first)
    for release in (first, second):
        subprocess.run(
            [sys.executable, "-m", "blend", "publish", release, "org/blend"],
            env=environment,
            check=True,
            capture_output=True,
        )
