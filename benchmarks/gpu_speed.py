"""How fast a model of real size chooses letters, weighs option texts and writes, next to transformers' own.

The model has random weights in the shape of Qwen2.5 (3 billion of them unless said otherwise), the questions
are invented and all different: only the amount of work counts. The rival is what one would write with
transformers alone: sorted by length, padded batches of the size that is fastest of three, a forward pass for
letters, one for every option, and `generate`. Both load the same files and answer once before the clock starts.

    python benchmarks/gpu_speed.py --device cuda
    python benchmarks/gpu_speed.py --device cpu --layers 2 --width 64 --questions 8      # tries the script
"""

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

WRITTEN_TOKENS = 64
BATCHES = (32, 128, 512)


class Questions(NamedTuple):
    """Questions of invented words."""

    prompts: list[str]
    """Questions with their four options."""
    options: list[list[str]]
    """The options of each."""


def main() -> None:
    """Make model and questions, measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--layers", type=int, default=36, help="36 make 3 billion weights")
    parser.add_argument("--width", type=int, default=2048)
    parser.add_argument("--questions", type=int, default=2000)
    parser.add_argument("--written", type=int, default=512, help="questions that are answered in words")
    options = parser.parse_args()
    import torch

    name = torch.cuda.get_device_name() if options.device == "cuda" else "a CPU"
    with tempfile.TemporaryDirectory() as folder:
        n_weights = make_model(folder, options)
        asked = make_questions(options.questions)
        print(f"{n_weights / 1e9:.2f} billion weights on {name}, torch {torch.__version__}", flush=True)
        ours, rival = Ours(folder, options.device), Rival(folder, options.device)
        letters = [list("ABCD")] * len(asked.prompts)
        some = asked.prompts[: min(options.written, len(asked.prompts))]
        compare(
            "letters", len(asked.prompts), lambda: ours.choose(asked.prompts, letters), rival.letters, asked
        )
        compare("texts", len(asked.prompts), lambda: ours.choose(*asked), rival.texts, asked)
        compare("writing", len(some), lambda: ours.write(some), rival.write, Questions(some, []))


def compare(
    name: str,
    n_questions: int,
    ours: Callable[[], int],
    rival: Callable[[Questions, int], int],
    asked: Questions,
) -> None:
    """Print how many questions and tokens a second both come to."""
    # The rival's first size warms the machine up for the next; so does our first time.
    mine = min(_timed(ours) for _ in range(2))
    rest = {size: _timed(lambda size=size: rival(asked, size)) for size in BATCHES}
    size = min(rest, key=lambda one: rest[one][0])
    for who, (seconds, tokens) in (("blend", mine), (f"transformers, {size} at a time", rest[size])):
        print(
            f"{name:8} {who:28} {n_questions / seconds:9.1f} questions/s {tokens / seconds:11,.0f} tokens/s",
            flush=True,
        )
    print(f"{name:8} {rest[size][0] / mine[0]:.2f} times as fast", flush=True)


def _timed(work: Callable[[], int]) -> tuple[float, int]:
    import torch

    began = time.perf_counter()
    tokens = work()
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.perf_counter() - began, tokens


class Ours:
    """The local model of this package."""

    def __init__(self, folder: str, device: str) -> None:
        from blend.eval.models import Decoding
        from blend.eval.models.chosen import Local
        from blend.eval.models.local_model import open_local

        self._model = open_local(Local(path=folder, device=device)).with_decoding(
            Decoding(max_tokens=WRITTEN_TOKENS)
        )
        self._model.option_logprobs(["Warm up"], [["a", "b"]])
        self._model.generate(["Warm up"])

    def choose(self, prompts: Sequence[str], options: Sequence[Sequence[str]]) -> int:
        """Score options; returns the tokens of prompts and options."""
        scores = self._model.option_logprobs(prompts, options)
        return sum(one.tokens_in + int(one.tokens.sum()) for one in scores)

    def write(self, prompts: Sequence[str]) -> int:
        """Answer in words; returns the tokens written."""
        return sum(answer.tokens_out or 0 for answer in self._model.generate(prompts))


class Rival:
    """What one writes with transformers alone."""

    def __init__(self, folder: str, device: str) -> None:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        dtype = torch.bfloat16 if device == "cuda" else torch.float32
        self._model = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype).to(device).eval()
        self._tokenizer = AutoTokenizer.from_pretrained(folder, padding_side="left")
        self._device = device
        self.write(Questions(["Warm up"], []), 1)

    def letters(self, asked: Questions, size: int) -> int:
        """The logits behind each prompt; returns the tokens of the prompts."""
        return self._forward([(prompt, 1) for prompt in asked.prompts], size)

    def texts(self, asked: Questions, size: int) -> int:
        """The logits of each option behind its prompt; returns the tokens of prompts with options."""
        pairs = zip(asked.prompts, asked.options, strict=True)
        # The logits of an option's tokens alone, as whoever has met a large vocabulary keeps.
        return self._forward([(f"{prompt} {text}", 16) for prompt, texts in pairs for text in texts], size)

    def _forward(self, texts: Sequence[tuple[str, int]], size: int) -> int:
        import torch

        tokens = 0
        with torch.inference_mode():
            for batch in self._batches([text for text, _ in texts], size):
                logits = self._model(**batch, logits_to_keep=texts[0][1]).logits
                logits.float().log_softmax(-1).amax(-1).cpu()
                tokens += int(batch["attention_mask"].sum())
        return tokens

    def write(self, asked: Questions, size: int) -> int:
        """Answer in words; returns the tokens written."""
        import torch

        tokens = 0
        with torch.inference_mode():
            for batch in self._batches(asked.prompts, size):
                length = batch["input_ids"].shape[1]
                found = self._model.generate(**batch, max_new_tokens=WRITTEN_TOKENS, do_sample=False)
                tokens += int((found[:, length:] != self._tokenizer.pad_token_id).sum())
        return tokens

    def _batches(self, texts: Sequence[str], size: int) -> Any:
        ordered = sorted(texts, key=len, reverse=True)
        for start in range(0, len(ordered), size):
            batch = self._tokenizer(ordered[start : start + size], return_tensors="pt", padding=True)
            yield batch.to(self._device)


def make_model(folder: str, options: argparse.Namespace) -> int:
    """A random model with a byte-level tokenizer; returns the number of its weights."""
    import torch
    from tokenizers import ByteLevelBPETokenizer
    from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast, Qwen2Config

    trained = ByteLevelBPETokenizer()
    texts = make_questions(2000).prompts
    trained.train_from_iterator(texts, vocab_size=8000, special_tokens=["<|endoftext|>"], show_progress=False)
    end = "<|endoftext|>"
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=trained._tokenizer, eos_token=end, pad_token=end)
    tokenizer.save_pretrained(folder)
    config = Qwen2Config(
        hidden_size=options.width,
        num_hidden_layers=options.layers,
        num_attention_heads=max(1, options.width // 128),
        num_key_value_heads=max(1, options.width // 1024),
        intermediate_size=options.width * 43 // 8,
        vocab_size=151_936 if options.width > 1000 else 8000,
        tie_word_embeddings=True,
        bos_token_id=0,
        eos_token_id=0,
        pad_token_id=0,
    )
    torch.manual_seed(0)
    with torch.device(options.device):
        model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
    model.save_pretrained(folder)
    assert (Path(folder) / "config.json").exists()
    return sum(weights.numel() for weights in model.parameters())


def make_questions(n: int) -> Questions:
    """Questions of invented words, all different."""
    draw = random.Random(0)
    syllables = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "or", "is")]
    words = ["".join(draw.choices(syllables, k=draw.randint(1, 3))) for _ in range(3000)]

    def text(low: int, high: int) -> str:
        return " ".join(draw.choices(words, k=draw.randint(low, high)))

    options = [[text(1, 4) for _ in range(4)] for _ in range(n)]
    listed = ["\n".join(f"{a}. {one}" for a, one in zip("ABCD", four, strict=True)) for four in options]
    return Questions([f"{text(40, 70)}?\n{lines}\nAnswer:" for lines in listed], options)


if __name__ == "__main__":
    main()
