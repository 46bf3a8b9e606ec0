"""Models behind servers: lm-eval writes the requests, aiohttp sends them.

In: contexts. Out: texts, or why there is none. :mod:`.engine` joins the parts: :mod:`.payloads` writes
requests, :mod:`.client` sends them, as many at once as the server takes, again where it fails, until it is
given up; :mod:`.connection` is one HTTP exchange, :mod:`.replies` reads what comes back.
"""

from typing import TYPE_CHECKING

from ....core.lazy import lazy_package

if TYPE_CHECKING:
    from .engine import ServerEngine as ServerEngine
    from .engine import server_engine as server_engine

__getattr__, __dir__, __all__ = lazy_package(__name__, {".engine": ["ServerEngine", "server_engine"]})
