"""Errors that a user meets: what went wrong, where, and what to do.

Whoever calls the package can tell from the class alone what kind of answer an error asks for::

    BlendError                    everything below: a message for people, never a bug of ours
    ├── InputError                what was given is not what it must be: mend it, the same call fails again
    │   ├── RowError              a row, a key of a recipe or a field of a file; says which
    │   ├── RowErrors             several of them, found in one pass
    │   ├── ArgumentError         an argument that no file could make right, or two that exclude each other
    │   ├── UnknownNameError      a name that does not exist; lists those that do
    │   └── NoItemError           a domain without an item in Wikidata (`…wikidata.snapshot_files`)
    ├── MissingExtraError         an optional dependency is not installed; names the extra
    ├── ConflictError             somebody else is at the same place: look at what they did, or wait
    ├── StorageError              the disk is full or a folder may not be written; nothing is half there
    └── ServerError               a server cannot be reached, refuses, or answers something else
        ├── HubError              the Hugging Face Hub
        └── EndpointError         a SPARQL endpoint (`blend.loaders.wikidata.sparql`)

`InputError` is also a ``ValueError`` and `MissingExtraError` an ``ImportError``. A `ServerError` may pass: the
same call can succeed later. Anything else that is raised is a bug of this package.
"""

from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from functools import partial

from blend.schemas.distribution import how_to_install
from blend.schemas.problem_groups import summarise


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
        self,
        kind: str,
        name: str,
        valid: Iterable[str],
        *,
        more: str = "",
        among: str | None = None,
        meant: str | None = None,
    ) -> None:
        choices = sorted(valid)
        # Where nothing can be meant, the nearest of many are strangers.
        nearest = "" if meant == "" and more else listed_names(name, choices, among=among)
        ways = ", or ".join(filter(None, (nearest, more)))
        likely = closest(name, choices) if meant is None else meant
        question = f"did you mean {likely!r}? " if likely else ""
        super().__init__(f"unknown {kind} {name!r}; {question}{ways}")
        self.kind = kind
        self.name = name


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


def listed_names(
    name: str, choices: Sequence[str], shown: Callable[[str], str] = str, *, among: str | None = None
) -> str:
    """List what to choose from in place of a name: all of a few, or the three of many that are most like it.

    Args:
        name: The name that does not exist.
        choices: Those that do.
        shown: How to write one of them.
        among: What many are called, where a thing has several names: ``tags and names of the 34 locales``.
    """
    if len(choices) <= _FEW:
        return f"choose one of: {', '.join(map(shown, choices))}"
    nearest = get_close_matches(name, choices, n=3, cutoff=0.0)
    return f"the nearest of the {among or f'{len(choices)} there are'}: {', '.join(map(shown, nearest))}"


class MissingExtraError(BlendError, ImportError):
    """An optional dependency is not installed; the message names the extra that brings it."""

    def __init__(self, purpose: str, *, extra: str) -> None:
        super().__init__(f"{purpose} needs an optional dependency; {how_to_install(extra)}")
        self.extra = extra


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


def beyond_limits(error: RecursionError | ValueError) -> str:
    """Say what a parser met that its language allows and Python does not; such an error names no location."""
    return "nested too deeply" if isinstance(error, RecursionError) else "a number of thousands of digits"
