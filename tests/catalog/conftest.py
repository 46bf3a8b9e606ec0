from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from torr_plugin.catalog import folders
from torr_plugin.catalog.folders import card_document
from torr_plugin.core.versions import shipped_folder

from . import tiny


@pytest.fixture(autouse=True, scope="session")
def _shipped_cards_listed_once() -> Iterator[None]:
    """Their folder is listed again for each card that is loaded, and no test changes it."""
    below, shipped = folders._files_below, shipped_folder("cards").resolve()
    cards = below(shipped)
    with mock.patch.object(
        folders, "_files_below", lambda place: cards if place == shipped else below(place)
    ):
        yield


@pytest.fixture
def tiny_mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A mirror of a few rows, with TORR_DATA pointing at it."""
    place = tiny.write(tmp_path / "mirror")
    monkeypatch.setenv("TORR_DATA", str(place))
    return place


Changed = Callable[..., Path]


@pytest.fixture
def changed_card(tmp_path: Path) -> Changed:
    """Writes a shipped card with changes, ``path.to.key: value`` (``...`` takes the key away)."""

    def change(name: str, changes: dict[str, Any]) -> Path:
        card = deepcopy(card_document(name.replace("/", ".")).content)
        for path, value in changes.items():
            *parents, last = path.split(".")
            place = card
            for part in parents:
                place = place[int(part)] if part.isdigit() else place[part]
            if value is ...:
                del place[last]
            elif isinstance(place, list):
                place[int(last)] = value
            else:
                place[last] = value
        file = tmp_path / "changed.json"
        file.write_text(json.dumps(card))
        return file

    return change
