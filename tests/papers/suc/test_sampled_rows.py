"""A structural question about some rows of a table is asked of these: its answer is read off the prompt."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from torr_plugin.catalog import Example, load_card, read_examples
from torr_plugin.catalog.examples import RowSample
from torr_plugin.core.errors import RecipeError
from torr_plugin.papers.suc.structural_questions import TASKS
from torr_plugin.prompts import PromptBuilder
from torr_plugin.recipes import Configuration

from .sheets import READERS
from .solver import solve, spans

HTML = Configuration.of("html/none/suc_question_last")
MERGED = "merged_cell_detection"


def asked(card: str, every: int, most: int) -> list[tuple[str, Example]]:
    """The prompts of examples whose tables are sampled to so many characters, and these."""
    loaded = load_card(card)
    pool = read_examples(loaded, "train") if loaded.demo_split == "train" else []
    builder = PromptBuilder(loaded, pool, seed=1, shots=1 if pool else 0, tables={HTML: most})
    found = []
    for each in read_examples(loaded, "test")[::every]:
        try:
            shown = builder.cut(each)
        except RecipeError:  # not one row fits
            continue
        assert len(str(builder.table_text(shown, HTML))) <= most
        if shown is not each:
            assert isinstance(shown.cut, RowSample)
            assert shown.cut.lost_answer is False
            found.append((builder.build(shown, HTML)[0].content, shown))
    return found


@pytest.mark.full
@pytest.mark.parametrize(
    "name",
    [
        "cell_lookup",
        *[pytest.param(name, marks=pytest.mark.full) for name in sorted({*TASKS} - {"cell_lookup"})],
    ],
)
def test_the_answer_is_that_of_the_rows_shown(name: str) -> None:
    found = asked(f"suc.{name}", 20, 800)
    assert len(found) > 5
    check(name, found)


@pytest.mark.parametrize(
    ("cards", "name"),
    [
        # a task is the same code over any tables: one of each card in CI
        pytest.param(cards, name, marks=pytest.mark.full if name == some else pytest.mark.release)
        for cards, tasks, some in (
            ("suc.tab_fact", {*TASKS} - {MERGED}, "row_retrieval"),
            ("suc.real", TASKS, MERGED),
        )
        for name in sorted(tasks)
    ],
)
def test_the_same_of_real_tables(cards: str, name: str, mirror: Path) -> None:
    found = asked(f"{cards}.{name}", 8, 1600)
    assert len(found) > 50
    assert (sum(example.table.has_spans for _, example in found) > 20) == (cards == "suc.real")
    check(name, found)


def check(name: str, found: list[tuple[str, Example]]) -> None:
    for prompt, example in found:
        sheet = READERS["html"](prompt[prompt.rindex("<table") :].partition("</table>")[0])
        question = prompt.rpartition("Question: ")[2].partition("\n")[0]
        assert (solve(sheet, question),) == example.references == (example.target,)
        if name == MERGED:
            assert [tuple(span) for span in json.loads(example.facts["merged"])] == spans(sheet)
