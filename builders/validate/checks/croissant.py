"""Check of croissant.json: that machines can follow it, and that it describes the files of this release.

The rules are those by which `mlcroissant validate` refuses a file, as far as they concern what a release holds;
the library itself takes seconds to load and is not part of the base install. That what it says agrees with
``release.json`` is a rule of ours.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeGuard

from blend.builders.validate.checked_release import Release
from blend.builders.validate.report import REBUILD, Problem, error
from blend.loaders.files.json_text import read_json_content
from blend.schemas.base.arrow_types import published_names
from blend.schemas.errors import RowError, UnknownNameError
from blend.schemas.release.release_layout import CROISSANT_NAME, MANIFEST_NAME
from blend.schemas.rows.configs import model_of

_VERSIONS = {f"http://mlcommons.org/croissant/{version}" for version in ("1.0", "1.1")}
_NODES = {
    "Dataset": ("sc:Dataset",),
    "distribution": ("cr:FileObject", "cr:FileSet"),
    "recordSet": ("cr:RecordSet",),
    "field": ("cr:Field",),
    "subField": ("cr:Field",),
}
"""Types that a node may have, by the property that leads to it."""

_TRANSFORMS = {"format", "jsonPath", "regex", "replace", "separator", "readLines", "unArchive"}

Found = Iterator[Problem]


class _Node(NamedTuple):
    """A node of the graph."""

    where: str
    """Where it stands: ``croissant.json, recordSet[0].field[2]``."""
    values: Mapping[str, Any]
    """Its properties."""

    def wrong(self, what: str) -> Problem:
        return error(self.where, what, REBUILD)

    def text(self, key: str) -> str:
        """A property that is a text; empty if it is absent or something else."""
        value = self.values.get(key)
        return value if isinstance(value, str) else ""


def check_croissant(release: Release) -> Found:
    """Croissant metadata hold together.

    They are the vocabulary's, refer to nothing that is not there, and describe the files and columns that
    release.json names.

    * error: `croissant.json` is not what Croissant's rules ask for (`mlcroissant validate` refuses it), refers
      to what is not there, or describes other files, digests, tables or columns than `release.json`
    """
    path = release.path / CROISSANT_NAME
    if not path.is_file():
        yield error(CROISSANT_NAME, "is missing", REBUILD)
        return
    try:
        value = read_json_content(path, where=CROISSANT_NAME)
    except RowError as broken:
        where = str(broken).partition(f": {broken.what}")[0]
        yield error(where, f"cannot be used: {broken.what}", REBUILD)
        return
    found: list[Problem] = []
    _Graph(found).read(value, release)
    yield from found


class _Graph:
    """The nodes of the metadata by their ids, and what is wrong with them."""

    def __init__(self, found: list[Problem]) -> None:
        self._found = found
        self._ids: Counter[str] = Counter()
        self._references: list[tuple[_Node, str]] = []

    def read(self, value: Any, release: Release) -> None:
        """Look at the whole of it."""
        top = self._node(CROISSANT_NAME, "Dataset", value)
        if top is None:
            return
        self._about(top, release)
        files = self._nodes(top, "distribution")
        records = self._nodes(top, "recordSet")
        for node in files:
            self._identified(node)
            self._file(node)
        for node in records:
            self._identified(node)
            self._record_set(node)
        for node, reference in self._references:
            if reference not in self._ids:
                self._found.append(node.wrong(f"refers to {reference!r}, which is not there"))
        for name, times in self._ids.items():
            if times > 1:
                self._found.append(error(CROISSANT_NAME, f"the id {name!r} is given {times} times", REBUILD))
        self._found += _disagreements(release, files, records)

    def _about(self, top: _Node, release: Release) -> None:
        conforms = top.values.get("conformsTo")
        named = conforms if _are_texts(conforms) else [conforms]
        if not any(isinstance(one, str) and one in _VERSIONS for one in named):
            self._found.append(top.wrong(f"conformsTo names no version of Croissant ({_shown(conforms)})"))
        for key, stated in (("name", release.manifest.name), ("version", release.manifest.version)):
            if top.values.get(key) != stated:
                held = _shown(top.values.get(key))
                self._found.append(top.wrong(f"{key} is {held}, {MANIFEST_NAME} says {stated!r}"))

    def _node(self, where: str, kind: str, value: Any) -> _Node | None:
        if not isinstance(value, dict):
            self._found.append(error(where, f"is not an object ({_shown(value)})", REBUILD))
            return None
        node = _Node(where, value)
        if value.get("@type") not in _NODES[kind]:
            expected = " or ".join(_NODES[kind])
            self._found.append(node.wrong(f"@type is {_shown(value.get('@type'))}, not {expected}"))
            return None
        return node

    def _nodes(self, parent: _Node, key: str) -> list[_Node]:
        values = parent.values.get(key, [])
        where = f"{parent.where}, {key}" if parent.where == CROISSANT_NAME else f"{parent.where}.{key}"
        if not isinstance(values, list):
            values = [values]
        nodes = [self._node(f"{where}[{number}]", key, value) for number, value in enumerate(values)]
        return [node for node in nodes if node is not None]

    def _identified(self, node: _Node) -> None:
        if not node.text("@id"):
            self._found.append(node.wrong(f"@id is {_shown(node.values.get('@id'))}, not a text"))
            return
        self._ids[node.text("@id")] += 1
        if not isinstance(node.values.get("name", ""), (str, dict)):
            self._found.append(node.wrong(f"name is {_shown(node.values['name'])}, not a text"))

    def _file(self, node: _Node) -> None:
        needed = ["encodingFormat"]
        if node.values["@type"] == "cr:FileSet":
            needed.append("includes")
        elif not node.values.get("containedIn"):
            needed.append("contentUrl")
            if bool(node.text("md5")) == bool(node.text("sha256")):
                self._found.append(node.wrong("has not one of md5 and sha256"))
        for key in needed:
            value = node.values.get(key)
            if not (value and (isinstance(value, str) or _are_texts(value))):
                self._found.append(node.wrong(f"{key} is {_shown(value)}, not a text"))

    def _record_set(self, node: _Node) -> None:
        self._refer(node, node.values.get("key"))
        for field in self._nodes(node, "field"):
            self._field(field)

    def _field(self, node: _Node) -> None:
        self._identified(node)
        inner = self._nodes(node, "subField")
        for field in inner:
            self._field(field)
        kind, source = node.values.get("dataType"), node.values.get("source")
        if not inner and not (kind and (isinstance(kind, str) or _are_texts(kind))):
            self._found.append(node.wrong(f"dataType is {_shown(kind)}, not a text"))
        if source is not None and node.values.get("value") is not None:
            self._found.append(node.wrong("has both source and value"))
        elif source is not None:
            self._source(node, source)
        elif not inner and node.values.get("value") is None:
            self._found.append(node.wrong("has no source"))
        self._shape(node)

    def _source(self, node: _Node, source: Any) -> None:
        origins = [] if not isinstance(source, dict) else [source[k] for k in _ORIGINS if k in source]
        if len(origins) != 1:
            self._found.append(node.wrong(f"source names not one of {', '.join(_ORIGINS)}"))
            return
        self._refer(node, origins[0])
        extract, steps = source.get("extract", {}), source.get("transform", [])
        if not isinstance(extract, dict) or not all(isinstance(value, str) for value in extract.values()):
            self._found.append(node.wrong(f"extract is {_shown(extract)}, not an object of texts"))
        for step in steps if isinstance(steps, list) else [steps]:
            if not isinstance(step, dict) or len(_TRANSFORMS & step.keys()) != 1:
                self._found.append(
                    node.wrong(f"transform has the step {_shown(step)}, not one of a known kind")
                )

    def _shape(self, node: _Node) -> None:
        shape = node.values.get("arrayShape")
        if shape is None:
            return
        if node.values.get("isArray") is not True:
            self._found.append(node.wrong("has an arrayShape and is not an array"))
        try:
            _ = [int(length) for length in shape.split(",")]
        except (AttributeError, ValueError):
            self._found.append(node.wrong(f"arrayShape is {_shown(shape)}, not numbers between commas"))

    def _refer(self, node: _Node, reference: Any) -> None:
        for one in reference if isinstance(reference, list) else [reference]:
            name = one.get("@id") if isinstance(one, dict) else one
            if isinstance(name, str):
                self._references.append((node, name))
            elif one is not None:
                self._found.append(node.wrong(f"refers to {_shown(one)}, not to an @id"))


_ORIGINS = ("fileObject", "fileSet", "recordSet", "field")


def _disagreements(release: Release, files: list[_Node], records: list[_Node]) -> Found:
    """Where files, tables and columns are others than those of the manifest."""
    digests = {file.path: file.sha256 for file in release.manifest.files}
    tables = {f"{table.config}/{table.split}": table for table in release.manifest.tables}
    named = {node.text("@id"): node for node in files if node.values["@type"] == "cr:FileObject"}
    for path in (path for table in tables.values() for path in table.files):
        if path not in named:
            yield error(CROISSANT_NAME, f"names no file {path!r}, which {MANIFEST_NAME} has", REBUILD)
    for path, node in named.items():
        if path not in digests:
            yield node.wrong(f"is the file {path!r}, which {MANIFEST_NAME} does not name")
        elif node.text("sha256") != digests[path]:
            yield node.wrong(f"sha256 is not that of {path!r} in {MANIFEST_NAME}")
    described = {node.text("@id"): node for node in records}
    for name in sorted(tables.keys() - described.keys()):
        yield error(CROISSANT_NAME, f"has no record set {name!r}", REBUILD)
    for name, node in described.items():
        if name not in tables:
            yield node.wrong(f"describes {name!r}, which {MANIFEST_NAME} does not name")
            continue
        try:
            columns = list(published_names(model_of(tables[name].config)).values())
        except UnknownNameError:
            continue
        fields = node.values.get("field", [])
        held = (
            [field.get("name") for field in fields if isinstance(field, dict)]
            if isinstance(fields, list)
            else []
        )
        if held != columns:
            other = ", ".join(map(_shown, held)) or "none"
            yield node.wrong(f"describes the columns {other}, the rows have {', '.join(map(repr, columns))}")


def _are_texts(value: Any) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(part, str) for part in value)


def _shown(value: Any) -> str:
    """A value of any size in a few characters."""
    if isinstance(value, (dict, list)):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value):,}"
    if isinstance(value, int) and value.bit_length() > 64:
        return "a number of many digits"
    text = "absent" if value is None else repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
