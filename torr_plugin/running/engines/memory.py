"""The memory that a sequence takes while it is generated, and the memory that is free."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from typing import Any

_OUT_OF_MEMORY = ("out of memory", "can't allocate memory", "CUBLAS_STATUS_ALLOC_FAILED")
_BROKEN = ("CUDA error", "device-side assert", "HIP error", "CUDNN_STATUS_EXECUTION_FAILED")


def is_out_of_memory(error: BaseException) -> bool:
    """Whether a smaller batch may help."""
    return type(error).__name__ == "OutOfMemoryError" or (
        isinstance(error, (RuntimeError, MemoryError))
        and (isinstance(error, MemoryError) or any(part in str(error) for part in _OUT_OF_MEMORY))
    )


def is_broken(error: BaseException) -> bool:
    """Whether the device is lost to this process."""
    return not is_out_of_memory(error) and (
        type(error).__name__ == "AcceleratorError" or any(part in str(error) for part in _BROKEN)
    )


def bytes_a_token(config: Any, element: int) -> int | None:
    """Bytes of a token in a decoder: its keys and values, and activations while prompts are read.

    Args:
        config: the model's configuration in transformers.
        element: bytes of a number.

    Returns:
        None where the configuration lacks these sizes (a model without attention, say).
    """
    config = getattr(config, "text_config", None) or config
    layers = _size(config, "num_hidden_layers", "n_layer")
    heads = _size(config, "num_attention_heads", "n_head")
    hidden = _size(config, "hidden_size", "n_embd")
    if not (layers and heads and hidden):
        return None
    kept = _size(config, "num_key_value_heads") or heads
    head = _size(config, "head_dim") or hidden // heads
    inner = _size(config, "intermediate_size", "n_inner") or 4 * hidden
    return element * (2 * layers * kept * head + 8 * hidden + 3 * inner)


def _size(config: Any, *names: str) -> int | None:
    found = (getattr(config, name, None) for name in names)
    return next((value for value in found if isinstance(value, int) and value > 0), None)


def free_bytes(device: Any) -> int | None:
    """Bytes that can be allocated on a torch device; None if it does not say."""
    import torch

    if device.type == "cuda":
        free: int = torch.cuda.mem_get_info(device)[0]
        return free + int(torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device))
    if device.type != "cpu":
        return None
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return None


def release() -> None:
    """Free what nothing refers to, including torch's caches on its devices."""
    gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        with suppress(RuntimeError):  # of a broken device; the next model to load reports it
            torch.cuda.empty_cache()
