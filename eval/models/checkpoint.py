"""Checkpoints: where a model's files lie, whether they can be used, and what tells one model from another.

Weights are read from safetensors files only: a pickle can run any code when it is read. For the same reason
code that a repository brings along never runs.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from blend.loaders.files.content import open_content, read_content
from blend.loaders.hub import answer_of
from blend.loaders.hub.requests import request_timeouts, translate_errors, with_retries
from blend.schemas.errors import BlendError, InputError, did_you_mean

CONFIG = "config.json"
_WEIGHTS = "model.safetensors"
_WEIGHTS_INDEX = "model.safetensors.index.json"
_TOKENIZERS = ("tokenizer.json", "tokenizer.model", "spiece.model", "vocab.json", "vocab.txt", "tekken.json")
"""Files of which a tokenizer has at least one."""

Kind = Literal["masked", "encoder_decoder", "causal"]
"""A masked model fills masks, an encoder-decoder fills a span, a causal model continues a text."""

KINDS: dict[Kind, str] = {
    "masked": "a masked language model",
    "encoder_decoder": "an encoder-decoder that fills spans",
    "causal": "a causal language model",
}

CLASSES: Mapping[Kind, tuple[str, str]] = {
    "encoder_decoder": ("AutoModelForSeq2SeqLM", "MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES"),
    "masked": ("AutoModelForMaskedLM", "MODEL_FOR_MASKED_LM_MAPPING_NAMES"),
    "causal": ("AutoModelForCausalLM", "MODEL_FOR_CAUSAL_LM_MAPPING_NAMES"),
}
"""How transformers loads each kind, and under what it lists the classes of that kind by type of model. A model
that several kinds list is of the first."""

_FURTHER_TOKENIZER_FILES = (
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "merges.txt",
    "chat_template.jinja",
)
_WANTED = ["*.json", "*.safetensors", "*.model", "*.txt", "*.jinja"]
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*(/[\w.-]+)?", re.ASCII)
_TENSOR_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The files of one model."""

    folder: Path
    """Where they lie: the directory given, or the Hub client's cache."""
    id: str
    """Hub id, or name of the directory without the folders of this machine."""
    revision: str | None
    """Commit on the Hub; absent for a directory."""
    config: dict[str, Any]
    """What ``config.json`` holds."""
    config_digest: str
    """SHA-256 of ``config.json``."""
    weights_digest: str
    """SHA-256 over the headers of the weights' files and the first 4 KiB of every tensor.

    Reading all weights would take minutes; a model that is trained further changes every tensor that it trains.
    """
    tokenizer_digest: str
    """SHA-256 over the names and contents of the tokenizer's files."""

    @property
    def architecture(self) -> str:
        """The classes that were saved, or the type of the model."""
        saved = ", ".join(self.config.get("architectures") or ())
        return saved or f"of type {self.config.get('model_type')!r}"


def find_checkpoint(model: str, *, revision: str | None = None) -> Checkpoint:
    """The files of a model, downloaded if need be and checked as far as that is possible without loading them.

    Args:
        model: Directory, or Hub id.
        revision: Commit, tag or branch on the Hub; its main branch when absent. The commit found is recorded.

    Raises:
        InputError: If there is no such directory, or if its files cannot be used; says which and what to do.
        BlendError: If the Hub does not hold the model or does not give it.
    """
    folder = Path(model)
    if folder.is_dir():
        if revision is not None:
            raise InputError(
                f"model {model}: revision {revision!r} is given, but a directory has none; "
                "leave the revision out, or give a Hub id"
            )
        return _read(folder, folder.resolve().name, None, where=f"model {folder}")
    if not _HUB_ID.fullmatch(model):
        raise InputError(
            f"model {model}: there is no such directory, and it is not a Hub id; "
            "give the directory of a model, or its id ('org/name')"
        )
    from huggingface_hub import snapshot_download

    beside = [str(path) for path in folder.parent.iterdir() if path.is_dir()] if folder.parent.is_dir() else []
    here = f"there is no such directory here; {did_you_mean(model, beside)}".rstrip("; ")
    where = f"Hub model {model}" + (f"@{revision}" if revision else f" ({here})")
    fetch = partial(snapshot_download, model, revision=revision, allow_patterns=_WANTED)
    with request_timeouts(), translate_errors(where):
        folder = Path(with_retries(lambda: answer_of(fetch)))
    # The Hub's client names a folder of its cache for the commit.
    return _read(folder, model, folder.name, where=f"model {model}")


@contextmanager
def readable(
    model: str, part: str, *, cannot: str = "be loaded", fix: str = "download or save the model again"
) -> Iterator[None]:
    """Turn whatever goes wrong while a part of a model is read into an error that names model and part.

    Args:
        model: What messages call the model.
        part: What is read, such as ``the tokenizer``.
        cannot: What it cannot, when it fails.
        fix: What to do about that.
    """
    try:
        yield
    except BlendError:
        raise
    except ImportError as error:
        reason = " ".join(str(error).split())
        raise InputError(f"model {model}: {part} needs another package ({reason}); install it") from error
    except Exception as error:
        # Nobody has checked these files, and each reader of them fails in ways of its own.
        reason = " ".join(str(error).split())[:300]
        raise InputError(f"model {model}: {part} cannot {cannot} ({reason}); {fix}") from error


def _read(folder: Path, name: str, revision: str | None, *, where: str) -> Checkpoint:
    _check_files({file.name for file in folder.iterdir() if file.is_file()}, where)
    shown = where.removeprefix("model ")
    content = read_content(folder / CONFIG)
    with readable(shown, CONFIG):
        config = dict(json.loads(content))
    files = [folder / _WEIGHTS]
    if (folder / _WEIGHTS_INDEX).is_file():
        with readable(shown, _WEIGHTS_INDEX):
            weight_map = json.loads(read_content(folder / _WEIGHTS_INDEX))["weight_map"]
            files = [folder / file for file in sorted({*weight_map.values()})]
    weights = hashlib.sha256()
    for file in files:
        weights.update(f"{file.name}\0".encode())
        with readable(shown, file.name):
            _add_tensors(weights, file, where)
    tokenizer = hashlib.sha256()
    for file in sorted(folder / known for known in (*_TOKENIZERS, *_FURTHER_TOKENIZER_FILES)):
        if file.is_file():
            text = read_content(file)
            # With name and length, so that no text can move from one file to the next unseen.
            tokenizer.update(f"{file.name}\0{len(text)}\0".encode() + text)
    digests = (hashlib.sha256(content).hexdigest(), weights.hexdigest(), tokenizer.hexdigest())
    return Checkpoint(folder, name, revision, config, *digests)


def _check_files(files: set[str], where: str) -> None:
    if "adapter_config.json" in files and CONFIG not in files:
        raise InputError(
            f"{where}: this is an adapter without its model; merge the two (merge_and_unload of peft), "
            "and save the result and the tokenizer with save_pretrained"
        )
    if CONFIG not in files:
        raise InputError(
            f"{where}: there is no {CONFIG}, so this is not a model of transformers; "
            "give the directory into which it was saved with save_pretrained"
        )
    if not files & {_WEIGHTS, _WEIGHTS_INDEX}:
        source = where.removeprefix("model ")
        raise InputError(
            f"{where}: there is neither {_WEIGHTS} nor {_WEIGHTS_INDEX}; download the model again, or, where "
            "its weights are a pickle, which can run any code when it is read, and you trust it, convert it "
            "once and evaluate 'converted':\n"
            '  python -c "from transformers import AutoModelForCausalLM as M, AutoTokenizer as T; '
            f"[part.from_pretrained('{source}').save_pretrained('converted') for part in (M, T)]\""
        )
    if not files & set(_TOKENIZERS):
        raise InputError(
            f"{where}: there is no tokenizer ({', '.join(_TOKENIZERS)}); "
            "save the one that the model was trained with there, with its save_pretrained"
        )


def _add_tensors(digest: "hashlib._Hash", file: Path, where: str) -> None:
    """Add a safetensors file's header, and the first bytes of each of its tensors."""
    if not file.is_file():
        raise InputError(
            f"{where}: {_WEIGHTS_INDEX} names {file.name!r}, which is not there; download the model again"
        )
    size = file.stat().st_size
    with open_content(file, what="file of weights") as content:
        # A safetensors file: the header's length in eight bytes, the header in JSON, the tensors; offsets count
        # from behind the header.
        length = int.from_bytes(content.read(8), "little")
        # A damaged length can be anything; the file has no more than its size.
        header = content.read(min(length, size))
        tensors = [entry for key, entry in json.loads(header).items() if key != "__metadata__"]
        spans = sorted(entry["data_offsets"] for entry in tensors)
        expected_size = 8 + length + max((end for _, end in spans), default=0)
        if size != expected_size:
            raise InputError(
                f"{where}: {file.name} has {size} bytes instead of {expected_size}; download or copy it again"
            )
        digest.update(header)
        for begin, end in spans:
            content.seek(8 + length + begin)
            digest.update(content.read(min(end - begin, _TENSOR_BYTES)))
