"""Cards: data sets, and how each is read, asked and scored.

In: a card's name, or a JSON file. Out: a :class:`Card` and its :class:`Example` values, from the mirror that
``TORR_DATA`` names, from the hub, or from the project's own generators. The same files are artifacts of
unitxt: :func:`torr_plugin.register` makes them known there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.registry import lazy_package

if TYPE_CHECKING:
    from . import mirroring as mirroring
    from .examples import Example as Example
    from .examples import data_fingerprint as data_fingerprint
    from .examples import read_examples as read_examples
    from .folders import add_card_folder as add_card_folder
    from .folders import card_names as card_names
    from .generated import data_set_makers as data_set_makers
    from .loading import mirror_folder as mirror_folder
    from .schema import Card as Card
    from .schema import Template as Template
    from .schema import load_card as load_card
    from .schema import with_metrics as with_metrics
    from .unitxt_examples import preserved_global_state as preserved_global_state
    from .unitxt_examples import read_unitxt_examples as read_unitxt_examples
    from .unitxt_examples import unitxt_fingerprint as unitxt_fingerprint
    from .unitxt_examples import unitxt_template as unitxt_template

__getattr__, __dir__, __all__ = lazy_package(__name__, __file__)
