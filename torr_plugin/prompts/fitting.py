"""Show demonstrations as far as they fit, the same number in every configuration.

"Table Meets LLM" (section 2.2) appends its one demonstration where the prompt has room for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from .design import Configuration
from .message import text_format
from .prompt_lengths import longest_prompt
from .registered import designs

if TYPE_CHECKING:
    from ..catalog import Example
    from .builder import PromptBuilder


class FittingDemonstrations:
    """Finds how many demonstrations an example's prompts have room for.

    They are those that are drawn first, as many as fit in every configuration; a design may show none.
    Tables as pictures have no length, as in :class:`.TableSampler`.

    Args:
        builder: of the card's prompts.
        most: the most characters of a prompt, for each configuration.
    """

    def __init__(self, builder: PromptBuilder, most: Mapping[Configuration, int]) -> None:
        self._builder = builder
        self._most: dict[Configuration, int] = {}
        for each, limit in most.items():
            text = text_format(each.serializer)
            if text and not designs.get(each.design).carries:
                as_text = replace(each, serializer=text)
                self._most[as_text] = min(limit, self._most.get(as_text, limit))

    def fitted(self, example: Example) -> Example:
        """The example with the number of its demonstrations, 0 where not even the first fits.

        Raises:
            RecipeError: the pool has too few examples, or a configuration refuses a table.
        """
        count = len(self._builder.demonstrations(replace(example, demonstrations=None)))
        for configuration, limit in self._most.items():
            while count and self._length(example, count, configuration) > limit:
                count -= 1
        return replace(example, demonstrations=count)

    def _length(self, example: Example, count: int, configuration: Configuration) -> int:
        return longest_prompt(self._builder, replace(example, demonstrations=count), configuration)
