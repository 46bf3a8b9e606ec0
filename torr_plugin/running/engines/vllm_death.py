"""Noticing that vLLM's engine process died.

vLLM raises ``EngineDeadError`` where the process said that it dies. One that was killed (out of memory)
said nothing: vLLM's watching thread notes it, yet a caller that waits for output goes on waiting. So a thread
of ours puts the error where the caller waits.
"""

from __future__ import annotations

import threading
from typing import Any

_SECONDS_BETWEEN_LOOKS = 1.0


class DeathWatch:
    """Watches one engine until it is closed."""

    def __init__(self, core: Any) -> None:
        client: Any = getattr(core, "engine_core", None)
        self._resources: Any = getattr(client, "resources", None)
        self._outputs: Any = getattr(client, "outputs_queue", None)
        self._closed = threading.Event()
        if hasattr(self._resources, "engine_dead") and hasattr(self._outputs, "put_nowait"):
            threading.Thread(target=self._watch, daemon=True, name="torr-engine-watch").start()

    def close(self) -> None:
        """End the watch."""
        self._closed.set()

    def _watch(self) -> None:
        while not self._closed.wait(_SECONDS_BETWEEN_LOOKS):
            if self._resources.engine_dead:
                from vllm.v1.engine.exceptions import EngineDeadError

                self._outputs.put_nowait(EngineDeadError())
                return
