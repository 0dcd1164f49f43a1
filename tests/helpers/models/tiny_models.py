"""Tiny random models of several architectures, made in a second."""

import itertools
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
    "Qwen3MoeConfig": {"head_dim": 8, "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32},
    # Recurrent states and keys in one layer: copies of a cache do not hold what it needs.
    "FalconH1Config": {
        "head_dim": 8,
        "num_key_value_heads": 2,
        "mamba_d_ssm": 64,
        "mamba_n_heads": 8,
        "mamba_d_head": 8,
    },
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
    tokens = {"vocab_size": vocabulary, "eos_token_id": 0, "bos_token_id": 0, "pad_token_id": None}
    config = getattr(transformers, name)(**tokens | sizes | ARCHITECTURES.get(name, {}) | options)
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


THINKING_TEMPLATE = CHAT_TEMPLATE.replace(
    "<assistant>",
    "<assistant>{% if enable_thinking is defined and not enable_thinking %}<think></think>{% endif %}",
)
"""A chat template by which a model thinks unless it is told not to, as Qwen3's."""

OPENING_TEMPLATE = CHAT_TEMPLATE.replace("<assistant>", "<assistant><think>")
"""A chat template that begins the thought itself, as DeepSeek-R1's: only the mark that ends it is written."""


def make_thinking_model(tokenizer: Path, folder: Path, *, template: str = THINKING_TEMPLATE) -> Path:
    """Save a GPT-2 that thinks ``popcorn`` and says ``Nachos``, with special tokens around the thought.

    Every token has one successor: nothing but the last token counts, since attention and layers add zero.
    """
    import torch
    from transformers import AutoTokenizer, GPT2Config, GPT2LMHeadModel

    known = AutoTokenizer.from_pretrained(tokenizer)
    known.add_special_tokens({"additional_special_tokens": ["<think>", "</think>"]})
    written = known("<assistant><think>popcorn</think>Nachos")["input_ids"]
    chain = [*written[written.index(known.convert_tokens_to_ids("<think>")) - 1 :], 0]
    assert len({*chain}) == len(chain)
    config = GPT2Config(
        vocab_size=len(known), n_positions=256, n_embd=256, n_layer=1, n_head=1, tie_word_embeddings=False
    )
    torch.manual_seed(20261121)
    model = GPT2LMHeadModel(config)
    with torch.no_grad():
        for name, weights in model.named_parameters():
            if "wpe" in name or ".c_proj" in name or "lm_head" in name:
                weights.zero_()
        embeddings, head = model.transformer.wte.weight, model.lm_head.weight
        for token, successor in itertools.pairwise(chain):
            head[successor] = embeddings[token]
    model.generation_config.eos_token_id = 0
    model.save_pretrained(folder)
    known.save_pretrained(folder)
    (folder / "chat_template.jinja").write_text(template)
    return folder
