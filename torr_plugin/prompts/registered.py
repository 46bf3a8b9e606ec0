"""The registry of designs, which also knows those composed of augmentations and a registered base."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from ..core.errors import OWN, RecipeError, UnknownNameError
from ..tables import Registry
from .augmentations import AUGMENTATIONS
from .augmented import SEPARATOR, AugmentedDesign
from .basic_designs import DEFAULT
from .design import Design, check_design


class _Designs(Registry[Design]):
    """Makes composed designs, ``table_size+suc``, when they are asked for; refuses invalid ones.

    ``names`` has the registered ones alone.
    """

    def __init__(self, kind: str, *, package: str, lazy: Mapping[str, str]) -> None:
        super().__init__(kind, package=package, lazy=lazy)
        self._composed: dict[str, AugmentedDesign] = {}

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
            UnknownNameError: a part of the name is unknown (with the nearest ones; for an augmentation
                without a base, the design that it makes of ``default``).
            RecipeError: the parts do not fit together.
        """
        if SEPARATOR in name:
            return self._composed_design(name)
        try:
            return super().get(name)
        except UnknownNameError:
            meant = difflib.get_close_matches(name, AUGMENTATIONS, cutoff=0.8)
            alone = [f"{each}{SEPARATOR}{DEFAULT}" for each in meant]
            raise UnknownNameError(self.kind, name, [*self.names(), *alone]) from None

    def origin(self, name: str) -> str:
        """The plugin that registered a design, or a composed one's base."""
        return super().origin(name.rpartition(SEPARATOR)[2])

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str) or SEPARATOR not in name:
            return super().__contains__(name)
        try:
            self._composed_design(name)
        except (UnknownNameError, RecipeError):
            return False
        return True

    def _composed_design(self, name: str) -> AugmentedDesign:
        *parts, base = name.split(SEPARATOR)
        for part in parts:
            if part not in AUGMENTATIONS:
                raise UnknownNameError("augmentation", part, AUGMENTATIONS, f"design {name!r}")
        if not super().__contains__(base):
            raise UnknownNameError(self.kind, base, self.names(), f"design {name!r}")
        over = super().get(base)
        made = self._composed.get(name)
        if made is None or made.over is not over:  # a plugin's base may have been exchanged
            made = self._composed[name] = AugmentedDesign(name, over, [AUGMENTATIONS[part] for part in parts])
        return made


designs: Registry[Design] = _Designs(
    "design",
    package=__package__,
    lazy={
        "carried": ".carried:CarriedDesign",
        "default": ".basic_designs:DefaultDesign",
        "hctqa": ".basic_designs:HctQaDesign",
        "self_augmented": ".self_augmented:VALUES",
        "self_augmented_all": ".self_augmented:ALL",
        "self_augmented_format": ".self_augmented:FORMAT",
        "self_augmented_structure": ".self_augmented:STRUCTURE",
        "suc": ".suc:SUC",
        "suc_no_demonstration": ".suc:SUC_NO_DEMONSTRATION",
        "suc_no_explanation": ".suc:SUC_NO_EXPLANATION",
        "suc_no_marks": ".suc:SUC_NO_MARKS",
        "suc_no_role": ".suc:SUC_NO_ROLE",
        "suc_question_last": ".suc:SUC_QUESTION_LAST",
        "torr": ".basic_designs:TorrDesign",
        "tree_thinker": ".tree_thinker:TreeThinkerDesign",
        "tree_thinker_gold": ".tree_thinker:TreeThinkerGoldDesign",
        "tree_thinker_no_reasoning": ".tree_thinker:TreeThinkerNoReasoningDesign",
        "tree_thinker_no_tree": ".tree_thinker:TreeThinkerNoTreeDesign",
    },
)
