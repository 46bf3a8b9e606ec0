"""Models behind servers: lm-eval's payloads, our conversation with the server.

In: contexts. Out: texts, or why there is none. :mod:`.engine` joins the parts: :mod:`.payloads` writes
requests, :mod:`.conversation` decides what is sent when (:mod:`.turns`, :mod:`.concurrency`, :mod:`.waiting`,
:mod:`.health`), :mod:`.exchange` sends it, :mod:`.replies` and :mod:`.reading` judge what comes back.
"""

from .engine import ServerEngine, server_engine

__all__ = ["ServerEngine", "server_engine"]
