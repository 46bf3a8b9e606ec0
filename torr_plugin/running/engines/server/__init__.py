"""Models behind servers: lm-eval writes the requests, aiohttp sends them.

In: contexts. Out: texts, or why there is none. :mod:`.engine` joins the parts: :mod:`.payloads` writes
requests, :mod:`.client` sends them, as many at once as the server takes, again where it fails, until it is
given up; :mod:`.connection` is one HTTP exchange, :mod:`.replies` reads what comes back.
"""
