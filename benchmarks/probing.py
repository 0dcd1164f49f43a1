r"""How fast candidates are ranked, next to the published procedure and to lm-pub-quiz, on the same models.

The models have the sizes of BERT base, T5 small and GPT-2 small and random weights; dishes and candidates are
the English ones of FmLAMA (873 candidates), tokens those of the tokenizers given. Each measurement is a process
of its own with one thread, on the same dishes, and reports processor time after loading and one dish to warm
up. Beside blend's time stands the limit of the same process: the floating-point operations of its passes, as
torch counts them, at the speed of the best matrix product that was measured before and after.

    python benchmarks/probing.py --dishes-file ../shared/data/fmlama/data_lang/en/en_dishes.jsonl \
        --tokenizers ../shared/models --dishes 3 --pub-quiz PYTHON

``--pub-quiz`` names the Python of an environment with lm-pub-quiz 0.3 (its dependencies and torch); without it
that line is left out. ``--device cuda`` measures on a GPU, in bfloat16.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

TEMPLATE = "[X] is a dish made with [Y]."
MODELS = {"bert-base": "tiny-bert", "t5-small": "tiny-t5", "gpt2-small": "tiny-gpt2"}
"""Model to the folder of its tokenizer."""

WAYS = {
    "bert-base": ("blend", "published"),
    "t5-small": ("blend", "published"),
    "gpt2-small": ("blend", "lm-pub-quiz"),
}

# Runs in lm-pub-quiz's environment, with its own classes and nothing of ours.
PUB_QUIZ = """
import json, sys, time, resource
folder, template = sys.argv[1:]
import torch
torch.set_num_threads(1)
from lm_pub_quiz import Evaluator
asked = json.load(open(folder + "/asked.json"))
evaluator = Evaluator.from_model(folder, model_type="CLM", device="cpu")
def score(dish):
    return evaluator.score_answers(
        template=template, answers=asked["candidates"], subject=dish, reduction="sum", batch_size=32
    )
evaluator.score_answers(
    template=template, answers=asked["candidates"][:32], subject="x", reduction="sum", batch_size=32
)
wall, cpu = time.perf_counter(), time.process_time()
for dish in asked["dishes"]:
    scores = score(dish)
spent = {"wall_s": time.perf_counter() - wall, "cpu_s": time.process_time() - cpu}
spent["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps(spent))
"""


def main() -> None:
    """Make the models, measure each, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dishes-file", type=Path, help="JSON Lines with sub_label and obj_label")
    parser.add_argument("--tokenizers", type=Path, help="folder with tiny-bert, tiny-t5 and tiny-gpt2")
    parser.add_argument("--dishes", type=int, default=3, help="dishes measured")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--pub-quiz", metavar="PYTHON", help="the Python of an environment with lm-pub-quiz")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--one", nargs=2, metavar=("FOLDER", "WAY"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        folder, way = options.one
        print(json.dumps(measured(Path(folder), way, options.device)))
        return
    if options.dishes_file is None or options.tokenizers is None:
        parser.error("name --dishes-file and --tokenizers")
    rows = [json.loads(line) for line in options.dishes_file.read_text(encoding="utf-8").splitlines()]
    candidates = sorted({label for row in rows for label in row["obj_label"]})
    dishes = [row["sub_label"] for row in rows[: options.dishes]]
    print(f"{len(dishes)} dishes, {len(candidates)} candidates, {options.device}, one thread")
    print("model       way          CPU s/dish   s/dish   peak MB   times blend's CPU   times the limit")
    for name in options.models:
        with tempfile.TemporaryDirectory() as folder:
            make_model(name, options.tokenizers / MODELS[name], Path(folder))
            asked = json.dumps({"candidates": candidates, "dishes": dishes})
            (Path(folder) / "asked.json").write_text(asked, encoding="utf-8")
            show(name, folder, len(dishes), options)


def show(name: str, folder: str, n_dishes: int, options: argparse.Namespace) -> None:
    """The lines of one model."""
    first: dict[str, Any] | None = None
    for way in WAYS[name]:
        command = [sys.executable, __file__, "--one", folder, way, "--device", options.device]
        if way == "lm-pub-quiz":
            if options.pub_quiz is None:
                continue
            command = [options.pub_quiz, "-c", PUB_QUIZ, folder, TEMPLATE]
        elif way == "published" and options.device != "cpu":
            continue
        spent = reported(command)
        first = first or spent
        ratio = spent["cpu_s"] / first["cpu_s"]
        print(
            f"{name:11} {way:12} {spent['cpu_s'] / n_dishes:10.2f} {spent['wall_s'] / n_dishes:8.2f} "
            f"{spent['peak_mb']:9.0f} {ratio:19.2f}"
            + (f" {spent['cpu_s'] / spent['limit_s']:17.2f}" if "limit_s" in spent else ""),
            flush=True,
        )


def measured(folder: Path, way: str, device: str) -> dict[str, Any]:
    """Time and memory of one way on the model in a folder."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    if device == "cpu":
        torch.set_num_threads(1)
    asked = json.loads((folder / "asked.json").read_text(encoding="utf-8"))
    prompts = [TEMPLATE.replace("[X]", dish) for dish in asked["dishes"]]
    score = (
        ours(folder, asked["candidates"], device) if way == "blend" else published(folder, asked["candidates"])
    )
    score(prompts[:1])
    speed = product_flops(device) if way == "blend" else 0.0
    wall, cpu = time.perf_counter(), time.process_time()
    score(prompts)
    spent = {
        "wall_s": time.perf_counter() - wall,
        "cpu_s": time.process_time() - cpu,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    if way == "blend" and device == "cpu":
        speed = max(speed, product_flops(device))
        with FlopCounterMode(display=False) as counter:
            score(prompts)
        spent["limit_s"] = counter.get_total_flops() / speed
    return spent


def product_flops(device: str, size: int = 1024, times: int = 12) -> float:
    """Floating-point operations per processor second of the best of some square matrix products."""
    import torch

    left, right = torch.randn(2, size, size, device=device)
    took = []
    for _ in range(times):
        cpu = time.process_time()
        torch.mm(left, right)
        took.append(time.process_time() - cpu)
    return 2 * size**3 / min(took)


Score = Callable[[Sequence[str]], object]


def ours(folder: Path, candidates: Sequence[str], device: str) -> Score:
    """What ``blend eval run`` computes."""
    from blend.eval.models.chosen import Local
    from blend.eval.models.local_model import open_candidate_scorer

    prober = open_candidate_scorer(Local(path=str(folder), device=device))

    def score(prompts: Sequence[str]) -> None:
        prober.candidate_logprobs(prompts, [0] * len(prompts), [candidates], keep=lambda *_: None)

    return score


def published(folder: Path, candidates: Sequence[str]) -> Score:
    """The published procedure for the model, with its batches, and all logits of all positions."""
    import torch
    import transformers

    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = getattr(transformers, config["architectures"][0]).from_pretrained(folder).eval()
    way = _masked_as_published if config["model_type"] == "bert" else _infilled_as_published

    def score(prompts: Sequence[str]) -> None:
        with torch.inference_mode():
            way(model, tokenizer, prompts, candidates)

    return score


def _masked_as_published(model: Any, tokenizer: Any, prompts: Sequence[str], candidates: Sequence[str]) -> None:
    """Four dishes and all numbers of masks in a batch."""
    import torch

    tokens = [tokenizer(text, add_special_tokens=False)["input_ids"] for text in candidates]
    longest = min(10, max(map(len, tokens)))
    for start in range(0, len(prompts), 4):
        texts = [
            prompt.replace("[Y]", " ".join([tokenizer.mask_token] * n))
            for prompt in prompts[start : start + 4]
            for n in range(1, longest + 1)
        ]
        batch = tokenizer(texts, return_tensors="pt", padding=True)
        logprobs = torch.log_softmax(model(**batch).logits, dim=-1)
        for row, ids in enumerate(batch["input_ids"]):
            masks = (ids == tokenizer.mask_token_id).nonzero()[:, 0]
            for candidate in tokens:
                if len(candidate) == len(masks):
                    logprobs[row, masks, torch.tensor(candidate)].mean()


def _infilled_as_published(
    model: Any, tokenizer: Any, prompts: Sequence[str], candidates: Sequence[str]
) -> None:
    """64 candidates in a batch, each with the whole prompt through the encoder."""
    import torch

    targets = [f"<extra_id_0> {candidate} <extra_id_1>" for candidate in candidates]
    for prompt in prompts:
        ids = tokenizer(prompt.replace("[Y]", "<extra_id_0>"), return_tensors="pt")["input_ids"]
        for start in range(0, len(targets), 64):
            labels = tokenizer(targets[start : start + 64], return_tensors="pt", padding=True)["input_ids"]
            logits = model(input_ids=ids.expand(len(labels), -1), labels=labels).logits
            torch.log(torch.softmax(logits, dim=-1)).gather(2, labels.unsqueeze(2)).mean(dim=1)


def make_model(name: str, tokenizer: Path, folder: Path) -> None:
    """A random model with the head that its scorer reads."""
    import torch
    import transformers
    from transformers.utils import logging

    logging.disable_progress_bar()
    torch.manual_seed(0)
    models = {
        "bert-base": lambda: transformers.BertForMaskedLM(transformers.BertConfig()),
        "t5-small": lambda: transformers.T5ForConditionalGeneration(
            transformers.T5Config(decoder_start_token_id=0)
        ),
        "gpt2-small": lambda: transformers.GPT2LMHeadModel(transformers.GPT2Config()),
    }
    models[name]().save_pretrained(folder)
    transformers.AutoTokenizer.from_pretrained(tokenizer).save_pretrained(folder)


def reported(command: list[str]) -> dict[str, Any]:
    """What a process says of itself in its last line."""
    environment = os.environ | {"OMP_WAIT_POLICY": "PASSIVE", "TOKENIZERS_PARALLELISM": "false"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        sys.exit(done.stderr)
    described: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return described


if __name__ == "__main__":
    main()
