"""Statistics of a card, against a corpus counted by hand."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pytest

from torr_plugin.catalog.statistics import card_statistics
from torr_plugin.core.errors import InputError

from . import tablequest_corpus as corpus


@pytest.fixture(autouse=True)
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORR_DATA", str(corpus.write(tmp_path)))


def test_a_corpus_counted_by_hand() -> None:
    (found,) = card_statistics("tablequest.extraction")
    assert asdict(found) == {
        "card": "cards.tablequest.extraction",
        "group": "",
        "questions": 3,
        "question_length": pytest.approx((36 + 32 + 15) / 3),
        "answer_length": pytest.approx((12 + 3 + 11) / 3),
        "documents": 2,
        "tables_per_document": 1.5,
        "rows_per_table": pytest.approx((4 + 3 + 2) / 3),
        "columns_per_table": pytest.approx((3 + 2 + 4) / 3),
    }


def test_by_a_group() -> None:
    found = card_statistics("tablequest.extraction", "company")
    figures = [(each.group, each.questions, each.documents, each.columns_per_table) for each in found]
    assert figures == [("", 3, 2, 3.0), ("", 1, 1, 4.0), ("Acme", 2, 1, 2.5)]


def test_at_most_so_many_questions() -> None:
    (found,) = card_statistics("tablequest.extraction", limit=1)
    assert (found.questions, found.documents, found.tables_per_document) == (1, 1, 2.0)


@pytest.mark.full
def test_a_card_of_tables_alone_has_a_document_a_table() -> None:
    found, *_ = card_statistics("bundled.cell_lookup", limit=4)
    assert found.tables_per_document == 1.0
    assert found.questions == 4


def test_an_unknown_group_is_refused() -> None:
    with pytest.raises(InputError, match=r"no group 'compny'; did you mean 'company'"):
        card_statistics("tablequest.extraction", "compny")
