"""The prompts of unitxt's own ``recipes.torr.*``: its recipe objects, only the loader is another."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

NAMES = {
    "torr.html": "html",
    "torr.csv": "csv",
    "torr.json": "json",
    "torr.markdown": "markdown",
    "torr.indexed_row_major": "indexed_row_major",
    "torr.df": "df",
    "torr.concat": "concat",
}
Splits = dict[str, list[dict[str, Any]]]
AUGMENTATIONS = ("none", "shuffle_rows", "shuffle_cols", "transpose")


def unitxt_recipe_prompts(
    twin: str, serializer: str, perturbation: str, folder: Path, count: int
) -> list[str]:
    """What unitxt's recipe asks of the first ``count`` test examples of the data in ``folder``."""
    with tables_from(folder / "wikitq" if twin == "wikitq" else None):
        return recipe_prompts(twin, serializer, perturbation, loaded(twin, folder), count)


def recipe_prompts(twin: str, serializer: str, perturbation: str, data: Splits, count: int) -> list[str]:
    """What unitxt's recipe asks of the first ``count`` test examples of what :func:`loaded` gave."""
    from unitxt.artifact import fetch_artifact
    from unitxt.loaders import LoadFromDictionary

    recipe, _ = fetch_artifact(_recipe_name(twin, serializer, perturbation))
    recipe.card.loader = LoadFromDictionary(data=data, data_classification_policy=["public"])
    recipe.max_test_instances = count
    recipe.reset_pipeline()
    return [instance["source"] for instance in recipe()["test"]]


def loaded(twin: str, folder: Path) -> Splits:
    """The rows of the data in ``folder`` as unitxt's loader gives them, by split."""
    return _LOADED[twin](folder)


def _recipe_name(twin: str, serializer: str, perturbation: str) -> str:
    import unitxt

    below = Path(unitxt.__file__).parent / "catalog" / "recipes" / "torr" / twin / NAMES[serializer]
    what = "no_augmentation" if perturbation == "none" else perturbation
    (file,) = below.glob(f"*{what}*.json")
    return f"recipes.torr.{twin}.{NAMES[serializer]}.{file.stem}"


def rows(file: Path) -> list[dict[str, Any]]:
    """The rows of a Parquet file."""
    import pyarrow.parquet as pq

    found: list[dict[str, Any]] = pq.read_table(file).to_pylist()
    return found


def _splits(folder: Path) -> dict[str, list[dict[str, Any]]]:
    return {
        split: rows(folder / f"{split}.parquet")
        for split in ("train", "test")
        if (folder / f"{split}.parquet").is_file()
    }


def _tablebench(kind: str) -> Any:
    def load(folder: Path) -> dict[str, list[dict[str, Any]]]:
        kept = [
            row
            for row in rows(folder / "tablebench" / "test.parquet")
            if row["instruction_type"] == "DP" and row["qtype"] == kind
        ]
        return {"test": kept}

    return load


def _wikitq(folder: Path) -> dict[str, list[dict[str, Any]]]:
    return {
        split: [
            {
                "id": row["id"],
                "utterance": row["question"],
                "context": row["table"]["name"],
                "targetValue": "|".join(row["answers"]),
            }
            for row in found
        ]
        for split, found in _splits(folder / "wikitq").items()
    }


@contextmanager
def tables_from(folder: Path | None) -> Iterator[None]:
    """WikiTQ's card reads each table from an address; the answer is the table of that name in the folder."""
    if folder is None:
        yield
        return
    tables = {row["table"]["name"]: row["table"] for found in _splits(folder).values() for row in found}
    texts = {
        name.replace(".csv", ".tsv"): "".join(
            "\t".join(cell.replace("\\", "\\\\").replace("\n", "\\n").replace("|", "\\p") for cell in line)
            + "\n"
            for line in [table["header"], *table["rows"]]
        )
        for name, table in tables.items()
    }

    def get(address: str) -> Any:
        name = address.split("/refs/heads/master/")[1]
        return SimpleNamespace(raise_for_status=lambda: None, text=texts[name], content=texts[name].encode())

    with mock.patch("unitxt.operators.requests.get", get):
        yield


def _turl(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """What unitxt's loader makes of the data set's JSON files."""
    from unitxt.loaders import TURLColumnTypeAnnotationLoader as Loader

    found: dict[str, list[dict[str, Any]]] = {}
    for split, tables in _splits(folder / "turl_col_type").items():
        found[split] = []
        for each in tables:
            content = Loader._load_table([None] * 5 + [each["header"], json.loads(each["cells"])])
            found[split] += [
                {
                    "page_title": each["page_title"],
                    "section_title": each["section_title"],
                    "table_caption": each["table_caption"],
                    "table": content,
                    "colname": name,
                    "annotations": each["annotations"][at],
                }
                for at, name in enumerate(each["header"])
            ]
    return found


def _finqa(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The objects of the data set's JSON files."""
    return {
        split: [
            {
                "pre_text": row["pre_text"],
                "post_text": row["post_text"],
                "id": row["id"],
                "table": row["table"],
                "qa": {name: row[name] for name in ("question", "answer", "program", "exe_ans")},
            }
            for row in found
        ]
        for split, found in _splits(folder / "finqa").items()
    }


_LOADED: dict[str, Callable[[Path], Splits]] = {
    "fin_qa": _finqa,
    "scigen": lambda folder: _splits(folder / "scigen"),
    "numeric_nlg": lambda folder: _splits(folder / "numeric_nlg"),
    "tab_fact": lambda folder: _splits(folder / "tab_fact"),
    "qtsumm": lambda folder: _splits(folder / "qtsumm"),
    "wikitq": _wikitq,
    "turl_col_type": _turl,
    "tablebench_data_analysis": _tablebench("DataAnalysis"),
    "tablebench_fact_checking": _tablebench("FactChecking"),
    "tablebench_numerical_reasoning": _tablebench("NumericalReasoning"),
}
