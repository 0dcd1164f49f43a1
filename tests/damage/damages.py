"""Damages: what a disk, a spreadsheet, an editor, a program or a person does to a file.

Each takes the path of a file and a source of chance, changes the file, and says in words what it did.
"""

import os
import random
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

from damaged_values import damage_json, damage_jsonl, damage_parquet, damage_table, damage_toml

Damage = Callable[[Path, random.Random], str]


def damage_file(path: Path, chance: random.Random) -> str:
    """Damage a file in one of all ways that fit it; says what was done."""
    by_kind = _BY_ENDING.get(path.suffix)
    if by_kind is not None and chance.random() < 0.55:
        return by_kind(path, chance)
    return chance.choice(_ANY)(path, chance)


def damage_folder(path: Path, chance: random.Random) -> str:
    """Damage a folder; says what was done."""
    return chance.choice(_FOLDERS)(path, chance)


def _truncated(path: Path, chance: random.Random) -> str:
    content = path.read_bytes()
    kept = chance.randrange(len(content)) if content else 0
    path.write_bytes(content[:kept])
    return f"cut off after {kept} of {len(content)} bytes"


def _flipped(path: Path, chance: random.Random) -> str:
    content = bytearray(path.read_bytes())
    for _ in range(chance.randint(1, 20)):
        if content:
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)
    return "bits flipped"


def _inserted(path: Path, chance: random.Random) -> str:
    content = path.read_bytes()
    at = chance.randint(0, len(content))
    junk = chance.choice(
        [
            b"\x00",
            b"\x00" * 4096,
            b"\xff\xfe",
            b"\x1b[31m",
            "\u202e".encode(),
            "\u200b".encode(),
            b"\x85",
            b"\r",
            b"\xef\xbb\xbf",
            b'"',
            b"<<<<<<< HEAD\n",
            b"\xed\xa0\x80",
            os.urandom(0) + chance.randbytes(40),
        ]
    )
    path.write_bytes(content[:at] + junk + content[at:])
    return f"{junk[:12]!r} put in at byte {at}"


def _overwritten(path: Path, chance: random.Random) -> str:
    content = bytearray(path.read_bytes())
    at = chance.randint(0, len(content))
    size = chance.choice([1, 16, 512])
    content[at : at + size] = bytes(size)
    path.write_bytes(content)
    return f"{size} zeros over byte {at}"


def _emptied(path: Path, chance: random.Random) -> str:
    path.write_bytes(chance.choice([b"", b"\n", b" ", b"\xef\xbb\xbf", b"null\n", b"{}", b"[]", b"0"]))
    return f"holds only {path.read_bytes()!r}"


def _recoded(path: Path, chance: random.Random) -> str:
    encoding = chance.choice(
        ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-7", "cp1252", "utf-8-sig", "shift_jis"]
    )
    text = path.read_bytes().decode("utf-8", "replace")
    path.write_bytes(text.encode(encoding, "replace"))
    return f"saved as {encoding}"


def _lines(path: Path, chance: random.Random) -> str:
    lines = path.read_bytes().split(b"\n")
    at = chance.randrange(len(lines))
    what = chance.choice(["removed", "repeated", "swapped", "repeated 300 times", "ends with CR", "all joined"])
    if what == "removed":
        del lines[at]
    elif what == "repeated":
        lines.insert(at, lines[at])
    elif what == "swapped":
        other = chance.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    elif what == "repeated 300 times":
        lines[at:at] = [lines[at]] * 300
    path.write_bytes({"ends with CR": b"\r", "all joined": b""}.get(what, b"\n").join(lines))
    return f"line {at + 1} {what}"


def _replaced_by_text(path: Path, chance: random.Random) -> str:
    name, text = chance.choice(
        [
            ("100,000 open brackets", "[" * 100_000),
            ("100,000 open objects", '{"a":' * 100_000),
            ("a number of 5000 digits", "9" * 5000),
            ("100,000 columns", ",".join(f"c{n}" for n in range(100_000)) + "\n"),
            ("one line of two million letters", "a" * 2_000_000),
            ("a page of HTML", "<!DOCTYPE html><html><body>404</body></html>\n"),
            ("a Git LFS pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n"),
            ("a zip archive", "PK\x03\x04" + "\x00" * 40),
            ("a Parquet magic", "PAR1" + "\x00" * 40 + "PAR1"),
        ]
    )
    path.write_text(text, encoding="utf-8")
    return f"replaced by {name}"


def _swapped(path: Path, chance: random.Random) -> str:
    others = [other for other in sorted(path.parent.rglob("*")) if other.is_file() and other != path]
    if not others:
        return _emptied(path, chance)
    other = chance.choice(others)
    shutil.copyfile(other, path)
    return f"replaced by a copy of {other.name}"


def _special(path: Path, chance: random.Random) -> str:
    """Something else than a file in its place."""
    what = chance.choice(
        [
            "missing",
            "folder",
            "full folder",
            "pipe",
            "socket",
            "dangling link",
            "loop",
            "device",
            "zeros",
            "forbidden",
            "link to its folder",
        ]
    )
    if what == "forbidden":
        path.chmod(0)
        return "nobody may read it"
    path.unlink()
    makers: dict[str, Callable[[], object]] = {
        "missing": lambda: None,
        "folder": path.mkdir,
        "full folder": lambda: (path.mkdir(), (path / "x").write_text("x")),
        "pipe": lambda: os.mkfifo(path),
        "socket": lambda: _socket(path),
        "dangling link": lambda: path.symlink_to("nowhere"),
        "loop": lambda: path.symlink_to(path.name),
        "device": lambda: path.symlink_to("/dev/tty"),
        "zeros": lambda: path.symlink_to("/dev/zero"),
        "link to its folder": lambda: path.symlink_to("."),
    }
    makers[what]()
    return f"in its place: {what}"


def _socket(path: Path) -> None:
    listening = socket.socket(socket.AF_UNIX)
    before = Path.cwd()
    os.chdir(path.parent)  # the name of a socket has 100 bytes at most
    try:
        listening.bind(path.name)
    finally:
        os.chdir(before)
        listening.close()


_ANY: tuple[Damage, ...] = (
    _truncated,
    _flipped,
    _inserted,
    _overwritten,
    _emptied,
    _recoded,
    _lines,
    _replaced_by_text,
    _swapped,
    _special,
    _special,
)

_BY_ENDING: dict[str, Damage] = {
    ".csv": damage_table,
    ".tsv": damage_table,
    ".json": damage_json,
    ".jsonl": damage_jsonl,
    ".toml": damage_toml,
    ".parquet": damage_parquet,
}


def _read_only(path: Path, chance: random.Random) -> str:
    path.chmod(0o555)
    return "read-only"


def _forbidden(path: Path, chance: random.Random) -> str:
    path.chmod(chance.choice([0, 0o444, 0o111]))
    return f"has the permissions {path.stat().st_mode & 0o777:o}"


def _folder_replaced(path: Path, chance: random.Random) -> str:
    shutil.rmtree(path)
    what = chance.choice(
        ["missing", "a file", "an empty folder", "a pipe", "a dangling link", "a loop", "a strange folder"]
    )
    makers: dict[str, Callable[[], object]] = {
        "missing": lambda: None,
        "a file": lambda: path.write_text("x"),
        "an empty folder": path.mkdir,
        "a pipe": lambda: os.mkfifo(path),
        "a dangling link": lambda: path.symlink_to("nowhere"),
        "a loop": lambda: path.symlink_to(path.name),
        "a strange folder": lambda: (path.mkdir(), (path / "thesis.txt").write_text("x")),
    }
    makers[what]()
    return f"in its place: {what}"


def _more_inside(path: Path, chance: random.Random) -> str:
    name = chance.choice(
        ["thesis.txt", ".hidden", "data", "a\nb.csv", "ko-KR.csv", "x" * 200, "n\udcff.jsonl", ".lock"]
    )
    what = chance.choice(["file", "folder", "pipe"])
    target = path / name
    if target.exists():
        return "as it was"
    {"file": lambda: target.write_text("x"), "folder": target.mkdir, "pipe": lambda: os.mkfifo(target)}[what]()
    return f"holds a {what} {name!r} as well"


def _all_truncated(path: Path, chance: random.Random) -> str:
    for file in path.rglob("*"):
        if file.is_file():
            file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    return "every file in it cut in half"


_FOLDERS: tuple[Damage, ...] = (
    _read_only,
    _forbidden,
    _folder_replaced,
    _folder_replaced,
    _more_inside,
    _all_truncated,
)
