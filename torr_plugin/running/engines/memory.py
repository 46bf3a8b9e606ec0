"""Which errors of a device a smaller batch may help, which end it; and its memory, freed."""

from __future__ import annotations

import gc
import sys
from contextlib import suppress

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


def release() -> None:
    """Free what nothing refers to, including torch's caches on its devices."""
    gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        with suppress(RuntimeError):  # of a broken device; the next model to load reports it
            torch.cuda.empty_cache()
