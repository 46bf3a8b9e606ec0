"""Build the prompt of an example in a configuration.

In: a card, a pool of demonstrations, an example, a configuration (serializer, perturbation, design).
Out: a prompt, that is a tuple of chat messages; it depends on the seed, not on order or parallelism.

    builder = PromptBuilder(card, pool, seed=0, shots=5, draw="paired")
    prompt = builder.build(example, configuration)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.registry import lazy_package

if TYPE_CHECKING:
    from .builder import Draw as Draw
    from .builder import PromptBuilder as PromptBuilder
    from .design import Configuration as Configuration
    from .design import DefaultDesign as DefaultDesign
    from .design import Design as Design
    from .design import Shown as Shown
    from .design import Step as Step
    from .design import check_design as check_design
    from .design import check_steps as check_steps
    from .design import designs as designs
    from .design import first_steps as first_steps
    from .message import IMAGE as IMAGE
    from .message import Message as Message
    from .message import Prompt as Prompt
    from .message import images_of as images_of
    from .message import is_picture as is_picture
    from .message import text_of as text_of
    from .unitxt_draw import seeded_by_unitxt as seeded_by_unitxt

__getattr__, __dir__, __all__ = lazy_package(__name__, __file__)
