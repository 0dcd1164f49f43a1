"""Digests: numbers that depend on texts alone, for choices that no other row can sway."""

from hashlib import blake2b


def digest(*parts: object) -> int:
    """Compute a number of 64 bits that depends on the parts alone: the same in every process and version."""
    text = "\x1f".join(map(str, parts))
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")
