"""What differs between the tables of two prompts, in sentences and as cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.leaderboard.examples import compared
from torr_plugin.leaderboard.examples.compared import compared_pairs, compared_prompt, pairs_to_compare
from torr_plugin.leaderboard.examples.flips import ExampleConfiguration
from torr_plugin.leaderboard.examples.scores import ModelFlip
from torr_plugin.prompts import Message
from torr_plugin.tables import Table, perturbations, serializers

TABLE = Table.flat(
    header=["Town", "Visitors", "Rain"],
    rows=[["Ely", "12", "3"], ["Wells", "40", "7"], ["<b>Bude</b>", "9", "1"], ["Deal", "55", "2"]],
)

SHORT = {"json/none/default": "as json", "json/transpose/default": "exchanged", "concat": "joined"}

SEED = 5
"""With which every perturbation changes the table."""


Asked = tuple[ExampleConfiguration, str, bool]
"""A configuration, its prompt, and whether that is shown in parts."""


def asked(
    serializer: str, perturbation: str = "none", design: str = "default", table: Table = TABLE
) -> Asked:
    """A configuration and its prompt, with a demonstration of another table before the question."""
    shown = perturbations.get(perturbation).perturb(table, np.random.default_rng(SEED))
    other = Table.flat(header=["A", "B"], rows=[["1", "2"]])
    texts = [serializers.get(serializer).serialize(each) for each in (other, shown)]
    question = "\nQuestion: How many?\nAnswer:"
    prompt = f"Read the table.\n\n{texts[0]}{question} 2\n\n{texts[1]}{question}"
    name = f"{serializer}/{perturbation}/{design}"
    return ExampleConfiguration(name, serializer, perturbation, design), prompt, False


def found(one: Asked, other: Asked) -> list[Any]:
    """The comparison of two, the first of them the worst."""
    prompts = {
        place: compared_prompt((Message("user", text),), shortened, config, SHORT)
        for place, (config, text, shortened) in enumerate((one, other))
    }
    value = compared_pairs([(0, 1)], prompts)
    (pair,) = value["pairs"]
    return [*pair, value["tables"]]


def test_where_the_format_alone_differs_it_says_so() -> None:
    *_, says, before, after, changes, tables = found(asked("csv"), asked("html"))
    assert says == ["The format alone differs.", "Both prompts hold the same table, cell for cell."]
    assert (before, after, changes, tables) == (None, None, None, [])


@pytest.mark.parametrize(
    ("perturbation", "said"),
    [
        ("insert_empty_rows", "2 rows are new."),
        ("transpose", "rows and columns are exchanged"),
        ("shuffle_cols", "of 3 columns stand elsewhere."),
    ],
)
@pytest.mark.parametrize("serializer", ["html", "csv", "markdown", "json"])
def test_a_perturbation_is_said_from_the_unperturbed_table(
    serializer: str, perturbation: str, said: str
) -> None:
    pair = asked(serializer), asked(serializer, perturbation)
    for one, other in (pair, pair[::-1]):
        first, second, says, before, after, _, tables = found(one, other)
        assert [one, other][first][0].perturbation == "none"
        assert [one, other][second][0].perturbation == perturbation
        assert says[0] == "The perturbation alone differs."
        names = [f"{serializer}/{each}/default" for each in ("none", perturbation)]
        plain, changed = (SHORT.get(name, name) for name in names)
        assert says[1].startswith(f"From {plain} to {changed}: ")
        assert said in says[1]
        assert "<b>Bude</b>" in {cell for row in tables[before] for cell in row}, "as text"
        assert tables[before] != tables[after]


def test_where_rows_are_new_too_those_have_moved_that_stand_elsewhere_among_the_others() -> None:
    header, first, second, *rest = TABLE.grid
    texts = [[cell.text for cell in row] for row in (header, second, first, *rest)]
    shown = Table.flat(header=texts[0], rows=[["", "", ""], *texts[1:]])
    says, *_, changes, _ = found(asked("csv"), asked("csv", table=shown))[2:]
    assert changes["moved"] == [[2, 3], []]
    assert says[-1].endswith(": 2 of the 4 rows in both tables stand elsewhere among them; 1 row is new.")


def test_what_cannot_be_read_back_is_said() -> None:
    assert found(asked("concat"), asked("csv"))[2][-1] == (
        "The cells are not compared: nothing reads joined back."
    )
    config, prompt, _ = asked("csv")
    imported = ExampleConfiguration("own/none/default", "own", "none", "default"), prompt, False
    assert (
        found(imported, (config, prompt, False))[2][-1]
        == "The cells are not compared: nothing reads own back."
    )
    lost = config, "Nothing here.", False
    assert "no table in the format" in found(lost, asked("html"))[2][-1]
    assert "too long" in found((config, prompt, True), asked("html"))[2][-1]


def test_large_tables_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compared, "MOST_CELLS", 10)
    assert found(asked("csv"), asked("html"))[2][-1] == (
        "The cells are not compared: a table has more than 10 of them."
    )


@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 3), st.floats(0.1, 1)), unique_by=lambda each: each[0], max_size=4),
        max_size=8,
    ),
    st.integers(0, 20),
)
def test_each_models_widest_flips_are_compared_first(
    examples: list[list[tuple[int, float]]], most: int
) -> None:
    flips = [[ModelFlip(model, width, 2 * model, 2 * model + 1) for model, width in own] for own in examples]
    pairs = pairs_to_compare(flips, most)
    read = {(example, place) for example, own in pairs.items() for pair in own for place in pair}
    assert len(read) <= most
    for model in range(4):
        own = {at: flip.width for at, each in enumerate(flips) for flip in each if flip.model == model}
        taken = {at for at in own if (2 * model, 2 * model + 1) in pairs.get(at, set())}
        assert all(own[inside] >= own[out] for inside in taken for out in own.keys() - taken)
    if most >= 2 * sum(map(len, flips)):
        assert sum(map(len, pairs.values())) == sum(map(len, flips))
