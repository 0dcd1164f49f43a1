"""Prompts: texts with slots, filled for a whole frame at once."""

from collections.abc import Iterable, Mapping

import polars as pl


def filled(prompt: str, values: Mapping[str, pl.Expr]) -> pl.Expr:
    """A prompt with an expression in each slot.

    Args:
        prompt: Text with slots ``{name}``. Other braces are text.
        values: Expression by name of the slot. What it yields is never read as a slot itself.
    """
    parts: list[pl.Expr] = []
    rest = prompt
    while rest:
        name = _first_slot(rest, values)
        if name is None:
            parts.append(pl.lit(rest))
            break
        before, _, rest = rest.partition(f"{{{name}}}")
        parts += [pl.lit(before), values[name]] if before else [values[name]]
    return pl.concat_str(parts)


def _first_slot(text: str, names: Iterable[str]) -> str | None:
    found = [(text.index(f"{{{name}}}"), name) for name in names if f"{{{name}}}" in text]
    return min(found)[1] if found else None
