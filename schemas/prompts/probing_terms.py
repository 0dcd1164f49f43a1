"""The gap of a prompt, in which candidates are ranked."""

from blend.schemas.rows.triple_rows import PLACEHOLDERS

GAP = PLACEHOLDERS["part"]
"""What stands for the candidate in a prompt, in every language."""
