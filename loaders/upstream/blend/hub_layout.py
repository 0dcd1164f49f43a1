"""BLEnD's files as they are on the Hub: lists instead of objects, and questions about "your country".

``annotations_hf`` and ``questions_hf`` hold what the folders of the authors' other repository do.
"""

import re
from collections import Counter
from pathlib import Path
from typing import Any

from blend.loaders.files.content import location_of, read_json
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import Cells, Columns, read_rows
from blend.schemas.errors import RowError

Json = Any

_YOUR_COUNTRY = re.compile(r"\byour country\b", re.IGNORECASE)
_OTHER = "other"
"""Key of the non-answers under which the Hub's files list reasons, each as often as it was given."""


def entries_by_id(value: Json, location: str, diagnostics: Diagnostics) -> dict[str, Json]:
    """Turn the list of entries of a Hub file into the object that other files hold.

    Args:
        value: What the file holds: a list of entries with their ``ID``, or already an object by ID.
        location: The file, as places name it.
        diagnostics: Takes the problems of entries without an ID or with another one's.

    Raises:
        RowError: If it is neither.
    """
    if isinstance(value, dict):
        return {template_id: _with_reasons(entry) for template_id, entry in value.items()}
    if not isinstance(value, list):
        fix = "write an object with one key per question ID, or a list of objects that have it as ID"
        raise RowError("the file holds neither an object nor a list", where=location, fix=fix)
    entries: dict[str, Json] = {}
    for index, entry in enumerate(value):
        template_id = entry.get("ID") if isinstance(entry, dict) else None
        where = f"{location}[{index}]"
        if not isinstance(template_id, str) or not template_id.strip():
            diagnostics.problem("the entry has no ID", where=where, fix="give it the ID of its question")
        elif template_id in entries:
            diagnostics.problem(
                f"question {template_id!r} occurs twice", where=where, fix="remove one of its entries"
            )
        else:
            entries[template_id] = _with_reasons({key: entry[key] for key in entry if key != "ID"})
    return entries


def _with_reasons(entry: Json) -> Json:
    """Count listed reasons not to answer as votes; any other shape stays, to be refused."""
    idks = entry.get("idks") if isinstance(entry, dict) else None
    if not isinstance(idks, dict) or not isinstance(reasons := idks.get(_OTHER), list):
        return entry
    if not all(isinstance(reason, str) for reason in reasons):
        return entry
    votes_by_kind = {key: votes for key, votes in idks.items() if key != _OTHER}
    return {**entry, "idks": {**votes_by_kind, **Counter(reasons)}}


def question_rows(path: Path, root: Path, diagnostics: Diagnostics, columns: Columns) -> list[Cells]:
    """Read the questions of a region, a table or, as on the Hub, a list of objects.

    Raises:
        RowError: If nothing of the file can be read.
    """
    if path.suffix != ".json":
        return read_rows(path, root, diagnostics, columns)
    location, rows = location_of(path, root), []
    value = read_json(path, where=location)
    if not isinstance(value, list):
        raise RowError("the file does not hold a list", where=location, fix="write one object per question")
    for index, row in enumerate(value):
        where = f"{location}[{index}]"
        with diagnostics.collected():
            rows.append(Cells(where, _texts(row, where, columns)))
    return rows


def _texts(row: Json, where: str, columns: Columns) -> dict[str, str]:
    """Check that a row has the columns, with texts."""
    if not isinstance(row, dict):
        raise RowError(f"{row!r} is not an object", where=where, fix='write {"ID": "…", …}')
    columns.check(row, where)
    values = columns.kept(row)
    for column, value in values.items():
        if not isinstance(value, str):
            fix = "write it in double quotes"
            raise RowError(f"{value!r} is not a text", where=f"{where}, column {column}", fix=fix)
    return values


def name_country(question: str, name: str) -> str:
    """Name the region where a question says *your country*, as the authors' other repository does."""
    return _YOUR_COUNTRY.sub(name, question)
