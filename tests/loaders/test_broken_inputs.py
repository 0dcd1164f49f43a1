"""Every broken input in ``broken/`` causes exactly the message that lies beside it.

A case is a folder of files that replace or join those of a valid input in ``valid/``; ``removed.txt`` lists
those that are taken away, and ``message.txt`` is the whole message, ``{folder}`` being the folder of the input.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from blend.loaders.contributions import read_collection
from blend.loaders.responses import read_responses
from blend.loaders.upstream.blend import read_blend
from helpers.messages import wrong

HERE = Path(__file__).parent
READERS: dict[str, Callable[[Path], Any]] = {
    "blend": read_blend,
    "contributions": read_collection,
    "responses": read_responses,
}
CASES = sorted(path.parent for path in (HERE / "broken").glob("*/*/message.txt"))


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_message(case: Path, tmp_path: Path):
    kind = case.parent.name
    folder = Path(shutil.copytree(HERE / "valid" / kind, tmp_path / "input"))
    shutil.copytree(case, folder, dirs_exist_ok=True)
    (folder / "message.txt").unlink()
    removed = folder / "removed.txt"
    if removed.exists():
        for name in removed.read_text(encoding="utf-8").split():
            (folder / name).unlink()
        removed.unlink()
    expected = (case / "message.txt").read_text(encoding="utf-8").removesuffix("\n")
    assert wrong(lambda: READERS[kind](folder)).replace(str(folder), "{folder}") == expected


def test_reviews_that_are_not_a_folder(tmp_path: Path):
    folder = Path(shutil.copytree(HERE / "valid" / "responses", tmp_path / "input"))
    shutil.rmtree(folder / "reviews")
    (folder / "reviews").write_text("", encoding="utf-8")
    # Nothing is said about answers on which those reviews may decide.
    assert wrong(lambda: read_responses(folder)) == (
        "reviews: cannot be read as a folder (Not a directory); make it a folder that may be read"
    )


def test_every_kind_has_cases():
    assert {case.parent.name for case in CASES} == set(READERS)
