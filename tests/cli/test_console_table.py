"""Tables as lines of text: what happens to names, texts and figures where there is no room."""

from __future__ import annotations

import io
import os
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from torr_plugin.cli.console.tables import grouped_lines, table_lines
from torr_plugin.cli.results import columns

LONG = "an-organisation/a-fine-tuned-checkpoint-70B-Instruct"


def rows_of(*names: str, **more: Any) -> list[dict[str, Any]]:
    return [{"model": name, "score": "0.123 [0.045, 0.678]", "n": 12_345, **more} for name in names]


def test_what_fits_is_a_plain_table() -> None:
    assert table_lines(rows_of("one", "second"), left=("model",), width=80) == [
        "model                  score       n",
        "one     0.123 [0.045, 0.678]  12,345",
        "second  0.123 [0.045, 0.678]  12,345",
    ]


def test_figures_move_closer_together_before_a_name_is_moved() -> None:
    assert table_lines(rows_of("a-model"), left=("model",), width=36) == [
        "model                  score      n",
        "a-model 0.123 [0.045, 0.678] 12,345",
    ]


def test_a_name_without_room_stands_whole_above_its_figures() -> None:
    lines = table_lines(rows_of("short", LONG, "other"), left=("model",), width=60)
    assert lines == [
        "model                 score       n",
        "short  0.123 [0.045, 0.678]  12,345",
        LONG,
        "       0.123 [0.045, 0.678]  12,345",
        "other  0.123 [0.045, 0.678]  12,345",
    ]


def test_a_name_wider_than_the_terminal_is_broken_where_it_must_be() -> None:
    lines = table_lines(rows_of("x" * 100), left=("model",), width=40)
    assert lines[1:] == ["x" * 40, "x" * 40, "x" * 20, "       0.123 [0.045, 0.678]  12,345"]


def test_texts_are_broken_between_words_before_names_are_moved() -> None:
    about = "needs a package that nobody has: see its documentation"
    lines = table_lines(rows_of("a-name", about=about), left=("model", "about"), width=60)
    assert lines == [
        "model                  score       n  about",
        "a-name  0.123 [0.045, 0.678]  12,345  needs a package that",
        "                                      nobody has: see its",
        "                                      documentation",
    ]


def test_a_word_is_broken_only_where_nothing_else_helps() -> None:
    rows = [{"times": 3, "error": "/a/path/without/any/space/in/it/at/all", "request": "abababab"}]
    lines = table_lines(rows, left=("error", "request"), width=40)
    assert lines == [
        "times  error                    request",
        "    3  /a/path/without/any/spa  abababab",
        "       ce/in/it/at/all",
    ]


def test_wide_characters_take_two_columns() -> None:
    lines = table_lines(rows_of("表格模型", "abc"), left=("model",), width=80)
    assert [cell_len(line) for line in lines] == [len(lines[0])] * 3


def test_control_characters_do_not_reach_a_terminal() -> None:
    (_, line) = table_lines([{"model": "a\x1b[2Jb\nc"}], left=("model",), width=80)
    assert line == "a?[2Jb c"


def test_a_group_stands_above_its_rows() -> None:
    rows = [
        {"card": card, "split": split, "state": "good", "examples": n}
        for card, split, n in (("cards.a", "train", 1_000), ("cards.a", "test", 20), ("cards.b", "test", 3))
    ]
    assert grouped_lines(rows, under="card", left=("split", "state"), width=80) == [
        "  split  state  examples",
        "cards.a",
        "  train  good      1,000",
        "  test   good         20",
        "cards.b",
        "  test   good          3",
    ]


CELLS = st.text(st.characters(exclude_categories=["Cs", "Mn", "Me"]), max_size=60)


@given(st.lists(st.tuples(CELLS, CELLS, st.integers(0, 10**6)), min_size=1, max_size=4), st.integers(40, 100))
def test_no_line_is_too_wide_and_no_figure_is_lost(cells: list[tuple[str, str, int]], width: int) -> None:
    rows = [{"model": name, "about": about, "n": n} for name, about, n in cells]
    lines = table_lines(rows, left=("model", "about"), width=width)
    assert max(map(cell_len, lines)) <= width
    assert all(line == line.rstrip() for line in lines)
    assert all(any(line.split()[-1:] == [f"{n:,}"] or f"{n:,}" in line for line in lines) for *_, n in cells)


class Terminal(io.StringIO):
    def fileno(self) -> int:
        return 5


def test_the_width_is_the_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(os, "get_terminal_size", lambda handle: os.terminal_size((100 + handle, 24)))
    assert columns(Terminal()) == 105
    assert columns(io.StringIO()) == 80
    monkeypatch.setattr(os, "get_terminal_size", lambda handle: os.terminal_size((0, 0)))
    assert columns(Terminal()) == 80


@pytest.mark.parametrize(("told", "width"), [("120", 120), ("1", 40), ("0", 80), ("x", 80), ("-5", 80)])
def test_columns_says_otherwise(monkeypatch: pytest.MonkeyPatch, told: str, width: int) -> None:
    monkeypatch.setenv("COLUMNS", told)
    assert columns(io.StringIO()) == width
