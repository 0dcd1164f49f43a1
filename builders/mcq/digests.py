"""Digests: numbers that depend on texts alone, for choices that no other question or locale can sway."""

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

Digests = npt.NDArray[np.uint64]


def digest(*parts: object) -> int:
    """A number of 64 bits that depends on the parts alone: the same in every process, for every version."""
    return int.from_bytes(_hashed(joined(*parts)), "big")


def joined(*parts: object) -> str:
    """The text that the digest of some parts is taken of; joined parts can be parts in turn."""
    return "\x1f".join(map(str, parts))


def digests(texts: Iterable[str]) -> Digests:
    """The digest of every text that `joined` made."""
    return np.frombuffer(b"".join(map(_hashed, texts)), ">u8").astype(np.uint64)


def _hashed(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=8).digest()
