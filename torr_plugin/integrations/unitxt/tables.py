"""Our table formats and perturbations, for recipes of unitxt's own. Importing this imports unitxt."""

# no ``from __future__ import annotations``: unitxt makes its fields of annotations that are types, not text

import io
import json
from collections.abc import Callable, Mapping
from typing import Any, Optional

from unitxt.augmentors import TypeDependentAugmentor
from unitxt.dict_utils import dict_get, dict_set
from unitxt.serializers import SingleTypeSerializer
from unitxt.settings_utils import get_constants
from unitxt.type_utils import isoftype
from unitxt.types import Table as UnitxtTable

from ...catalog.unitxt_examples import table_of
from ...core.seeds import generator
from ...tables import perturbations, serializers
from ...tables.perturbations.base import renamer
from ...tables.serializers import PictureSerializer
from ...tables.serializers.base import with_text


class TorrTableSerializer(SingleTypeSerializer):  # type: ignore[misc]
    """A table in one of our formats; ``name`` is the format's, e.g. ``latex`` or ``torr.html``."""

    serialized_type = UnitxtTable
    name: str

    def serialize(self, value: Any, instance: dict[str, Any]) -> str:
        """The table as text; for a format that draws, with unitxt's tag of each picture."""
        serializer = serializers.get(self.name)
        table = table_of(value)
        if not isinstance(serializer, PictureSerializer):
            return serializer.serialize(table)
        name = serializer.text_format
        text = serializers.get(name).serialize(table) if name else ""
        return with_text(_pictured(serializer.draw(table), instance), text)


class TorrTableAugmentor(TypeDependentAugmentor):  # type: ignore[misc]
    """Tables under one of our perturbations.

    Where the perturbation renames words, it does in all texts of the instance's inputs and references.

    Chance comes from ``seed`` and the table, so that an instance is perturbed alike in any order. With
    ``dataset``, and instances that have an ``example`` as those of our cards do, it comes from (``seed``,
    ``dataset``, example, perturbation), as in ``torr run``.
    """

    augmented_type = UnitxtTable
    name: str
    seed: int = 0
    dataset: Optional[str] = None  # noqa: UP045

    def process(
        self,
        instance: dict[str, Any],
        stream_name: Optional[str] = None,  # noqa: UP045
    ) -> dict[str, Any]:
        """The instance with its tables perturbed."""
        self.verify_field_definition()
        for field, to_field in self._field_to_field:
            value = dict_get(instance, field)
            if isoftype(value, UnitxtTable):
                changed, renames = self._perturbed(value, instance)
                _rename_all(instance, renames)
                dict_set(instance, to_field, changed)
        return instance

    def process_value(self, value: Any) -> Any:
        """A table alone, perturbed."""
        return self._perturbed(value, {})[0]

    def _perturbed(self, value: Any, instance: Mapping[str, Any]) -> tuple[Any, Mapping[str, str]]:
        perturbation, table = perturbations.get(self.name), table_of(value)
        path = (*self._seeded_by(value, instance), self.name)
        changed = perturbation.perturb(table, generator(self.seed, *path))
        return changed.to_unitxt(), perturbation.renames(table, generator(self.seed, *path))

    def _seeded_by(self, value: Any, instance: Mapping[str, Any]) -> tuple[str, str]:
        example = (instance.get("reference_fields") or {}).get("example")
        if self.dataset is not None and isinstance(example, str):
            return self.dataset, example
        return "unitxt", json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)


def _rename_all(instance: dict[str, Any], renames: Mapping[str, str]) -> None:
    if not renames:
        return
    rename = renamer(renames)
    for part in ("input_fields", "reference_fields"):
        if part in instance:
            instance[part] = {
                name: value if name in _NAMES else _renamed(value, rename)
                for name, value in instance[part].items()
            }


_NAMES = ("example", "groups")  # of instances of our cards: names, which no model sees


def _renamed(value: Any, rename: Callable[[str], str]) -> Any:
    """Rename words in all texts of a value, also in a list written as JSON; leave tables as they are."""
    if isinstance(value, str):
        listed = _listed(value)
        return rename(value) if listed is None else json.dumps(_renamed(listed, rename), ensure_ascii=False)
    if isinstance(value, list):
        return [_renamed(each, rename) for each in value]
    if isinstance(value, dict) and not isoftype(value, UnitxtTable):
        return {name: _renamed(each, rename) for name, each in value.items()}
    return value


def _listed(text: str) -> list[Any] | None:
    if not text.startswith("["):
        return None
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, list) else None


def _pictured(png: bytes, instance: dict[str, Any]) -> str:
    """Add a picture to the instance, and return the tag by which unitxt's formats find it."""
    from PIL import Image  # of an extra, as what draws pictures is

    images = instance.setdefault("media", {}).setdefault("images", [])
    images.append({"image": Image.open(io.BytesIO(png)), "format": "PNG"})
    return f'<{get_constants().image_tag} src="media/images/{len(images) - 1}">'
