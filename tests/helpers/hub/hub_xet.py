"""The Hub's answers about files that travel in chunks (Xet): taking chunks, and saying where they are.

A file is a list of terms, each a run of chunks in a *xorb*, which is a bundle of compressed chunks; a *shard*
says which terms make which files. Formats: https://huggingface.co/docs/xet. What arrives is put together and
compared with its SHA-256 at once, so that it can also be read whole.
"""

import hashlib
import json
import re
import struct
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from helpers.hub.hub_api import REPO, REVISION, readable_at, writable
from helpers.hub.hub_files import SIGNED, send_range
from helpers.hub.hub_store import Store, atomic_write

if TYPE_CHECKING:
    from helpers.hub.hub_server import Handler

TOKEN = "xet-token-of-the-chunk-store"
"""What the chunk store asks for instead of the user's token."""

_ENTRY = 48
_BOOKEND = b"\xff" * 32
_VERIFIED, _EXTENDED = 1 << 31, 1 << 30


class Term(NamedTuple):
    """A run of chunks that belongs to a file."""

    xorb: str
    size: int
    start: int
    end: int


class Chunk(NamedTuple):
    """A chunk in a xorb: where its bytes lie there, and what they are."""

    offset: int
    end: int
    content: bytes


def write_token(handler: "Handler", repo: str, revision: str) -> None:
    if writable(handler, repo) is not None:
        _send_token(handler)


def read_token(handler: "Handler", repo: str, revision: str) -> None:
    if readable_at(handler, repo, revision) is not None:
        _send_token(handler)


def _send_token(handler: "Handler") -> None:
    url, expires = handler.hub.storage_url, int(time.time()) + 3600
    headers = {"X-Xet-Cas-Url": url, "X-Xet-Access-Token": TOKEN, "X-Xet-Token-Expiration": str(expires)}
    handler.json({"casUrl": url, "exp": expires, "accessToken": TOKEN}, headers=headers)


def take_xorb(handler: "Handler", xorb: str) -> None:
    if _is_admitted(handler):
        atomic_write(handler.hub.store.root / "xorbs" / xorb, handler.body)
        handler.json({"was_inserted": True})


def take_shard(handler: "Handler") -> None:
    if not _is_admitted(handler):
        return
    store = handler.hub.store
    for file, terms, digest in _read_shard(handler.body):
        if not all((store.root / "xorbs" / term.xorb).exists() for term in terms):
            handler.refuse(400, "a file has chunks in a xorb that did not arrive")
            return
        content = b"".join(chunk.content for term in terms for chunk in _chunks_of(store, term))
        sha256 = hashlib.sha256(content).hexdigest()
        if digest not in (bytes.fromhex(sha256), _swapped(bytes.fromhex(sha256))):
            handler.refuse(400, "a file does not have the SHA-256 that the shard names")
            return
        atomic_write(store.large_path(sha256), content)
        atomic_write(store.root / "xorbs" / f"{sha256}.file", file.encode())
        atomic_write(store.root / "xorbs" / f"{file}.terms", json.dumps(terms).encode())
    handler.json({"result": 1})


def reconstruct(handler: "Handler", file: str) -> None:
    """Which chunks make a file, and where they can be had."""
    if not _is_admitted(handler):
        return
    store = handler.hub.store
    path = store.root / "xorbs" / f"{file}.terms"
    if not path.exists():
        handler.refuse(404, "no such file")
        return
    terms = [Term(*term) for term in json.loads(path.read_bytes())]
    asked = re.fullmatch(r"bytes=(\d+)-(\d*)", handler.headers.get("Range", ""))
    start = int(asked[1]) if asked else 0
    end = int(asked[2]) + 1 if asked and asked[2] else sum(term.size for term in terms)
    if start >= sum(term.size for term in terms):
        handler.refuse(416, "the file is shorter")
        return
    chosen, skipped = _between(terms, start, end)
    handler.json(
        {
            "offset_into_first_range": start - skipped,
            "terms": [
                {"hash": t.xorb, "unpacked_length": t.size, "range": {"start": t.start, "end": t.end}}
                for t in chosen
            ],
            "fetch_info": _places(handler, chosen),
        }
    )


def _between(terms: list[Term], start: int, end: int) -> tuple[list[Term], int]:
    """The terms that a range of bytes touches, and how many bytes come before them."""
    chosen, skipped, position = [], 0, 0
    for term in terms:
        if position + term.size <= start:
            skipped += term.size
        elif position < end:
            chosen.append(term)
        position += term.size
    return chosen, skipped


def _places(handler: "Handler", terms: list[Term]) -> dict[str, list[dict[str, Any]]]:
    places: dict[str, list[dict[str, Any]]] = {}
    for term in dict.fromkeys(terms):
        chunks = _chunks_of(handler.hub.store, term)
        places.setdefault(term.xorb, []).append(
            {
                "range": {"start": term.start, "end": term.end},
                "url": f"{handler.hub.storage_url}/xorbs/{term.xorb}?{SIGNED}",
                "url_range": {"start": chunks[0].offset, "end": chunks[-1].end - 1},
            }
        )
    return places


def give_xorb(handler: "Handler", xorb: str) -> None:
    """Storage host: bytes of a xorb, to whoever has a signed address."""
    content = (handler.hub.store.root / "xorbs" / xorb).read_bytes()
    send_range(handler, content, {})


def find_chunk(handler: "Handler", chunk: str) -> None:
    """Whether a chunk is known from other files: this store does not say."""
    handler.refuse(404, "not tracked")


def _read_shard(shard: bytes) -> Iterator[tuple[str, list[Term], bytes]]:
    """File, terms and SHA-256 (as it stands there) of every file in a shard."""
    position = _ENTRY
    while (name := shard[position : position + 32]) != _BOOKEND:
        flags, n_terms = struct.unpack_from("<II", shard, position + 32)
        entries = [shard[position + _ENTRY * i : position + _ENTRY * (i + 1)] for i in range(1, n_terms + 1)]
        terms = []
        for entry in entries:
            _, size, start, end = struct.unpack_from("<IIII", entry, 32)
            terms.append(Term(_hash_text(entry[:32]), size, start, end))
        position += _ENTRY * (1 + n_terms * (2 if flags & _VERIFIED else 1))
        assert flags & _EXTENDED, "a repository needs the SHA-256 of each file"
        yield _hash_text(name), terms, shard[position : position + 32]
        position += _ENTRY


def _chunks_of(store: Store, term: Term) -> list[Chunk]:
    return list(_read_xorb((store.root / "xorbs" / term.xorb).read_bytes()))[term.start : term.end]


def _read_xorb(xorb: bytes) -> Iterator[Chunk]:
    """The chunks of a xorb; its footer begins with a letter where a chunk has its version, 0."""
    position = 0
    while position < len(xorb) and xorb[position] == 0:
        packed = int.from_bytes(xorb[position + 1 : position + 4], "little")
        scheme = xorb[position + 4]
        size = int.from_bytes(xorb[position + 5 : position + 8], "little")
        end = position + 8 + packed
        content = xorb[position + 8 : end]
        if scheme:
            content = pa.Codec("lz4").decompress(content, size, asbytes=True)
        yield Chunk(position, end, _ungrouped(content) if scheme == 2 else content)
        position = end


def _ungrouped(grouped: bytes) -> bytes:
    """Bytes in their own order, from an order in which every first of four comes first."""
    content, position = bytearray(len(grouped)), 0
    for group in range(4):
        size = len(range(group, len(grouped), 4))
        content[group::4] = grouped[position : position + size]
        position += size
    return bytes(content)


def _hash_text(digest: bytes) -> str:
    """A hash as addresses write it: four little-endian numbers."""
    return "".join(f"{number:016x}" for number in struct.unpack("<4Q", digest))


def _swapped(digest: bytes) -> bytes:
    return bytes.fromhex(_hash_text(digest))


def _is_admitted(handler: "Handler") -> bool:
    if handler.token != TOKEN:
        handler.refuse(401, "the chunk store has tokens of its own")
        return False
    return True


ROUTES = tuple(
    (method, re.compile(pattern), answer)
    for method, pattern, answer in (
        ("GET", f"/api/datasets/{REPO}/xet-write-token/{REVISION}", write_token),
        ("GET", f"/api/datasets/{REPO}/xet-read-token/{REVISION}", read_token),
        ("POST", "/v1/xorbs/default/(?P<xorb>[0-9a-f]{64})", take_xorb),
        ("POST", "/v1/shards", take_shard),
        ("GET", "/v1/reconstructions/(?P<file>[0-9a-f]{64})", reconstruct),
        ("GET", "/v1/chunks/[a-z-]+/(?P<chunk>[0-9a-f]{64})", find_chunk),
        ("GET", "/xorbs/(?P<xorb>[0-9a-f]{64})", give_xorb),
    )
)
