"""How fast options of multiple-choice questions are scored, next to lm-eval on the same model and questions.

The model has the size of GPT-2 small and random weights, the questions are invented and all different: only
the amount of work counts. Each measurement is a process of its own, in turns, and reports the time after
loading. On a machine that others use, processor time is what can be compared; threads that wait for each other
do so without spending it.

    python -m venv lm-eval && lm-eval/bin/pip install "lm-eval[hf]==0.4.13"
    python benchmarks/model_speed.py --lm-eval lm-eval/bin/python
    python benchmarks/model_speed.py --device cuda
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import polars as pl

STYLES = ("letters", "texts")
TASKS = Path(__file__).parent / "lm_eval_tasks"

PEAK_TFLOPS = {"H200": 989.0, "H100": 989.0, "A100": 312.0, "L40S": 362.0, "L4": 121.0, "T4": 65.0}
"""Dense half-precision peak by part of the GPU's name, from NVIDIA's data sheets."""

# Runs in lm-eval's environment, with its own classes and nothing of ours.
LM_EVAL = """
import json, sys, time
folder, tasks, style, threads, device, dtype = sys.argv[1:]
import torch
torch.set_num_threads(int(threads))
from lm_eval.evaluator import simple_evaluate
from lm_eval.models.huggingface import HFLM
from lm_eval.tasks import TaskManager
model = HFLM(pretrained=folder + "/model", device=device, dtype=dtype, batch_size=16)
manager = TaskManager(include_path=tasks, include_defaults=False)
real, spent = model.loglikelihood, []
def timed(requests, **options):
    wall, cpu = time.perf_counter(), time.process_time()
    answers = real(requests, **options)
    spent.append((time.perf_counter() - wall, time.process_time() - cpu))
    return answers
model.loglikelihood = timed
results = simple_evaluate(model, tasks=["speed_" + style], task_manager=manager, bootstrap_iters=0)
[(wall, cpu)] = spent
accuracy = results["results"]["speed_" + style]["acc,none"]
print(json.dumps({"wall_s": wall, "cpu_s": cpu, "accuracy": accuracy}))
"""


def main() -> None:
    """Make model and questions, measure each style, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lm-eval", metavar="PYTHON", help="the Python of an environment with lm-eval 0.4.13")
    parser.add_argument("--questions", type=int, default=2000, help="number of questions")
    parser.add_argument("--rounds", type=int, default=1, help="measurements of each, in turns; times add up")
    parser.add_argument("--threads", type=int, default=2, help="threads that compute on a CPU")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtype", help="float32 on a CPU and bfloat16 elsewhere when absent")
    parser.add_argument("--ours", nargs=2, metavar=("FOLDER", "STYLE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.ours:
        print(json.dumps(ours(*options.ours, options)))
        return
    with tempfile.TemporaryDirectory() as folder:
        make_model(Path(folder) / "model")
        make_questions(options.questions).write_parquet(Path(folder) / "questions.parquet")
        print(f"{options.questions} questions, {options.device}, {options.threads} threads")
        for style in STYLES:
            measure(folder, style, options)


def measure(folder: str, style: str, options: argparse.Namespace) -> None:
    """One style: ours, lm-eval's if wanted, and the ratio of the two."""
    command = [sys.executable, __file__, "--ours", folder, style, "--threads", str(options.threads)]
    command += ["--device", options.device, *(["--dtype", options.dtype] if options.dtype else [])]
    tasks = made_tasks(folder)
    dtype = options.dtype or ("float32" if options.device == "cpu" else "bfloat16")
    arguments = [folder, tasks, style, str(options.threads), options.device, dtype]
    mine, theirs = [], []
    for _ in range(options.rounds):
        mine.append(reported(command))
        if options.lm_eval:
            theirs.append(reported([options.lm_eval, "-c", LM_EVAL, *arguments]))
    compare(style, added(mine), added(theirs) if theirs else None, options.questions * options.rounds)


def compare(style: str, mine: dict[str, Any], theirs: dict[str, Any] | None, n_questions: int) -> None:
    """Print what was measured."""
    show(f"{style}, blend", mine, n_questions)
    on_peak = f", {mine['of_peak']:.1%} of the GPU's peak" if "of_peak" in mine else ""
    print(f"  {mine['tokens'] / mine['wall_s']:,.0f} tokens/s{on_peak}")
    if theirs is None:
        return
    show(f"{style}, lm-eval", theirs, n_questions)
    wall, cpu = theirs["wall_s"] / mine["wall_s"], theirs["cpu_s"] / mine["cpu_s"]
    print(f"  {cpu:.2f} times as fast by processor time, {wall:.2f} times by the clock")
    if mine["accuracy"] != theirs["accuracy"]:
        print(f"  accuracies differ: {mine['accuracy']} and {theirs['accuracy']}")


def added(rounds: list[dict[str, Any]]) -> dict[str, Any]:
    """Rounds as one measurement: their times and tokens add up, and the rest is that of the last one."""
    sums = {key: sum(one[key] for one in rounds) for key in ("wall_s", "cpu_s", "tokens") if key in rounds[0]}
    return rounds[-1] | sums


def ours(folder: str, style: str, options: argparse.Namespace) -> dict[str, Any]:
    """Score all questions with our own code; the model is loaded, and has answered one question, before."""
    import torch

    from blend.eval.models.chosen import Local
    from blend.eval.models.local_model import open_local

    torch.set_num_threads(options.threads)
    questions = pl.read_parquet(Path(folder) / "questions.parquet")
    prompts = questions["prompt"].to_list()
    choices = [list("ABCD")] * len(prompts) if style == "letters" else questions["options"].to_list()
    model = open_local(Local(path=f"{folder}/model", device=options.device, dtype=options.dtype))
    model.option_logprobs(prompts[:1], choices[:1])
    wall, cpu = time.perf_counter(), time.process_time()
    scores = model.option_logprobs(prompts, choices)
    spent = {"wall_s": time.perf_counter() - wall, "cpu_s": time.process_time() - cpu}
    pairs = zip(scores, questions["answer"], strict=True)
    n_right = sum(int(one.logprobs.argmax()) == answer for one, answer in pairs)
    tokens = sum(one.tokens_in + int((one.tokens - 1).sum()) for one in scores)
    described = {"accuracy": n_right / len(scores), "tokens": tokens, **spent}
    if torch.device(options.device).type == "cuda":
        described["of_peak"] = share_of_peak(tokens / spent["wall_s"], options.device)
    return described


def share_of_peak(tokens_per_s: float, device: str) -> float:
    """Share of the GPU's arithmetic that the model's layers need: two operations per weight and token."""
    import torch
    from transformers import GPT2Config

    name = torch.cuda.get_device_name(device)
    peak = next((tflops for part, tflops in PEAK_TFLOPS.items() if part in name), None)
    config = GPT2Config()
    weights = 12 * config.n_layer * config.n_embd**2
    return float("nan") if peak is None else 2 * weights * tokens_per_s / (peak * 1e12)


def reported(command: list[str]) -> dict[str, Any]:
    """What a process says of itself in its last line."""
    environment = os.environ | {"OMP_WAIT_POLICY": "PASSIVE"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        sys.exit(done.stderr)
    described: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return described


def show(name: str, measured: dict[str, Any], n_questions: int) -> None:
    """One line of the table."""
    rates = " ".join(f"{n_questions / measured[key]:8.1f} per {key[:-2]} second" for key in ("cpu_s", "wall_s"))
    print(f"{name:18} {rates}  accuracy {measured['accuracy']:.4f}", flush=True)


def made_tasks(folder: str) -> str:
    """The task files with the place of the questions filled in."""
    made = Path(folder) / "tasks"
    made.mkdir(exist_ok=True)
    for task in TASKS.glob("*.yaml"):
        text = task.read_text().replace("questions.parquet", f"{folder}/questions.parquet")
        (made / task.name).write_text(text)
    return str(made)


def make_model(folder: Path) -> None:
    """A random model of GPT-2 small's size, with a byte-level tokenizer of as many tokens."""
    import torch
    from tokenizers import ByteLevelBPETokenizer
    from transformers import AutoModelForCausalLM, GPT2Config, PreTrainedTokenizerFast

    config = GPT2Config()
    texts = [text for question in make_questions(4000).iter_rows() for text in (question[0], *question[1])]
    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator(texts, vocab_size=8000, special_tokens=["<|endoftext|>"], show_progress=False)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=trained._tokenizer, eos_token="<|endoftext|>", pad_token="<|endoftext|>"
    )
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    AutoModelForCausalLM.from_config(config).save_pretrained(folder)


def make_questions(n: int) -> pl.DataFrame:
    """Questions of invented words, all different, with ``prompt``, four ``options`` and ``answer``."""
    draw = random.Random(0)
    syllables = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "or", "is")]
    words = ["".join(draw.choices(syllables, k=draw.randint(1, 3))) for _ in range(3000)]

    def text(low: int, high: int) -> str:
        return " ".join(draw.choices(words, k=draw.randint(low, high)))

    rows = []
    for _ in range(n):
        options = [text(1, 4) for _ in range(4)]
        listed = "\n".join(f"{letter}. {option}" for letter, option in zip("ABCD", options, strict=True))
        rows.append((f"{text(40, 70)}?\n{listed}\nAnswer:", options, draw.randrange(4)))
    return pl.DataFrame(rows, ["prompt", "options", "answer"], orient="row")


if __name__ == "__main__":
    main()
