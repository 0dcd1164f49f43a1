"""The forgotten: people whose work is left out of everything that is pulled, by the pseudonyms in one file.

It lies beside the project file and goes wherever the project goes. Whoever is forgotten stands there under the
pseudonym of their address and that of their account, so that neither another address nor a removed account
brings them back.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from blend.builders.annotation.project import PSEUDONYM, ProjectFile
from blend.builders.annotation.pseudonyms import pseudonym
from blend.builders.annotation.stages.answer import ANSWERS
from blend.builders.annotation.stages.review import GROUPS, INVALID, ITEMS, REASON
from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.content import read_content
from blend.loaders.label_studio.events import ExportedTask, Line, held_in
from blend.loaders.responses import read_responses
from blend.schemas.errors import InputError
from blend.schemas.sheets import ANSWER_SHEET
from blend.schemas.texts import clean

NAMES = "forgotten.txt"

_HEADING = "# Who asked to be forgotten: no pull writes what they did. Keep this file with the project file."
_SOMEBODY = "somebody who is forgotten"


def forgotten(file: ProjectFile) -> frozenset[str]:
    """Those who asked to be forgotten.

    Raises:
        InputError: If a line of the file is damaged: their work must not come back because of that.
    """
    path: Path = file.base / NAMES
    if not path.exists():
        return frozenset()
    lines = read_content(path).decode("utf-8-sig", errors="replace").splitlines()
    for number, line in enumerate(lines, start=1):
        if line.strip() and not line.startswith("#") and not PSEUDONYM.fullmatch(line.strip()):
            raise InputError(
                f"{path}:{number}: {line!r} is not a pseudonym, and whoever is not named here would come back; "
                "write p- and 12 digits and letters, one a line, or bring the file back"
            )
    return frozenset(line.strip() for line in lines if PSEUDONYM.fullmatch(line.strip()))


def remember(file: ProjectFile, names: Iterable[str]) -> None:
    """Write down who is to be forgotten, with those who are."""
    known = forgotten(file)
    if not known >= (now := known | set(names)):
        atomic_write(file.base / NAMES, "".join(f"{line}\n" for line in (_HEADING, *sorted(now))))


def is_theirs(line: Line, gone: Collection[str], key: bytes) -> bool:
    """Whether a line of the events is about what one of some people did."""
    account = line.get("account")
    return line.get("annotator") in gone or (account is not None and pseudonym(account, key) in gone)


def without_lines(
    file: ProjectFile, lines: Sequence[Line], names: Collection[str], key: bytes
) -> tuple[list[Line], set[str]]:
    """The events without what some people did, and without the answers that nobody else gives now.

    Returns:
        The lines, of which no other names the people; and the ids of these answers, as reviews show them.
    """
    theirs = [line for line in lines if is_theirs(line, names, key)]
    left = [unnamed(line, names) for line in lines if not is_theirs(line, names, key)]
    gone = _answer_ids(theirs)
    if gone:
        stages = {line["stage"] for line in left}
        now = [one.version for stage in stages for one in held_in(left, stage).values()]
        gone -= ever_given(file, now, names)
    return [line for line in (_line_without(line, gone) for line in left) if line is not None], gone


def unnamed(line: Line, gone: Collection[str]) -> Line:
    """A line of somebody else's, which names nobody for a change that one of some people has made."""
    return {**line, "changed_by": _SOMEBODY} if line.get("changed_by") in gone else line


# Answers, by the ids under which reviews show them.


def ever_given(file: ProjectFile, lines: Iterable[Line], besides: Collection[str] = ()) -> set[str]:
    """Ids of all answers that anybody ever gave on the server, or gives in files, but for some people."""
    given = _answer_ids(lines)
    if file.collected.is_dir():
        tables = read_responses(file.collected, locales=file.locales, reviewing=True, collecting=True)
        given |= {
            ANSWER_SHEET.mark(row["template_id"], row["locale"], clean(answer))
            for row in tables.responses.filter(~pl.col("annotator").is_in(list(besides))).iter_rows(named=True)
            for answer in row["answers"] or ()
        }
    return given


def _answer_ids(lines: Iterable[Line]) -> set[str]:
    """Ids of all answers that lines of the events hold, corrected ones included."""
    found: set[str] = set()
    for line in lines:
        stage, _, rest = str(line.get("blend_id") or "").partition("/")
        tag, _, template_id = rest.partition("/")
        for result in line.get("result") or () if stage == "answer" else ():
            texts = (result.get("value") or {}).get("text") if result.get("from_name") == ANSWERS else None
            for text in [texts] if isinstance(texts, str) else texts or ():
                found.add(ANSWER_SHEET.mark(template_id, tag, clean(str(text))))
    return found


def shown_in(data: Mapping[str, Any]) -> set[str]:
    """Ids of the answers that the task of a review shows."""
    shown = data.get(ITEMS)
    return {str(item.get("id")) for item in shown} if isinstance(shown, list) else set()


def without_answers(task: ExportedTask, gone: Collection[str]) -> ExportedTask | None:
    """The task of a review without some answers: in what it shows, and in what reviewers did.

    The English of a group goes with its last answer, and so does the reason with the last invalid one.

    Returns:
        The task, the same where it shows none of them; null if none of its answers is left.
    """
    if shown_in(task["data"]).isdisjoint(gone):
        return task
    kept = [item for item in task["data"][ITEMS] if item.get("id") not in gone]
    if not kept:
        return None
    annotations = [
        {**one, "result": _results_without(one.get("result") or [], gone)} for one in task["annotations"]
    ]
    return {**task, "data": {**task["data"], ITEMS: kept}, "annotations": annotations}


def _results_without(results: Sequence[Mapping[str, Any]], gone: Collection[str]) -> list[dict[str, Any]]:
    kept: list[dict[str, Any]] = []
    emptied: set[str] = set()
    for result in results:
        columns = (result.get("value") or {}).get("ranker") if result.get("from_name") == GROUPS else None
        if isinstance(columns, dict):
            left = {name: [item for item in items if item not in gone] for name, items in columns.items()}
            emptied |= {name for name, items in columns.items() if items and not left[name]}
            result = {**result, "value": {**result["value"], "ranker": left}}
        kept.append(dict(result))
    fields = {REASON if name == INVALID else f"english_{name[1:]}" for name in emptied}
    return [result for result in kept if result.get("from_name") not in fields]


def _line_without(line: Line, gone: Collection[str]) -> Line | None:
    """A line of the events without some answers, if it is of a review; null if it decides on no other."""
    if not gone or "data" not in line or not str(line["blend_id"]).startswith("review/"):
        return line
    left = without_answers({"data": line["data"], "annotations": [{"result": line["result"]}]}, gone)
    return None if left is None else {**line, "data": left["data"], "result": left["annotations"][0]["result"]}
