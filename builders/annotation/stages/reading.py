"""Reading: annotations as Label Studio exports them, one person and task each, with whatever is odd noted."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import polars as pl

from blend.builders.annotation.stages.model import WORK, Reading, StageContext
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
    task: int
    annotation: int
    annotator: str
    """Pseudonym."""
    results: Mapping[str, list[Mapping[str, Any]]]
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

    def all_of(self, exported: Sequence[Mapping[str, Any]]) -> list[Done]:
        """Every annotation that its author meant to give, by the id of its task, then by time."""
        found: list[Done] = []
        for task in exported:
            found += self._of_task(task)
        return sorted(found, key=lambda done: (str(done.data["blend_id"]), done.order))

    def last_of_each(self, exported: Sequence[Mapping[str, Any]], *, by: str) -> list[Done]:
        """The last annotation of every person on everything that the tasks' ``by`` names; others are noted."""
        last: dict[tuple[str, str], Done] = {}
        for done in sorted(self.all_of(exported), key=lambda done: done.order):
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

    def choice(self, done: Done, control: str, options: Sequence[str]) -> str | None:
        """The option that was chosen; null for none, and, noted, for several or one that is unknown."""
        chosen = [
            option
            for value in done.results.get(control, [])
            if isinstance(value.get("choices"), list)
            for option in value["choices"]
        ]
        if not chosen:
            return None
        if len(chosen) > 1 or chosen[0] not in options:
            listed = self.listed(map(str, chosen))
            self.note(
                done, "unknown-choice", f"{control} is {listed}, not one of {', '.join(options)}; left out"
            )
            return None
        return str(chosen[0])

    def letters(self, done: Done, control: str, options: Sequence[str]) -> list[str]:
        """All options that were chosen of several, in the order of the options; unknown ones are noted."""
        values = [value.get("choices") for value in done.results.get(control, [])]
        chosen = [option for listed in values if isinstance(listed, list) for option in listed]
        if strange := [str(option) for option in chosen if option not in options]:
            what = f"{control} holds {self.listed(strange)}, which was not offered; left out"
            self.note(done, "unknown-choice", what)
        return [option for option in options if option in chosen]

    def day(self, done: Done) -> str:
        """The day of an annotation, ``YYYY-MM-DD``; the first day of 1970 where the server does not say."""
        return self._work[done.location]["day"] or "1970-01-01"

    def note(self, done: Done, kind: str, detail: str) -> None:
        """A finding about an annotation."""
        self._note(kind, done.location, done.data, f"{done.annotator}: {detail}")

    def note_question(self, template_id: str, kind: str, detail: str) -> None:
        """A finding about all that was given to a question."""
        data = {"locale": self._context.locale.tag, "template_id": template_id}
        self._note(kind, f"question {template_id}", data, detail)

    def leave_out(self, done: Done, kind: str, detail: str) -> None:
        """Add a finding about an annotation that does not count because of it."""
        self.note(done, kind, detail)
        self._work[done.location]["outcome"] = "refused"

    def shown(self, text: str) -> str:
        """A text as a finding quotes it: harmless, and not for pages."""
        cut = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
        return f"'{escape_controls(cut)}'"

    def listed(self, texts: Iterable[str]) -> str:
        """Several texts, likewise."""
        return ", ".join(map(self.shown, texts))

    def reading(self, **rows: list[dict[str, Any]]) -> Reading:
        """The rows with what was noted on the way."""
        work = sorted(self._work.values(), key=lambda row: (row["blend_id"], row["annotation"]))
        order = ["kind", "source", "locale", "template_id", "detail"]
        findings = pl.DataFrame(self._findings, schema=FINDINGS).sort(order)
        return Reading(rows, findings, pl.DataFrame(work, schema=WORK))

    def _of_task(self, task: Mapping[str, Any]) -> list[Done]:
        data = task.get("data")
        location = location_of(task)
        if not isinstance(data, Mapping) or not str(data.get("blend_id", "")).startswith(self._prefix):
            locale = {"locale": self._context.locale.tag}
            annotations = pluralise(len(task.get("annotations") or []), "annotation")
            detail = f"the task was not made by blend for this project; left out, with {annotations}"
            self._note("foreign-task", location, locale, detail)
            return []
        done = (self._done(annotation, task, data, location) for annotation in task.get("annotations") or [])
        return [one for one in done if one is not None]

    @property
    def _prefix(self) -> str:
        return f"{self._stage}/{self._context.locale.tag}/"

    def _done(
        self, annotation: Mapping[str, Any], task: Mapping[str, Any], data: Mapping[str, Any], location: str
    ) -> Done | None:
        number = int(annotation["id"])
        location = f"{location}, annotation {number}"
        annotator = self._context.people.of(annotation.get("completed_by"))
        self._work[location] = {
            "stage": self._stage,
            "locale": self._context.locale.tag,
            "blend_id": data["blend_id"],
            "template_id": data.get("template_id"),
            "task": int(task["id"]),
            "annotation": number,
            "annotator": annotator,
            "outcome": "counted",
            "seconds": _seconds(annotation.get("lead_time")),
            "day": _day(annotation.get("created_at")),
        }
        if annotator is None:
            self._left_out("unknown-annotator", location, data, "nobody is named as its author")
            return None
        if self._context.known is not None and annotator not in self._context.known:
            detail = f"{annotator} is not among those whom the project file names for this stage"
            self._left_out("unknown-annotator", location, data, detail)
            return None
        if annotation.get("was_cancelled"):
            self._note(
                "skipped-task", location, data, f"{annotator} skipped the task; nothing is taken from it"
            )
            self._work[location]["outcome"] = "skipped"
            return None
        results = self._results(annotation, location, data, annotator)
        return Done(data, int(task["id"]), number, annotator, results, order_of(annotation), location)

    def _left_out(self, kind: str, location: str, data: Mapping[str, Any], detail: str) -> None:
        self._note(kind, location, data, f"{detail}; left out")
        self._work[location]["outcome"] = "refused"

    def _results(
        self, annotation: Mapping[str, Any], location: str, data: Mapping[str, Any], annotator: str
    ) -> dict[str, list[Mapping[str, Any]]]:
        """The values of an annotation by control; what no control of the configuration makes is noted."""
        results: dict[str, list[Mapping[str, Any]]] = {}
        for result in annotation.get("result") or []:
            name, value = result.get("from_name"), result.get("value")
            if self._controls.get(name) != result.get("type") or not isinstance(value, Mapping):
                details = f"{self.shown(str(name))} of type {self.shown(str(result.get('type')))}"
                detail = (
                    f"{annotator}: a result of {details}, which no control of this stage makes; it is left out"
                )
                self._note("unknown-control", location, data, detail)
            else:
                results.setdefault(name, []).append(value)
        return results

    def _is_usable(self, done: Done, control: str, text: Any) -> bool:
        if not isinstance(text, str):
            self.note(done, "unknown-control", f"{control} holds something else than text; it is left out")
            return False
        if not text.strip():
            self.note(done, "blank-text", f"{control} holds the blank {text!r}; it is left out")
            return False
        if len(text) > LONGEST_ANSWER:
            detail = (
                f"{control} holds a text of {pluralise(len(text), 'character')}, {self.shown(text)}; left out"
            )
            self.note(done, "overlong-text", detail)
            return False
        if any("\ud800" <= char <= "\udfff" for char in text):
            self.note(done, "damaged-text", f"{control} holds half a character, {self.shown(text)}; left out")
            return False
        for kind in personal_data(text):
            self.note(done, "personal-data", f"{control} holds {kind} (not shown); look, and remove it there")
        return True

    def _note(self, kind: str, location: str, data: Mapping[str, Any], detail: str) -> None:
        self._findings.append(
            {
                "kind": kind,
                "source": location,
                "locale": data.get("locale"),
                "template_id": data.get("template_id"),
                "detail": detail,
            }
        )


def order_of(annotation: Mapping[str, Any]) -> tuple[str, int]:
    """By when an annotation was last changed; of several the last counts."""
    return str(annotation.get("updated_at") or annotation.get("created_at") or ""), int(annotation["id"])


def location_of(task: Mapping[str, Any]) -> str:
    """Return what findings call a task; the number of one that is gone from the server may be another's now."""
    gone = f" of project {task['gone']}, gone from there" if "gone" in task else ""
    return f"task {task.get('id')}{gone}"


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
