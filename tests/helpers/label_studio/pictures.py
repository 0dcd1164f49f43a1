"""The pictures of ``docs/annotating.md``: every stage as it stands in a browser, on a Label Studio of its own.

``make pictures`` takes them anew from the sample. A page that did not change gives the same bytes.
"""

import os
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from label_studio_sdk import LabelStudio

from blend.builders.annotation.pseudonyms import new_key
from blend.loaders.sample import sample_path
from helpers.label_studio.annotation_projects import push
from helpers.label_studio.annotator_in_browser import annotator
from helpers.label_studio.studio_fixtures import StudioForTests
from helpers.label_studio.studio_server import make_fresh, serving


class Picture(NamedTuple):
    """What is on a picture."""

    locale: str
    keys: str
    """Of the project file, besides those that all have."""
    height_px: int
    """From the top of the page on."""


QUESTION = 'templates = ["edu-01"]'
PICTURES = {
    "answer": Picture("fa-IR", QUESTION, 560),
    "review": Picture("fa-IR", QUESTION, 700),
    "collect": Picture("fa-IR", 'topics = ["Education"]', 680),
    "mcq-review": Picture("ko-KR", f'{QUESTION}\nrecipe = "collected/recipe.toml"', 820),
    "equivalence": Picture("en-US", 'sheets = { equivalence = "sheet.csv" }', 430),
}
SHEET = "check,answer_a,answer_b,template_id,question\nc1,soccer,football,spo-01,What do people watch?\n"


def main(images: Path) -> None:
    """Take all pictures into a folder."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("error: the browser chromium is not here; install it")
    with TemporaryDirectory() as folder:
        make_fresh(Path(folder) / "fresh")
        with serving(Path(folder) / "label-studio") as server, annotator(chromium, server.url) as person:
            os.environ |= {"LABEL_STUDIO_API_KEY": server.token, "NO_PROXY": "127.0.0.1"}
            studio = StudioForTests(
                server.url, server.token, LabelStudio(base_url=server.url, api_key=server.token)
            )
            person.sign_up("someone@example.org")
            for stage, picture in PICTURES.items():
                _push(Path(folder) / stage, stage, picture, server.url)
                person.begin(studio.project(f"{stage} {stage} {picture.locale}"))
                person.picture(images / f"annotating-{stage}.png", picture.height_px)


def _push(folder: Path, stage: str, picture: Picture, url: str) -> None:
    """Bring a project of one stage to a server."""
    with sample_path() as sample:
        shutil.copytree(sample, folder / "collected")
    # What all have answered is asked of nobody, and what was reviewed is reviewed by nobody.
    for given in (folder / "collected").glob(f"re*/{picture.locale}.*"):
        if stage == "answer" or given.parent.name == "reviews":
            rows = given.read_text(encoding="utf-8").splitlines(keepends=True)
            given.write_text("".join(row for row in rows if "edu-01" not in row), encoding="utf-8")
    (folder / "annotators.key").write_text(new_key())
    (folder / "sheet.csv").write_text(SHEET)
    path = folder / "project.toml"
    path.write_text(
        f'name = "{stage}"\nstages = ["{stage}"]\ncollected = "collected"\n{picture.keys}\n'
        f'[server]\nurl = "{url}"\n[[locales]]\nlocale = "{picture.locale}"\n'
    )
    push(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
