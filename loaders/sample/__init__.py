"""The embedded sample: a small dataset of invented responses, shipped in the package.

It has the layout of `loaders.responses`, and `sample/recipe.toml` builds it.
"""

from contextlib import AbstractContextManager
from importlib.resources import as_file, files
from pathlib import Path


def sample_path() -> AbstractContextManager[Path]:
    """The sample's directory, for as long as the context is open.

    ``with sample_path() as folder: ...`` works from a checkout and from an installed wheel.

    Returns:
        A context that gives the directory with ``recipe.toml``, ``templates.csv``, ``questions.csv``,
        ``prompts.csv``, ``responses/{locale}.csv`` and ``reviews/{locale}.jsonl``.
    """
    return as_file(files("blend.loaders") / "sample")
