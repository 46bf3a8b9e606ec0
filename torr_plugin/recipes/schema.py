"""The schema of a recipe file, and where recipes are found."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import product
from pathlib import Path, PurePath
from typing import Annotated, Any, Literal, TypeAlias, get_args

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    Strict,
    ValidationInfo,
    field_validator,
    model_validator,
)

from ..catalog import load_card
from ..catalog.schema import short_for
from ..core.errors import RecipeError, nearest
from ..core.registry import Registry
from ..core.versions import Folders
from ..core.yaml_files import read_yaml_file
from ..prompts import Configuration, Draw, designs
from ..tables import perturbations, serializers
from .model_entries import (
    LISTED,
    SOME,
    AnyText,
    ConfigSection,
    Flag,
    Generation,
    JudgeEntry,
    ModelEntry,
    Names,
    Positive,
    Share,
    Text,
    Whole,
    labelled,
)


def _how_many(value: object) -> object:
    if value == "all" or (isinstance(value, int) and not isinstance(value, bool) and value >= 1):
        return value
    raise RecipeError(f"found {value!r}; expected a whole number of at least 1, or 'all'")


HowMany = Annotated[int | Literal["all"], BeforeValidator(_how_many)]
ExampleDraw: TypeAlias = Literal["first", "seeded", "unitxt"]

TORR = "torr"
"""Short for ToRR's seven serializers in ``serializers`` and its five perturbations in ``perturbations``."""

TORR_SERIALIZERS = (
    "torr.html",
    "torr.csv",
    "torr.json",
    "torr.markdown",
    "torr.indexed_row_major",
    "torr.df",
    "torr.concat",
)
TORR_PERTURBATIONS = ("none", "shuffle_rows", "shuffle_cols", "transpose", "insert_empty_rows")

_TORR_NAMES = {"serializers": TORR_SERIALIZERS, "perturbations": TORR_PERTURBATIONS}
_REGISTRIES: dict[str, Registry[Any]] = {
    "serializers": serializers.registry,
    "perturbations": perturbations.registry,
    "designs": designs,
}


def checked_names(names: Iterable[str], field: str) -> tuple[str, ...]:
    """The names of one field of a product: ``torr`` expanded, duplicates removed, each checked.

    Raises:
        UnknownNameError: a name that is not registered (with the nearest ones).
        InputError: two serializers that cannot be shown together.
    """
    expanded = [
        each for name in names for each in (_TORR_NAMES.get(field, ()) if name == TORR else ()) or (name,)
    ]
    for name in expanded:
        _REGISTRIES[field].get(name)  # raises, and says what is expected
    return tuple(dict.fromkeys(expanded))


class CardEntry(ConfigSection):
    """A card of the study, and settings that differ from the rest."""

    card: Text
    """The card's name, e.g. ``cards.wikitq``, or the path of a card file."""

    examples: HowMany | None = None
    """The number of examples; by default ``examples.count``."""

    split: Text | None = None
    """The split of the examples; by default the card's test split."""

    shots: Whole | None = None
    """Demonstrations per prompt; by default ``demonstrations.shots``."""

    metrics: Names | None = None
    """Metrics that score the answers instead of the card's; one of them must give the card's main score."""

    _short = short_for("card")

    @field_validator("card")
    @classmethod
    def _known(cls, value: str) -> str:
        load_card(value)
        return value

    @field_validator("split")
    @classmethod
    def _is_there(cls, value: str | None, info: ValidationInfo) -> str | None:
        if value is not None and "card" in info.data:
            card = load_card(info.data["card"])
            if value not in card.splits:
                raise RecipeError(f"{card.name} has no split {value!r}; {nearest(value, card.splits)}")
        return value


class Product(ConfigSection):
    """Every combination of some serializers, perturbations and designs."""

    serializers: Names
    """Names of serializers; ``torr`` stands for ToRR's seven."""

    perturbations: Names = ("none",)
    """Names of perturbations; ``torr`` stands for ToRR's five, ``none`` among them."""

    designs: Names = ("default",)
    """Names of designs."""

    @model_validator(mode="before")
    @classmethod
    def _from_id(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        one = Configuration.of(value)
        return {"serializers": one.serializer, "perturbations": one.perturbation, "designs": one.design}

    @field_validator("serializers", "perturbations", "designs")
    @classmethod
    def _known(cls, value: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        return checked_names(value, str(info.field_name))

    def configurations(self) -> Iterable[Configuration]:
        """All combinations, the last list changing fastest."""
        return (
            Configuration(*names) for names in product(self.serializers, self.perturbations, self.designs)
        )


class Demonstrations(ConfigSection):
    """Solved examples shown before the question."""

    shots: Whole = 0
    """Demonstrations per prompt."""

    draw: Draw = "paired"
    """``paired``: each example has its own, the same in every configuration.
    ``shared``: all examples of a data set have the same.
    ``unitxt``: the ones that unitxt draws, which differ between perturbations."""

    fit: Flag = False
    """Whether an example shows only as many of them as fit into ``examples.context``, the same number in
    every configuration, possibly none; by default all are shown."""


class Examples(ConfigSection):
    """Which examples are asked; ``unitxt`` is short for ``{draw: unitxt}``."""

    count: HowMany = 100
    """The number per card, or ``all``."""

    draw: ExampleDraw = "seeded"
    """``seeded``: a random choice fixed by the seed; a smaller count is a prefix of a larger one.
    ``first``: the first ones in the file's order. ``unitxt``: the first ones of unitxt's own card."""

    refused: Literal["stop", "leave_out"] = "stop"
    """What an example does whose table some configuration refuses, as too large for a picture, say: ``stop``
    the study, or be left out of all configurations; the next one of the draw then takes its place. So it is
    with demonstrations, but for those of the draw ``unitxt``."""

    context: Positive | None = None
    """The most tokens of a prompt with its longest answer, to which documents are cut. By default documents
    are shown whole."""

    table_tokens: Positive | None = None
    """The most tokens of a table: of a longer one some rows are shown, drawn at random, the same in every
    configuration, and fewer where the prompt would not fit into ``context``. By default tables are shown
    whole."""

    _short = short_for("draw")


def _folder_name(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", value):
        raise RecipeError(
            f"found {value!r}; expected letters, digits, '.', '_' and '-', a letter or digit first"
        )
    return value


class Replicates(ConfigSection):
    """Prompts that are asked again, so that the noise of answers is known."""

    share: Share = 0.0
    """The share of the cells (example and configuration) that is asked again, from 0 (none) to 1; if above 0,
    at least 100 cells in all, or all of them."""

    count: Annotated[int, Strict(), Field(ge=1, le=1000)] = 1
    """How many more times each of them is asked, with a seed of its own each time."""


class AnalysisOptions(ConfigSection):
    """How the scores are analysed."""

    resamples: Annotated[int, Strict(), Field(ge=1, le=100_000)] = 1000
    """Bootstrap resamples."""

    level: Annotated[float, Field(strict=True, gt=0, lt=1)] = 0.95
    """The confidence level of intervals."""


class Recipe(ConfigSection):
    """A study: cards, configurations, models, and options of the analysis."""

    name: Annotated[AnyText, AfterValidator(_folder_name)]
    """The name of the study and of its run directory: letters, digits, ``.``, ``_`` and ``-``."""

    description: AnyText = ""
    """What the study is for."""

    seed: Whole = 0
    """The seed of all randomness: examples, demonstrations, perturbations, resamples."""

    cards: Annotated[tuple[CardEntry, ...], SOME, LISTED]
    """The cards: names, or mappings with settings of their own."""

    configurations: Annotated[tuple[Product, ...], SOME]
    """How tables are written: a product, or a list of products and ids such as ``html/transpose/default``."""

    demonstrations: Demonstrations = Demonstrations()
    """Solved examples shown before the question."""

    demos: Draw | None = Field(default=None, exclude=True)
    """Short for ``demonstrations.draw``."""

    examples: Examples = Examples()
    """Which examples are asked."""

    generation: Generation = Generation()
    """How models answer."""

    replicates: Replicates = Replicates()
    """Which prompts are asked again; ``torr run --replicates`` replaces the share."""

    models: Annotated[tuple[ModelEntry, ...], LISTED, AfterValidator(labelled)] = ()
    """The models: names, or mappings. ``torr run --model`` replaces them."""

    judges: Annotated[tuple[JudgeEntry, ...], LISTED, AfterValidator(labelled)] = ()
    """Models that judge the answers once the others are done: as ``models``, with ``kind`` and ``cards``."""

    scoring: Literal["faithful", "lenient"] = "faithful"
    """Which score of an answer counts. ``faithful``: the one that the data set's publisher defines.
    ``lenient``: the same after a reading of the final answer, however it is set off."""

    analysis: AnalysisOptions = AnalysisOptions()
    """How the scores are analysed."""

    @model_validator(mode="before")
    @classmethod
    def _draw_of_demos(cls, value: object) -> object:
        if not isinstance(value, dict) or value.get("demos") not in get_args(Draw):
            return value  # validating the field itself reports the error
        section = value.get("demonstrations", {})
        if not isinstance(section, dict) or "draw" in section:
            return value
        return {**value, "demonstrations": {**section, "draw": value["demos"]}}

    @field_validator("demos")
    @classmethod
    def _one_draw(cls, value: Draw | None, info: ValidationInfo) -> Draw | None:
        section = info.data.get("demonstrations")
        if value is not None and section is not None and section.draw != value:
            raise RecipeError(
                f"found {value!r}, but demonstrations.draw is {section.draw!r}; expected only one of the two"
            )
        return value

    @field_validator("configurations", mode="before")
    @classmethod
    def _one_product(cls, value: object) -> object:
        return [value] if isinstance(value, str | dict) else value

    @field_validator("cards")
    @classmethod
    def _each_card_once(cls, value: tuple[CardEntry, ...]) -> tuple[CardEntry, ...]:
        datasets: dict[str, str] = {}
        for entry in value:
            dataset = load_card(entry.card).dataset
            if dataset in datasets:
                raise RecipeError(
                    f"data set {dataset!r} is asked twice, by {datasets[dataset]!r} and {entry.card!r}"
                )
            datasets[dataset] = entry.card
        return value

    @model_validator(mode="after")
    def _judged_cards_are_asked(self) -> Recipe:
        asked = [load_card(entry.card).dataset for entry in self.cards] if self.judges else []
        for judge in self.judges:
            for name in judge.cards or ():
                if name.removeprefix("cards.") not in asked:
                    raise RecipeError(f"judges: no card {name!r} in the recipe; {nearest(name, asked)}")
        return self

    @model_validator(mode="after")
    def _limits_are_known(self) -> Recipe:
        limits = {
            "examples.table_tokens": self.examples.table_tokens,
            "demonstrations.fit": self.demonstrations.fit,
        }
        for name, value in limits.items():
            if value and self.of_unitxt:
                raise RecipeError(
                    f"{name}: found {value}, but what is drawn as unitxt does is shown whole, as there; "
                    "expected another draw of examples and demonstrations"
                )
        if self.demonstrations.fit and self.examples.context is None:
            raise RecipeError(
                "demonstrations.fit: found true, and nothing says how long prompts may be; expected "
                "examples.context beside it"
            )
        return self

    @property
    def of_unitxt(self) -> bool:
        """Whether examples and demonstrations come from unitxt's own cards."""
        return "unitxt" in (self.examples.draw, self.demonstrations.draw)

    def expanded(self) -> tuple[Configuration, ...]:
        """All configurations in the order of the file, each once."""
        return tuple(dict.fromkeys(one for each in self.configurations for one in each.configurations()))


_EXPECTED = "a mapping with 'name', 'cards' and 'configurations'"


def recipes_in(folder: Path) -> dict[str, Path]:
    """The recipes of a folder by their names: ``FOLDER/NAME.yaml`` is ``NAME``."""
    return {path.stem: path for path in sorted(folder.glob("*.yaml"))}


recipe_folders = Folders("recipes", "recipe", recipes_in)


def load(recipe: str | Path) -> Recipe:
    """Load a recipe from a file, or a shipped one by name.

    ``recipes/real.yaml``, ``real.yaml`` and ``real`` all mean the shipped recipe ``real`` where no such file
    exists.

    Raises:
        RecipeError: not found (nearest names given), not YAML, or a wrong field: ``FILE:LINE: FIELD: found;
            expected``.
    """
    file = read_yaml_file(recipe_file(recipe), _EXPECTED)
    return file.validate(Recipe, _with_cards_beside(file.data, file.path.parent))


def _with_cards_beside(data: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The data with paths of card files that lie beside the recipe made absolute."""
    cards = data.get("cards")
    if not isinstance(cards, list):
        return data
    return {**data, "cards": [_beside(card, folder) for card in cards]}


def _beside(card: object, folder: Path) -> object:
    if isinstance(card, dict):
        return {**card, "card": _beside(card["card"], folder)} if "card" in card else card
    if isinstance(card, str) and card.endswith(".json") and (folder / card).is_file():
        return str(folder / card)
    return card


def recipe_names() -> list[str]:
    """The names of all recipes of the package and of plugins, sorted."""
    return sorted(recipe_folders.files())


def shipped_recipe(name: str) -> Path | None:
    """The file of a recipe of the package or a plugin, or None; never a file in the working directory."""
    return recipe_folders.files().get(name)


def add_recipe_folder(folder: Path, *, origin: str) -> None:
    """Offer every ``FOLDER/NAME.yaml`` as recipe ``NAME``; ``origin`` is who adds it, for messages.

    Raises:
        InputError: the folder does not exist, or a name is taken.
    """
    recipe_folders.register(str(folder), folder, origin=origin)


def recipe_file(recipe: str | Path) -> Path:
    """The file that :func:`load` reads.

    Raises:
        RecipeError: not found (with the nearest names).
    """
    path = Path(recipe)
    if path.is_file():
        return path
    known = recipe_folders.files()
    if path.is_dir() and str(recipe) not in known:
        raise RecipeError(f"{path}: a folder; expected a recipe file or the name of a shipped recipe")
    name = _shipped_name(PurePath(recipe))
    if name in known:
        return known[name]
    hint = nearest(str(path), [*known, *map(str, path.parent.glob("*.yaml"))])
    raise RecipeError(f"recipe {str(recipe)!r}: no such file, and no shipped recipe; {hint}")


def _shipped_name(path: PurePath) -> str | None:
    if path.parts[:-1] not in ((), ("recipes",)):
        return None
    return path.name.removesuffix(".yaml")
