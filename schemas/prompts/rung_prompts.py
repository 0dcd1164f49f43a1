"""Rung prompts: how options by themselves are put to a model."""

TRUE_FALSE_PROMPT = (
    '{question}\n\nIs "{option}" among the first things that people in {region} would say? '
    "Answer only with yes or no.\n\nAnswer:"
)
"""A question, the region it names and an option, all in slots."""

FORMAT_REQUEST = r"\?\s*\(?(?:Provide|Write) .*$"
"""What stands behind a question about the form of an answer, ``? (Provide in HH:MM format (e.g., 18:00).)``, as
a pattern with the question mark: where answers are shown nobody writes one."""
