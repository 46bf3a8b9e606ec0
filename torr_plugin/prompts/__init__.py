"""From an example and a configuration to the prompt that a model is asked.

In: a card, the pool that demonstrations are drawn from, an example, a configuration (serializer,
perturbation, design).
Out: a prompt, a tuple of chat messages; the same for the same seed in any order and at any parallelism.

    builder = PromptBuilder(card, pool, seed=0, shots=5, draw="paired")
    prompt = builder.build(example, configuration)
"""

from .builder import PromptBuilder
from .carried import CarriedDesign, parse_prompt
from .configured import Configured
from .default import DefaultDesign
from .demonstrations import DRAWS, Draw, draw_demonstrations
from .design import Design, Shown, check_follows, designs
from .hctqa import HctQaDesign
from .message import IMAGE, Message, Prompt, Role, images_of, merged
from .pictures import is_picture
from .self_augmented import SelfAugmented
from .steps import Step, check_steps, first_steps, ready_steps
from .suc import SucDesign
from .torr import TorrDesign
from .unitxt_seeded import UnitxtDraw, seeded_by_unitxt

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
