"""A user's own locales are read like the packaged ones."""

from pathlib import Path

from blend.loaders.files.toml import registry_with
from blend.schemas.errors import RowError
from blend.schemas.locales import registry
from helpers.messages import message_of


def test_own_locales_join_the_registry(tmp_path: Path, root: Path):
    packaged = (root / "schemas" / "locales.toml").read_text(encoding="utf-8")
    entry = next(part for part in packaged.split("[[locale]]") if 'tag = "ja-JP"' in part)
    for old, new in (("ja-JP", "ja-OK"), ('"JP"\nregion', '"OK"\nregion'), ('split = "JP"', 'split = "OK"')):
        entry = entry.replace(old, new)
    path = tmp_path / "own.toml"
    # A byte order mark, as editors on Windows write it.
    path.write_text("\ufeff[[locale]]" + entry.replace('"Japan"', '"Okinawa"'), encoding="utf-8")
    locales = registry_with(path)
    assert locales.find("Okinawa").tag == "ja-OK"
    assert locales.rank("ja-OK") == len(registry())


def test_wrong_encoding(tmp_path: Path):
    path = tmp_path / "own.toml"
    path.write_bytes('[[locale]]\nnative_name = "México"'.encode("latin-1"))
    told = message_of(RowError, lambda: registry_with(path))
    assert told.startswith("own.toml: byte 0xE9 in line 2 is not UTF-8; save it again as UTF-8 ")
