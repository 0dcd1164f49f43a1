"""Datasheets: all questions of the paper, each with a key that stays, and what cannot be read as one."""

from blend.loaders.files.toml import read_toml
from blend.loaders.recipes import sample_path
from blend.schemas.reports import datasheet_model, questions

PUBLISHED = {
    "motivation": "purpose creators funding comments",
    "composition": "instances count sample data labels missing relationships splits errors external "
    "confidential offensive subpopulations identifiable sensitive comments",
    "collection": "acquisition mechanisms sampling people timeframe ethics directness notice consent "
    "revocation impact comments",
    "preprocessing": "steps raw software comments",
    "uses": "so_far publications other_tasks risks not_for comments",
    "distribution": "third_parties channel date license third_party_terms export comments",
    "maintenance": "maintainers contact errata updates retention old_versions contributions comments",
}
"""Our keys for the questions in the order of Gebru et al. (2021), section 3."""


def test_no_question_is_missing_and_no_key_has_changed():
    keys = [question.key for question in questions(datasheet_model()())]
    assert keys == [f"{section}.{name}" for section, names in PUBLISHED.items() for name in names.split()]
    # As many as the paper has, "any other comments?" included: 4 + 16 + 12 + 4 + 6 + 7 + 8.
    assert len(keys) == 57


def test_every_question_is_a_question_of_its_own():
    asked = list(questions(datasheet_model()()))
    assert all(question.text.endswith("?") and "\n" not in question.text for question in asked)
    assert len({question.text for question in asked}) == len(asked)
    assert [question.answer for question in asked] == [None] * len(asked)


def test_the_sample_leaves_open_only_what_its_authors_cannot_say():
    with sample_path() as folder:
        sheet = read_toml(folder / "datasheet.toml", datasheet_model(), what="datasheet")
    unanswered = {question.key for question in questions(sheet) if question.answer is None}
    assert {key for key in unanswered if not key.endswith(".comments")} == {
        "motivation.funding",
        "uses.publications",
        # What the build itself tells:
        "composition.count",
        "preprocessing.steps",
        "preprocessing.software",
        "maintenance.old_versions",
    }
