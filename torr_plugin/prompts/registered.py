"""The registry of designs, which also knows those composed of several, ``table_size+suc``."""

from __future__ import annotations

from typing import ClassVar

from ..core.errors import OWN, RecipeError, UnknownNameError
from ..core.registry import Registry
from .design import SEPARATOR, Design, check_design


class _Designs(Registry[Design]):
    """Finds the papers' designs too, makes composed ones when asked for, and refuses invalid ones."""

    _composed: ClassVar[dict[str, tuple[Design, Design]]] = {}  # with the last part, which may be exchanged

    def register(self, name: str, value: Design, *, origin: str = OWN) -> Design:
        if SEPARATOR in name or "/" in name:
            raise RecipeError(
                f"design {name!r}: found {SEPARATOR!r} or '/' in its name; "
                "they join the parts of designs and of configurations"
            )
        check_design(value)
        return super().register(name, value, origin=origin)

    def get(self, name: str) -> Design:
        """The design called ``name``, registered or composed.

        Raises:
            UnknownNameError: a part of the name is unknown (with the nearest ones).
            RecipeError: the parts do not fit together.
        """
        *parts, last = name.split(SEPARATOR)
        base = super().get(last)
        if not parts:
            return base
        known = self._composed.get(name)
        if known is None or known[1] is not base:
            design = base
            for part in reversed(parts):
                design = super().get(part).over(design)
            known = self._composed[name] = design, base
        return known[0]

    def origin(self, name: str) -> str:
        """The plugin that registered a design; of a composed one, its last part."""
        return super().origin(name.rpartition(SEPARATOR)[2])

    def __contains__(self, name: object) -> bool:
        if super().__contains__(name):
            return True
        if not isinstance(name, str) or SEPARATOR not in name:
            return False
        try:
            self.get(name)
        except (UnknownNameError, RecipeError):
            return False
        return True


designs: Registry[Design] = _Designs(
    "design",
    package=__package__,
    hook="torr_designs",
    lazy={
        "carried": ".basic_designs:CarriedDesign",
        "default": ".basic_designs:DefaultDesign",
        "hctqa": ".basic_designs:HctQaDesign",
        "torr": ".basic_designs:TorrDesign",
    },
)
