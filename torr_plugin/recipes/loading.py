"""Find and read recipes: files, and those that come with the package or a plugin."""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import Any

from ..core.errors import OWN, InputError, RecipeError, nearest
from ..core.registry import Registry
from ..core.versions import shipped_folder
from ..core.yaml_files import read_yaml_file
from .schema import Recipe

_EXPECTED = "a mapping with 'name', 'cards' and 'configurations'"


class _RecipeFolders(Registry[Path]):
    """Refuses a missing folder, and recipes whose names are taken."""

    def register(self, name: str, value: Path, *, origin: str = OWN) -> Path:
        if not value.is_dir():
            raise InputError(f"{origin}: recipe folder {str(value)!r} does not exist")
        taken = {recipe: path.parent for recipe, path in _shipped().items() if path.parent != value}
        for recipe in recipes_in(value):
            if recipe in taken:
                raise InputError(
                    f"two recipes are called {recipe!r}: one in {taken[recipe]}, one from {origin}; "
                    "rename one"
                )
        return super().register(str(value), value, origin=origin)


recipe_folders: Registry[Path] = _RecipeFolders("folder of recipes", "folders of recipes")


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
    return sorted(_shipped())


def shipped_recipe(name: str) -> Path | None:
    """The file of a recipe of the package or a plugin, or None; never a file in the working directory."""
    return _shipped().get(name)


def add_recipe_folder(folder: Path, *, origin: str) -> None:
    """Offer every ``FOLDER/NAME.yaml`` as recipe ``NAME``; ``origin`` is the plugin.

    Raises:
        InputError: the folder does not exist, or a name is taken.
    """
    recipe_folders.register(str(folder), folder, origin=origin)


def recipes_in(folder: Path) -> list[str]:
    """The names of the recipes in a folder."""
    return sorted(_in_folder(folder))


def recipe_file(recipe: str | Path) -> Path:
    """The file that :func:`load` reads.

    Raises:
        RecipeError: not found (with the nearest names).
    """
    path = Path(recipe)
    if path.is_file():
        return path
    if path.is_dir() and str(recipe) not in _shipped():
        raise RecipeError(f"{path}: a folder; expected a recipe file or the name of a shipped recipe")
    known = _shipped()
    name = _shipped_name(PurePath(recipe))
    if name in known:
        return known[name]
    hint = nearest(str(path), [*known, *map(str, path.parent.glob("*.yaml"))])
    raise RecipeError(f"recipe {str(recipe)!r}: no such file, and no shipped recipe; {hint}")


def _shipped_name(path: PurePath) -> str | None:
    if path.parts[:-1] not in ((), ("recipes",)):
        return None
    return path.name.removesuffix(".yaml")


def _shipped() -> dict[str, Path]:
    folders = [shipped_folder("recipes"), *map(recipe_folders.get, recipe_folders)]
    return {name: path for folder in folders for name, path in _in_folder(folder).items()}


def _in_folder(folder: Path) -> dict[str, Path]:
    return {path.stem: path for path in sorted(folder.glob("*.yaml"))}
