"""Tables of accounts: e-mail addresses for exports, which name people by the number of their account."""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from blend.builders.annotation.project import MAIL, ProjectFile
from blend.builders.annotation.pseudonyms import Account, People
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import Columns, read_rows
from blend.loaders.label_studio.client import label_studio
from blend.loaders.label_studio.events import Line
from blend.loaders.label_studio.export import Task
from blend.schemas.errors import InputError, ServerError
from blend.schemas.language.text_comparison import agreeing

_COLUMNS = Columns(("id", "email"), others=True)


def accounts_for(
    file: ProjectFile,
    key: bytes,
    events: Sequence[Line],
    forgotten: Collection[str],
    exports: Mapping[Path, Sequence[Task]],
    table: Path | None,
) -> People:
    """Who is who in exports, so that people keep their pseudonyms.

    Args:
        file: The project. Its server is asked for accounts that are not known, where there is a token.
        key: Of the pseudonyms.
        events: Lines of the events, which know those whose work was seen before.
        forgotten: Pseudonyms of those whose work is left out, whatever their address.
        exports: Tasks by file.
        table: Of further accounts, see `read_accounts`.

    Raises:
        InputError: If an address is not known.
        RowError, RowErrors: As `read_accounts`.
    """
    named = {} if table is None else {n: Account(mail) for n, mail in read_accounts(table).items()}
    people = People(key, named, events)
    server = file.project.server
    why = f"set {server.key_variable} to a token, by which the server is asked"
    for path, tasks in exports.items():
        if not (missing := _unknown(tasks, people, forgotten)):
            continue
        if os.environ.get(server.key_variable, "").strip():
            try:
                with label_studio(server.url, variable=server.key_variable) as studio:
                    found = {number: Account(*one) for number, one in studio.accounts().items()}
                people = People(key, found | named, events)
            except ServerError as error:
                why = f"have the server answer ({error})"
        if missing := _unknown(tasks, people, forgotten):
            numbers = f"{agreeing(len(missing), 'account', 'accounts')} {', '.join(map(str, missing))}"
            raise InputError(
                f"{path}: holds work of {numbers}, whose e-mail address is not known, so that nobody would "
                f"have the pseudonym of a pull from the server; {why}, or name them in a table with the "
                "columns id and email, as `accounts_file`"
            )
    return people


def _unknown(tasks: Iterable[Task], people: People, forgotten: Collection[str]) -> list[int]:
    """Numbers of the accounts that annotated tasks and of which nobody knows whose they are."""
    authors = {annotation.get("completed_by") for task in tasks for annotation in task["annotations"]
               if isinstance(annotation.get("completed_by"), int)}  # fmt: skip
    return sorted(one for one in authors if not people.knows(one) and people.aliases(one).isdisjoint(forgotten))


def read_accounts(path: Path) -> dict[int, str]:
    """Addresses by number, from a table with the columns ``id`` and ``email``.

    Raises:
        InputError: If there is no such file.
        RowError, RowErrors: If a row has no number or no address.
    """
    if not path.is_file():
        raise InputError(f"{path}: there is no such table of accounts; correct the path")
    diagnostics, found = Diagnostics(), {}
    for cells in read_rows(path, path.parent, diagnostics, _COLUMNS):
        number, address = (str(cells.values[name] or "").strip() for name in ("id", "email"))
        if not number.isdecimal():
            fix = "write the number of the account, as the server's page Organization shows it"
            diagnostics.problem("is not a number", where=f"{cells.location}, column id", fix=fix)
        elif not MAIL.fullmatch(address):
            fix = "write the address with which the account signs in"
            diagnostics.problem("is not an e-mail address", where=f"{cells.location}, column email", fix=fix)
        else:
            found[int(number)] = address
    diagnostics.raise_problems()
    return found
