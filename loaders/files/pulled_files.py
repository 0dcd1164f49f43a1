"""Pulled files: the files of responses and reviews that `blend annotate sync` writes, and writes anew."""

import json
import os
from contextlib import suppress
from pathlib import Path

from blend.loaders.files.content import read_content
from blend.schemas.errors import InputError

EVENTS = "events.jsonl"
"""File of a pull folder with everything that people did, as it was seen."""

KEY = "key"
"""Event of its first line, by which the key of the pseudonyms is known again."""

STATE = "state.json"
"""File of a pull folder that remembers what was pulled and written."""

WRITTEN = "written"
"""Its key with the digests of the files that were written, by their paths from the folder."""


def is_pulled(path: Path) -> bool:
    """Whether a pull folder that lies beside the file's directory of raw responses says that pulls write it.

    Args:
        path: Of a file of responses or reviews, whether or not it is there at the moment.
    """
    for state in path.absolute().parent.parent.parent.glob(f"*/{STATE}"):
        # What cannot be read is no state of ours, or one that the next pull complains about.
        with suppress(InputError, ValueError, RecursionError, AttributeError, TypeError):
            if os.path.relpath(path, state.parent) in json.loads(read_content(state)).get(WRITTEN, ()):
                return True
    return False
