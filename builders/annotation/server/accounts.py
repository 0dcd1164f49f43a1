"""Accounts: the e-mail addresses of those who work in this project, by the number of their account."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from blend.builders.annotation.project import MAIL, ProjectFile
from blend.builders.annotation.server.forgotten import forgotten
from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.content import read_content
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import Columns, read_rows
from blend.loaders.label_studio.client import label_studio
from blend.loaders.label_studio.export import Task
from blend.schemas.errors import InputError, ServerError
from blend.schemas.language.text_comparison import agreeing

ACCOUNTS = "accounts.json"
_FOR_THE_OWNER = 0o600
_COLUMNS = Columns(("id", "email"), others=True)


def accounts(pulled: Path) -> dict[int, str]:
    """Addresses of those whose work was pulled so far."""
    path = pulled / ACCOUNTS
    if not path.exists():
        return {}
    try:
        return {int(number): str(address) for number, address in json.loads(read_content(path)).items()}
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise InputError(
            f"{path}: is damaged; delete it, and the next pull from the server writes it anew"
        ) from None


def keep_accounts(pulled: Path, addresses: Mapping[int, str], numbers: Iterable[int]) -> None:
    """Keep the addresses of some accounts and of no others, for the owner of the folder alone.

    Args:
        pulled: The pull folder.
        addresses: By number.
        numbers: Of the accounts to keep; those without an address have none.
    """
    kept = {number: addresses[number] for number in sorted(set(numbers)) if number in addresses}
    atomic_write(pulled / ACCOUNTS, json.dumps(kept), mode=_FOR_THE_OWNER)


def accounts_in(tasks: Iterable[Task]) -> set[int]:
    """Numbers of the accounts that annotated tasks."""
    authors = (annotation.get("completed_by") for task in tasks for annotation in task["annotations"])
    return {author for author in authors if isinstance(author, int) and not isinstance(author, bool)}


def addresses_of(
    file: ProjectFile, exports: Mapping[Path, Sequence[Task]], table: Path | None
) -> dict[int, str]:
    """The addresses of all accounts that annotated in exports, so that people keep their pseudonyms.

    Args:
        file: The project. Its server is asked for accounts that are not known, where there is a token.
        exports: Tasks by file.
        table: Of further accounts, see `read_accounts`.

    Raises:
        InputError: If an address is not known.
        RowError, RowErrors: As `read_accounts`.
    """
    known = accounts(file.pulled) | ({} if table is None else read_accounts(table))
    hidden = {number for record in forgotten(file).values() for number in record.accounts}
    server = file.project.server
    why = f"set {server.key_variable} to a token, by which the server is asked"
    for path, tasks in exports.items():
        if accounts_in(tasks) <= {*known, *hidden}:
            continue
        if os.environ.get(server.key_variable, "").strip():
            try:
                with label_studio(server.url, variable=server.key_variable) as studio:
                    known = studio.addresses() | known
            except ServerError as error:
                why = f"have the server answer ({error})"
        if missing := sorted(accounts_in(tasks) - {*known, *hidden}):
            numbers = f"{agreeing(len(missing), 'account', 'accounts')} {', '.join(map(str, missing))}"
            raise InputError(
                f"{path}: holds work of {numbers}, whose e-mail address is not known, so that nobody would "
                f"have the pseudonym of a pull from the server; {why}, or name them in a table with the "
                "columns id and email, as `accounts_file`"
            )
    return known


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
