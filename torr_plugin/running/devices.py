"""Where weights are put when nobody says: lm-eval's models of transformers ask for CUDA even without one."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

_ASKS_FOR_CUDA = "lm_eval.models.huggingface"


def on_a_device(kind: type[Any], args: Mapping[str, Any]) -> dict[str, Any]:
    """A model's arguments, with the device that this machine has where its class would take an absent one.

    Args:
        kind: the model's class.
        args: its arguments; a ``device`` among them is kept.
    """
    module = sys.modules.get(_ASKS_FOR_CUDA)  # imported with the class, where that is built on it
    if module is None or "device" in args or not issubclass(kind, module.HFLM):
        return dict(args)
    import torch

    if torch.cuda.is_available():
        return dict(args)
    return {**args, "device": "mps" if torch.backends.mps.is_available() else "cpu"}
