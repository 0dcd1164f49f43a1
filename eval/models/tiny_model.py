"""A tiny model: a recipe for a causal language model that knows nothing, to try everything without a download.

Its weights are random numbers, so its answers are guesses; two layers make it fast on any machine.
"""

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from blend.eval.models.model_loading import check_installed, quiet
from blend.loaders.files.atomic import check_own_folder, storage_errors
from blend.schemas.rows import LETTERS

_CONTEXT_TOKENS = 1024
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
    check_installed("making a model")
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    check_own_folder(out)
    learned = Tokenizer(models.BPE())
    learned.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    learned.decoder = decoders.ByteLevel()
    learned.train_from_iterator(
        _texts(),
        trainers.BpeTrainer(
            vocab_size=_VOCABULARY,
            special_tokens=[_END],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=learned, eos_token=_END, pad_token=_END)
    config = GPT2Config(
        vocab_size=learned.get_vocab_size(),
        n_positions=_CONTEXT_TOKENS,
        n_embd=64,
        n_layer=2,
        n_head=2,
        bos_token_id=0,
        eos_token_id=0,
        pad_token_id=0,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = GPT2LMHeadModel(config)
    with storage_errors(out), quiet():
        out.mkdir(parents=True, exist_ok=True)
        model.save_pretrained(out)
        tokenizer.save_pretrained(out)


def _texts() -> Iterator[str]:
    sample = files("blend.loaders.sample")
    for name in _SAMPLE_TEXTS:
        yield from sample.joinpath(name).read_text(encoding="utf-8").splitlines()
    # Often enough to be learned: each letter behind a blank becomes one token.
    yield from (f"Answer: {letter}" for letter in LETTERS for _ in range(100))
