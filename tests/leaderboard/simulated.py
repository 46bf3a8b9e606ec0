"""A run of ToRR's size (14 models, 10 data sets, 35 configurations, 100 examples), without a model.

Prompts hold real serializations of made-up tables; answers and scores come from a latent model of ability,
example, serializer and perturbation. Models and data sets bear invented names: no figure is of a real one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from torr_plugin.core.statistics import Floats
from torr_plugin.recipes import request_schema
from torr_plugin.running import model_descriptions
from torr_plugin.running.answer import answer_schema
from torr_plugin.tables import Table, perturbations, serializers

from .made import (
    PERTURBATIONS,
    SERIALIZERS,
    answer_folders,
    study_record,
    with_analysis,
    write_part,
    write_study,
)

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
    """An invented model: its name, and what a pool file would state of it."""

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
METRICS = ("exact_match", "rougeL")
"""Every second data set is scored by degrees, the others right or wrong."""


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
        rows: of each table, which sets how long prompts are; every second example's has two thirds of them.
        seed: of all that is drawn.
        failing: share of answers that are errors.
        name: of the study.
        described: whether the run knows families, sizes and openness.
        resamples: of the analysis.
    """
    rng = np.random.default_rng(seed)
    configs = [(f"torr.{s}", p, "default") for s in SERIALIZERS for p in PERTURBATIONS]
    folders = answer_folders(path, [model.label for model in models])
    of_serializer = rng.normal(0, 0.18, len(SERIALIZERS))
    of_perturbation = np.array([0.0, -0.15, -0.05, -0.45, -0.1])
    of_pair = rng.normal(0, 0.15, (len(models), len(SERIALIZERS), len(PERTURBATIONS)))
    scores, known = [], []
    for place, dataset in enumerate(datasets):
        metric = METRICS[place % 2]
        requests = _requests(dataset, examples, configs, rows, rng)
        write_part(path / "requests", place, _table_of(requests, request_schema()))
        known += [_known_example(dataset, number, rows) for number in range(examples)]
        hard, of_example = rng.normal(0, 0.5), rng.normal(0, 1.3, examples)
        for number, model in enumerate(models):
            of_config = of_serializer[:, None] + of_perturbation[None, :] + of_pair[number]
            latent = _latent(model.ability + hard, of_example, of_config, rng)
            score = 1 / (1 + np.exp(-latent)) if metric == "rougeL" else (latent > 0).astype(float)
            failed = rng.random(len(score)) < failing
            words = rng.integers(0, len(TOWNS), len(score))
            answers = _answers(requests, score.tolist(), failed.tolist(), words.tolist())
            write_part(folders[model.label], place, _table_of(answers, answer_schema()))
            scores.append(_scores(requests, model.label, score, failed, metric))
    frame = pd.concat(scores, ignore_index=True)
    frame.to_parquet(path / "scores.parquet", index=False)
    pd.DataFrame(known).to_parquet(path / "examples.parquet", index=False)
    record = study_record(
        name,
        "Simulated: no answer and no name is of a real model.",
        models=[_model_record(model, folders[model.label].name, described) for model in models],
        datasets={dataset: _described(METRICS[place % 2]) for place, dataset in enumerate(datasets)},
        configs=configs,
        examples=examples,
        seed=seed,
    )
    write_study(path, record)
    with_analysis(
        path,
        resamples=resamples,
        seed=seed,
        keeps_labels={dataset: list(KEEPS) for dataset in datasets},
        models=model_descriptions(record),
        examples=pd.DataFrame(known),
    )
    return path


def _latent(ability: float, of_example: Floats, of_config: Floats, rng: np.random.Generator) -> Floats:
    """How well a model does with each example in each configuration, on the scale of ``ability``."""
    noise = rng.normal(0, 0.25), rng.normal(0, 0.8, (len(of_example), *of_config.shape))
    return (ability + noise[0] + of_example[:, None, None] + of_config[None] + noise[1]).reshape(-1)


def _answers(
    requests: dict[str, list[Any]], scores: list[float], failed: list[bool], words: list[int]
) -> dict[str, list[Any]]:
    """A model's answers, as columns, such that they have these scores."""
    asked = zip(requests["references"], scores, failed, words, strict=True)
    return {
        "key": requests["key"],
        "prediction": [
            None if out else _answer(references[0], score, word) for references, score, out, word in asked
        ],
        "error": ["TimeoutError: no answer in 60 s" if out else None for out in failed],
        "seconds": [0.5] * len(scores),
        "prompt_tokens": [len(prompt) // 4 for prompt in requests["prompt"]],
        "completion_tokens": [6] * len(scores),
    }


def _known_example(dataset: str, number: int, rows: int) -> dict[str, Any]:
    """A row of the file of examples."""
    return {
        "dataset": dataset,
        "example": f"{dataset}-{number}",
        "groups": "{}",
        "properties": "{}",
        "cells": _rows_of(rows, number) * 8,
    }


def _described(metric: str) -> dict[str, Any]:
    """What the study's file has of a data set."""
    return {
        "description": "What {} would ask, in a sentence.",
        "licence": "CC0-1.0",
        "keeps_labels": list(KEEPS),
        "shots": 2,
        "metrics": [metric],
        "main_metric": metric,
    }


def _model_record(model: Model, folder: str, described: bool) -> dict[str, Any]:
    known = {"family": model.family, "size": model.size, "open": model.open} if described else {}
    return {
        "label": model.label,
        "folder": folder,
        "model": "hf",
        "args": {"pretrained": f"nobody/{model.label}"},
        "chat": None,
        **{name: value for name, value in known.items() if value is not None},
    }


def _table_of(columns: dict[str, list[Any]], schema: pa.Schema) -> pa.Table:
    """Columns that are not given are null."""
    rows = len(columns["key"])
    arrays = [pa.array(columns.get(field.name, [None] * rows), field.type) for field in schema]
    return pa.Table.from_arrays(arrays, schema=schema)


@dataclass(frozen=True)
class Question:
    """A question about a table, its answer, and the table as each configuration writes it."""

    text: str
    answer: str
    written: dict[tuple[str, str], str]


DEMONSTRATIONS = 24
"""The pool of a data set, of which each example draws two."""


def _requests(
    dataset: str, examples: int, configs: Sequence[tuple[str, str, str]], rows: int, rng: np.random.Generator
) -> dict[str, list[Any]]:
    """Columns: example by example, each in all configurations; two demonstrations before each question."""
    pool = [_question(rows, rng) for _ in range(min(DEMONSTRATIONS, 2 * examples))]
    columns: dict[str, list[Any]] = {field.name: [] for field in request_schema()}
    for number in range(examples):
        example, last = f"{dataset}-{number}", _question(rows, rng, _rows_of(rows, number))
        shown = [pool[place] for place in rng.choice(len(pool), 2, replace=False).tolist()]
        for config in configs:
            serializer, perturbation, design = config
            cell = (serializer, perturbation)
            shots = "".join(
                f"{shot.written[cell]}\nQuestion: {shot.text}\nAnswer: {shot.answer}\n\n" for shot in shown
            )
            text = f"{last.written[cell]}\nQuestion: {last.text}\nAnswer:"
            row = {
                "key": blake2b(f"{example}|{'/'.join(config)}".encode(), digest_size=16).hexdigest(),
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


def _rows_of(rows: int, number: int) -> int:
    """How many rows the table of an example has."""
    return rows if number % 2 else max(1, 2 * rows // 3)


def _question(rows: int, rng: np.random.Generator, kept: int | None = None) -> Question:
    """A question about a table of so many rows, or of as many of them as are kept."""
    header, body = _table(rows, rng)
    body = body[: kept or rows]
    row, seed = int(rng.integers(0, rows)) % len(body), int(rng.integers(0, 2**31))
    table = Table.flat(header=list(header), rows=body)
    perturbed = {
        name: perturbations.get(name).perturb(table, np.random.default_rng(seed)) for name in PERTURBATIONS
    }
    return Question(
        f"How many visitors did {body[row][0]} have in the year of this table?",
        body[row][1],
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
