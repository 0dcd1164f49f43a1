"""Errors that a user meets: what went wrong, where, and what to do."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches


class BlendError(ValueError):
    """Anything that the caller can mend: bad input, a bad option, a bad recipe."""


class RowError(BlendError):
    """A row breaks its contract: what went wrong, where, and what to do."""

    def __init__(self, what: str, *, where: str, fix: str) -> None:
        super().__init__(f"{where}: {what}; {fix}")
        self.what = what
        self.where = where
        self.fix = fix


class RowErrors(BlendError):
    """Every problem that one pass over the input found, so that one pass is enough to mend them."""

    def __init__(self, errors: Sequence[RowError]) -> None:
        self.errors = tuple(errors)
        count = "" if len(self.errors) == 1 else f"{len(self.errors)} problems:\n"
        super().__init__(count + "\n".join(str(error) for error in self.errors))


class UnknownNameError(BlendError):
    """A name that nobody registered; the message lists the valid ones."""

    def __init__(self, kind: str, name: str, valid: Iterable[str]) -> None:
        choices = sorted(valid)
        close = get_close_matches(name, choices, n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        super().__init__(f"unknown {kind} {name!r}; {hint}choose one of: {', '.join(choices)}")
        self.kind = kind
        self.name = name


class MissingExtraError(ImportError):
    """An optional dependency is not installed; the message names the extra that brings it."""

    def __init__(self, purpose: str, *, extra: str) -> None:
        super().__init__(f'{purpose} needs an optional dependency: pip install "blend-sdk[{extra}]"')
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
