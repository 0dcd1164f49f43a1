"""Contacts: e-mail addresses and phone numbers in responses, which a public repository must not hold."""

from collections.abc import Iterator

from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.responses.response_rows import ResponseRows
from blend.schemas.language.personal_data import contact_data
from blend.schemas.rows.published_rows import Response


def without_contacts(rows: ResponseRows, diagnostics: Diagnostics) -> ResponseRows:
    """The rows without responses that hold an e-mail address or a phone number, each of which is a problem.

    Problems name the location and the kind. The rows are left out: no other problem quotes what they hold.
    """
    responses, kept = rows.responses, []
    for placed in responses.rows:
        found = list(_contacts(placed.row))
        for what in found:
            fix = "take it out: files in a repository stay public for ever"
            diagnostics.problem(what, where=placed.location, fix=fix)
        kept += [] if found else [placed]
    is_complete = responses.is_complete and len(kept) == len(responses.rows)
    return rows._replace(responses=responses._replace(rows=kept, is_complete=is_complete))


def _contacts(response: Response) -> Iterator[str]:
    for number, answer in enumerate(response.answers, start=1):
        for kind in contact_data(answer, is_answer=True):
            yield f"answer {number} holds {kind} (not shown)"
    for kind in contact_data(response.reason or "", is_answer=False):
        yield f"the reason holds {kind} (not shown)"
