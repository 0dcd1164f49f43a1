"""What a build does without: libraries that take longer to load than a small build takes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SLOW = ("datasets", "pandas", "torch", "transformers", "openai", "huggingface_hub")

BUILD = """
import json, sys
from blend.builders.release import build_release
from blend.loaders.recipes.ready import sample_recipe
build_release(sample_recipe(), sys.argv[1])
print(json.dumps(sorted(set(sys.argv[2:]) & set(sys.modules))))
"""


@pytest.mark.nightly
@pytest.mark.integration
def test_a_build_loads_no_slow_library(tmp_path: Path):
    command = [sys.executable, "-c", BUILD, tmp_path / "release", *SLOW]
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    assert json.loads(run.stdout) == []
