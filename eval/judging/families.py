"""Families of models: whether a judge would score its own kind, which models tend to prefer."""

import re
from collections.abc import Collection

from blend.eval.models.protocols import ModelDescription
from blend.eval.runs.run_description import RecordedAnswers

_NO_FAMILY = """
    alpha awq base beta bf chat coder code distill distilled dpo exp experimental flash fp ggml gguf gptq hd hf
    instruct int it large latest lora math medium micro mini mlx model moe nano omni plus preview pro reasoner
    reasoning sft small thinking tiny turbo ultra vision vl xl xs xxl
"""
"""Words in names of models that say size, purpose or file format, and nothing about who made them."""


def families(model: str) -> frozenset[str]:
    """The families that the name of a model tells, ``llama`` of ``org/Llama-3.1-8B-Instruct``.

    A model that was distilled from another one belongs to both, if its name says so. A name that tells nothing
    is a family of its own.

    Args:
        model: A Hub id, the path of a directory, or the name on a server.
    """
    name = model.rstrip("/").rpartition("/")[2].lower()
    stems = {stem for stem in re.findall(r"[^\W\d_]{2,}", name) if stem not in _NO_FAMILY.split()}
    return frozenset(stems or {name})


def model_names(model: ModelDescription | RecordedAnswers) -> set[str]:
    """The names under which the model of a run is known."""
    return {model.id, getattr(model, "served_as", None) or model.id}


def shared_families(judge: Collection[str], model: Collection[str]) -> list[str]:
    """The families that both have, sorted; of each the names under which it is known."""
    of_judge, of_model = ({family for name in names for family in families(name)} for names in (judge, model))
    return sorted(of_judge & of_model)
