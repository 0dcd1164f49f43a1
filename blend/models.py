"""The models whose JSON Schema ``blend schema`` prints, by the name to ask for."""

from pydantic import BaseModel

from blend.schemas.datasheet import Datasheet
from blend.schemas.locales import Locale
from blend.schemas.manifest import ReleaseManifest
from blend.schemas.recipe import Recipe
from blend.schemas.rows import Annotation, MultipleChoiceQuestion, Question, QuestionTemplate, Response, Review

MODELS: dict[str, type[BaseModel]] = {
    "template": QuestionTemplate,
    "saq": Question,
    "response": Response,
    "review": Review,
    "annotation": Annotation,
    "mcq": MultipleChoiceQuestion,
    "locale": Locale,
    "recipe": Recipe,
    "datasheet": Datasheet,
    "manifest": ReleaseManifest,
}
