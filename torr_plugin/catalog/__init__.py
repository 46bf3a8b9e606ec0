"""Cards: the data sets, how each is read, asked and rated.

In: a card's name, or a JSON file. Out: a :class:`Card` and its :class:`Example` values, from the mirror that
``TORR_DATA`` names, from the hub, or from the project's own generators. The same files are artifacts of
unitxt: :func:`torr_plugin.register` makes them known there.
"""

from .card import Card, Template, load_card
from .example import Example
from .examples import data_fingerprint, read_examples
from .folders import add_card_folder, card_names, remove_card_folder
from .metrics import with_metrics
from .undisturbed import undisturbed
from .unitxt_examples import TwinExample, read_twin_examples, twin_fingerprint
from .unitxt_twin import twin_template

__all__ = [
    "Card",
    "Example",
    "Template",
    "TwinExample",
    "add_card_folder",
    "card_names",
    "data_fingerprint",
    "load_card",
    "read_examples",
    "read_twin_examples",
    "remove_card_folder",
    "twin_fingerprint",
    "twin_template",
    "undisturbed",
    "with_metrics",
]
