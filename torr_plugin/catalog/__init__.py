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
    from .card import Card as Card
    from .card import Template as Template
    from .card import load_card as load_card
    from .card import with_metrics as with_metrics
    from .examples import data_fingerprint as data_fingerprint
    from .examples import read_examples as read_examples
    from .folders import add_card_folder as add_card_folder
    from .folders import card_names as card_names
    from .reading import Example as Example
    from .rows import mirror_folder as mirror_folder
    from .unitxt_examples import UnitxtExample as UnitxtExample
    from .unitxt_examples import preserved_global_state as preserved_global_state
    from .unitxt_examples import read_unitxt_examples as read_unitxt_examples
    from .unitxt_examples import unitxt_fingerprint as unitxt_fingerprint
    from .unitxt_examples import unitxt_template as unitxt_template

__getattr__, __dir__, __all__ = lazy_package(
    __name__,
    {
        ".": ["mirroring"],
        ".card": ["Card", "Template", "load_card", "with_metrics"],
        ".examples": ["data_fingerprint", "read_examples"],
        ".reading": ["Example"],
        ".folders": ["add_card_folder", "card_names"],
        ".rows": ["mirror_folder"],
        ".unitxt_examples": [
            "UnitxtExample",
            "preserved_global_state",
            "read_unitxt_examples",
            "unitxt_fingerprint",
            "unitxt_template",
        ],
    },
)
