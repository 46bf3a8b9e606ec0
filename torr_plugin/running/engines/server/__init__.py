"""Models behind servers: lm-eval writes the requests, aiohttp sends them.

In: contexts. Out: texts, or why there is none. :mod:`.engine` has the connection and the thread,
:mod:`.payloads` writes bodies; :mod:`.client` sends them, as many at once as the server takes, again where it
fails, until it is given up; :mod:`.replies` reads what comes back.
"""
