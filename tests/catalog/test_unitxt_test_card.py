"""unitxt's own check of cards passes on ours: saved and loaded again, right answers score 1, others 0."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from torr_plugin.catalog import card_names, load_card, read_examples
from torr_plugin.core.errors import DataError
from torr_plugin.integrations.unitxt import register

from . import tiny

# each is read in another way; the others are as one of these
QUICK = ("cards.bundled.cell_lookup", "cards.hctqa.real", "cards.wikitq")
FULL = (
    "cards.hitab.test",
    "cards.numeric_nlg",
    "cards.scigen",
    "cards.suc.tab_fact.cell_lookup",
    "cards.tab_fact",
)


@pytest.fixture(autouse=True)
def catalogs(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Ours is registered; those in temporary folders that the check registers are forgotten."""
    from unitxt.artifact import Catalogs

    register()
    monkeypatch.setattr(Catalogs(), "catalogs", list(Catalogs().catalogs))
    yield
    register()


def check(name: str) -> None:
    from unitxt.artifact import fetch_artifact
    from unitxt.test_utils.card import test_card

    card, _ = fetch_artifact(name.replace("cards.", "cards.torr.", 1))
    # unitxt's limit counts rows as they are loaded, of which a subset takes some: the first 30 may have none
    of_a_subset = load_card(name).path.stem != name.rpartition(".")[2]
    # these ask for JSON, and references, which unitxt takes for predictions, are none
    in_json = any("tablequest" in metric for metric in load_card(name).metrics)
    test_card(card, strict=not in_json, **({"loader_limit": 10_000} if of_a_subset else {}))


@pytest.mark.usefixtures("mirror")
@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.full) for name in FULL)])
def test_cards_pass(name: str) -> None:
    check(name)


@pytest.mark.release
@pytest.mark.usefixtures("mirror")
def test_all_cards_pass_on_the_mirror() -> None:
    passed = []
    for name in sorted({*card_names()} - {*QUICK, *FULL}):
        try:
            read_examples(load_card(name), load_card(name).test_split)
        except DataError:
            continue
        check(name)
        passed.append(name)
    assert len(passed) > 10


@pytest.mark.full
@pytest.mark.parametrize("name", tiny.MADE)
def test_cards_of_which_no_real_data_is_at_hand_pass(tiny_mirror: Path, name: str) -> None:
    assert tiny_mirror.is_dir()
    check(f"cards.{name}")
