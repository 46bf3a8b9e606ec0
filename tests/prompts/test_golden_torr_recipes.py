"""The recipe ``torr`` with unitxt's draws: byte for byte the prompts of unitxt's ``recipes.torr.*``."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml

from torr_plugin.core.versions import shipped_folder
from torr_plugin.recipes import Configuration, Recipe, load, plan

from ..conftest import missing
from .made_rows import write_made_mirror
from .unitxt_recipes import AUGMENTATIONS, NAMES, rows, unitxt_recipe_prompts

pytestmark = pytest.mark.usefixtures("unitxt_alone")

REAL = ("scigen", "numeric_nlg", "tab_fact", "wikitq")
MADE = (
    "finqa",
    "qtsumm",
    "tablebench_data_analysis",
    "tablebench_fact_checking",
    "tablebench_numerical_reasoning",
    "turl_col_type",
)
ALL = list(product(NAMES, AUGMENTATIONS))
DATASETS = REAL + MADE
TWINS = {"finqa": "fin_qa"}


def some(dataset: str) -> list[tuple[str, str]]:
    """Every perturbation once, each data set with other serializers: all pairs occur over seven data sets."""
    names, shift = list(NAMES), DATASETS.index(dataset)
    return [(names[(at + shift) % len(names)], each) for at, each in enumerate(AUGMENTATIONS)]


def of_unitxt(dataset: str, examples: int) -> Recipe:
    """The shipped recipe for one data set, with unitxt's draws."""
    said = yaml.safe_load((shipped_folder("recipes") / "torr.yaml").read_text(encoding="utf-8"))
    name = f"cards.{dataset}"
    said["cards"] = [
        each for each in said["cards"] if name in (each, each["card"] if isinstance(each, dict) else "")
    ]
    said["demonstrations"]["draw"] = said["examples"]["draw"] = "unitxt"
    said["examples"]["count"] = examples
    return Recipe.model_validate(said)


def compare(dataset: str, folder: Path, configurations: list[tuple[str, str]], examples: int) -> int:
    """Compare, and say how many prompts were equal."""
    planned = plan(of_unitxt(dataset, examples))
    equal = 0
    for serializer, perturbation in configurations:
        configuration = Configuration(serializer, perturbation, "torr")
        assert configuration in planned.configurations
        ours = [request.prompt[0].content for request in planned.requests_of(dataset, configuration)]
        theirs = unitxt_recipe_prompts(
            TWINS.get(dataset, dataset), serializer, perturbation, folder, examples
        )
        assert ours == theirs
        equal += len(ours)
    return equal


def readable(row: dict[str, Any]) -> bool:
    """Not a WikiTQ table with a cell that begins with a quotation mark.

    Its rows come out uneven in unitxt, which then fails for the whole data set in all recipes that transpose
    or shuffle columns (3 of 1,963 tables).
    """
    if not isinstance(row.get("table"), dict):
        return True
    return not any(cell.startswith('"') for line in row["table"]["rows"] for cell in line)


def write_real_data(
    dataset: str, source: Path, target: Path, *, train: int | None = None, test: int | None = None
) -> None:
    """The data or its beginning, with a train split for numericNLG."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    (target / dataset).mkdir()
    for split, most in (("train", train), ("test", test)):
        file = "validation" if (dataset, split) == ("numeric_nlg", "train") else split
        found = [row for row in rows(source / dataset / f"{file}.parquet") if readable(row)][:most]
        pq.write_table(pa.Table.from_pylist(found), target / dataset / f"{split}.parquet")


@pytest.fixture
def made_mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TORR_DATA", str(tmp_path))
    write_made_mirror(tmp_path)
    return tmp_path


def needs_bs4(dataset: str) -> None:
    if dataset == "numeric_nlg":
        try:
            import bs4  # noqa: F401
        except ImportError:
            missing("unitxt's card of numericNLG needs the package bs4")


@pytest.mark.full
@pytest.mark.parametrize(
    "dataset", ["scigen", "tab_fact", *(pytest.param(name, marks=pytest.mark.full) for name in REAL[1::2])]
)
def test_real_data(dataset: str, shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needs_bs4(dataset)
    monkeypatch.setenv("TORR_DATA", str(tmp_path))
    write_real_data(dataset, shared_data, tmp_path, train=80, test=30)  # unitxt's draw is slow on all
    assert compare(dataset, tmp_path, some(dataset), 8) == 8 * len(AUGMENTATIONS)


@pytest.mark.full
@pytest.mark.parametrize("dataset", ["finqa", "qtsumm", "tablebench_data_analysis", "turl_col_type"])
def test_made_data(dataset: str, made_mirror: Path) -> None:
    assert compare(dataset, made_mirror, some(dataset), 10) == 10 * len(AUGMENTATIONS)


@pytest.mark.full
@pytest.mark.parametrize("serializer", [name for name in NAMES if name != "torr.df"])
def test_uneven_rows(serializer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORR_DATA", str(tmp_path))
    write_made_mirror(tmp_path, uneven=True)
    assert compare("finqa", tmp_path, [(serializer, "shuffle_rows")], 20) == 20


@pytest.mark.release
@pytest.mark.parametrize("dataset", MADE)
def test_made_data_in_all_configurations(dataset: str, made_mirror: Path) -> None:
    assert compare(dataset, made_mirror, ALL, 20) == 20 * len(ALL)


@pytest.mark.release
@pytest.mark.parametrize("dataset", REAL)
def test_real_data_in_all_configurations(
    dataset: str, shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs_bs4(dataset)
    monkeypatch.setenv("TORR_DATA", str(tmp_path))
    write_real_data(dataset, shared_data, tmp_path)
    assert compare(dataset, tmp_path, ALL, 100) == 100 * len(ALL)


def test_the_shipped_recipe_has_350_configurations() -> None:
    recipe = load("torr")
    assert len(recipe.cards) == 10
    assert len(recipe.expanded()) == 35
