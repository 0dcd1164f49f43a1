"""BLEnD's published files: annotations and questions of every region, as their authors keep them.

The files hold the irregularities that 16 teams of annotators leave behind. `read_blend` normalises each or
leaves it, and lists it as a finding with file, question and region. Nothing is dropped in silence, no vote is
lost. What cannot be read is an error.

References:
    Myung et al. (2024), BLEnD, https://arxiv.org/abs/2406.09948; files: https://github.com/nlee0212/BLEnD
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from blend.loaders.files.content import location_of, read_json
from blend.loaders.files.diagnostics import Diagnostics, unknown_name
from blend.loaders.files.rows import Cells, Columns
from blend.loaders.upstream import Origin, Tidy
from blend.loaders.upstream.blend.groups import Json, annotation_row, check_entry
from blend.loaders.upstream.blend.hub_layout import entries_by_id, name_country, question_rows
from blend.schemas.arrow_types import nested_frame
from blend.schemas.errors import InputError
from blend.schemas.formats import AnswerFormat, format_of, format_of_template
from blend.schemas.frames import ANNOTATIONS, KEY, QUESTIONS, empty
from blend.schemas.locales import Locale, Registry, registry


class _Layout(NamedTuple):
    """Folder and ending of the files of each region."""

    annotations: tuple[str, str]
    questions: tuple[str, str]

    @property
    def patterns(self) -> tuple[str, ...]:
        return tuple(f"{folder}/*{ending}" for folder, ending in self)


_USUAL = _Layout(("annotations", "_data.json"), ("questions", "_questions.csv"))
# As the authors have it on the Hub.
_LISTS = _Layout(("annotations_hf", "_data.json"), ("questions_hf", "_questions.json"))
_TABLES = _Layout(("annotations_hf", "_data.json"), ("questions_hf", "_questions.csv"))
_LAYOUTS = (_USUAL, _LISTS, _TABLES)
"""The first of which a folder holds questions counts."""

PROMPT_FILES = ("prompts", "_prompts.csv")
"""Folder and ending of the files that `prompts.read_prompts` reads."""

_PROMPTS = f"{PROMPT_FILES[0]}/*{PROMPT_FILES[1]}"

HUB_PATTERNS = tuple(
    f"{root}{pattern}"
    for root in ("", "data/")
    for pattern in dict.fromkeys((*(one for layout in _LAYOUTS for one in layout.patterns), _PROMPTS))
)
"""The files that `blend_files` may name, as paths in a repository."""

# The first column is a running index without a name.
_COLUMNS = Columns(("ID", "Topic", "Source", "Question", "Translation"), ignored=("",))


class BlendTables(NamedTuple):
    """The published data as frames."""

    questions: pl.DataFrame
    """`frame_columns.QUESTIONS`, 500 rows per region, ordered by template and locale."""
    annotations: pl.DataFrame
    """`frame_columns.ANNOTATIONS`, the same questions in the same order."""
    findings: pl.DataFrame
    """`frame_columns.FINDINGS`, one row per irregularity."""


def read_blend(folder: Path | str, *, clean: bool = True, locales: Registry | None = None) -> BlendTables:
    """The questions and annotations of all regions in a folder of BLEnD's files.

    Args:
        folder: Holds ``annotations/{region}_data.json`` and ``questions/{region}_questions.csv``, itself or in
            its folder ``data``; both files for every region. Without them, a copy of the authors' repository
            on the Hub: ``annotations_hf`` and ``questions_hf`` (tables or lists).
        clean: Whether texts are normalised: Unicode NFC, control characters and line feeds as blanks, no outer
            white space, no blank answers, equal reasons counted together. Otherwise every text stays as
            published and is only reported: published figures are defined on the texts as they are.
        locales: Known locales; the packaged registry when absent.

    Returns:
        The tables. Votes, groups and their order are the same with and without ``clean``. Free-text reasons are
        in ``idks.others``, most votes first, then by text. The answer format is a template's, the same in all
        regions: the one that most regions' English texts ask for.

    Raises:
        InputError: If the folder holds no such files.
        RowError, RowErrors: If anything cannot be read or contradicts itself; names all places at once.
    """
    known = registry() if locales is None else locales
    root, labels = data_folder(Path(folder)), _labels(known)
    tidy = Tidy(Diagnostics(), clean=clean)
    # A region's rows as Python objects take ten times the memory of a frame: one region at a time.
    questions, annotations = [empty(QUESTIONS)], [empty(ANNOTATIONS)]
    layout = _layout(root)
    for region in _regions(root, layout, known, tidy.diagnostics):
        with tidy.diagnostics.collected():
            rows, entries = _read_region(region, root, tidy.diagnostics)
            asked = [_question(row, region, labels, tidy) for row in rows.values()]
            given = [_annotation(key, entry, region, tidy) for key, entry in entries.items()]
            questions.append(pl.DataFrame(asked, schema=QUESTIONS))
            annotations.append(nested_frame(given, ANNOTATIONS))
    tidy.diagnostics.raise_problems()
    return BlendTables(
        questions=_with_formats(pl.concat(questions), tidy.diagnostics).sort(KEY),
        annotations=pl.concat(annotations).sort(KEY),
        findings=tidy.diagnostics.findings_frame(),
    )


def data_folder(folder: Path) -> Path:
    """The folder itself or its folder ``data``, whichever holds files in BLEnD's layout.

    Raises:
        InputError: If neither does.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such directory; give the directory that holds BLEnD's files")
    for root in (folder, folder / "data"):
        if any(any(root.glob(pattern)) for layout in _LAYOUTS for pattern in layout.patterns):
            return root
    expected = " and ".join(_USUAL.patterns)
    raise InputError(f"{folder}: no BLEnD files; expected {expected}, here or in the folder 'data'")


def _layout(root: Path) -> _Layout:
    """The layout of a folder that holds files in any: the usual one where it is there."""
    held = [layout for layout in _LAYOUTS if any(root.glob(layout.patterns[1]))]
    if any(root.glob(_USUAL.patterns[0])) or not held:
        return _USUAL
    return held[0]


def blend_files(folder: Path) -> list[Path]:
    """The files of questions, annotations and, where there are any, prompts."""
    root = data_folder(folder)
    return sorted(path for pattern in (*_layout(root).patterns, _PROMPTS) for path in root.glob(pattern))


@dataclass(frozen=True, slots=True)
class _Region:
    """The two files of one region, as named in places."""

    locale: Locale
    annotations: str
    questions: str

    def origin(self, location: str, template_id: str) -> Origin:
        """A place in one of the files as findings name it."""
        return Origin(location, self.locale.tag, template_id, self.locale.language)

    def entry_location(self, template_id: str) -> str:
        """The place of a question's annotations."""
        return f"{self.annotations}:{template_id}"


def _regions(root: Path, layout: _Layout, known: Registry, diagnostics: Diagnostics) -> list[_Region]:
    """The regions that have both files, in the order of their names; notes the files that stand alone."""
    annotations, questions = region_files(root, *layout.annotations), region_files(root, *layout.questions)
    locales = {locale.upstream: locale for locale in known}
    regions = []
    for name in sorted({*annotations, *questions}):
        present = annotations.get(name) or questions[name]
        if name not in locales:
            diagnostics.problems.append(unknown_name("region", name, locales, where=present))
        elif name not in annotations or name not in questions:
            folder, ending = layout.questions if name in annotations else layout.annotations
            diagnostics.problem(
                f"the region's other file {folder}/{name}{ending} is missing",
                where=present,
                fix="add it, or remove this file",
            )
        else:
            regions.append(_Region(locales[name], annotations[name], questions[name]))
    return regions


def region_files(root: Path, folder: str, ending: str) -> dict[str, str]:
    """Region name to file, as named in places."""
    return {
        path.name.removesuffix(ending): location_of(path, root) for path in root.glob(f"{folder}/*{ending}")
    }


def _read_region(
    region: _Region, root: Path, diagnostics: Diagnostics
) -> tuple[dict[str, Cells], dict[str, Json]]:
    """The rows of the questions file and the entries of the annotations file, both by template id, checked.

    Raises:
        RowError, RowErrors: For all that is wrong with the files or differs between them.
    """
    problems = diagnostics.part()
    rows: dict[str, Cells] = {}
    entries: dict[str, Json] = {}
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
    rows: dict[str, Cells] = {}
    for row in question_rows(root / region.questions, root, diagnostics, _COLUMNS):
        template_id = row.values["ID"]
        for column in ("ID", "Topic", "Translation"):
            if not row.values[column].strip():
                diagnostics.problem(
                    "the cell is blank", where=f"{row.location}, column {column}", fix="fill it in"
                )
        if template_id in rows:
            fix = f"remove this row or {rows[template_id].location}"
            diagnostics.problem(
                f"question {template_id!r} occurs twice", where=f"{row.location}, column ID", fix=fix
            )
        rows[template_id] = row
    return rows


def _entries(region: _Region, root: Path, diagnostics: Diagnostics) -> dict[str, Json]:
    """Template id to entry of the annotations file; the problems of single entries are noted."""
    entries = entries_by_id(
        read_json(root / region.annotations, where=region.annotations), region.annotations, diagnostics
    )
    for template_id, entry in entries.items():
        with diagnostics.collected():
            check_entry(entry, region.entry_location(template_id))
    return entries


def _compare(
    region: _Region, rows: Mapping[str, Cells], entries: Mapping[str, Json], diagnostics: Diagnostics
) -> None:
    """Note where the two files do not hold the same questions."""
    again = "or, if this is not your own data, copy the published files again"
    fix = f"add it there or remove it here; {again}"
    for template_id in sorted(rows.keys() - entries.keys()):
        where = f"{rows[template_id].location}, column ID"
        diagnostics.problem(f"question {template_id!r} is not in {region.annotations}", where=where, fix=fix)
    for template_id in sorted(entries.keys() - rows.keys()):
        where = region.entry_location(template_id)
        diagnostics.problem(f"question {template_id!r} is not in {region.questions}", where=where, fix=fix)
    for template_id in sorted(rows.keys() & entries.keys()):
        row, entry = rows[template_id], entries[template_id]
        for column, key in (("Question", "question"), ("Translation", "en_question")):
            if row.values[column] != entry[key]:
                where = f"{row.location}, column {column}"
                there = f"{region.entry_location(template_id)}, {key}"
                what = f"{row.values[column]!r} is not {entry[key]!r} as in {there}"
                diagnostics.problem(what, where=where, fix=f"make the two equal; {again}")


def _question(row: Cells, region: _Region, labels: Mapping[str, Locale], tidy: Tidy) -> dict[str, Any]:
    """A row of the questions file as a row of `frame_columns.QUESTIONS`."""
    values, origin = row.values, region.origin(row.location, row.values["ID"])
    if values["Translation"] != name_country(values["Translation"], _named(region.locale)):
        what = f"{values['Translation']!r} asks about 'your country'"
        tidy.note("unnamed-country", f"{what}; read as {_named(region.locale)}", origin)
    if not values["Question"].strip():
        tidy.finding("blank-question", f"Question is the blank {values['Question']!r}", "now empty", origin)
    return {
        "template_id": values["ID"],
        "topic": values["Topic"],
        "source_label": values["Source"],
        "question": tidy.text(name_country(values["Question"], region.locale.prompt_name), "Question", origin),
        "en_question": tidy.text(
            name_country(values["Translation"], _named(region.locale)), "Translation", origin
        ),
        "locale": region.locale.tag,
        "language": region.locale.language,
        "answer_format": format_of(values["Translation"]),
        "source_locale": _source_locale(values["Source"], origin, labels, tidy),
        "source": row.location,
    }


def _named(locale: Locale) -> str:
    """A region as the authors' English questions name it."""
    return locale.upstream.replace("_", " ")


def _annotation(template_id: str, entry: Json, region: _Region, tidy: Tidy) -> dict[str, Any]:
    return annotation_row(entry, region.origin(region.entry_location(template_id), template_id), tidy)


def _source_locale(label: str, origin: Origin, labels: Mapping[str, Locale], tidy: Tidy) -> str | None:
    """The tag behind a label such as ``Korean (South Korea)``; null, with a finding, when it names none."""
    source = labels.get(label)
    if source is None:
        tidy.note("unknown-source-label", f"Source {label!r} names no known locale; label kept", origin)
        return None
    if not label.endswith(f"({source.region_name})"):
        tidy.note("unusual-source-label", f"Source {label!r} is read as {source.tag}; label kept", origin)
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
    by_template = questions.group_by("template_id").agg("answer_format").iter_rows()
    chosen = {
        template_id: str(format_of_template(map(AnswerFormat, formats))) for template_id, formats in by_template
    }
    joined = questions.with_columns(
        chosen=pl.col("template_id").replace_strict(chosen, default=None, return_dtype=pl.String)
    )
    for row in joined.filter(pl.col("answer_format") != pl.col("chosen")).iter_rows(named=True):
        asked = f"{row['en_question']!r} asks for {row['answer_format']}"
        diagnostics.finding(
            "other-answer-format",
            row["source"],
            f"{asked}, most regions for {row['chosen']}, which counts",
            locale=row["locale"],
            template_id=row["template_id"],
        )
    return joined.with_columns(answer_format="chosen").select(QUESTIONS.names())
