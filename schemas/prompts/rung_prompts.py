"""Rung prompts: how options by themselves, and answers without their region, are put to a model."""

TRUE_FALSE_PROMPT = (
    '{question}\n\nIs "{option}" among the first things that people in {region} would say? '
    "Answer only with yes or no.\n\nAnswer:"
)
"""A question, the region it names and an option, all in slots."""

FORMAT_REQUEST = r"\?\s*\(?(?:Provide|Write) .*$"
"""What stands behind a question about the form of an answer, ``? (Provide in HH:MM format (e.g., 18:00).)``, as
a pattern with the question mark: where answers are shown nobody writes one."""

NO_REGION = "your homeland"
"""What stands for the region in a question that does not tell it."""

REGION_QUESTION = (
    'People in different regions were asked: "{neutral_question}" Where did most people say "{given_answer}"?'
)
"""A question without its region and an answer, in slots; the published prompt shows it with four regions."""
