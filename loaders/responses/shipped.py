"""Shipped decisions: which answers of BLEnD's 16 regions mean the same, as read by the blend team."""

from functools import cache
from importlib.resources import as_file, files

from blend.loaders.responses.decisions import Decision, read_decisions

SHIPPED_NAME = "same_answers.tsv"
"""Name of the file in the package, in the format of every file of decisions (``docs/judges.md``)."""


@cache
def shipped_decisions() -> tuple[Decision, ...]:
    """The decisions that come with the package, in the order of the file.

    They concern pairs of an option and an acceptable answer, or of two options, that can meet in the published
    16 regions and that share no word. The blend team read them in English; no native checked them.
    """
    with as_file(files("blend.loaders") / "responses" / SHIPPED_NAME) as path:
        return read_decisions(path)
