"""What the machine has: processors, GPUs, a Ray cluster; and switches that change what happens."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator

from .finding import Finding

_SWITCHES = ("HF_HUB_OFFLINE", "RAY_ADDRESS", "TORR_PLUGINS")
_SECONDS = 10


def machine() -> Iterator[Finding]:
    """Processors, GPUs, and the environment variables that change what commands do."""
    yield Finding("processors", "good", str(os.cpu_count() or 1))
    yield _gpus()
    for name in _SWITCHES:
        if os.environ.get(name):
            yield Finding(name, "good", os.environ[name])


def _gpus() -> Finding:
    """Those that the driver names; torch is not imported for it."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return Finding("GPUs", "optional", "none found (no nvidia-smi)")
    ask = [program, "--query-gpu=name,memory.total", "--format=csv,noheader"]
    try:
        done = subprocess.run(ask, capture_output=True, text=True, check=True, timeout=_SECONDS)  # noqa: S603
    except (OSError, subprocess.SubprocessError) as error:
        return Finding("GPUs", "optional", f"nvidia-smi failed: {type(error).__name__}")
    names = [line.strip() for line in done.stdout.splitlines() if line.strip()]
    return Finding("GPUs", "good" if names else "optional", "; ".join(names) or "none found")
