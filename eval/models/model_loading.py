"""Loading: the tokenizer and the causal language model of a checkpoint, on a device, in a number type."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal, get_args

from blend.eval.models.checkpoint import CONFIG, Checkpoint
from blend.schemas.base.docstrings import refuse_without_docstrings
from blend.schemas.errors import BlendError, InputError, MissingExtraError, UnknownNameError

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

Dtype = Literal["float32", "bfloat16", "float16"]

LIBRARIES = ("torch", "transformers", "tokenizers")
"""Libraries whose versions can change a score."""

EXTRA = "eval"

SPREAD = "auto"
"""Device of a model that is spread over all GPUs, and over the memory beside them where they do not suffice."""

ON_A_SERVER = "a server that spreads it over several (`server`)"
"""What helps with a model that is too large for a device, where the task can ask a server."""


@dataclass(frozen=True, slots=True)
class Device:
    """Device that a model computes on, and the type of its numbers."""

    device: str
    """As torch names it: ``cpu``, ``cuda``, ``cuda:1``; or `SPREAD`."""
    dtype: Dtype
    """Type of the weights and of what is computed with them; log-probabilities are always float32."""

    def shown(self) -> str:
        """``cpu``, or the name of the GPU; of several, all names."""
        import torch

        if self.device == SPREAD and torch.cuda.is_available():
            return ", ".join(map(torch.cuda.get_device_name, range(torch.cuda.device_count())))
        if self.on_cpu:
            return "cpu"
        return torch.cuda.get_device_name(self.device) if self.device.startswith("cuda") else self.device

    @property
    def on_cpu(self) -> bool:
        """Whether the CPU alone computes."""
        import torch

        return self.device == "cpu" or (self.device == SPREAD and not torch.cuda.is_available())


def check_installed() -> None:
    """Check that what local models need is installed, before anything is fetched or read.

    Raises:
        MissingExtraError: If a library is not.
        InputError: If Python was told to drop docstrings, without which transformers does not load.
    """
    refuse_without_docstrings("a local model")
    try:
        for library in ("accelerate", "safetensors", *LIBRARIES):
            import_module(library)
    except ImportError as error:
        raise MissingExtraError("a local model", extra=EXTRA) from error


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes of a model that decide what can be asked at a time."""

    context_tokens: int | None
    """Tokens that the model can see at once; absent for a model without such a limit."""
    cache_bytes: int
    """Bytes that a token takes in the key-value cache at most; 0 where the configuration does not say."""


def choose_device(device: str | None = None, dtype: Dtype | None = None) -> Device:
    """Choose where to compute.

    Args:
        device: As torch names it, or ``auto`` for all GPUs together; a GPU if there is one, else the CPU, when
            absent.
        dtype: ``bfloat16`` on a GPU and ``float32`` elsewhere when absent.

    Raises:
        MissingExtraError: If a library is not installed.
        InputError: If there is no such device or type of numbers.
    """
    if dtype is not None and dtype not in get_args(Dtype):
        raise UnknownNameError("dtype", str(dtype), get_args(Dtype))
    check_installed()
    import torch

    if device == SPREAD:
        return Device(SPREAD, dtype or ("bfloat16" if torch.cuda.is_available() else "float32"))
    chosen = device if device is not None else ("cuda" if torch.cuda.is_available() else "cpu")
    try:
        kind = torch.device(chosen).type
        usable = kind == "cpu" or bool(torch.empty(1, device=chosen).numel())
    except (RuntimeError, AssertionError, NotImplementedError):  # what torch says of no such device
        usable = False
    if not usable or kind == "meta":
        there = ["cpu", SPREAD, *(f"cuda:{number}" for number in range(torch.cuda.device_count()))]
        raise InputError(f"device {chosen!r}: torch finds no such device; choose one of: {', '.join(there)}")
    return Device(chosen, dtype or ("float32" if kind == "cpu" else "bfloat16"))


def load_tokenizer(checkpoint: Checkpoint) -> "PreTrainedTokenizerBase":
    """The tokenizer of a checkpoint.

    Raises:
        InputError: If its files cannot be read.
    """
    from transformers import AutoTokenizer

    with _quiet(), _translate_errors(checkpoint, "tokenizer"):
        tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(
            checkpoint.folder, trust_remote_code=False, local_files_only=True
        )
        tokenizer("a")  # some of its settings, such as its longest text, are read only now
    return tokenizer


def load_model(
    checkpoint: Checkpoint,
    chosen_device: Device,
    *,
    head: str = "AutoModelForCausalLM",
    otherwise: str = ON_A_SERVER,
) -> "PreTrainedModel":
    """The model of a checkpoint, ready to compute; see `check_causal` for what it must be.

    Of its own generation settings only the tokens that begin and end a text are left.

    Args:
        checkpoint: Its files.
        chosen_device: Where it computes.
        head: The class of transformers that finds the model with the head that is wanted.
        otherwise: What else helps with the task where the model does not fit into memory.

    Raises:
        InputError: If its files cannot be read, or if it does not fit into the memory of the device.
    """
    import torch
    import transformers
    from transformers import GenerationConfig

    try:
        with _quiet(), _translate_errors(checkpoint, "model"):
            # With `output_loading_info` the answer is a pair, which its annotation does not say.
            answer: Any = getattr(transformers, head).from_pretrained(
                checkpoint.folder,
                dtype=getattr(torch, chosen_device.dtype),
                use_safetensors=True,
                trust_remote_code=False,
                local_files_only=True,
                output_loading_info=True,
                device_map=chosen_device.device,
            )
            loaded, found = answer
            model: PreTrainedModel = loaded.eval()
    except (torch.OutOfMemoryError, MemoryError) as error:
        raise InputError(
            f"model {checkpoint.id}: it does not fit into the memory of {chosen_device.device} as "
            f"{chosen_device.dtype}; use "
            f"{'dtype bfloat16, ' if chosen_device.dtype == 'float32' else ''}another device, or {otherwise}"
        ) from error
    # Settings such as a repetition penalty, which many models bring along, would change what is written.
    # A masked model, which writes nothing, has none.
    if (settings := getattr(model, "generation_config", None)) is not None:
        model.generation_config = GenerationConfig(
            eos_token_id=settings.eos_token_id, decoder_start_token_id=settings.decoder_start_token_id
        )
    # The library fills what is missing with random numbers and goes on.
    missing = sorted({*found["missing_keys"], *(name for name, *_ in found["mismatched_keys"])})
    if missing:
        raise InputError(
            f"model {checkpoint.id}: its files lack {len(missing)} of the model's weights ({missing[0]}, …), "
            "or hold them in another shape; download or save the model again"
        )
    _fuse_activations(model)
    return model


def _fuse_activations(model: "PreTrainedModel") -> None:
    """Compute the tanh form of GELU (GPT-2 and many after it) in one pass over memory instead of eight.

    The function is the same; results differ by the noise of the number type.
    """
    from transformers.activations import GELUTanh, NewGELUActivation

    for module in model.modules():
        for name, child in module.named_children():
            if isinstance(child, NewGELUActivation):
                setattr(module, name, GELUTanh())


def library_versions() -> dict[str, str]:
    """Versions of `LIBRARIES`."""
    return {name: version(name) for name in LIBRARIES}


def check_causal(checkpoint: Checkpoint) -> None:
    """Check that a checkpoint holds a causal language model.

    Raises:
        InputError: If it holds another kind of model, or one that needs code of its own.
    """
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

    causal = dict(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES)
    kind, architectures = checkpoint.config.get("model_type"), checkpoint.config.get("architectures") or ()
    if kind not in causal and "auto_map" in checkpoint.config:
        raise InputError(
            f"model {checkpoint.id}: it needs code of its own from its repository, which is never run; "
            "serve it where you trust that code, and evaluate the server (`server`)"
        )
    if kind not in causal or (architectures and not set(architectures) & set(causal.values())):
        found = ", ".join(architectures) or f"of type {kind!r}"
        raise InputError(
            f"model {checkpoint.id}: it is not a causal language model but {found}; "
            "texts and options need one that predicts the next token"
        )


def read_limits(checkpoint: Checkpoint) -> Limits:
    """Read what the configuration of a model says of its sizes."""
    from transformers import AutoConfig

    with _quiet(), _translate_errors(checkpoint, CONFIG):
        config = AutoConfig.from_pretrained(checkpoint.folder, trust_remote_code=False, local_files_only=True)
    text = config.get_text_config()
    context = getattr(text, "max_position_embeddings", None)
    layers, width = (getattr(text, name, None) or 0 for name in ("num_hidden_layers", "hidden_size"))
    # A key and a value per layer, as wide as the model and in float32; models that share heads need less.
    cache = 2 * 4 * layers * width if isinstance(layers, int) and isinstance(width, int) else 0
    return Limits(context if isinstance(context, int) and context > 0 else None, cache)


@contextmanager
def _translate_errors(checkpoint: Checkpoint, part: str) -> Iterator[None]:
    import torch

    try:
        yield
    except ImportError as error:
        reason = " ".join(str(error).split())
        raise InputError(f"model {checkpoint.id}: its {part} needs another package ({reason})") from error
    except (torch.OutOfMemoryError, MemoryError, BlendError):
        raise
    except Exception as error:
        # The library reads files that nobody has checked, and each of its models fails in ways of its own.
        reason = " ".join(str(error).split())[:300]
        raise InputError(
            f"model {checkpoint.id}: the {part} cannot be loaded ({reason}); download or save the model again"
        ) from error


@contextmanager
def _quiet() -> Iterator[None]:
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


WORTH_THREADS = 2_000_000
"""Parameters from which a model is computed with several threads. A smaller one finishes a layer in less time
than threads take to meet: on a busy machine they mostly wait for each other, at ten times the cost of the
work."""


@contextmanager
def fitting_threads(model: "PreTrainedModel") -> Iterator[None]:
    """Compute a small model with one thread; torch has as many as before afterwards."""
    import torch

    before = torch.get_num_threads()
    small = model.device.type == "cpu" and model.num_parameters() < WORTH_THREADS
    if not small or before == 1:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
