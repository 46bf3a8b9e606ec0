"""unitxt's names in ours."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.integrations.logs.names import DatasetConfig, arguments_of, dataset_config, plain_name
from torr_plugin.recipes import Configuration, load

CARDS = ["fin_qa", "numeric_nlg", "qtsumm", "scigen", "tab_fact", "turl_col_type", "wikitq"] + [
    f"tablebench_{kind}" for kind in ("data_analysis", "fact_checking", "numerical_reasoning")
]


@pytest.mark.parametrize(
    ("text", "dataset", "config"),
    [
        ("recipes.torr.fin_qa.html.transpose_augmentation_5_demos", "finqa", "torr.html/transpose/torr"),
        (
            "recipes.torr.wikitq.indexed_row_major.no_augmentation_1_demos",
            "wikitq",
            "torr.indexed_row_major/none/torr",
        ),
        ("recipes.torr.wikitq.csv.no_augmentation_5_demos", "wikitq", "torr.csv/none/5shot"),
        ("card=cards.fin_qa,serializer=serializers.table.df,num_demos=5", "finqa", "torr.df/none/torr"),
        (
            "card=cards.scigen,serializer=serializers.table.json,augmentor=[augmentors.table.shuffle_rows,"
            "augmentors.table.transpose],num_demos=5",
            "scigen",
            "torr.json/shuffle_rows+transpose/torr",
        ),
        (
            "card=cards.sst2,template=templates.x.y,num_demos=3",
            "sst2",
            "as-is/none/3shot+template=templates.x.y",
        ),
        ("recipes.glue.rte", "glue.rte", "as-is/none/default"),
    ],
)
def test_recipes_of_unitxt(text: str, dataset: str, config: str) -> None:
    assert dataset_config(arguments_of(text), "here") == DatasetConfig(dataset, config)


def test_all_350_recipes_of_torr_are_the_cells_of_our_recipe() -> None:
    recipe = load("torr")
    ours = {config.id for config in recipe.expanded()}
    found, datasets = set(), set()
    for card in CARDS:
        for serializer in ("html", "csv", "json", "markdown", "indexed_row_major", "df", "concat"):
            for augmentor in ("no", "shuffle_rows", "shuffle_cols", "transpose", "insert_empty_rows"):
                shots = 1 if card == "wikitq" else 5
                name = f"recipes.torr.{card}.{serializer}.{augmentor}_augmentation_{shots}_demos"
                cell = dataset_config({"recipe": name}, "here")
                found.add(cell.config)
                datasets.add(cell.dataset)
    assert found == ours
    assert datasets == {entry.card.removeprefix("cards.") for entry in recipe.cards}


@given(st.text(), st.text(), st.text())
def test_whatever_a_recipe_is_called_it_names_a_configuration(
    card: str, serializer: str, augmentor: str
) -> None:
    found = dataset_config({"card": card, "serializer": serializer, "augmentor": augmentor}, "here")
    assert Configuration.of(found.config).id == found.config
    assert found.dataset


@given(st.text(), st.text())
def test_long_names_stay_apart(one: str, other: str) -> None:
    first, second = plain_name("x" * 200 + one), plain_name("x" * 200 + other)
    assert (first == second) == (one == other)
    assert len(first) < 140
