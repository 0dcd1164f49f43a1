"""Many problems told in few lines: by cause, a few of each, all counted.

One missing file can be behind hundreds of rows that do not fit any more. Whoever reads the message wants to see
that it is one cause, and still every cause that there is.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Protocol

ALL_SHOWN = 20
"""So many problems are told one by one, whatever their causes."""

CAUSES_SHOWN = 10
"""Causes told of more problems than that."""

LINES_PER_CAUSE = 3
"""Problems told of each of them."""

FILES_SHOWN = 5
"""Files named of the problems that are only counted."""

_PARTICULARS = re.compile(r"""'[^']*'|"[^"]*"|\s*\([^)]*\)|\b[a-z]{2,3}-[A-Z]{2}\b|\d+""")
"""What differs between two problems with one cause: quoted names, remarks in brackets, locales, numbers."""


class ErrorLike(Protocol):
    """A problem: what it is, where, and what to do."""

    @property
    def what(self) -> str:
        """What is wrong."""

    @property
    def where(self) -> str:
        """Its location."""

    @property
    def fix(self) -> str:
        """What to do about it."""


def summarise(problems: Sequence[ErrorLike]) -> list[str]:
    """The lines that tell of problems, in their order.

    Args:
        problems: Problems whose ``str`` is a line.

    Returns:
        Their lines where they are few. Of many, the first of each cause, in the order in which the causes are
        first met, with a line that counts the others and names their files.
    """
    if len(problems) <= ALL_SHOWN:
        return [str(problem) for problem in problems]
    causes: dict[tuple[str, str], list[ErrorLike]] = {}
    for problem in problems:
        causes.setdefault(cause_of(problem.what, problem.fix), []).append(problem)
    groups = list(causes.values())
    lines = [line for group in groups[:CAUSES_SHOWN] for line in _summarise_cause(group)]
    rest = groups[CAUSES_SHOWN:]
    if rest:
        n_rest = sum(map(len, rest))
        lines.append(f"… and {n_rest:,} more with {len(rest):,} other causes")
    return lines


def cause_of(what: str, fix: str) -> tuple[str, str]:
    """Return what two problems with one cause share: both texts without their particulars."""
    return _PARTICULARS.sub("", what), _PARTICULARS.sub("", fix)


def _summarise_cause(group: Sequence[ErrorLike]) -> list[str]:
    shown, rest = group[:LINES_PER_CAUSE], group[LINES_PER_CAUSE:]
    lines = [str(problem) for problem in shown]
    if not rest:
        return lines
    files = Counter(_file(problem.where) for problem in rest)
    named = ", ".join(f"{name} ({count:,})" for name, count in files.most_common(FILES_SHOWN))
    others = len(files) - FILES_SHOWN
    more = f" and {others:,} other files" if others > 0 else ""
    return [*lines, f"… and {len(rest):,} more of this kind: {named}{more}"]


def _file(where: str) -> str:
    """The file of a place such as ``responses/ko-KR.csv:12, column answer_1``."""
    return re.split(r":\d|, ", where, maxsplit=1)[0]
