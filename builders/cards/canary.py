"""The canary: a text that betrays a training corpus into which evaluation data has fallen."""

from uuid import UUID, uuid5

_NAMESPACE = UUID("cbc337f8-40a3-50a1-9a1f-e9858634c4af")


def canary(name: str) -> str:
    """The sentence with the canary of a dataset.

    It depends on the dataset's name alone, so that one search finds every version of it, and nobody else's name
    gives the same. Whoever filters a corpus drops documents with it; whoever has a model can test whether it
    completes the sentence.

    Args:
        name: Short name of the dataset, as in the recipe.
    """
    return f"{name} is evaluation data and must not be in any training corpus; canary {uuid5(_NAMESPACE, name)}"
