"""Models that see: which of lm-eval's do, and the pictures as they take them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ..core.errors import ModelError
from ..prompts import designs, is_picture
from .registry import model_class

if TYPE_CHECKING:
    from ..recipes import Configuration, ModelEntry

# of lm-eval's models with the mark MULTIMODAL, those whose other mode is sound
_HEAR = frozenset({"hf-audiolm-qwen"})


def check_sees(models: Sequence[ModelEntry], configurations: Iterable[Configuration]) -> None:
    """Refuse models that see text alone where a configuration shows pictures; before anything runs.

    Raises:
        ModelError: model, configuration and which kinds of models see; or Pillow is not installed.
    """
    shown = next((each for each in configurations if _shows_pictures(each)), None)
    if shown is None:
        return
    for entry in models:
        if not sees(entry.model):
            raise ModelError(
                f"model {entry.label!r} ({entry.model}) sees text alone, and configuration {shown.id} shows "
                "pictures; expected a model that sees, such as hf-multimodal, vllm-vlm or "
                "local-chat-completions"
            )
    if find_spec("PIL") is None:
        raise ModelError(f"configuration {shown.id} shows pictures, which needs Pillow: pip install pillow")


def _shows_pictures(configuration: Configuration) -> bool:
    return is_picture(configuration.serializer) and not designs.get(configuration.design).carries


def sees(model: str) -> bool:
    """Whether one of lm-eval's models takes pictures.

    lm-eval marks all models of servers so; of these, only those that take chat messages can send a picture.

    Raises:
        ModelError: no such model, or a package that it needs is missing.
    """
    kind = model_class(model)
    if model in _HEAR or not getattr(kind, "MULTIMODAL", False):
        return False
    names = {each.__name__ for each in kind.__mro__}
    return "TemplateAPI" not in names or any("Chat" in name for name in names)
