"""Loading: the tokenizer and the model of a checkpoint, on a device, in a number type."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blend.eval.models import ModelDescription
from blend.eval.models.checkpoint import CLASSES, CONFIG, Checkpoint, Kind, find_checkpoint, readable
from blend.eval.models.chosen import Dtype, Local
from blend.loaders.files.atomic import check_own_folder, storage_errors
from blend.schemas.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from transformers import PretrainedConfig, PreTrainedModel, PreTrainedTokenizerBase


_LIBRARIES = ("torch", "transformers", "tokenizers")
"""Libraries whose versions can change a score."""

EXTRA = "eval"

_SPREAD = "auto"
"""Device of a model that is spread over all GPUs, and over the memory beside them where they do not suffice."""


@dataclass(frozen=True, slots=True)
class Device:
    """Device that a model computes on, and the type of its numbers."""

    device: str
    """As torch names it: ``cpu``, ``cuda``, ``cuda:1``; or `_SPREAD`."""
    dtype: Dtype
    """Type of the weights and of what is computed with them; log-probabilities are always float32."""

    @property
    def on_cpu(self) -> bool:
        """Whether the CPU alone computes."""
        return self.device == "cpu"

    def shown(self) -> str:
        """``cpu``, or the name of the GPU; of several, all names."""
        import torch

        if self.device == _SPREAD:
            return ", ".join(map(torch.cuda.get_device_name, range(torch.cuda.device_count())))
        return torch.cuda.get_device_name(self.device) if self.device.startswith("cuda") else self.device


class OpenCheckpoint:
    """A checkpoint with its tokenizer, whose weights are loaded when they are first needed."""

    def __init__(self, model: Local) -> None:
        """Find a model and check that it can be used.

        Raises:
            MissingExtraError: If the extra ``eval`` is not installed.
            BlendError: If there is no such model or device, or if the model cannot be used.
        """
        self.device = _choose_device(model)
        self.checkpoint = find_checkpoint(model.path, revision=model.revision)

    @cached_property
    def kind(self) -> Kind | None:
        """Its kind, by the class that was saved, or by its type; null for a model that predicts no tokens.

        Raises:
            InputError: If it needs code of its own.
        """
        from transformers.models.auto import modeling_auto

        with readable(self.checkpoint.id, CONFIG):
            model_type = self.checkpoint.config.get("model_type")
            saved = set(self.checkpoint.config.get("architectures") or ())
            for kind, (_, listed) in CLASSES.items():
                classes: Mapping[str, str] = getattr(modeling_auto, listed)
                if model_type in classes and (not saved or saved & set(classes.values())):
                    return kind
        if "auto_map" in self.checkpoint.config:
            raise InputError(
                f"model {self.checkpoint.id}: it needs code of its own from its repository, which is never "
                "run; serve it where you trust that code, and evaluate the server (`server`)"
            )
        return None

    @cached_property
    def tokenizer(self) -> "PreTrainedTokenizerBase":
        """Its tokenizer.

        Raises:
            InputError: If its files cannot be read.
        """
        from transformers import AutoTokenizer

        with quiet(), readable(self.checkpoint.id, "the tokenizer"):
            tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(
                self.checkpoint.folder, trust_remote_code=False, local_files_only=True
            )
            tokenizer("a")  # some of its settings, such as its longest text, are read only now
        return tokenizer

    @cached_property
    def model(self) -> "PreTrainedModel":
        """The model, ready to compute."""
        assert self.kind is not None
        return load_model(self.checkpoint, self.device, kind=self.kind)

    @cached_property
    def context_tokens(self) -> int | None:
        """Tokens that the model can see at once; null for a model without such a limit."""
        from transformers import AutoConfig

        with quiet(), readable(self.checkpoint.id, CONFIG):
            config = AutoConfig.from_pretrained(
                self.checkpoint.folder, trust_remote_code=False, local_files_only=True
            )
            return context_of(config)

    def describe(self, *, chat: bool, delimiter: str, scorer: Kind | None = None) -> ModelDescription:
        """Describe the model; for the arguments see `ModelDescription`."""
        return ModelDescription(
            backend="transformers",
            scorer=scorer,
            id=self.checkpoint.id,
            revision=self.checkpoint.revision,
            config_digest=self.checkpoint.config_digest,
            weights_digest=self.checkpoint.weights_digest,
            tokenizer_digest=self.checkpoint.tokenizer_digest,
            chat=chat,
            delimiter=delimiter,
            context_tokens=self.context_tokens,
            dtype=self.device.dtype,
            device=self.device.shown(),
            versions={name: version(name) for name in _LIBRARIES},
        )


def _check_installed(purpose: str) -> None:
    """Check that what local models need is installed, before anything is fetched or read.

    Args:
        purpose: What messages say that it is for.

    Raises:
        MissingExtraError: If a library is not.
    """
    try:
        for library in ("accelerate", "safetensors", *_LIBRARIES):
            import_module(library)
    except ImportError as error:
        raise MissingExtraError(purpose, extra=EXTRA) from error


def context_of(config: "PretrainedConfig") -> int | None:
    """Tokens that a model of a configuration can see at once; null for one without a limit, like XLNet."""
    context = getattr(config.get_text_config(), "max_position_embeddings", None)
    return context if isinstance(context, int) and context > 0 else None


def _choose_device(model: Local) -> Device:
    """Choose where to compute.

    Raises:
        MissingExtraError: If a library is not installed.
        InputError: If there is no such device.
    """
    _check_installed("a local model")
    import torch

    n_gpus = torch.cuda.device_count()
    chosen = model.device or "cuda"
    if n_gpus == 0 and model.device in (None, _SPREAD):
        chosen = "cpu"
    there = ["cpu", _SPREAD, *(f"cuda:{number}" for number in range(n_gpus))]
    try:
        # Only what is put there tells whether a device can be used; `meta` computes nothing.
        usable = chosen == _SPREAD or (chosen != "meta" and bool(torch.empty(1, device=chosen).numel()))
    except (RuntimeError, AssertionError, NotImplementedError):  # what torch says of no such device
        usable = False
    if not usable:
        raise InputError(f"device {chosen!r}: torch finds no such device; choose one of: {', '.join(there)}")
    return Device(chosen, model.dtype or ("float32" if chosen == "cpu" else "bfloat16"))


def load_model(checkpoint: Checkpoint, chosen_device: Device, *, kind: Kind = "causal") -> "PreTrainedModel":
    """The model of a checkpoint, ready to compute.

    Of its own generation settings only the tokens that begin and end a text are left.

    Args:
        checkpoint: Its files.
        chosen_device: Where it computes.
        kind: Kind of the head that is wanted.

    Raises:
        InputError: If its files cannot be read, or if it does not fit into the memory of the device.
    """
    import torch
    import transformers

    with quiet(), readable(checkpoint.id, "the model"):
        try:
            # With `output_loading_info` the answer is a pair, which its annotation does not say.
            answer: Any = getattr(transformers, CLASSES[kind][0]).from_pretrained(
                checkpoint.folder,
                dtype=getattr(torch, chosen_device.dtype),
                use_safetensors=True,
                trust_remote_code=False,
                local_files_only=True,
                output_loading_info=True,
                device_map=chosen_device.device,
            )
        except (torch.OutOfMemoryError, MemoryError) as error:
            raise InputError(
                f"model {checkpoint.id}: it does not fit into the memory of {chosen_device.device} as "
                f"{chosen_device.dtype}; use {'dtype bfloat16, ' * (chosen_device.dtype == 'float32')}another "
                "device or a smaller model; texts can be asked of a server (`server`)"
            ) from error
        model: PreTrainedModel = answer[0].eval()
        found = answer[1]
    # The library fills what is missing with random numbers and goes on.
    missing = sorted({*found["missing_keys"], *(name for name, *_ in found["mismatched_keys"])})
    if missing:
        raise InputError(
            f"model {checkpoint.id}: its files lack {len(missing)} of the model's weights ({missing[0]}, …), "
            "or hold them in another shape; download or save the model again"
        )
    # Settings such as a repetition penalty, which many models bring along, would change what is written.
    # A masked model, which writes nothing, has none.
    if (settings := getattr(model, "generation_config", None)) is not None:
        model.generation_config = transformers.GenerationConfig(
            eos_token_id=settings.eos_token_id, decoder_start_token_id=settings.decoder_start_token_id
        )
    return model


@contextmanager
def quiet() -> Iterator[None]:
    """Keep the library's progress bars and hints off the terminal."""
    from transformers.utils import logging

    had_bars, level = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if had_bars:
            logging.enable_progress_bar()


_VOCABULARY = 768

_END = "<|endoftext|>"
_SAMPLE_TEXTS = ("templates.csv", "questions.csv")


def make_tiny_model(out: Path, *, seed: int = 0) -> None:
    """Write a tiny GPT-2 with random weights and a tokenizer of its own, as transformers reads them.

    The tokenizer is learned from the questions of the sample in the package, so that every byte, and each
    option letter behind a blank, has a token. The same seed and library versions give the same files.

    Args:
        out: Directory to make; absent or empty.
        seed: Seed of the weights.

    Raises:
        MissingExtraError: If the extra ``eval`` is not installed.
        InputError: If the directory holds anything, or if Python was told to drop docstrings.
    """
    check_own_folder(out)
    _check_installed("making a model")
    import torch
    from tokenizers import ByteLevelBPETokenizer, Tokenizer
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    learned = ByteLevelBPETokenizer()
    learned.train_from_iterator(
        _texts(), vocab_size=_VOCABULARY, min_frequency=0, show_progress=False, special_tokens=[_END]
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer.from_str(learned.to_str()), eos_token=_END, pad_token=_END
    )
    config = GPT2Config(
        vocab_size=learned.get_vocab_size(),
        n_embd=64,
        n_layer=2,
        n_head=2,
        bos_token_id=0,
        eos_token_id=0,
        pad_token_id=0,
    )
    # The caller's random numbers go on as if nothing had been drawn.
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = GPT2LMHeadModel(config)
    with storage_errors(out), quiet():
        out.mkdir(parents=True, exist_ok=True)
        model.save_pretrained(out)
        tokenizer.save_pretrained(out)


def _texts() -> Iterator[str]:
    sample = files("blend.loaders") / "sample"
    for name in _SAMPLE_TEXTS:
        yield from sample.joinpath(name).read_text(encoding="utf-8").splitlines()
    # Imported here, as the command line reads options off this module and needs no frames for it.
    from blend.schemas.rows import LETTERS

    # Often enough to be learned: each letter behind a blank becomes one token.
    yield from (f"Answer: {letter}" for letter in LETTERS for _ in range(100))
