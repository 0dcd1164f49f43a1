"""Pseudonyms: the same person, the same name, for whoever has the key; nothing for anybody else."""

from pathlib import Path

import pytest

from blend.builders.annotation.project import Account, People, new_key, pseudonym, read_key
from blend.schemas.errors import InputError

KEY = b"k" * 32


def test_what_editors_do_to_a_key_leaves_it_the_same(tmp_path: Path):
    path, key = tmp_path / "annotators.key", new_key()
    path.write_bytes(b"\xef\xbb\xbf" + key.upper().replace("\n", "\r\n").encode())
    assert read_key(path) == bytes.fromhex(key)
    assert new_key() != key


@pytest.mark.parametrize("text", ["", "abc", "zz" * 32, "0" * 62])
def test_what_is_no_key_is_told(tmp_path: Path, text: str):
    path = tmp_path / "annotators.key"
    path.write_text(text)
    with pytest.raises(InputError) as raised:
        read_key(path)
    assert str(raised.value) == f"{path}: is not a key of 64 hexadecimal digits; bring back the right file"


def test_a_person_is_the_same_by_number_address_and_table():
    people = People(KEY, {7: Account("Mina@Example.org")})
    name = people.of(7)
    assert name == people.of("mina@example.org ") == people.of({"id": 7, "email": "MINA@example.org"})
    assert name == people.named("mina@example.org") == pseudonym("mina@example.org", KEY)
    assert people.named(str(name)) == name
    assert people.of(8) == people.of({"id": 8}) != name
    assert [people.of(nobody) for nobody in (None, "", {}, True, {"email": ""})] == [None] * 5
    assert People(b"x" * 32, {7: Account("mina@example.org")}).of(7) != name
