"""What cards know of the examples of an imported run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...core.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from ...catalog import Example
    from .cells import Cells


def known_examples(study: Mapping[str, Any], cells: Cells) -> tuple[pd.DataFrame | None, list[str]]:
    """The contents of examples.parquet, as far as the cards' data are here; and a note on what is not."""
    from ...running import examples_frame

    found: dict[str, list[Example]] = {}
    notes = []
    for dataset in cells.requests:
        wanted = set(cells.examples(dataset))
        try:
            found[dataset] = [example for example in _examples(study, dataset) if example.id in wanted]
        except InputError:  # it says folders of this machine, and notes are published
            notes.append(
                f"{dataset}: groups and properties of its examples are not known, for its card's data cannot "
                "be read here; 'torr doctor' says where they are looked for"
            )
    kept = {name: examples for name, examples in found.items() if examples}
    return (examples_frame(kept) if kept else None), notes


def _examples(study: Mapping[str, Any], dataset: str) -> list[Example]:
    from ...catalog import read_examples
    from ...scoring.run_cards import card_of

    card = card_of(study, dataset)
    return list(read_examples(card, card.test_split))
