"""Reading: annotations that count, one person and task each, with whatever is odd noted."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import polars as pl

from blend.builders.annotation.stages.model import WORK, Reading, StageContext
from blend.loaders.label_studio.events import Line
from blend.schemas.frames import FINDINGS
from blend.schemas.personal_data import personal_data
from blend.schemas.rows import LONGEST_ANSWER
from blend.schemas.texts import escape_controls, pluralise

_SHOWN = 80


@dataclass(frozen=True)
class Done:
    """An annotation that counts until shown otherwise."""

    data: Mapping[str, Any]
    """Of its task."""
    annotator: str
    """Pseudonym."""
    results: dict[str, list[Mapping[str, Any]]]
    """Values by name of the control."""
    order: tuple[str, int]
    """By when it was last changed."""
    location: str
    """What findings call it."""


class Reader:
    """Reads the annotations of a stage and collects what is odd about them.

    Args:
        stage: Name of the stage.
        controls: Type of the result of every control of its configuration, by the control's name.
        context: Who may work on it.
    """

    def __init__(self, stage: str, controls: Mapping[str, str], context: StageContext) -> None:
        self._stage = stage
        self._controls = controls
        self._context = context
        self._findings: list[dict[str, str | None]] = []
        self._work: dict[str, dict[str, Any]] = {}
        """By place: the numbers of annotations are given again once a project is gone."""

    def all_of(self, lines: Iterable[Line]) -> list[Done]:
        """Every annotation that its author meant to give, by the id of its task, then by time."""
        found = [done for line in lines if (done := self._done(line)) is not None]
        return sorted(found, key=lambda done: (str(done.data["blend_id"]), done.order))

    def last_of_each(self, lines: Iterable[Line], *, by: str) -> list[Done]:
        """The last annotation of every person on everything that the tasks' ``by`` names; others are noted."""
        last: dict[tuple[str, str], Done] = {}
        for done in sorted(self.all_of(lines), key=lambda done: done.order):
            key = str(done.data.get(by)), done.annotator
            if (earlier := last.get(key)) is not None:
                self.leave_out(
                    earlier,
                    "annotated-twice",
                    f"the same person gave {done.location} later, which counts; left out",
                )
            last[key] = done
        return sorted(last.values(), key=lambda done: (str(done.data["blend_id"]), done.annotator))

    def texts(self, done: Done, control: str) -> list[str]:
        """Return what was typed into a control, exactly.

        Blank texts and overlong ones are noted and left out.
        """
        kept: list[str] = []
        for value in done.results.get(control, []):
            typed = value.get("text")
            texts = [typed] if isinstance(typed, str) else typed if isinstance(typed, list) else []
            kept += [text for text in texts if self._is_usable(done, control, text)]
        return kept

    def chosen(self, done: Done, control: str, options: Sequence[str]) -> list[str]:
        """All options that were chosen, in the order of the options; unknown ones are noted."""
        values = [value.get("choices") for value in done.results.get(control, [])]
        chosen = [option for listed in values if isinstance(listed, list) for option in listed]
        if strange := [str(option) for option in chosen if option not in options]:
            what = f"{control} holds {listed_texts(strange)}, which was not offered; left out"
            self.note(done, "unknown-choice", what)
        return [option for option in options if option in chosen]

    def choice(self, done: Done, control: str, options: Sequence[str]) -> str | None:
        """The option that was chosen; null for none, and, noted, for several."""
        chosen = self.chosen(done, control, options)
        if len(chosen) > 1:
            self.note(done, "unknown-choice", f"{control} holds {listed_texts(chosen)}, not one; left out")
        return chosen[0] if len(chosen) == 1 else None

    def day(self, done: Done) -> str:
        """The day of an annotation, ``YYYY-MM-DD``; the first day of 1970 where the server does not say."""
        return self._work[done.location]["day"] or "1970-01-01"

    def note(self, done: Done, kind: str, detail: str) -> None:
        """A finding about an annotation."""
        self._note(kind, done.location, done.data, f"{done.annotator}: {detail}")

    def leave_out(self, done: Done, kind: str, detail: str) -> None:
        """Add a finding about an annotation that does not count because of it."""
        self.note(done, kind, detail)
        self._work[done.location]["outcome"] = "refused"

    def reading(self, **rows: list[dict[str, Any]]) -> Reading:
        """The rows with what was noted on the way."""
        work = sorted(self._work.values(), key=lambda row: (row["blend_id"], row["annotation"]))
        order = ["kind", "source", "locale", "template_id", "detail"]
        findings = pl.DataFrame(self._findings, schema=FINDINGS).sort(order)
        return Reading(rows, findings, pl.DataFrame(work, schema=WORK))

    def _done(self, line: Line) -> Done | None:
        location, data, annotator = location_of(line), line["data"], line["annotator"]
        tag = self._context.locale.tag
        if not line["blend_id"].startswith(f"{self._stage}/{tag}/"):
            detail = "the task was not made by blend for this project; left out"
            self._note("foreign-task", location, {"locale": tag}, detail)
            return None
        outcome, kind, detail = self._whether_taken(line)
        self._work[location] = {
            "stage": self._stage,
            "locale": tag,
            **{name: line[name] for name in ("blend_id", "task", "annotation", "annotator")},
            "template_id": data.get("template_id"),
            "outcome": outcome,
            "seconds": _seconds(line["lead_time"]),
            "day": _day(line["created_at"]),
        }
        if kind:
            self._note(kind, location, data, detail)
            return None
        order = str(line["updated_at"] or line["created_at"] or ""), line["annotation"]
        done = Done(data, annotator, {}, order, location)
        for result in line["result"]:
            name, value = result.get("from_name"), result.get("value")
            if self._controls.get(name) == result.get("type") and isinstance(value, Mapping):
                done.results.setdefault(name, []).append(value)
            else:
                what = f"{quoted(str(name))} of type {quoted(str(result.get('type')))}"
                detail = f"a result of {what}, which no control of this stage makes; it is left out"
                self.note(done, "unknown-control", detail)
        return done

    def _whether_taken(self, line: Line) -> tuple[str, str, str]:
        """What becomes of an annotation, and the kind and text of the finding about one that is not taken."""
        annotator, known = line["annotator"], self._context.known
        if annotator is None:
            return "refused", "unknown-annotator", "nobody is named as its author; left out"
        if known is not None and annotator not in known:
            named = "is not among those whom the project file names for this stage; left out"
            return "refused", "unknown-annotator", f"{annotator} {named}"
        if line["skipped"]:
            return "skipped", "skipped-task", f"{annotator} skipped the task; nothing is taken from it"
        return "counted", "", ""

    def _is_usable(self, done: Done, control: str, text: Any) -> bool:
        kind, what = "", ""
        if not isinstance(text, str):
            kind, what = "unknown-control", "something else than text; it is left out"
        elif not text.strip():
            kind, what = "blank-text", f"the blank {text!r}; it is left out"
        elif len(text) > LONGEST_ANSWER:
            length = pluralise(len(text), "character")
            kind, what = "overlong-text", f"a text of {length}, {quoted(text)}; left out"
        elif any("\ud800" <= char <= "\udfff" for char in text):
            kind, what = "damaged-text", f"half a character, {quoted(text)}; left out"
        if kind:
            self.note(done, kind, f"{control} holds {what}")
            return False
        for named in personal_data(text):
            self.note(done, "personal-data", f"{control} holds {named} (not shown); look, and remove it there")
        return True

    def _note(self, kind: str, location: str, data: Mapping[str, Any], detail: str) -> None:
        of = {name: data.get(name) for name in ("locale", "template_id")}
        self._findings.append({"kind": kind, "source": location, **of, "detail": detail})


def quoted(text: str) -> str:
    """A text as a finding quotes it: harmless, and not for pages."""
    cut = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    return f"'{escape_controls(cut)}'"


def listed_texts(texts: Iterable[str]) -> str:
    """Several texts, likewise."""
    return ", ".join(map(quoted, texts))


def location_of(line: Line) -> str:
    """Return what findings call an annotation; the numbers of one that is gone may be another's now."""
    gone = f" of project {line['project']}, gone from there" if line.get("gone") else ""
    return f"task {line['task']}{gone}, annotation {line['annotation']}"


def _seconds(lead_time: Any) -> float | None:
    """Return how long an annotation took; null where the server says nothing that can be."""
    usable = isinstance(lead_time, int | float) and math.isfinite(lead_time) and lead_time >= 0
    return float(lead_time) if usable else None


def _day(moment: Any) -> str | None:
    """The day of a moment; nothing finer leaves the pull folder."""
    try:
        return datetime.fromisoformat(str(moment)).date().isoformat()
    except ValueError:
        return None
