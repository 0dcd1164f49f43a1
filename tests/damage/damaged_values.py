"""Damages to values: keys, cells and columns of files that still parse."""

import copy
import csv
import io
import json
import random
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import tomli_w

_TEXTS = (
    "",
    " ",
    "\x00",
    "a\x00b",
    "\u200b",
    "\u202edlrow",
    "\x1b[31mred",
    "a\nb",
    "\x7f",
    "\u0085",
    "=1+1",
    "#REF!",
    "null",
    "nan",
    "-1",
    "1e400",
    "1.5",
    "9" * 400,
    "true",
    "../../x",
    "/etc/passwd",
    "[/bold]",
    "{country}",
    "{",
    "%s",
    "a" * 100_000,
    "\U0001f35a" * 50,
    "e\u0301",
    "\ufdfa",
    "mina@example.org",
    "xx-XX",
    "ko-KR",
    "../",
    ".",
    "con",
    "\ufeffx",
    "0",
    "<script>",
    "\ufffe",
    "\ue000",
    "2026-13-45",
    "| a | b |",
    "v1.0.0",
    "1.0.0-rc",
    "org/x@main",
)
_VALUES = (
    None,
    True,
    False,
    0,
    -1,
    1,
    10**30,
    -(10**30),
    2**63,
    2**64,
    10**4999,
    1.5,
    -0.0,
    1e308,
    float("nan"),
    float("inf"),
    [],
    {},
    [None],
    [[]],
    {"": None},
    {"a": {"b": []}},
    [1, "a"],
    *_TEXTS,
)


def damage_json(path: Path, chance: random.Random) -> str:
    """Change a value somewhere in a JSON file."""
    try:
        value = json.loads(path.read_bytes())
    except ValueError:
        path.write_text("{")
        return "an open bracket"
    value, done = _damaged(value, chance, keys=True)
    path.write_text(_json(value), encoding="utf-8", errors="surrogatepass")
    return done


def damage_jsonl(path: Path, chance: random.Random) -> str:
    """Change a value in a line of a JSON Lines file."""
    lines = [line for line in path.read_text(encoding="utf-8").split("\n") if line]
    if not lines:
        path.write_text("{}\n")
        return "an empty object"
    at = chance.randrange(len(lines))
    value, done = _damaged(json.loads(lines[at]), chance, keys=True)
    lines[at] = _json(value)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", errors="surrogatepass")
    return f"line {at + 1}: {done}"


def _json(value: Any) -> str:
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return json.dumps(value, ensure_ascii=False)
    finally:
        sys.set_int_max_str_digits(limit)


def damage_toml(path: Path, chance: random.Random) -> str:
    """Change a value somewhere in a TOML file, or a key."""
    text = path.read_text(encoding="utf-8")
    if chance.random() < 0.25:
        line = chance.choice(
            [
                "x = 1",
                "[mcq",
                'name = "again"',
                "a = 1979-05-27",
                "[[sources]]",
                f"seed = {'9' * 5000}",
                "seed = nan",
                f"x = {'[' * 5000}{']' * 5000}",
                "\x00",
                'title = "a\\u0000b"',
                'title = "a\\u001b[31m"',
                "[food]\nlanguages = []",
                "[saq]\nwanted = " + "9" * 30,
                "[mcq]\ntarget_min_votes = 999999999999",
                "[mcq]\ntarget_min_votes = " + "9" * 30,
            ]
        )
        lines = text.split("\n")
        lines.insert(chance.randint(0, len(lines)), line)
        path.write_text("\n".join(lines), encoding="utf-8")
        return f"a line {line[:30]!r}"
    value, done = _damaged(tomllib.loads(text), chance, keys=True)
    try:
        path.write_text(tomli_w.dumps(_without_nulls(value)), encoding="utf-8")
    except (AttributeError, TypeError, ValueError):
        path.write_text(text + "\nx = [", encoding="utf-8")
        return "an open list"
    return done


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key or "x": _without_nulls(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [_without_nulls(inner) for inner in value if inner is not None]
    return value


def _damaged(value: Any, chance: random.Random, *, keys: bool) -> tuple[Any, str]:
    """A copy of a value with one part changed, and what was done in words."""
    value = copy.deepcopy(value)
    places = list(_places(value))
    if not places or chance.random() < 0.03:
        new = chance.choice(_VALUES)
        return new, f"the whole is {_short(new)}"
    # Deep parts are many and alike: a path is chosen by its keys first, then by the element.
    shapes = sorted({shape for shape, _, _ in places})
    shape = chance.choice(shapes)
    _, holder, key = chance.choice([place for place in places if place[0] == shape])
    what = chance.choice(
        ["value", "value", "value", "value", "removed", "renamed", "wrapped", "repeated", "of another"]
    )
    if what == "removed":
        del holder[key]
    elif what == "renamed" and isinstance(holder, dict):
        holder[chance.choice(["x", "", "\x1b[31m", f"{key} ", f"{key}".upper()])] = holder.pop(key)
    elif what == "wrapped":
        for _ in range(chance.choice([1, 200])):
            holder[key] = [holder[key]]
    elif what == "repeated" and isinstance(holder, list):
        holder.extend([holder[key]] * chance.choice([1, 50]))
    elif what == "of another":
        _, other, other_key = chance.choice(places)
        holder[key] = copy.deepcopy(other[other_key])
    else:
        new = chance.choice(_VALUES)
        holder[key] = new
        return value, f"{shape} = {_short(new)}"
    return value, f"{shape} {what}"


def _short(value: object) -> str:
    try:
        return repr(value)[:40]
    except ValueError:
        return "a number of 5000 digits"


def _places(value: Any, shape: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Every part of a value: its path without indices, what holds it, and its key there."""
    inner: Any = ()
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, list):
        inner = enumerate(value)
    for key, part in inner:
        path = f"{shape}[]" if isinstance(value, list) else f"{shape}.{key}".lstrip(".")
        yield path, value, key
        yield from _places(part, path)


def damage_table(path: Path, chance: random.Random) -> str:
    """Change cells or columns of a CSV or TSV file."""
    separator = "\t" if path.suffix == ".tsv" else ","
    text = path.read_bytes().decode("utf-8", "replace")
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    width = max(map(len, rows), default=0)
    if not rows or not width:
        path.write_text("x\n")
        return "a header 'x'"
    done = chance.choice(_TABLES)(rows, width, chance)
    new = chance.choice([separator] * 8 + [";", "\t"])
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=new, lineterminator=chance.choice(["\n", "\n", "\r\n"])).writerows(rows)
    path.write_text(out.getvalue(), encoding="utf-8", newline="")
    return done if new == separator else f"{done}, separated by {new!r}"


def _cell(rows: list[list[str]], width: int, chance: random.Random) -> str:
    row, column = chance.randrange(len(rows)), chance.randrange(width)
    if column < len(rows[row]):
        rows[row][column] = chance.choice(_TEXTS)
        return f"row {row + 1}, column {column + 1} is {_short(rows[row][column])}"
    return "as it was"


def _whole_column(rows: list[list[str]], width: int, chance: random.Random) -> str:
    column, text = chance.randrange(width), chance.choice(_TEXTS)
    for row in rows[1:]:
        if column < len(row):
            row[column] = text
    return f"column {column + 1} is {_short(text)} everywhere"


def _columns(rows: list[list[str]], width: int, chance: random.Random) -> str:
    first, second = chance.randrange(width), chance.randrange(width)
    what = chance.choice(["swapped", "removed", "repeated", "headings swapped", "heading of another"])
    for row in rows if what != "headings swapped" and what != "heading of another" else rows[:1]:
        if max(first, second) >= len(row):
            continue
        if what in ("swapped", "headings swapped"):
            row[first], row[second] = row[second], row[first]
        elif what == "removed":
            del row[first]
        elif what == "repeated":
            row.append(row[first])
        else:
            row[first] = chance.choice(_TEXTS)
    return f"columns {first + 1} and {second + 1}: {what}"


def _rows(rows: list[list[str]], width: int, chance: random.Random) -> str:
    row = chance.randrange(len(rows))
    what = chance.choice(
        ["longer", "shorter", "twice", "only the header", "header twice", "no header", "reversed"]
    )
    if what == "longer":
        rows[row].append("x")
    elif what == "shorter":
        rows[row] = rows[row][:-1]
    elif what == "twice":
        rows.append(rows[row])
    elif what == "only the header":
        del rows[1:]
    elif what == "header twice":
        rows.insert(1, rows[0])
    elif what == "no header":
        del rows[0]
    else:
        rows.reverse()
    return f"row {row + 1}: {what}"


_TABLES: tuple[Callable[[list[list[str]], int, random.Random], str], ...] = (
    _cell,
    _cell,
    _cell,
    _whole_column,
    _columns,
    _rows,
)


def damage_parquet(path: Path, chance: random.Random) -> str:
    """Write a Parquet file anew, with another column, type or value."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(io.BytesIO(path.read_bytes())).read()
    except (pa.ArrowException, OSError):
        path.write_bytes(b"PAR1")
        return "a magic number"
    name = chance.choice(table.column_names)
    what = chance.choice([*_COLUMN_DAMAGES, *_TABLE_DAMAGES])
    if what in _COLUMN_DAMAGES:
        at = table.column_names.index(name)
        table = table.set_column(at, name, _COLUMN_DAMAGES[what](table, at, chance))
    else:
        table = _TABLE_DAMAGES[what](table, name)
    if chance.random() < 0.5:
        table = table.replace_schema_metadata(None)
    pq.write_table(table, path)
    return f"column {name}: {what}"


def _one_null(table: Any, at: int, _: random.Random) -> Any:
    import pyarrow as pa

    column = table.column(at)
    return pa.chunked_array([pa.array([None], column.type), *column.slice(1).chunks]) if len(column) else column


def _every(value: Any) -> Callable[[Any, int, random.Random], Any]:
    """A damage that puts one value into every row."""

    def damaged(table: Any, _: int, __: random.Random) -> Any:
        import pyarrow as pa

        return pa.array([value] * table.num_rows)

    return damaged


def _drawn(values: Sequence[Any], kind: str) -> Callable[[Any, int, random.Random], Any]:
    """A damage that puts one of some values of a type into every row."""

    def damaged(table: Any, _: int, chance: random.Random) -> Any:
        import pyarrow as pa

        return pa.array([chance.choice(values)] * table.num_rows, pa.type_for_alias(kind))

    return damaged


def _as_text(table: Any, at: int, _: random.Random) -> Any:
    import pyarrow as pa

    return pa.array([str(value)[:1000] for value in table.column(at).to_pylist()], pa.string())


def _all_null(table: Any, at: int, _: random.Random) -> Any:
    import pyarrow as pa

    return pa.nulls(table.num_rows, table.column(at).type)


def _twice(table: Any, _: str) -> Any:
    import pyarrow as pa

    return pa.concat_tables([table, table])


def _renamed(table: Any, name: str) -> Any:
    return table.rename_columns([f"{one}_" if one == name else one for one in table.column_names])


_COLUMN_DAMAGES: dict[str, Callable[[Any, int, random.Random], Any]] = {
    "null": _all_null,
    "text": _as_text,
    "number": _drawn([0, -1, 2**62], "int64"),
    "list": _every(["x"]),
    "odd text": _drawn(_TEXTS, "string"),
    "one null": _one_null,
    "struct": _every({"x": 1}),
    "date": _drawn([0], "timestamp[us]"),
    "another column": lambda table, _, chance: table.column(chance.randrange(table.num_columns)),
}
"""What happens to a column, given the table, its place and what is drawn."""

_TABLE_DAMAGES: dict[str, Callable[[Any, str], Any]] = {
    "dropped": lambda table, name: table.drop_columns([name]),
    "renamed": _renamed,
    "no rows": lambda table, _: table.slice(0, 0),
    "twice": _twice,
    "reversed": lambda table, _: table.take(list(range(table.num_rows - 1, -1, -1))),
    "one row": lambda table, _: table.slice(0, 1),
    "no columns": lambda table, _: table.select([]),
}
"""What happens to the whole table, given the name of a column."""
