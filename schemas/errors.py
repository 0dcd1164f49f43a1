"""Errors that a user meets: what went wrong, where, and what to do; and how many are told in few lines.

Whoever calls the package can tell from the class alone what kind of answer an error asks for::

    BlendError                    everything below: a message for people, never a bug of ours
    ├── InputError                what was given is not what it must be: mend it, the same call fails again
    │   ├── RowError              a row, a key of a recipe or a field of a file; says which
    │   ├── RowErrors             several of them, found in one pass
    │   ├── ArgumentError         an argument that no file could make right, or two that exclude each other
    │   ├── UnknownNameError      a name that does not exist; lists those that do
    │   └── NoItemError           a domain without an item in Wikidata (`…wikidata.partial`)
    ├── MissingExtraError         an optional dependency is not installed; names the extra
    ├── ConflictError             somebody else is at the same place: look at what they did, or wait
    ├── StorageError              the disk is full or a folder may not be written; nothing is half there
    └── ServerError               a server cannot be reached, refuses, or answers something else
        ├── HubError              the Hugging Face Hub
        └── EndpointError         a SPARQL endpoint (`blend.loaders.wikidata.sparql`)

`InputError` is also a ``ValueError`` and `MissingExtraError` an ``ImportError``. A `ServerError` may pass: the
same call can succeed later. Anything else that is raised is a bug of this package.

One missing file can be behind hundreds of rows that do not fit any more. Whoever reads the message wants to see
that it is one cause, and still every cause that there is.

No package index has it: it is installed from a checkout, and so is every optional part.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from difflib import get_close_matches
from functools import partial


class BlendError(Exception):
    """Whatever is not as it must be, with a message that says what to do; see the tree above."""


class BlendWarning(UserWarning):
    """What a user should know about what was done all the same."""


class InputError(BlendError, ValueError):
    """Something given is not what it must be: a file, a row, a recipe, an option, a release."""


class ArgumentError(InputError):
    """An argument that no input could make right: an impossible value, or two that exclude each other."""


class ConflictError(BlendError):
    """Somebody else is at the same place: another process writes there, or what was there has changed."""


class StorageError(BlendError):
    """The disk is full, or a folder may not be written; what was there before is there still."""


class ServerError(BlendError):
    """A server cannot be reached, refuses, or answers something else than it was asked for."""


class HubError(ServerError):
    """The Hugging Face Hub cannot be reached, refuses, or does not hold what was asked for."""


class RowError(InputError):
    """A row breaks its contract: what went wrong, where, and what to do."""

    def __init__(self, what: str, *, where: str, fix: str) -> None:
        super().__init__(f"{where}: {what}; {fix}")
        self.what = what
        self.where = where
        self.fix = fix

    def __reduce__(self) -> tuple[Callable[..., "RowError"], tuple[str]]:
        # As it is raised in another process: what an exception does by itself forgets the names.
        return partial(type(self), where=self.where, fix=self.fix), (self.what,)


class RowErrors(InputError):
    """Every problem that one pass over the input found: all in ``errors``, the message grouped by cause."""

    def __init__(self, errors: Sequence[RowError]) -> None:
        self.errors = tuple(errors)
        count = "" if len(self.errors) == 1 else f"{len(self.errors)} problems:\n"
        super().__init__(count + "\n".join(summarise(self.errors)))


_FEW = 12
"""Names that a message lists; of more, it lists the nearest."""


class UnknownNameError(InputError):
    """A name that does not exist; the message lists those that do, or the nearest of many.

    It asks whether ``meant`` was meant: the closest of them if that is null, none if it is empty.
    """

    def __init__(
        self, kind: str, name: str, valid: Iterable[str], *, more: str = "", meant: str | None = None
    ) -> None:
        choices = sorted(valid)
        # Where nothing can be meant, the nearest of many are strangers.
        nearest = "" if meant == "" and more else _listed_names(name, choices)
        ways = ", or ".join(filter(None, (nearest, more)))
        likely = closest(name, choices) if meant is None else meant
        question = f"did you mean {likely!r}? " if likely else ""
        super().__init__(f"unknown {kind} {name!r}; {question}{ways}")


def check_names(what: str, names: Iterable[str] | None, known: Collection[str]) -> None:
    """Refuse the first of some names that is not known; see `UnknownNameError`.

    Raises:
        UnknownNameError: Lists those that are.
    """
    for name in names or ():
        if name not in known:
            raise UnknownNameError(what, name, known)


def closest(name: str, choices: Iterable[str]) -> str | None:
    """The one of some names that somebody may have meant; null if none is like it."""
    valid = sorted(choices)
    folded = name.strip().casefold()
    # In a short name, a letter in another case is half of what there is to compare.
    same = next((choice for choice in valid if choice.strip().casefold() == folded), None)
    return next(iter(get_close_matches(name, valid, n=1)), None) if same is None else same


def did_you_mean(name: str, choices: Iterable[str]) -> str:
    """A question before what there is to choose from, with a blank behind it; empty if nothing is like it."""
    close = closest(name, choices)
    return "" if close is None else f"did you mean {close!r}? "


def _listed_names(name: str, choices: Sequence[str]) -> str:
    """List what to choose from in place of a name: all of a few, or the three of many that are most like it."""
    if len(choices) <= _FEW:
        return f"choose one of: {', '.join(choices)}"
    nearest = get_close_matches(name, choices, n=3, cutoff=0.0)
    return f"the nearest of the {len(choices)} there are: {', '.join(nearest)}"


class MissingExtraError(BlendError, ImportError):
    """An optional dependency is not installed; the message names the extra that brings it."""

    def __init__(self, purpose: str, *, extra: str) -> None:
        how = f'in a checkout of {DISTRIBUTION}: pip install -e ".[{extra}]"'
        super().__init__(f"{purpose} needs an optional dependency; {how}")


def raise_all(errors: Sequence[RowError]) -> None:
    """Raise the collected problems at once, or return when there are none.

    Raises:
        RowError: If there is exactly one problem.
        RowErrors: If there are several; its message holds one line per problem.
    """
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise RowErrors(errors)


_USER = re.compile(r"(?<=:)//[^/@\s]*@")


def without_passwords(text: str) -> str:
    """A text as a message can hold it: of each address in it, name and password of a user are left out."""
    return _USER.sub("//…@", text)


def beyond_limits(error: RecursionError | ValueError) -> str:
    """Say what a parser met that its language allows and Python does not; such an error names no location."""
    return "nested too deeply" if isinstance(error, RecursionError) else "a number of thousands of digits"


_ALL_SHOWN = 20
"""So many problems are told one by one, whatever their causes."""

_CAUSES_SHOWN = 10
"""Causes told of more problems than that."""

LINES_PER_CAUSE = 3
"""Problems told of each of them."""

_FILES_SHOWN = 5
"""Files named of the problems that are only counted."""

_PARTICULARS = re.compile(r"""'[^']*'|"[^"]*"|\s*\([^)]*\)|\b[a-z]{2,3}-[A-Z]{2}\b|\d+""")
"""What differs between two problems with one cause: quoted names, remarks in brackets, locales, numbers."""


def summarise(problems: Sequence[RowError]) -> list[str]:
    """The lines that tell of problems, in their order.

    Returns:
        Their lines where they are few. Of many, the first of each cause, in the order in which the causes are
        first met, with a line that counts the others and names their files.
    """
    if len(problems) <= _ALL_SHOWN:
        return [str(problem) for problem in problems]
    causes: dict[tuple[str, str], list[RowError]] = {}
    for problem in problems:
        causes.setdefault(cause_of(problem.what, problem.fix), []).append(problem)
    groups = list(causes.values())
    lines = [line for group in groups[:_CAUSES_SHOWN] for line in _summarise_cause(group)]
    rest = groups[_CAUSES_SHOWN:]
    if rest:
        n_rest = sum(map(len, rest))
        lines.append(f"… and {n_rest:,} more with {len(rest):,} other causes")
    return lines


def cause_of(what: str, fix: str) -> tuple[str, str]:
    """Return what two problems with one cause share: both texts without their particulars."""
    return _PARTICULARS.sub("", what), _PARTICULARS.sub("", fix)


def _summarise_cause(group: Sequence[RowError]) -> list[str]:
    shown, rest = group[:LINES_PER_CAUSE], group[LINES_PER_CAUSE:]
    lines = [str(problem) for problem in shown]
    if not rest:
        return lines
    files = Counter(_file(problem.where) for problem in rest)
    named = ", ".join(f"{name} ({count:,})" for name, count in files.most_common(_FILES_SHOWN))
    others = len(files) - _FILES_SHOWN
    more = f" and {others:,} other files" if others > 0 else ""
    return [*lines, f"… and {len(rest):,} more of this kind: {named}{more}"]


def _file(where: str) -> str:
    """The file of a place such as ``responses/ko-KR.csv:12, column answer_1``."""
    return re.split(r":\d|, ", where, maxsplit=1)[0]


def close_to(name: str, valid: Iterable[str]) -> str:
    """A hint at the valid name that is closest, in brackets after a blank; empty if none is close.

    Names that differ in their numbers alone are never meant: ``food-02`` is another question than ``food-04``.
    """
    letters, numbers = _split(name)
    others = [one for one in valid if (split := _split(one))[0] != letters or split[1] == numbers]
    hint = did_you_mean(name, others).rstrip()
    return f" ({hint})" if hint else ""


def _split(name: str) -> tuple[list[str], list[int]]:
    """The letters of a name between its numbers, and the numbers."""
    return re.split(r"[0-9]+", name), [int(number) for number in re.findall(r"[0-9]+", name)]


DISTRIBUTION = "blend-sdk"
"""Name of the installed package; ``pyproject.toml`` says the same."""
