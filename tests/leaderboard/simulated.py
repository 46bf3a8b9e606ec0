"""A run of ToRR's size (14 models, 10 data sets, 35 configurations, 100 examples) that nobody was asked for.

Prompts hold real serializations of made-up tables; answers and scores come from a latent model of ability,
example, serializer and perturbation. Models and data sets bear invented names: no figure is of a real one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from torr_plugin.analysis import analyse
from torr_plugin.recipes import request_schema
from torr_plugin.running.answer import answer_schema
from torr_plugin.running.store.manifest import FORMAT, folder_name
from torr_plugin.tables import Table, perturbations, serializers

SERIALIZERS = ("html", "csv", "json", "markdown", "indexed_row_major", "df", "concat")
PERTURBATIONS = ("none", "shuffle_rows", "shuffle_cols", "transpose", "insert_empty_rows")
KEEPS = ("none", "shuffle_cols", "transpose", "insert_empty_rows")
TOWNS = (
    "Harwich",
    "Ely",
    "Wells",
    "Truro",
    "Ripon",
    "Oban",
    "Stroud",
    "Whitby",
    "Deal",
    "Frome",
    "Ludlow",
    "Bude",
)
COLUMNS = ("Town", "Visitors", "Museums", "Founded", "Area", "Trains", "Rain", "Schools")


@dataclass(frozen=True)
class Model:
    """A model that is not: its name, and what a pool file would say of it."""

    label: str
    family: str
    size: float | None
    open: bool
    ability: float


MODELS = (
    Model("aster-large", "aster", None, False, 1.35),
    Model("aster-small", "aster", None, False, 0.75),
    Model("borealis-405b", "borealis", 405.0, True, 1.05),
    Model("borealis-70b", "borealis", 70.0, True, 0.80),
    Model("borealis-8b", "borealis", 8.0, True, -0.15),
    Model("cirrus-pro", "cirrus", None, False, 1.15),
    Model("cirrus-flash", "cirrus", None, False, 0.85),
    Model("dolomite-141b", "dolomite", 141.0, True, 0.25),
    Model("dolomite-47b", "dolomite", 47.0, True, -0.05),
    Model("dolomite-7b", "dolomite", 7.0, True, -0.60),
    Model("ember-72b", "ember", 72.0, True, 0.90),
    Model("ember-7b", "ember", 7.0, True, 0.05),
    Model("fjord-16b", "fjord", 16.0, True, -0.30),
    Model("fjord-2b", "fjord", 2.0, True, -1.10),
)
DATASETS = (
    "towns_qa",
    "facts",
    "ledgers",
    "header_trees",
    "cells",
    "summaries",
    "captions",
    "long_form",
    "sums",
    "plots",
)
"""Every second one is scored by degrees, the others right or wrong."""


def simulate(
    path: Path,
    *,
    models: Sequence[Model] = MODELS,
    datasets: Sequence[str] = DATASETS,
    examples: int = 100,
    rows: int = 10,
    seed: int = 7,
    failing: float = 0.0,
    name: str = "simulated ToRR",
    described: bool = True,
    resamples: int = 1000,
) -> Path:
    """Write a run with its analysis.

    Args:
        path: the run directory, which is made.
        models: that answer.
        datasets: that are asked.
        examples: a data set.
        rows: of each table, which sets how long prompts are.
        seed: of all that is drawn.
        failing: share of answers that are errors.
        name: of the study.
        described: whether the run knows families, sizes and openness.
        resamples: of the analysis.
    """
    rng = np.random.default_rng(seed)
    configs = [(f"torr.{s}", p, "default") for s in SERIALIZERS for p in PERTURBATIONS]
    (path / "requests").mkdir(parents=True)
    folders: dict[str, str] = {}
    for model in models:
        folders[model.label] = folder_name(model.label, set(folders.values()))
        (path / "predictions" / folders[model.label]).mkdir(parents=True)
    of_serializer = rng.normal(0, 0.18, len(SERIALIZERS))
    of_perturbation = np.array([0.0, -0.15, -0.05, -0.45, -0.1])
    of_pair = rng.normal(0, 0.15, (len(models), len(SERIALIZERS), len(PERTURBATIONS)))
    scores, known = [], []
    for place, dataset in enumerate(datasets):
        requests = _requests(dataset, examples, configs, rows, rng)
        _write(requests, request_schema(), path / "requests" / f"part-{place:06d}.parquet")
        known += [
            {
                "dataset": dataset,
                "example": f"{dataset}-{e}",
                "groups": "{}",
                "properties": "{}",
                "cells": rows * 8,
            }
            for e in range(examples)
        ]
        hard, of_example = rng.normal(0, 0.5), rng.normal(0, 1.3, examples)
        for number, model in enumerate(models):
            latent = (
                model.ability
                + hard
                + rng.normal(0, 0.25)
                + of_example[:, None, None]
                + (of_serializer[:, None] + of_perturbation[None, :] + of_pair[number])[None]
                + rng.normal(0, 0.8, (examples, len(SERIALIZERS), len(PERTURBATIONS)))
            ).reshape(-1)
            graded = place % 2 == 1
            score = 1 / (1 + np.exp(-latent)) if graded else (latent > 0).astype(float)
            failed = rng.random(len(score)) < failing
            words = rng.integers(0, len(TOWNS), len(score))
            answers = {
                "key": requests["key"],
                "prediction": [
                    None if out else _answer(references[0], value, word)
                    for references, value, out, word in zip(
                        requests["references"], score.tolist(), failed.tolist(), words.tolist(), strict=True
                    )
                ],
                "error": ["TimeoutError: no answer in 60 s" if out else None for out in failed.tolist()],
                "seconds": [0.5] * len(score),
                "prompt_tokens": [len(prompt) // 4 for prompt in requests["prompt"]],
                "completion_tokens": [6] * len(score),
            }
            folder = path / "predictions" / folders[model.label]
            _write(answers, answer_schema(), folder / f"part-{place:06d}.parquet")
            scores.append(
                _scores(requests, model.label, score, failed, "rougeL" if graded else "exact_match")
            )
    frame = pd.concat(scores, ignore_index=True)
    frame.to_parquet(path / "scores.parquet", index=False)
    pd.DataFrame(known).to_parquet(path / "examples.parquet", index=False)
    study = _study(name, models, folders, datasets, configs, examples, seed, described)
    (path / "study.yaml").write_text(
        yaml.safe_dump(study, sort_keys=False, allow_unicode=True), encoding="utf-8"
    )
    _analyse(path, resamples, seed)
    return path


def _analyse(path: Path, resamples: int, seed: int) -> None:
    from torr_plugin.running import Run, model_descriptions

    run = Run.open(path)
    keeps = {dataset: list(KEEPS) for dataset in run.study["datasets"]}
    run.write_analysis(
        analyse(
            run.scores(),
            resamples=resamples,
            seed=seed,
            keeps_labels=keeps,
            models=model_descriptions(run.study),
        )
    )


def _write(columns: dict[str, list[Any]], schema: pa.Schema, path: Path) -> None:
    """Columns that are not given are null."""
    rows = len(columns["key"])
    arrays = [pa.array(columns.get(field.name, [None] * rows), field.type) for field in schema]
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema), path)


@dataclass(frozen=True)
class Asked:
    """A question about a table, its answer, and the table as each configuration writes it."""

    question: str
    answer: str
    written: dict[tuple[str, str], str]


DEMONSTRATIONS = 24
"""The pool of a data set, of which each example draws two."""


def _requests(
    dataset: str, examples: int, configs: Sequence[tuple[str, str, str]], rows: int, rng: np.random.Generator
) -> dict[str, list[Any]]:
    """Columns: example by example, each in all configurations; two demonstrations before each question."""
    pool = [_asked(rows, rng) for _ in range(min(DEMONSTRATIONS, 2 * examples))]
    columns: dict[str, list[Any]] = {field.name: [] for field in request_schema()}
    for number in range(examples):
        example, last = f"{dataset}-{number}", _asked(rows, rng)
        shown = [pool[place] for place in rng.choice(len(pool), 2, replace=False).tolist()]
        for config in configs:
            serializer, perturbation, design = config
            cell = (serializer, perturbation)
            shots = "".join(
                f"{shot.written[cell]}\nQuestion: {shot.question}\nAnswer: {shot.answer}\n\n"
                for shot in shown
            )
            text = f"{last.written[cell]}\nQuestion: {last.question}\nAnswer:"
            row = {
                "key": f"{example}|{'/'.join(config)}",
                "dataset": dataset,
                "example": example,
                "config": "/".join(config),
                "serializer": serializer,
                "perturbation": perturbation,
                "design": design,
                "stage": 0,
                "prompt": f"Read the table and answer the question.\n\n{shots}{text}",
                "references": [last.answer],
            }
            for name, values in columns.items():
                values.append(row.get(name))
    return columns


def _asked(rows: int, rng: np.random.Generator) -> Asked:
    header, body = _table(rows, rng)
    asked, seed = int(rng.integers(0, rows)), int(rng.integers(0, 2**31))
    table = Table.flat(header=list(header), rows=body)
    perturbed = {
        name: perturbations.get(name).perturb(table, np.random.default_rng(seed)) for name in PERTURBATIONS
    }
    return Asked(
        f"How many visitors did {body[asked][0]} have in the year of this table?",
        body[asked][1],
        {
            (f"torr.{serializer}", name): serializers.get(f"torr.{serializer}").serialize(each)
            for serializer in SERIALIZERS
            for name, each in perturbed.items()
        },
    )


def _table(rows: int, rng: np.random.Generator) -> tuple[tuple[str, ...], list[list[str]]]:
    numbers = rng.integers(3, 98_765, (rows, len(COLUMNS) - 1))
    body = [
        [f"{TOWNS[i % len(TOWNS)]} {i // len(TOWNS) or ''}".strip(), *map(str, row)]
        for i, row in enumerate(numbers)
    ]
    return COLUMNS, body


def _answer(reference: str, score: float, word: int) -> str:
    if score >= 0.5:
        return reference
    return f"The table does not say it outright, but {TOWNS[word]} had about {word * 713 + 11} visitors."


def _scores(requests: dict[str, list[Any]], model: str, score: Any, failed: Any, metric: str) -> pd.DataFrame:
    cell = ("dataset", "config", "serializer", "perturbation", "design", "example")
    frame = pd.DataFrame({name: requests[name] for name in cell})
    frame.insert(0, "model", model)
    frame["metric"], frame["score"], frame["main"] = metric, score, True
    return frame[~failed]


def _study(
    name: str,
    models: Sequence[Model],
    folders: dict[str, str],
    datasets: Sequence[str],
    configs: Sequence[tuple[str, str, str]],
    examples: int,
    seed: int,
    described: bool,
) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "fingerprint": "0123456789abcdef0123456789abcdef",
        "created": "2026-11-21T00:00:00+00:00",
        "recipe": {
            "name": name,
            "description": "Simulated: nobody was asked, and no name is of a real model.",
            "seed": seed,
            "cards": [f"cards.{dataset}" for dataset in datasets],
            "configurations": [
                {"serializers": [f"torr.{s}" for s in SERIALIZERS], "perturbations": list(PERTURBATIONS)}
            ],
            "demonstrations": {"shots": 2, "draw": "paired"},
            "examples": {"count": examples, "draw": "seeded"},
            "generation": {"max_tokens": 64, "temperature": 0.0},
            "analysis": {"resamples": 1000, "level": 0.95, "two_way": False},
        },
        "name": name,
        "seed": seed,
        "limit": None,
        "datasets": {
            dataset: {
                "card": f"cards.{dataset}",
                "description": f"What {dataset} would ask, in a sentence.",
                "licence": "CC0-1.0",
                "metrics": ["rougeL" if place % 2 else "exact_match"],
                "main_metric": "rougeL" if place % 2 else "exact_match",
                "keeps_labels": list(KEEPS),
                "skills": {},
                "split": "test",
                "shots": 2,
                "examples": examples,
            }
            for place, dataset in enumerate(datasets)
        },
        "configurations": ["/".join(config) for config in configs],
        "generation": {"max_tokens": 64, "temperature": 0.0},
        "requests": len(datasets) * len(configs) * examples,
        "notes": [],
        "versions": {"python": "3.11.9", "torr-plugin": "0.1.0", "lm-eval": "0.4.13"},
        "models": [
            {
                "label": model.label,
                "folder": folders[model.label],
                "model": "hf",
                "args": {"pretrained": f"nobody/{model.label}"},
                "chat": None,
                **(_described(model) if described else {}),
            }
            for model in models
        ],
        "written": {
            "rows": len(datasets) * len(configs) * examples,
            "unique": len(datasets) * len(configs) * examples,
        },
    }


def _described(model: Model) -> dict[str, Any]:
    said = {"family": model.family, "size": model.size, "open": model.open}
    return {name: value for name, value in said.items() if value is not None}
