"""Checkpoints: where a model's files lie, whether they can be used, and what tells one model from another.

Weights are read from safetensors files only: a pickle can run any code when it is read. For the same reason
code that a repository brings along never runs.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blend.loaders.files.content import open_content, read_content
from blend.loaders.hub.hub_errors import translate_errors
from blend.loaders.hub.request_timeouts import request_timeouts, with_retries
from blend.schemas.errors import InputError

CONFIG = "config.json"
WEIGHTS = "model.safetensors"
WEIGHTS_INDEX = "model.safetensors.index.json"
TOKENIZERS = ("tokenizer.json", "tokenizer.model", "spiece.model", "vocab.json", "vocab.txt", "tekken.json")
"""Files of which a tokenizer has at least one."""

_TOKENIZER_FILES = (
    *TOKENIZERS,
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "merges.txt",
    "chat_template.jinja",
)
_WANTED = ("*.json", "*.safetensors", "*.model", "*.txt", "*.jinja")
_PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl")
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
        return _checked(folder, folder.resolve().name, None)
    if not _HUB_ID.fullmatch(model):
        raise InputError(
            f"model {model}: there is no such directory, and it is not a Hub id; "
            "give the directory of a model, or its id ('org/name')"
        )
    folder, commit = _downloaded(model, revision)
    return _checked(folder, model, commit)


def _downloaded(model: str, revision: str | None) -> tuple[Path, str]:
    from huggingface_hub import HfApi, constants, snapshot_download

    where = f"Hub model {model}" + (f"@{revision}" if revision else "")
    if constants.HF_HUB_OFFLINE:
        with translate_errors(where):
            folder = Path(snapshot_download(model, revision=revision, local_files_only=True))
        return folder, folder.name
    with request_timeouts(), translate_errors(where):
        info = with_retries(lambda: HfApi().model_info(model, revision=revision))
        commit = info.sha
        assert commit is not None
        _check_weights({file.rfilename for file in info.siblings or ()}, where)
        # Told apart here, so that no gigabytes are fetched of a model that cannot be used.
        folder = Path(snapshot_download(model, revision=commit, allow_patterns=list(_WANTED)))
    return folder, commit


def _checked(folder: Path, name: str, revision: str | None) -> Checkpoint:
    where = f"model {folder if revision is None else name}"
    files = {file.name for file in folder.iterdir() if file.is_file()}
    config = _config(folder, files, where)
    _check_weights(files, where)
    if not files & set(TOKENIZERS):
        raise InputError(
            f"{where}: there is no tokenizer ({', '.join(TOKENIZERS)}); "
            "save the one that the model was trained with there, with its save_pretrained"
        )
    return Checkpoint(
        folder=folder,
        id=name,
        revision=revision,
        config=config,
        config_digest=hashlib.sha256(read_content(folder / CONFIG)).hexdigest(),
        weights_digest=_weights_digest(_weight_files(folder, where), where),
        tokenizer_digest=_tokenizer_digest(folder),
    )


def _config(folder: Path, files: set[str], where: str) -> dict[str, Any]:
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
    try:
        config = json.loads(read_content(folder / CONFIG))
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{where}: {CONFIG} is not JSON ({error}); download or save the model again"
        ) from error
    if not isinstance(config, dict):
        raise InputError(f"{where}: {CONFIG} does not hold an object; download or save the model again")
    kind, architectures = config.get("model_type"), config.get("architectures") or []
    are_texts = isinstance(architectures, list) and all(isinstance(name, str) for name in architectures)
    if not (isinstance(kind, str | None) and are_texts):
        raise InputError(
            f"{where}: model_type or architectures in {CONFIG} are not texts; download or save the model again"
        )
    return config


def _check_weights(files: set[str], where: str) -> None:
    if WEIGHTS in files or WEIGHTS_INDEX in files:
        return
    pickles = sorted(file for file in files if file.endswith(_PICKLES) and file != "training_args.bin")
    if pickles:
        source = where.removeprefix("Hub ").removeprefix("model ").partition("@")[0]
        raise InputError(
            f"{where}: the weights are a pickle ({pickles[0]}), which can run any code when it is read, and "
            f"there is no {WEIGHTS}; where you trust it, convert it once and evaluate 'converted':\n"
            '  python -c "from transformers import AutoModelForCausalLM as M, AutoTokenizer as T; '
            f"[part.from_pretrained('{source}').save_pretrained('converted') for part in (M, T)]\""
        )
    raise InputError(
        f"{where}: there are no weights ({WEIGHTS}, or {WEIGHTS_INDEX} and the files that it names); "
        "download the model again, or save it with save_pretrained"
    )


def _weight_files(folder: Path, where: str) -> list[Path]:
    if not (folder / WEIGHTS_INDEX).is_file():
        return [folder / WEIGHTS]
    try:
        named = sorted(set(json.loads(read_content(folder / WEIGHTS_INDEX))["weight_map"].values()))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"{where}: {WEIGHTS_INDEX} cannot be read; download the model again") from error
    for name in named:
        if Path(name).name != name or not (folder / name).is_file():
            raise InputError(
                f"{where}: {WEIGHTS_INDEX} names {name!r}, which is not there; download the model again"
            )
    return [folder / name for name in named]


def _weights_digest(files: list[Path], where: str) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.name}\0".encode())
        _add_tensors(digest, file, where)
    return digest.hexdigest()


def _add_tensors(digest: "hashlib._Hash", file: Path, where: str) -> None:
    """Add a safetensors file's header, and the first bytes of each of its tensors."""
    size = file.stat().st_size
    with open_content(file, what="file of weights") as content:
        # A safetensors file: the header's length in eight bytes, the header in JSON, the tensors; offsets count
        # from behind the header.
        length = int.from_bytes(content.read(8), "little")
        header = content.read(min(length, size))
        try:
            spans = [
                entry["data_offsets"] for key, entry in json.loads(header).items() if key != "__metadata__"
            ]
            start = 8 + length
            expected_size = start + max((end for begin, end in spans if 0 <= int(begin) <= int(end)), default=0)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
            raise InputError(
                f"{where}: {file.name} is not a safetensors file; download or save the model again"
            ) from error
        if size != expected_size:
            raise InputError(
                f"{where}: {file.name} has {size} bytes instead of {expected_size}; download or copy it again"
            )
        digest.update(header)
        for begin, end in sorted(spans):
            content.seek(start + max(begin, 0))
            digest.update(content.read(max(0, min(end - begin, _TENSOR_BYTES))))


def _tokenizer_digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for name in sorted(_TOKENIZER_FILES):
        if (folder / name).is_file():
            content = read_content(folder / name)
            digest.update(f"{name}\0{len(content)}\0".encode())
            digest.update(content)
    return digest.hexdigest()
