"""Tiny random models of several architectures, made in a second."""

import shutil
from pathlib import Path
from typing import Any

ARCHITECTURES: dict[str, dict[str, Any]] = {
    "LlamaConfig": {"num_key_value_heads": 2},
    # Both see fewer tokens at once than the questions have.
    "MistralConfig": {"num_key_value_heads": 2, "sliding_window": 8},
    "Gemma3TextConfig": {"num_key_value_heads": 1, "head_dim": 8, "sliding_window": 8, "num_hidden_layers": 6},
    # Positions are biases, not numbers.
    "BloomConfig": {"n_head": 4, "n_layer": 2},
    # A recurrent state instead of a cache of keys and values.
    "MambaConfig": {"state_size": 4, "expand": 2, "conv_kernel": 4},
}
"""Configurations of transformers, by name of the class, with what makes them tiny."""

CHAT_TEMPLATE = (
    "{% for message in messages %}<{{ message['role'] }}>{{ message['content'] }}</{{ message['role'] }}>\n"
    "{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}"
)


def copied(model: Path, folder: Path) -> Path:
    """A copy that may be changed."""
    folder.mkdir(parents=True)
    for file in model.iterdir():
        shutil.copyfile(file, folder / file.name)
    return folder


def make_model(
    name: str,
    tokenizer: Path,
    folder: Path,
    *,
    head: str = "AutoModelForCausalLM",
    vocabulary: int = 4000,
    **options: Any,
) -> Path:
    """Save a random model; ``options`` of its configuration come on top of those that make every one tiny."""
    import torch
    import transformers

    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = getattr(transformers, name)(
        **{
            "vocab_size": vocabulary,
            "eos_token_id": 0,
            "bos_token_id": 0,
            "pad_token_id": None,
            **sizes,
            **ARCHITECTURES.get(name, {}),
            **options,
        }
    )
    torch.manual_seed(20261121)
    model = getattr(transformers, head).from_config(config, dtype=torch.float32)
    # As they are made, such models find every token about equally likely; here a mistake must show.
    with torch.no_grad():
        for weights in model.parameters():
            weights.mul_(4)
    copied(tokenizer, folder)
    (folder / "model.safetensors").unlink()
    (folder / "generation_config.json").unlink(missing_ok=True)
    model.save_pretrained(folder)
    return folder
