"""Packaged templates: texts of the package in which Jinja fills in values."""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def packaged_templates(
    package: str,
    folder: str = "",
    *,
    autoescape: bool | Callable[[str | None], bool] = True,
    keep_trailing_newline: bool = False,
    finalize: Callable[[Any], Any] | None = None,
) -> "Environment":
    """The templates in a folder of a package; each is compiled once, and a value that nobody gave is an error.

    Args:
        package: Name of the package.
        folder: Folder in it; the package's own when absent.
        autoescape: Whether values are escaped for HTML, or of which templates, by their names.
        keep_trailing_newline: Whether a text ends with the line feed that its template ends with.
        finalize: What becomes of a value before it is filled in.
    """
    # Imported here: most commands fill in none.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(package, folder),
        undefined=StrictUndefined,
        autoescape=autoescape,  # noqa: S701 - who asks for none fills in no HTML
        keep_trailing_newline=keep_trailing_newline,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
