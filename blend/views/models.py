"""The models whose JSON Schema ``blend schema`` prints, by the name to ask for."""

from pydantic import BaseModel

from blend.schemas.datasheet import Datasheet
from blend.schemas.domains import Domain
from blend.schemas.food import FoodTemplate, FoodTriple
from blend.schemas.locales import Locale
from blend.schemas.manifest import ReleaseManifest
from blend.schemas.recipe import Recipe
from blend.schemas.rows import Annotation, MultipleChoiceQuestion, Question, QuestionTemplate, Response, Review
from blend.schemas.snapshots import SnapshotInfo

MODELS: dict[str, type[BaseModel]] = {
    "template": QuestionTemplate,
    "saq": Question,
    "response": Response,
    "review": Review,
    "annotation": Annotation,
    "mcq": MultipleChoiceQuestion,
    "food-triple": FoodTriple,
    "food-template": FoodTemplate,
    "domain": Domain,
    "snapshot": SnapshotInfo,
    "locale": Locale,
    "recipe": Recipe,
    "datasheet": Datasheet,
    "manifest": ReleaseManifest,
}
