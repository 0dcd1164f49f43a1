"""Damages: what a disk, a spreadsheet, an editor, a program or a person does to a file or a folder.

Each takes a path and a source of chance, changes what lies there, and says in words what it did.
"""

import copy
import csv
import io
import json
import os
import random
import shutil
import socket
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

import tomli_w

Damage = Callable[[Path, random.Random], str]

_TEXTS = (
    *("", " ", "\x00", "a\x00b", "\u200b", "\u202edlrow", "\x1b[31mred", "a\nb", "\x7f", "\u0085", "=1+1"),
    "#REF!",
    *("null", "nan", "-1", "1e400", "1.5", "9" * 400, "true", "0", "../../x", "/etc/passwd", "../", ".", "con"),
    *("[/bold]", "{country}", "{", "%s", "<script>", "| a | b |", "a" * 100_000, "\U0001f35a" * 50, "e\u0301"),
    *("\ufdfa", "\ufeffx", "\ufffe", "\ue000", "mina@example.org", "xx-XX", "ko-KR", "2026-13-45", "v1.0.0"),
    *("1.0.0-rc", "org/x@main"),
)
_VALUES = (
    *(None, True, False, 0, -1, 1, 10**30, -(10**30), 2**63, 2**64, 10**4999, 1.5, -0.0, 1e308, float("nan")),
    *(float("inf"), [], {}, [None], [[]], {"": None}, {"a": {"b": []}}, [1, "a"], *_TEXTS),
)


def damage_file(path: Path, chance: random.Random) -> str:
    """Damage a file in one of all ways that fit it."""
    by_kind = _BY_ENDING.get(path.suffix)
    if by_kind is not None and chance.random() < 0.55:
        return by_kind(path, chance)
    return chance.choice((_bytes, _bytes, _recoded, _lines, _replaced, _special))(path, chance)


def damage_folder(path: Path, chance: random.Random) -> str:
    what = chance.choice(("permissions", "replaced", "more inside", "cut"))
    if what == "permissions":
        path.chmod(chance.choice([0o555, 0, 0o444, 0o111]))
        return f"has the permissions {path.stat().st_mode & 0o777:o}"
    if what == "replaced":
        shutil.rmtree(path)
        return _something_else(path, chance)
    if what == "cut":
        for file in path.rglob("*"):
            if file.is_file():
                file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
        return "every file in it cut in half"
    names = ("thesis.txt", ".hidden", "data", "a\nb.csv", "ko-KR.csv", "x" * 200, "n\udcff.jsonl", ".lock")
    inside = path / chance.choice(names)
    return "as it was" if inside.exists() else f"inside, {inside.name!r} {_something_else(inside, chance)}"


def _bytes(path: Path, chance: random.Random) -> str:
    """Content cut off, flipped, overwritten, or with something strange in it."""
    content = bytearray(path.read_bytes())
    at = chance.randint(0, len(content))
    what = chance.choice(("cut off", "bits flipped", "zeros", "junk", "empty"))
    if what == "cut off":
        del content[at:]
    elif what == "bits flipped":
        for _ in range(chance.randint(1, 20) if content else 0):
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    elif what == "zeros":
        size = chance.choice([1, 16, 512])
        content[at : at + size] = bytes(size)
    elif what == "junk":
        junk = (
            b"\x00",
            b"\x00" * 4096,
            b"\xff\xfe",
            b"\x1b[31m",
            "\u202e".encode(),
            "\u200b".encode(),
            b"\x85",
        )
        more = (b"\r", b"\xef\xbb\xbf", b'"', b"<<<<<<< HEAD\n", b"\xed\xa0\x80", chance.randbytes(40))
        content[at:at] = chance.choice((*junk, *more))
    else:
        content[:] = chance.choice([b"", b"\n", b" ", b"\xef\xbb\xbf", b"null\n", b"{}", b"[]", b"0"])
    path.write_bytes(content)
    return f"{what} at byte {at}"


def _recoded(path: Path, chance: random.Random) -> str:
    encodings = ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-7", "cp1252", "utf-8-sig", "shift_jis"]
    encoding = chance.choice(encodings)
    path.write_bytes(path.read_bytes().decode("utf-8", "replace").encode(encoding, "replace"))
    return f"saved as {encoding}"


def _lines(path: Path, chance: random.Random) -> str:
    lines = path.read_bytes().split(b"\n")
    at, end = chance.randrange(len(lines)), b"\n"
    what = chance.choice(["removed", "repeated", "swapped", "repeated 300 times", "ends with CR", "all joined"])
    if what == "removed":
        del lines[at]
    elif what.startswith("repeated"):
        lines[at:at] = [lines[at]] * (300 if "300" in what else 1)
    elif what == "swapped":
        other = chance.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    else:
        end = b"\r" if "CR" in what else b""
    path.write_bytes(end.join(lines))
    return f"line {at + 1} {what}"


def _replaced(path: Path, chance: random.Random) -> str:
    """Another content: of a neighbour, or of another program."""
    others = [other for other in sorted(path.parent.rglob("*")) if other.is_file() and other != path]
    if others and chance.random() < 0.4:
        other = chance.choice(others)
        shutil.copyfile(other, path)
        return f"replaced by a copy of {other.name}"
    texts = {
        "100,000 open brackets": "[" * 100_000,
        "100,000 open objects": '{"a":' * 100_000,
        "a number of 5000 digits": "9" * 5000,
        "100,000 columns": ",".join(f"c{n}" for n in range(100_000)) + "\n",
        "one line of two million letters": "a" * 2_000_000,
        "a page of HTML": "<!DOCTYPE html><html><body>404</body></html>\n",
        "a Git LFS pointer": "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n",
        "a zip archive": "PK\x03\x04" + "\x00" * 40,
        "a Parquet magic": "PAR1" + "\x00" * 40 + "PAR1",
    }
    name = chance.choice(sorted(texts))
    path.write_text(texts[name], encoding="utf-8")
    return f"replaced by {name}"


def _special(path: Path, chance: random.Random) -> str:
    if chance.random() < 0.1:
        path.chmod(0)
        return "nobody may read it"
    path.unlink()
    return _something_else(path, chance)


def _something_else(path: Path, chance: random.Random) -> str:
    """Put something else than was expected where nothing lies."""
    makers: dict[str, Callable[[], object]] = {
        "nothing": lambda: None,
        "a file": lambda: path.write_text("x"),
        "a folder": path.mkdir,
        "a full folder": lambda: (path.mkdir(), (path / "thesis.txt").write_text("x")),
        "a pipe": lambda: os.mkfifo(path),
        "a socket": lambda: _socket(path),
        "a dangling link": lambda: path.symlink_to("nowhere"),
        "a loop": lambda: path.symlink_to(path.name),
        "a device": lambda: path.symlink_to("/dev/tty"),
        "zeros": lambda: path.symlink_to("/dev/zero"),
        "a link to its folder": lambda: path.symlink_to("."),
    }
    if len(os.fsencode(path.name)) > _NAME_OF_SOCKET:
        del makers["a socket"]
    what = chance.choice(sorted(makers))
    makers[what]()
    return f"is now {what}"


_NAME_OF_SOCKET = 100
"""Bytes that the name of a socket has at most."""


def _socket(path: Path) -> None:
    with chdir(path.parent):  # a path would be too long
        socket.socket(socket.AF_UNIX).bind(path.name)


def _json(path: Path, chance: random.Random) -> str:
    """A value somewhere in a JSON file, or in a line of a JSON Lines file."""
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n") if path.suffix == ".jsonl" else [text]
    at = chance.randrange(len(lines))
    try:
        value, done = _damaged(json.loads(lines[at]), chance)
    except ValueError:
        value, done = {}, "an empty object"
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    lines[at] = json.dumps(value, ensure_ascii=False)
    sys.set_int_max_str_digits(limit)
    path.write_text("\n".join(lines), encoding="utf-8", errors="surrogatepass")
    return f"line {at + 1}: {done}"


_TOML_LINES = (
    *("x = 1", "[mcq", 'name = "again"', "a = 1979-05-27", "[[sources]]", f"seed = {'9' * 5000}", "seed = nan"),
    *(f"x = {'[' * 5000}{']' * 5000}", "\x00", 'title = "a\\u0000b"', 'title = "a\\u001b[31m"'),
    *("[food]\nlanguages = []", "[saq]\nwanted = " + "9" * 30, "[mcq]\ntarget_min_votes = " + "9" * 12),
)


def _toml(path: Path, chance: random.Random) -> str:
    """A value somewhere in a TOML file, a key, or a line more."""
    text = path.read_text(encoding="utf-8")
    if chance.random() < 0.25:
        line, lines = chance.choice(_TOML_LINES), text.split("\n")
        lines.insert(chance.randint(0, len(lines)), line)
        path.write_text("\n".join(lines), encoding="utf-8")
        return f"a line {line[:30]!r}"
    value, done = _damaged(tomllib.loads(text), chance)
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


def _damaged(value: Any, chance: random.Random) -> tuple[Any, str]:
    """A copy of a value with one part changed, and what was done in words."""
    value = copy.deepcopy(value)
    places = list(_places(value))
    if not places or chance.random() < 0.03:
        return chance.choice(_VALUES), "another whole"
    # Deep parts are many and alike: a path is chosen by its keys first, then by the element.
    shape = chance.choice(sorted({shape for shape, _, _ in places}))
    _, holder, key = chance.choice([place for place in places if place[0] == shape])
    what = chance.choice([*["value"] * 4, "removed", "renamed", "wrapped", "repeated", "of another"])
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
        holder[key] = chance.choice(_VALUES)
    return value, f"{shape} {what}"


def _places(value: Any, shape: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Every part of a value: its path without indices, what holds it, and its key there."""
    is_list = isinstance(value, list)
    for key, part in enumerate(value) if is_list else value.items() if isinstance(value, dict) else ():
        path = f"{shape}[]" if is_list else f"{shape}.{key}".lstrip(".")
        yield path, value, key
        yield from _places(part, path)


def _table(path: Path, chance: random.Random) -> str:
    """Cells, columns or rows of a CSV or TSV file."""
    separator = "\t" if path.suffix == ".tsv" else ","
    text = path.read_bytes().decode("utf-8", "replace")
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    if not any(rows):
        return _bytes(path, chance)
    row, first, second = (chance.randrange(n) for n in (len(rows), len(rows[0]), len(rows[0])))
    what = chance.choice([*["cell"] * 4, "column", "swapped columns", "swapped headings", "no column", *_ROWS])
    lines = {"cell": rows[row : row + 1], "swapped headings": rows[:1]}.get(what, rows)
    if what in _ROWS:
        _ROWS[what](rows, row)
        lines = []
    for line in lines:
        if max(first, second) >= len(line):
            continue
        if what in ("cell", "column"):
            line[first] = chance.choice(_TEXTS)
        elif what == "no column":
            del line[first]
        else:
            line[first], line[second] = line[second], line[first]
    new, out = chance.choice([separator] * 8 + [";", "\t"]), io.StringIO(newline="")
    csv.writer(out, delimiter=new, lineterminator=chance.choice(["\n", "\n", "\r\n"])).writerows(rows)
    path.write_text(out.getvalue(), encoding="utf-8", newline="")
    return f"row {row + 1}, column {first + 1}: {what}, separated by {new!r}"


_ROWS: dict[str, Callable[[list[list[str]], int], object]] = {
    "longer row": lambda rows, row: rows[row].append("x"),
    "shorter row": lambda rows, row: rows[row] and rows[row].pop(),
    "row twice": lambda rows, row: rows.append(list(rows[row])),
    "only the header": lambda rows, _: rows.__delitem__(slice(1, None)),
    "header twice": lambda rows, _: rows.insert(1, list(rows[0])),
    "no header": lambda rows, _: rows[1:] and rows.pop(0),
    "reversed": lambda rows, _: rows.reverse(),
}


def _parquet(path: Path, chance: random.Random) -> str:
    """A Parquet file written anew, with another column, type or value."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.ParquetFile(io.BytesIO(path.read_bytes())).read()
    at, n = chance.randrange(table.num_columns), table.num_rows
    name, column = table.column_names[at], table.column(at)
    columns: dict[str, Callable[[], Any]] = {
        "null": lambda: pa.nulls(n, column.type),
        "text": lambda: pa.array([str(value)[:1000] for value in column.to_pylist()], pa.string()),
        "number": lambda: pa.array([chance.choice([0, -1, 2**62])] * n, pa.int64()),
        "odd text": lambda: pa.array([chance.choice(_TEXTS)] * n, pa.string()),
        "struct": lambda: pa.array([{"x": 1}] * n),
        "another column": lambda: table.column(chance.randrange(table.num_columns)),
    }
    tables: dict[str, Callable[[], Any]] = {
        "dropped": lambda: table.drop_columns([name]),
        "renamed": lambda: table.rename_columns([one + "_" * (one == name) for one in table.column_names]),
        "no rows": lambda: table.slice(0, 0),
        "twice": lambda: pa.concat_tables([table, table]),
        "reversed": lambda: table.take(list(range(n - 1, -1, -1))),
    }
    what = chance.choice([*columns, *tables])
    table = table.set_column(at, name, columns[what]()) if what in columns else tables[what]()
    pq.write_table(table.replace_schema_metadata(None) if chance.random() < 0.5 else table, path)
    return f"column {name}: {what}"


_BY_ENDING: dict[str, Damage] = {
    ".csv": _table,
    ".tsv": _table,
    ".json": _json,
    ".jsonl": _json,
    ".toml": _toml,
    ".parquet": _parquet,
}
