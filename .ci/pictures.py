"""The pictures of ``docs/annotating.md``: every stage as it stands in a browser, on a Label Studio of its own.

``make pictures`` takes them anew from the sample. A page that did not change gives the same bytes.
"""

import os
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from helpers.label_studio.annotation_projects import push_sample
from helpers.label_studio.annotator_in_browser import annotator
from helpers.label_studio.studio_fixtures import connected
from helpers.label_studio.studio_server import make_fresh, serving


class Picture(NamedTuple):
    """What is on a picture."""

    locale: str
    height_px: int
    """From the top of the page on."""


PICTURES = {
    "answer": Picture("fa-IR", 560),
    "review": Picture("fa-IR", 700),
    "collect": Picture("fa-IR", 680),
    "mcq-review": Picture("ko-KR", 820),
    "equivalence": Picture("en-US", 430),
}


def main(images: Path) -> None:
    """Take all pictures into a folder."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("error: the browser chromium is not here; install it")
    with TemporaryDirectory() as folder:
        make_fresh(Path(folder) / "fresh")
        with (
            serving(Path(folder) / "label-studio") as server,
            annotator(chromium, server.url) as person,
            connected(server) as studio,
        ):
            os.environ |= {"LABEL_STUDIO_API_KEY": server.token, "NO_PROXY": "127.0.0.1"}
            person.sign_up("someone@example.org")
            for stage, picture in PICTURES.items():
                keys, answered = 'templates = ["edu-01"]', stage != "answer"
                where = Path(folder) / stage, stage, server.url, picture.locale, [stage]
                push_sample(*where, keys=keys, answered=answered)
                person.begin(studio.project(f"{stage} {stage} {picture.locale}"))
                take(person.page, images / f"annotating-{stage}.png", picture.height_px)


def take(page: Any, path: Path, height_px: int) -> None:
    """Take a picture of a page from its top on, without what Label Studio has around it."""
    page.wait_for_load_state("networkidle")
    box = page.locator(".blend").locator("xpath=..").bounding_box()
    page.screenshot(path=path, clip={**box, "height": height_px})


if __name__ == "__main__":
    main(Path(sys.argv[1]))
