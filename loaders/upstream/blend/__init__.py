"""BLEnD's published files: annotations, questions and prompts of every region, as their authors keep them.

The files hold the irregularities that 16 teams of annotators leave behind. `read_blend` normalises each or
leaves it, and lists it as a finding with file, question and region. Nothing is dropped in silence, no vote is
lost. What cannot be read is an error.

On the Hub the same lies in ``annotations_hf`` and ``questions_hf``: lists in place of objects, questions about
"your country", and reasons not to answer listed as often as they were given.

References:
    Myung et al. (2024), BLEnD, https://arxiv.org/abs/2406.09948; files: https://github.com/nlee0212/BLEnD
"""

import re
from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import is_normalized, normalize

import polars as pl

from blend.loaders.files.content import location_of, read_json
from blend.loaders.files.diagnostics import Diagnostics, checked, unknown_name
from blend.loaders.files.rows import Cells, Columns, read_rows
from blend.loaders.upstream import Origin
from blend.loaders.upstream.blend.groups import Entry, annotation_row
from blend.schemas.arrow_types import nested_frame
from blend.schemas.errors import InputError, RowError
from blend.schemas.formats import AnswerFormat, format_of, format_of_template
from blend.schemas.frames import ANNOTATIONS, KEY, PROMPT_KEY, PROMPTS, QUESTIONS, empty
from blend.schemas.locales import Locale, Registry, registry
from blend.schemas.rows import QUESTION_SLOT

_ENDINGS = {"annotations": ("_data.json",), "questions": ("_questions.csv", "_questions.json")}
"""Folder to what ends the names of its files, behind the region; of two kinds the last one counts."""

_LAYOUTS = ("", "_hf")
"""What ends the names of the folders, usually and on the Hub; the first that is there counts."""

_PROMPT_FILES = ("prompts", "_prompts.csv")
"""Folder and ending of the files of prompts, which not every region has."""


def _patterns(layout: str) -> list[str]:
    return [f"{folder}{layout}/*{ending}" for folder, endings in _ENDINGS.items() for ending in endings]


HUB_PATTERNS = tuple(
    f"{root}{pattern}"
    for root in ("", "data/")
    for pattern in (*(one for layout in _LAYOUTS for one in _patterns(layout)), "/*".join(_PROMPT_FILES))
)
"""The files that `blend_files` may name, as paths in a repository."""

# The first column is a running index without a name.
_COLUMNS = Columns(("ID", "Topic", "Source", "Question", "Translation"), others=True)
# Some files also say whether a translation was edited, or hold a machine translation.
_PROMPT_COLUMNS = Columns(("id", "English", "Translation"), others=True)
_PROMPT_FIELDS = {"Translation": "prompt", "English": "en_prompt"}
"""Column to the field of `rows.ShortAnswerPrompt` that it fills."""
_YOUR_COUNTRY = re.compile(r"\byour country\b", re.IGNORECASE)
_AGAIN = "or, if this is not your own data, copy the published files again"


class BlendTables(NamedTuple):
    """The published data as frames."""

    questions: pl.DataFrame
    """`frames.QUESTIONS`, 500 rows per region, ordered by template and locale."""
    annotations: pl.DataFrame
    """`frames.ANNOTATIONS`, the same questions in the same order."""
    prompts: pl.DataFrame
    """`frames.PROMPTS`, how the authors ask a model in English and in the local languages, by locale and id."""
    findings: pl.DataFrame
    """`frames.FINDINGS`, one row per irregularity."""


def read_blend(folder: Path | str, *, clean: bool = True, locales: Registry | None = None) -> BlendTables:
    """The questions and annotations of all regions in a folder of BLEnD's files.

    Args:
        folder: Holds ``annotations/{region}_data.json`` and ``questions/{region}_questions.csv``, itself or in
            its folder ``data``; both files for every region. Without them, a copy of the authors' repository
            on the Hub: ``annotations_hf`` and ``questions_hf`` (tables or lists).
        clean: Whether texts of questions and annotations are normalised: Unicode NFC, control characters and
            line feeds as blanks, no outer white space, no blank answers, equal reasons counted together.
            Otherwise every text stays as published and is only reported: published figures are defined on the
            texts as they are. Of prompts only Unicode is composed, in either case.
        locales: Known locales; the packaged registry when absent.

    Returns:
        The tables. Votes, groups and their order are the same with and without ``clean``. Free-text reasons are
        in ``idks.others``, most votes first, then by text. The answer format is a template's, the same in all
        regions: the one that most regions' English texts ask for.

        A prompt of ``prompts/{region}_prompts.csv`` that lacks the slot for the question in either language
        cannot be asked and is left out. Of several with one id the first that has both slots counts. Both are
        findings, and so is a file of prompts of a region without questions.

    Raises:
        InputError: If the folder holds no such files.
        RowError, RowErrors: If anything cannot be read or contradicts itself; names all places at once.
    """
    known = registry() if locales is None else locales
    root, layout = _layout(Path(folder))
    diagnostics, labels = Diagnostics(), _labels(known)
    # A region's rows as Python objects take ten times the memory of a frame: one region at a time.
    questions, annotations = [empty(QUESTIONS)], [empty(ANNOTATIONS)]
    prompts: list[dict[str, str]] = []
    prompt_files = _region_files(root, *_PROMPT_FILES)
    for region in _regions(root, layout, known, diagnostics):
        with diagnostics.collected():
            rows, entries = _read_region(region, root, diagnostics)
            origin_of = partial(
                Origin, diagnostics, locale=region.locale.tag, language=region.locale.language, clean=clean
            )
            asked = [_question(row, region.locale, labels, origin_of) for row in rows.values()]
            given = [
                annotation_row(entry, origin_of(location, key)) for key, (location, entry) in entries.items()
            ]
            questions.append(pl.DataFrame(asked, schema=QUESTIONS))
            annotations.append(nested_frame(given, ANNOTATIONS))
        with diagnostics.collected():
            location = prompt_files.pop(region.locale.upstream, None)
            if location is not None:
                prompts += _prompts(root / location, root, region.locale, diagnostics)
    for location in prompt_files.values():
        detail = "prompts of a region without questions; left out"
        diagnostics.finding("prompt-without-questions", location, detail)
    diagnostics.raise_problems()
    asked_everywhere = pl.concat(questions)
    _note_topics(asked_everywhere, diagnostics)
    return BlendTables(
        questions=_with_formats(asked_everywhere, diagnostics).sort(KEY),
        annotations=pl.concat(annotations).sort(KEY),
        prompts=pl.DataFrame(prompts, schema=PROMPTS).sort(PROMPT_KEY),
        findings=diagnostics.findings_frame(),
    )


def data_folder(folder: Path) -> Path:
    """The folder itself or its folder ``data``, whichever holds files in BLEnD's layout.

    Raises:
        InputError: If neither does.
    """
    return _layout(folder)[0]


def blend_files(folder: Path) -> list[Path]:
    """The files of questions, annotations and, where there are any, prompts."""
    root, layout = _layout(folder)
    return sorted(
        path for pattern in (*_patterns(layout), "/*".join(_PROMPT_FILES)) for path in root.glob(pattern)
    )


def _region_files(root: Path, folder: str, *endings: str) -> dict[str, str]:
    """Region name to file, as named in places."""
    return {
        path.name.removesuffix(ending): location_of(path, root)
        for ending in endings
        for path in root.glob(f"{folder}/*{ending}")
    }


def _layout(folder: Path) -> tuple[Path, str]:
    """Where the files lie, and what ends the names of their folders."""
    if not folder.is_dir():
        raise InputError(f"{folder}: no such directory; give the directory that holds BLEnD's files")
    for root in (folder, folder / "data"):
        for layout in _LAYOUTS:
            if any(any(root.glob(pattern)) for pattern in _patterns(layout)):
                return root, layout
    raise InputError(
        f"{folder}: no BLEnD files; expected annotations/*_data.json and questions/*_questions.csv, here or in "
        "the folder 'data'"
    )


class _Region(NamedTuple):
    """The two files of one region, as named in places."""

    locale: Locale
    annotations: str
    questions: str


def _regions(root: Path, layout: str, known: Registry, diagnostics: Diagnostics) -> list[_Region]:
    """The regions that have both files, in the order of their names; notes the files that stand alone."""
    files = {folder: _region_files(root, folder + layout, *endings) for folder, endings in _ENDINGS.items()}
    locales = {locale.upstream: locale for locale in known}
    regions = []
    for name in sorted({name for of_kind in files.values() for name in of_kind}):
        present = [of_kind[name] for of_kind in files.values() if name in of_kind]
        if name not in locales:
            diagnostics.problems.append(unknown_name("region", name, locales, where=present[0]))
        elif len(present) < len(files):
            absent = next(folder for folder, of_kind in files.items() if name not in of_kind)
            what = f"the region's other file {absent}{layout}/{name}{_ENDINGS[absent][0]} is missing"
            diagnostics.problem(what, where=present[0], fix="add it, or remove this file")
        else:
            regions.append(_Region(locales[name], *present))
    return regions


_Entries = dict[str, tuple[str, Entry]]
"""Template id to its place and entry."""


def _read_region(region: _Region, root: Path, diagnostics: Diagnostics) -> tuple[dict[str, Cells], _Entries]:
    """The rows of the questions file and the entries of the annotations file, both by template id, checked.

    Raises:
        RowError, RowErrors: For all that is wrong with the files or differs between them.
    """
    problems = diagnostics.part()
    rows: dict[str, Cells] = {}
    entries: _Entries = {}
    with problems.collected():
        rows = _question_rows(region, root, problems)
    with problems.collected():
        entries = _entries(region, root, problems)
    problems.raise_problems()
    _compare(region, rows, entries, problems)
    problems.raise_problems()
    return rows, entries


def _question_rows(region: _Region, root: Path, diagnostics: Diagnostics) -> dict[str, Cells]:
    """Template id to row of the questions file."""
    path = root / region.questions
    listed = read_rows(path, root, diagnostics, _COLUMNS) if path.suffix == ".csv" else _listed(region, root)
    rows: dict[str, Cells] = {}
    for row in listed:
        template_id = row.values["ID"]
        for column, cell in row.values.items():
            where = f"{row.location}, column {column}"
            if not isinstance(cell, str):
                diagnostics.problem(f"{cell!r} is not a text", where=where, fix="write it in double quotes")
            elif not cell.strip() and column in ("ID", "Topic", "Translation"):
                diagnostics.problem("the cell is blank", where=where, fix="fill it in")
        if template_id in rows:
            where, fix = f"{row.location}, column ID", f"remove this row or {rows[template_id].location}"
            diagnostics.problem(f"question {template_id!r} occurs twice", where=where, fix=fix)
        rows[template_id] = row
    return rows


def _listed(region: _Region, root: Path) -> list[Cells]:
    """The questions of a list of objects."""
    value = read_json(root / region.questions, where=region.questions)
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise RowError("not a list of objects", where=region.questions, fix="write one object per question")
    for index, row in enumerate(value):
        _COLUMNS.check(row, f"{region.questions}[{index}]")
    return [Cells(f"{region.questions}[{index}]", _COLUMNS.kept(row)) for index, row in enumerate(value)]


def _entries(region: _Region, root: Path, diagnostics: Diagnostics) -> _Entries:
    """Template id to place and entry of the annotations file; what is wrong with single entries is noted."""
    value = read_json(root / region.annotations, where=region.annotations)
    if isinstance(value, list) and all(isinstance(entry, dict) for entry in value):
        ids = [str(entry.pop("ID", "")) for entry in value]
        for key, times in Counter(ids).items():
            if times > 1 or not key:
                what = f"question {key!r} occurs {times} times" if key else "an entry has no ID"
                diagnostics.problem(what, where=region.annotations, fix="give each the ID of its question")
        value = dict(zip(ids, value, strict=True))
    if not isinstance(value, dict):
        fix = "write an object with one key per question ID, or a list of objects that have it as ID"
        raise RowError("neither an object nor a list of objects", where=region.annotations, fix=fix)
    places = {key: f"{region.annotations}:{key}" for key in value}
    found = {
        key: checked(Entry, _with_reasons(entry), places[key], diagnostics) for key, entry in value.items()
    }
    return {key: (placed.location, placed.row) for key, placed in found.items() if placed is not None}


def _with_reasons(entry: Any) -> Any:
    """Count listed reasons not to answer as votes; any other shape stays, to be refused."""
    idks = entry.get("idks") if isinstance(entry, dict) else None
    if not isinstance(idks, dict):
        return entry
    reasons = idks.get("other")
    if not isinstance(reasons, list) or not all(isinstance(reason, str) for reason in reasons):
        return entry
    votes_by_kind = {key: votes for key, votes in idks.items() if key != "other"}
    return {**entry, "idks": {**votes_by_kind, **Counter(reasons)}}


def _compare(region: _Region, rows: Mapping[str, Cells], entries: _Entries, diagnostics: Diagnostics) -> None:
    """Note where the two files do not hold the same questions."""
    places = {key: f"{row.location}, column ID" for key, row in rows.items()}
    places |= {key: location for key, (location, _) in entries.items() if key not in rows}
    for key in sorted(rows.keys() ^ entries.keys()):
        what = f"question {key!r} is not in {region.annotations if key in rows else region.questions}"
        diagnostics.problem(what, where=places[key], fix=f"add it there or remove it here; {_AGAIN}")
    for key in sorted(rows.keys() & entries.keys()):
        location, entry = entries[key]
        for column, there in (("Question", "question"), ("Translation", "en_question")):
            if rows[key].values[column] != getattr(entry, there):
                what = (
                    f"{rows[key].values[column]!r} is not {getattr(entry, there)!r} as in {location}, {there}"
                )
                where = f"{rows[key].location}, column {column}"
                diagnostics.problem(what, where=where, fix=f"make the two equal; {_AGAIN}")


def _question(
    row: Cells, locale: Locale, labels: Mapping[str, Locale], origin_of: "partial[Origin]"
) -> dict[str, Any]:
    """A row of the questions file as a row of `frames.QUESTIONS`."""
    values, origin = row.values, origin_of(row.location, row.values["ID"])
    # As the authors' English questions name a region.
    name = locale.upstream.replace("_", " ")
    english = _YOUR_COUNTRY.sub(name, values["Translation"])
    if english != values["Translation"]:
        detail = f"{values['Translation']!r} asks about 'your country'; read as {name}"
        origin.note("unnamed-country", detail)
    if not values["Question"].strip():
        origin.finding("blank-question", f"Question is the blank {values['Question']!r}", "now empty")
    return {
        "template_id": values["ID"],
        "topic": values["Topic"],
        "source_label": values["Source"],
        "question": origin.text(_YOUR_COUNTRY.sub(locale.prompt_name, values["Question"]), "Question"),
        "en_question": origin.text(english, "Translation"),
        "locale": locale.tag,
        "language": locale.language,
        "answer_format": format_of(values["Translation"]),
        "source_locale": _source_locale(values["Source"], origin, labels),
        "source": row.location,
    }


def _prompts(path: Path, root: Path, locale: Locale, diagnostics: Diagnostics) -> list[dict[str, str]]:
    """The rows of a file of prompts as rows of `frames.PROMPTS`, and what is odd about them."""
    kept: dict[str, dict[str, str]] = {}
    names = {"locale": locale.tag, "language": locale.language}
    for location, values in read_rows(path, root, diagnostics, _PROMPT_COLUMNS):
        prompt_id = values["id"]

        def note(kind: str, detail: str, location: str = location) -> None:
            diagnostics.finding(kind, location, detail, locale=locale.tag)

        if not prompt_id.strip():
            diagnostics.problem("the cell is blank", where=f"{location}, column id", fix="fill it in")
        elif lacking := [column for column in _PROMPT_FIELDS if QUESTION_SLOT not in values[column]]:
            detail = f"{' and '.join(lacking)} of {prompt_id!r} has no {QUESTION_SLOT}; left out"
            note("prompt-without-slot", detail)
        elif prompt_id in kept:
            first = kept[prompt_id]["source"]
            note("repeated-prompt", f"prompt {prompt_id!r} is also in {first}, which counts; left out")
        else:
            for column in _PROMPT_FIELDS:
                if not is_normalized("NFC", values[column]):
                    note("not-nfc", f"{column} of {prompt_id!r} is not in Unicode NFC; composed")
            texts = {field: normalize("NFC", values[column]) for column, field in _PROMPT_FIELDS.items()}
            kept[prompt_id] = {**texts, **names, "prompt_id": prompt_id, "source": location}
    return list(kept.values())


def _source_locale(label: str, origin: Origin, labels: Mapping[str, Locale]) -> str | None:
    """The tag behind a label such as ``Korean (South Korea)``; null, with a finding, when it names none."""
    source = labels.get(label)
    if source is None:
        origin.note("unknown-source-label", f"Source {label!r} names no known locale; label kept")
        return None
    if not label.endswith(f"({source.region_name})"):
        origin.note("unusual-source-label", f"Source {label!r} is read as {source.tag}; label kept")
    return source.tag


def _labels(known: Registry) -> dict[str, Locale]:
    """Locales by ``Source`` label, language and region in English.

    Where two share a name, the first in the registry counts: plain ``Korean (Korea)`` is South Korea's.
    """
    locales = reversed(tuple(known))
    return {f"{locale.language_name} ({name})": locale for locale in locales for name in locale.names}


def _with_formats(questions: pl.DataFrame, diagnostics: Diagnostics) -> pl.DataFrame:
    """The questions with one answer format per template: the one that most regions ask for.

    A region whose wording asks for another one becomes a finding.
    """
    asked = questions.group_by("template_id").agg("answer_format").iter_rows()
    chosen = {key: str(format_of_template(map(AnswerFormat, formats))) for key, formats in asked}
    for row in questions.iter_rows(named=True):
        most = chosen[row["template_id"]]
        if row["answer_format"] != most:
            detail = (
                f"{row['en_question']!r} asks for {row['answer_format']}, most regions for {most}, which counts"
            )
            about = {"locale": row["locale"], "template_id": row["template_id"]}
            diagnostics.finding("other-answer-format", row["source"], detail, **about)
    return questions.with_columns(
        answer_format=pl.col("template_id").replace_strict(chosen, default=None, return_dtype=pl.String)
    )


def _note_topics(questions: pl.DataFrame, diagnostics: Diagnostics) -> None:
    """Note topics that a template does not have elsewhere, as where one region's are misspelt."""
    rows = questions.select("template_id", "topic", "locale", "source").rows()
    n_regions = Counter((template_id, topic) for template_id, topic, _, _ in rows)
    n_rows = Counter(topic for _, topic, _, _ in rows)
    # Of two regions that differ, the one counts whose topic has more questions.
    ordered = sorted(n_regions, key=lambda key: (n_regions[key], n_rows[key[1]]))
    usual = dict(ordered)
    for template_id, topic, locale, source in rows:
        if topic != usual[template_id]:
            detail = f"Topic {topic!r} is {usual[template_id]!r} elsewhere; kept, as another topic"
            diagnostics.finding("other-topic", source, detail, locale=locale, template_id=template_id)
