"""Finds and reads recipes: a file, or one that came with the package or a plugin."""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import Any

from ..core import shipped
from ..core.errors import OWN, InputError, RecipeError, nearest
from ..core.registry import Registry
from ..core.yaml_files import read_yaml_file
from .schema import Recipe

_EXPECTED = "a mapping with 'name', 'cards' and 'configurations'"
_SUFFIXES = (".yaml", ".yml")


class _RecipeFolders(Registry[Path]):
    """Refuses a folder that is not there, or with a recipe whose name is taken."""

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
    """The recipe in a file, or the shipped one of that name.

    ``recipes/real.yaml``, ``real.yaml`` and ``real`` all mean the shipped recipe ``real`` where no such file
    exists.

    Raises:
        RecipeError: not found (nearest names said), not YAML, or wrong in a field: ``FILE:LINE: FIELD: found;
            expected``.
    """
    file = read_yaml_file(recipe_file(recipe), _EXPECTED)
    return file.validate(Recipe, _with_cards_beside(file.data, file.path.parent))


def _with_cards_beside(data: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The data, in which a card's file that lies beside the recipe is found from any directory."""
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
    """The names of all recipes that came with the package or with plugins, sorted."""
    return sorted(_shipped())


def shipped_recipe(name: str) -> Path | None:
    """The file of a recipe that came with the package or a plugin, whatever files of that name lie about."""
    return _shipped().get(name)


def add_recipe_folder(folder: Path, *, origin: str) -> None:
    """Offer every ``FOLDER/NAME.yaml`` as recipe ``NAME``; ``origin`` says which plugin brought it.

    Raises:
        InputError: no such folder, or a name that is taken.
    """
    recipe_folders.register(str(folder), folder, origin=origin)


def remove_recipe_folder(folder: Path) -> None:
    """Forget a folder that was added; nothing where it was not."""
    recipe_folders.remove(str(folder))


def recipes_in(folder: Path) -> list[str]:
    """The names of the recipes that a folder brings."""
    return sorted(_in_folder(folder))


def recipe_file(recipe: str | Path) -> Path:
    """The file that :func:`load` reads.

    Raises:
        RecipeError: not found; nearest names are said.
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
    raise RecipeError(
        f"recipe {str(recipe)!r}: no such file, and no shipped recipe; {nearest(path.stem, known)}"
    )


def _shipped_name(path: PurePath) -> str | None:
    if path.parts[:-1] not in ((), ("recipes",)):
        return None
    return path.stem if path.suffix in _SUFFIXES else path.name


def _shipped() -> dict[str, Path]:
    folders = [shipped.folder("recipes"), *map(recipe_folders.get, recipe_folders)]
    return {name: path for folder in folders for name, path in _in_folder(folder).items()}


def _in_folder(folder: Path) -> dict[str, Path]:
    return {path.stem: path for suffix in _SUFFIXES for path in sorted(folder.glob(f"*{suffix}"))}
