"""What is shipped in the package: the embedded sample, and the starter of a dataset of one's own.

The sample is a small dataset of invented responses, which has the layout of `loaders.responses`, and
`sample/recipe.toml` builds it. The starter is one small file of every kind, which build as they are.
"""

from contextlib import AbstractContextManager
from importlib.resources import as_file, files
from pathlib import Path

from blend.loaders.files.new_files import git_attributes, write_new_files

_SUFFIXES = (".toml", ".csv")


def sample_path() -> AbstractContextManager[Path]:
    """The sample's directory, for as long as the context is open.

    ``with sample_path() as folder: ...`` works from a checkout and from an installed wheel.

    Returns:
        A context that gives the directory with ``recipe.toml``, ``templates.csv``, ``questions.csv``,
        ``prompts.csv``, ``responses/{locale}.csv`` and ``reviews/{locale}.jsonl``.
    """
    return as_file(files("blend.loaders") / "sample")


def write_starter(folder: Path) -> list[str]:
    """Write recipe, locale file, templates, questions, prompts and responses, with example rows, into a folder.

    Args:
        folder: Made if it is not there; see `files.new_files.write_new_files`, also for errors.

    Returns:
        The paths of the files, relative to the folder, in text order.
    """
    with as_file(files("blend.loaders") / "starter") as packaged:
        contents: dict[str, str | bytes] = {
            path.relative_to(packaged).as_posix(): path.read_text(encoding="utf-8")
            for path in sorted(packaged.rglob("*"))
            if path.suffix in _SUFFIXES
        }
    return write_new_files(folder, contents | git_attributes(folder))
