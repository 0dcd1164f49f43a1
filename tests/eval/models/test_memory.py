"""Memory that runs out: options over a vocabulary as large as those of today's models."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.models.tiny_models import make_model

SCRIPT = """
import json, resource, sys
import numpy as np
from blend.eval.models.local_model import open_local

words = ("fish", "corn", "meat", "eggs")
prompts = [f"Dish {number}:" for number in range(12)]
options = [[f" {word} and rice, {number} beans, onions, garlic" for word in words] for number in range(12)]

def scored(megabytes=None):
    model = open_local(sys.argv[1], device="cpu")
    # Weights, threads and all that is made once are there before memory is limited.
    model.option_logprobs(prompts[:1], options[:1])
    if megabytes is not None:
        used = next(line for line in open("/proc/self/status") if line.startswith("VmData"))
        limit = 1024 * int(used.split()[1]) + (megabytes << 20)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))
    try:
        return model._batches, model.option_logprobs(prompts, options)
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))

soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
_, free = scored()
batches, little = scored(200)
_, least = scored(5)
print(json.dumps({
    "errors": [one.error for one in little if one.error],
    "tokens": batches.tokens,
    "apart": max(float(np.abs(a.logprobs - b.logprobs).max()) for a, b in zip(little, free)),
    "least": sorted({one.error for one in least if one.error}),
}))
"""

# Every tensor of more than a megabyte is asked of the system and given back to it: what glibc keeps of freed
# memory, which differs from run to run, would otherwise serve tensors beyond the limit.
MALLOC = {
    "MALLOC_MMAP_THRESHOLD_": str(1 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 20),
    "MALLOC_ARENA_MAX": "1",
}


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.integration
def test_batches_are_halved_until_they_fit_and_scores_stay(tiny_gpt2: Path, tmp_path: Path):
    # As many tokens as Qwen 2.5 has: of 1,024 tokens, the first batch, scores alone take 600 MB.
    folder = make_model("LlamaConfig", tiny_gpt2, tmp_path / "large", vocabulary=150_000)
    command = [sys.executable, "-c", SCRIPT, str(folder)]
    ended = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **MALLOC})
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert found["errors"] == []
    assert 21 <= found["tokens"] < 512
    assert found["apart"] < 1e-4
    # What does not even fit alone is an error of its own, and the run goes on.
    alone = r"out of memory: \d+ tokens do not fit into that of cpu even on their own; use another device or .*"
    assert found["least"]
    assert all(re.fullmatch(alone, message) for message in found["least"])
