"""What an example's page says of what its prompts leave out."""

from __future__ import annotations

import json

import pytest

from torr_plugin.leaderboard.examples.detail import shown_parts


def test_rows_documents_and_demonstrations_are_said_in_words() -> None:
    rows = {"rows": 12, "of_rows": 1800, "lost_answer": True, "demonstrations": 0}
    assert shown_parts([None, json.dumps(rows)]) == [
        ["rows of the table shown", "12 of 1,800, drawn at random"],
        ["its answer in them", "not shown"],
        ["demonstrations with room", "0"],
    ]
    document = {"blocks": 3, "of_blocks": 9, "characters": 5000, "of_characters": 90000, "lost_table": None}
    assert shown_parts([json.dumps(document)]) == [
        ["characters of the document shown", "5,000 of 90,000"],
        ["the table asked about", "not known"],
    ]


@pytest.mark.parametrize(
    "cut",
    [
        None,
        "",
        "{",
        "[1]",
        '"rows"',
        '{"rows": 3}',
        '{"rows": "<b>", "of_rows": 9}',
        '{"lost_answer": []}',
        "[" * 9000,
    ],
)
def test_of_anything_else_nothing_is_said(cut: str | None) -> None:
    assert shown_parts([cut]) == []
