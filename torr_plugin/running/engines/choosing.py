"""Which engine drives a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .lm_eval import LmEvalEngine

if TYPE_CHECKING:
    from lm_eval.api.model import LM

    from .base import Engine


def engine_of(lm: LM, args: Mapping[str, Any] | None = None) -> Engine:
    """The engine for a loaded model of lm-eval: that inside it where we know how to drive it, else itself.

    Args:
        lm: the model.
        args: the arguments it was made with, where a default of lm-eval's is not to be taken for a wish.
    """
    kinds = {kind.__name__ for kind in type(lm).__mro__}
    engine: Engine | None = None
    if "HFLM" in kinds:
        from .transformers import transformers_engine

        engine = transformers_engine(lm, args or {})
    elif "VLLM" in kinds:
        from .vllm import vllm_engine

        engine = vllm_engine(lm)
    elif "TemplateAPI" in kinds:
        from .server import is_served, server_engine

        engine = server_engine(lm, args or {}) if is_served(lm) else None
    return LmEvalEngine(lm) if engine is None else engine
