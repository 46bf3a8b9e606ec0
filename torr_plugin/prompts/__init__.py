"""From an example and a configuration to the prompt that a model is asked.

In: a card, the pool that demonstrations are drawn from, an example, a configuration (serializer,
perturbation, design).
Out: a prompt, a tuple of chat messages; the same for the same seed in any order and at any parallelism.

    builder = PromptBuilder(card, pool, seed=0, shots=5, draw="paired")
    prompt = builder.build(example, configuration)
"""

from .basic_designs import DefaultDesign, HctQaDesign, TorrDesign
from .builder import PromptBuilder
from .carried import CarriedDesign, parse_prompt
from .demonstrations import DRAWS, Draw, UnitxtDraw, draw_demonstrations, seeded_by_unitxt
from .design import (
    Configured,
    Design,
    Shown,
    Step,
    check_follows,
    check_steps,
    designs,
    first_steps,
    ready_steps,
)
from .message import IMAGE, Message, Prompt, Role, images_of, is_picture, merged
from .self_augmented import SelfAugmented
from .suc import SucDesign

__all__ = [
    "DRAWS",
    "IMAGE",
    "CarriedDesign",
    "Configured",
    "DefaultDesign",
    "Design",
    "Draw",
    "HctQaDesign",
    "Message",
    "Prompt",
    "PromptBuilder",
    "Role",
    "SelfAugmented",
    "Shown",
    "Step",
    "SucDesign",
    "TorrDesign",
    "UnitxtDraw",
    "check_follows",
    "check_steps",
    "designs",
    "draw_demonstrations",
    "first_steps",
    "images_of",
    "is_picture",
    "merged",
    "parse_prompt",
    "ready_steps",
    "seeded_by_unitxt",
]
