"""How a loaded model of lm-eval generates: by its own ``generate_until``, or by the engine inside it.

In: contexts. Out: texts with what the engine says about them. One loop drives them all:
:class:`torr_plugin.running.model.Model`.
"""

from typing import TYPE_CHECKING

from ...core.lazy import lazy_package

if TYPE_CHECKING:
    from .base import Engine as Engine
    from .base import EngineRequest as EngineRequest
    from .base import ModelOutput as ModelOutput
    from .lm_eval import engine_of as engine_of

__getattr__, __dir__, __all__ = lazy_package(
    __name__,
    {".base": ["Engine", "EngineRequest", "ModelOutput"], ".lm_eval": ["engine_of"]},
)
