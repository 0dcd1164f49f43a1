"""Records: what a net has seen, as JSON that a person can read in a diff, and what is different now."""

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

WIDTH = 110
"""Characters up to which a list or an object stands in one line."""

DIGITS = 1e-12
"""Relative difference of two floats that are one: the last digits of a sum depend on the processor's vector
instructions (with AVX and without, figures of six nets differ in the sixteenth digit)."""

ABSENT = object()


def write_record(file: Path, value: Any) -> None:
    """Write a record; its folder is made."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(_laid_out(value) + "\n", encoding="utf-8")


def read_record(file: Path) -> Any:
    """What `write_record` has written."""
    return json.loads(file.read_text(encoding="utf-8"))


def differences(recorded: Any, now: Any, where: str = "") -> list[str]:
    """What differs between two values of JSON, a line each, by where it stands."""
    return list(_differences(recorded, now, where))


def _differences(recorded: Any, now: Any, where: str) -> Iterator[str]:
    if isinstance(recorded, dict) and isinstance(now, dict):
        for key in {**recorded, **now}:
            name = f"{where}.{key}" if where else key
            yield from _differences(recorded.get(key, ABSENT), now.get(key, ABSENT), name)
    elif isinstance(recorded, list) and isinstance(now, list) and len(recorded) == len(now):
        for i, (old, new) in enumerate(zip(recorded, now, strict=True)):
            yield from _differences(old, new, f"{where}[{i}]")
    # 1 and 1.0 are two values here, since readers of JSON tell a count from a share by it.
    elif type(recorded) is not type(now) or not _equal(recorded, now):
        yield f"{where}: {_shown(recorded)} was recorded, {_shown(now)} is there now"


def _equal(recorded: Any, now: Any) -> bool:
    if isinstance(recorded, float):
        return math.isclose(recorded, now, rel_tol=DIGITS, abs_tol=DIGITS)
    return bool(recorded == now)


def _shown(value: Any) -> str:
    if value is ABSENT:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else f"{text[:300]}…"


def _laid_out(value: Any, indent: int = 0) -> str:
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or not value or len(line) + indent <= WIDTH:
        return line
    pad = " " * (indent + 1)
    if isinstance(value, dict):
        parts = [f"{pad}{json.dumps(key)}: {_laid_out(part, indent + 1)}" for key, part in value.items()]
    else:
        parts = [pad + _laid_out(part, indent + 1) for part in value]
    begin, end = "{}" if isinstance(value, dict) else "[]"
    return f"{begin}\n" + ",\n".join(parts) + f"\n{' ' * indent}{end}"
