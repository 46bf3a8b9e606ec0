"""Makes the cards live in unitxt."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager


def register() -> None:
    """Register the project's catalog with unitxt.

    It has ``cards.*`` of all card folders, ``tasks.torr.*`` and ``metrics.torr.*``. Registering again does
    nothing. Importing unitxt seeds the global random generator and may change the environment; both are put
    back.
    """
    with _undisturbed():
        from unitxt.artifact import Catalogs

        from .unitxt_artifacts import TorrCatalog

        if not any(isinstance(catalog, TorrCatalog) for catalog in Catalogs().catalogs):
            Catalogs().register(TorrCatalog())


@contextmanager
def _undisturbed() -> Iterator[None]:
    state, environment = random.getstate(), dict(os.environ)
    try:
        yield
    finally:
        random.setstate(state)
        for name in os.environ.keys() - environment.keys():
            del os.environ[name]
        os.environ.update(environment)
