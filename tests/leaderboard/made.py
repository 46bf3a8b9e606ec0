"""Makes run directories in the design's file layout, without running a model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from torr_plugin.analysis import analyse
from torr_plugin.leaderboard import build_site
from torr_plugin.recipes import request_schema
from torr_plugin.recipes.planning import fingerprint
from torr_plugin.running import Run, with_prompt_tokens
from torr_plugin.running.answer import answer_schema
from torr_plugin.running.store.manifest import FORMAT
from torr_plugin.running.store.shards import folder_name

SERIALIZERS = ("html", "csv", "json", "markdown", "indexed_row_major", "df", "concat")
PERTURBATIONS = ("none", "shuffle_rows", "shuffle_cols", "transpose", "insert_empty_rows")
QUESTION = "Which town had the most visitors in 2019?"


def make_run(
    path: Path,
    *,
    models: Sequence[str] = ("alpha", "beta", "gamma"),
    datasets: Sequence[str] = ("wikitq", "tab_fact"),
    serializers: Sequence[str] = SERIALIZERS[:3],
    perturbations: Sequence[str] = PERTURBATIONS[:3],
    examples: int = 6,
    failing: Mapping[str, str] | None = None,
    predict: Callable[[str, str], str] = lambda model, example: f"{model} says 42 to {example}",
    prompt: Callable[[str, str], str] = lambda config, example: (
        f"{config}\n| Town | Visitors |\n{QUESTION}\nAnswer:"
    ),
    example_name: Callable[[str, int], str] = lambda dataset, number: f"{dataset}-{number}",
    references: Callable[[str], Sequence[str]] = lambda example: ["Harwich"],
    name: str = "a small study",
    seed: int = 0,
    **study: Any,
) -> Path:
    """A run with seeded scores; models in ``failing`` fail with that error on every eleventh request."""
    rng = np.random.default_rng(seed)
    failing = failing or {}
    configs = [(f"torr.{s}", p, "default") for p in perturbations for s in serializers]
    requests = [
        _request(dataset, example_name(dataset, e), config, prompt, references)
        for dataset in datasets
        for e in range(examples)
        for config in configs
    ]
    answers = {model: _answers(model, requests, failing.get(model), predict) for model in models}
    folders = answer_folders(path, models)
    write_part(path / "requests", 0, pa.Table.from_pylist(requests, schema=request_schema()))
    for label, folder in folders.items():
        write_part(folder, 0, pa.Table.from_pylist(answers[label], schema=answer_schema()))
    _scores(requests, answers, rng).to_parquet(path / "scores.parquet", index=False)
    described = [
        {
            "label": label,
            "folder": folder.name,
            "model": "hf",
            "args": {"pretrained": f"org/{label}"},
            "chat": None,
        }
        for label, folder in folders.items()
    ]
    facts = {
        "description": "What {} asks, in a sentence.",
        "licence": "CC-BY-SA-4.0",
        "keeps_labels": ["none", "shuffle_cols", "transpose"],
        "shots": 3,
    }
    record = study_record(
        name,
        "Questions and statements about tables from public sources.",
        models=described,
        datasets=dict.fromkeys(datasets, facts),
        configs=configs,
        examples=examples,
        seed=seed,
    )
    write_study(path, {**record, **study})
    return path


def answer_folders(run: Path, models: Iterable[str]) -> dict[str, Path]:
    """Makes the folders of a run, and returns that of each model's answers."""
    (run / "requests").mkdir(parents=True)
    folders: dict[str, Path] = {}
    for label in models:
        folders[label] = run / "predictions" / folder_name(label, {each.name for each in folders.values()})
        folders[label].mkdir(parents=True)
    return folders


def write_part(folder: Path, number: int, table: pa.Table) -> None:
    pq.write_table(table, folder / f"part-{number:06d}.parquet")


def write_study(run: Path, record: Mapping[str, Any]) -> None:
    # by way of JSON: YAML would mark what two places share
    text = yaml.safe_dump(json.loads(json.dumps(record)), sort_keys=False, allow_unicode=True)
    (run / "study.yaml").write_text(text, encoding="utf-8")


def study_record(
    name: str,
    description: str,
    *,
    models: Sequence[Mapping[str, Any]],
    datasets: Mapping[str, Mapping[str, Any]],
    configs: Sequence[tuple[str, str, str]],
    examples: int,
    seed: int,
) -> dict[str, Any]:
    """The contents of study.yaml; ``datasets``: name -> facts, the description with {} for the name."""
    requests = len(datasets) * len(configs) * examples
    parts = (list(dict.fromkeys(each)) for each in zip(*configs, strict=True))
    generation = {"max_tokens": 64, "temperature": 0.0}
    record = {
        "format": FORMAT,
        "created": "2026-11-21T00:00:00+00:00",
        "recipe": {
            "name": name,
            "description": description,
            "seed": seed,
            "cards": [f"cards.{dataset}" for dataset in datasets],
            "configurations": [dict(zip(("serializers", "perturbations"), parts, strict=False))],
            "demonstrations": {"shots": next(iter(datasets.values()))["shots"], "draw": "paired"},
            "examples": {"count": examples, "draw": "seeded"},
            "generation": generation,
            "analysis": {"resamples": 1000, "level": 0.95},
        },
        "name": name,
        "seed": seed,
        "limit": None,
        "datasets": {
            dataset: {
                "card": f"cards.{dataset}",
                "metrics": ["exact_match"],
                "main_metric": "exact_match",
                "skills": {},
                "split": "test",
                "examples": examples,
                **facts,
                "description": facts["description"].format(dataset),
            }
            for dataset, facts in datasets.items()
        },
        "configurations": ["/".join(config) for config in configs],
        "generation": generation,
        "requests": requests,
        "notes": [],
        "versions": {"python": "3.11.9", "torr-plugin": "0.1.0", "lm-eval": "0.4.13"},
        "models": list(models),
        "written": {"rows": requests, "unique": requests},
    }
    return {**record, "fingerprint": fingerprint(record)}


def with_analysis(run: Path, **options: Any) -> dict[str, Any]:
    """Writes and returns the run's analysis.json."""
    opened = Run.open(run)
    found = analyse(with_prompt_tokens(opened.scores(), opened), **{"resamples": 100, **options})
    opened.write_analysis(found)
    return found


def small_site(run: Path, made_once: Callable[[str, Callable[[Path], object]], Path]) -> Path:
    """The folder of the site of ``small_run``, without charts; to be read only."""
    return made_once("small-site", lambda at: build_site([run], at / "site", charts=False)) / "site"


def with_metrics(run: Path, dataset: str, others: Mapping[str, Callable[[float], float]]) -> None:
    """Adds scores by other metrics to those of a data set, each made of the main score."""
    scores = pd.read_parquet(run / "scores.parquet")
    main = scores[scores["dataset"] == dataset]
    added = [main.assign(metric=name, score=main["score"].map(of), main=False) for name, of in others.items()]
    pd.concat([scores, *added], ignore_index=True).to_parquet(run / "scores.parquet", index=False)


def _request(
    dataset: str,
    example: str,
    config: tuple[str, str, str],
    prompt: Callable[[str, str], str],
    references: Callable[[str], Sequence[str]],
) -> dict[str, Any]:
    name = "/".join(config)
    return {
        "key": f"{dataset}|{example}|{name}",
        "dataset": dataset,
        "example": example,
        "config": name,
        "serializer": config[0],
        "perturbation": config[1],
        "design": config[2],
        "stage": 0,
        "prompt": prompt(name, example),
        "references": list(references(example)),
    }


def _answers(
    model: str, requests: Sequence[Mapping[str, Any]], error: str | None, predict: Callable[[str, str], str]
) -> list[dict[str, Any]]:
    found = []
    for index, request in enumerate(requests):
        failed = error is not None and index % 11 == 3
        prediction = None if failed else predict(model, request["example"])
        found.append(
            {
                "key": request["key"],
                "prediction": prediction,
                "error": error if failed else None,
                "seconds": 0.01,
            }
        )
    return found


def _scores(
    requests: Sequence[Mapping[str, Any]],
    answers: Mapping[str, Sequence[Mapping[str, Any]]],
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Scores of a latent model: ability, example, serializer, noise; every second data set is 0 or 1."""
    of_example = {(r["dataset"], r["example"]): rng.normal(0, 1.0) for r in requests}
    of_serializer = {r["serializer"]: rng.normal(0, 0.3) for r in requests}
    of_perturbation = {r["perturbation"]: rng.normal(-0.3, 0.3) for r in requests}
    datasets = list(dict.fromkeys(r["dataset"] for r in requests))
    rows = []
    for ability, (model, found) in zip(np.linspace(0.9, -0.9, len(answers)), answers.items(), strict=True):
        for request, answer in zip(requests, found, strict=True):
            latent = ability + of_example[request["dataset"], request["example"]] + rng.normal(0, 0.6)
            latent += of_serializer[request["serializer"]] + of_perturbation[request["perturbation"]]
            graded = datasets.index(request["dataset"]) % 2 == 1
            if answer["error"] is None:
                score = 1 / (1 + np.exp(-latent)) if graded else float(latent > 0)
                metric = "rougeL" if graded else "exact_match"
                cell = {name: request[name] for name in _CELL}
                rows.append({"model": model, **cell, "metric": metric, "score": score, "main": True})
    return pd.DataFrame(rows)


_CELL = ("dataset", "config", "serializer", "perturbation", "design", "example")
