"""Every Eval Ever 0.3: a file of aggregate results a model, and beside it its answers, a line each.

Layout and fields are those of the schemas ``eval.schema.json`` and ``instance_level_eval.schema.json``
of evaleval/every_eval_ever.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...analysis.figures.settings import SETTINGS
from ...prompts.message import plain_text
from ...running.model_classes import asks_a_server
from ...running.store.shards import folder_name
from ..logs.names import digest
from .answers import ExportedAnswer
from .exporter import Attribution, Exporter, plain_json
from .results import HUB_ID, ExportedDataset, ExportedRun, ModelScore

VERSION = "0.3.0"
_UNKNOWN = "unknown"
_SPLITS = {"validation": "val"}  # the schema knows train, val and test
_SAMPLED = ("temperature", "top_p", "top_k", "max_tokens")


def _write(results: ExportedRun, folder: Path, attribution: Attribution) -> list[str]:
    notes = []
    for model in results.models:
        left_out = _write_model(results, model, folder, attribution)
        if left_out:
            notes.append(
                f"{model}: {left_out:,} answers without a score are left out of its answers, for the format "
                "has no place for them; additional details of the results count them"
            )
    if attribution.organization is None:
        notes.append("the organization that publishes the results is 'unknown': --organization names it")
    return notes


def _write_model(results: ExportedRun, model: str, folder: Path, attribution: Attribution) -> int:
    """Write a model's two files; gives how many answers have no score."""
    info = _model_info(results, model)
    study, maker = folder_name(results.name), folder_name(info["developer"])
    parts = ("data", study, maker, str(results.record(model)["folder"]))
    name = _uuid(str(results.run.study.get("fingerprint")), results.epoch, model)
    place = folder.joinpath(*parts)
    place.mkdir(parents=True)
    identifier = f"{study}/{maker}_{parts[-1]}/{results.epoch}"
    written, left_out, checksum = 0, 0, hashlib.sha256()
    with (place / f"{name}_samples.jsonl").open("wb") as lines:
        for answer in results.answers(model):
            metric = results.datasets[answer.dataset].metric
            if metric not in answer.scores:
                left_out += 1
                continue
            instance = _instance(answer, answer.scores[metric], identifier, info["id"])
            line = f"{plain_json(instance)}\n".encode()
            checksum.update(line)
            lines.write(line)
            written += 1
    aggregate = {
        "schema_version": VERSION,
        "evaluation_id": identifier,
        "evaluation_timestamp": results.epoch,
        # of the run, not of the export: another export gives the same bytes
        "retrieved_timestamp": results.epoch,
        "source_metadata": {
            "source_name": results.name,
            "source_type": "evaluation_run",
            "source_organization_name": attribution.organization or _UNKNOWN,
            **({"source_organization_url": attribution.url} if attribution.url else {}),
            "evaluator_relationship": attribution.relationship,
        },
        "eval_library": {
            "name": "torr-plugin",
            "version": results.version,
            "additional_details": _texts({"fingerprint": results.run.study.get("fingerprint")}),
        },
        "model_info": info,
        "evaluation_results": list(_evaluation_results(results, model)),
        "detailed_evaluation_results": {
            "format": "jsonl",
            "file_path": "/".join((*parts, f"{name}_samples.jsonl")),
            "hash_algorithm": "sha256",
            "checksum": checksum.hexdigest(),
            "total_rows": written,
        },
    }
    (place / f"{name}.json").write_text(f"{plain_json(aggregate, indent=2)}\n", encoding="utf-8")
    return left_out


def _uuid(*parts: str) -> str:
    """A name that follows from the parts; the schema wants version 4, whose digits are any."""
    return str(uuid.UUID(digest(*parts), version=4))


def _texts(details: Mapping[str, Any]) -> dict[str, str]:
    """Details as the schemas have them: all values are text."""
    return {
        name: value if isinstance(value, str) else plain_json(value)
        for name, value in details.items()
        if value is not None
    }


def _model_info(results: ExportedRun, model: str) -> dict[str, Any]:
    record = results.record(model)
    public = _hub_name(results, model)
    developer = str(record.get("maker") or (public.split("/")[0] if public else _UNKNOWN))
    # one model with other settings is another, which only its label tells
    alone = [_hub_name(results, each) for each in results.models].count(public) == 1
    kind, weights = str(record["model"]), record.get("open")
    known = {True: "open_weights", False: "closed_weights"}
    return {
        "name": model,
        "id": public if public and alone else f"{folder_name(developer)}/{record['folder']}",
        "developer": developer,
        "inference_engine": {"name": kind, **_engine_version(results, record, kind)},
        "additional_details": {
            # a server may be one's own
            "deployment_type": _UNKNOWN if asks_a_server(kind) else "self_deployed",
            "model_availability": known.get(weights, _UNKNOWN) if isinstance(weights, bool) else _UNKNOWN,
            **_texts(
                {name: record.get(name) for name in ("args", "chat", "family", "size", "licence", "link")}
            ),
        },
    }


def _hub_name(results: ExportedRun, model: str) -> str | None:
    """By its arguments, or by a label as other harnesses give it."""
    return results.hub_id(model) or (model if HUB_ID.fullmatch(model) else None)


def _engine_version(results: ExportedRun, record: Mapping[str, Any], kind: str) -> dict[str, str]:
    answered = record.get("answered_by")
    versions = {
        **(results.run.study.get("versions") or {}),
        **(answered if isinstance(answered, Mapping) else {}),
    }
    found = versions.get({"hf": "transformers"}.get(kind, kind))
    return {"version": found} if isinstance(found, str) else {}


def _evaluation_results(results: ExportedRun, model: str) -> Iterator[dict[str, Any]]:
    """For each data set its score with the interval, then that of each configuration, which has none."""
    generation = _generation(results.generation(model))
    method = results.analysis[SETTINGS].methods.get("performance", "")
    for score in results.scores(model):
        dataset = score.dataset
        shared = {"source_data": _source(dataset), "evaluation_timestamp": results.epoch}
        counted = {"configurations": len(score.configurations), "missing": score.missing}
        yield _result(dataset, "", {**shared, **_scored(score, results.level, method, counted)}, generation)
        for config, mean in score.configurations.items():
            details = {"score": mean, "uncertainty": {"num_samples": score.shared}}
            yield _result(dataset, config, {**shared, "score_details": details}, generation)


def _result(
    dataset: ExportedDataset, config: str, fields: dict[str, Any], generation: dict[str, Any]
) -> dict[str, Any]:
    """One entry of ``evaluation_results``: a data set, or one configuration of it."""
    name = evaluation_name(dataset.name, config)
    return {
        "evaluation_result_id": name,
        "evaluation_name": name,
        **fields,
        "metric_config": {
            **({"evaluation_description": dataset.description} if dataset.description else {}),
            "metric_id": dataset.metric,
            "metric_name": dataset.metric,
            "metric_unit": "proportion",
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": 0.0,
            "max_score": 1.0,
            "additional_details": {
                "dataset": dataset.name,
                **({"config": config} if config else {"aggregation": "mean over configurations"}),
            },
        },
        "generation_config": generation,
    }


def evaluation_name(dataset: str, config: str) -> str:
    """The name of a data set's results, or of those of one configuration."""
    return f"{dataset}/{config}" if config else dataset


def _scored(score: ModelScore, level: float, method: str, counted: Mapping[str, Any]) -> dict[str, Any]:
    uncertainty: dict[str, Any] = {"num_samples": score.dataset.examples}
    if score.low is not None and score.high is not None:
        uncertainty["confidence_interval"] = {
            "lower": score.low,
            "upper": score.high,
            "confidence_level": level,
            "method": method,
        }
    details = _texts({**counted, "ranks": score.rank})
    return {"score_details": {"score": score.value, "details": details, "uncertainty": uncertainty}}


def _source(dataset: ExportedDataset) -> dict[str, Any]:
    if dataset.hub is None:
        return {"dataset_name": dataset.name, "source_type": "other"}
    return {
        "dataset_name": dataset.name,
        "source_type": "hf_dataset",
        "hf_repo": dataset.hub.path,
        "hf_split": _SPLITS.get(dataset.hub.split, dataset.hub.split),
        "samples_number": dataset.examples,
        **({"additional_details": {"revision": dataset.hub.revision}} if dataset.hub.revision else {}),
    }


def _generation(given: Mapping[str, Any]) -> dict[str, Any]:
    sampled = {name: given[name] for name in _SAMPLED if type(given.get(name)) in (int, float)}
    others = _texts({name: value for name, value in given.items() if name not in sampled})
    return {"generation_args": sampled, **({"additional_details": others} if others else {})}


def _instance(answer: ExportedAnswer, score: float, identifier: str, model: str) -> dict[str, Any]:
    """One line: an answer and its main score."""
    name = evaluation_name(answer.dataset, answer.config)
    raw, formatted = answer.asked[-1].content, plain_text(answer.prompt)
    references = list(answer.references)
    instance: dict[str, Any] = {
        "schema_version": VERSION,
        "evaluation_id": identifier,
        "model_id": model,
        "evaluation_name": name,
        "evaluation_result_id": name,
        "sample_id": answer.example,
        "sample_hash": hashlib.sha256("".join([raw, *references]).encode()).hexdigest(),
        "interaction_type": "single_turn",
        "input": {
            "raw": raw,
            **({} if formatted == raw else {"formatted": formatted}),
            "reference": references,
        },
        "output": {
            "raw": [answer.text or ""],
            **({"reasoning_trace": [answer.reasoning]} if answer.reasoning else {}),
        },
        "answer_attribution": [
            {
                "turn_idx": 0,
                "source": "output.raw",
                "extracted_value": answer.final,
                "extraction_method": "whole answer" if answer.final == answer.text else "final answer",
                "is_terminal": True,
            }
        ],
        "evaluation": {"score": score, "is_correct": score == 1},
        "metadata": answer.facts,
    }
    if answer.tokens is not None:
        read, written = answer.tokens
        instance["token_usage"] = {
            "input_tokens": read,
            "output_tokens": written,
            "total_tokens": read + written,
        }
    if answer.seconds is not None:
        instance["performance"] = {"latency_ms": 1000 * answer.seconds}
    return instance


EEE = Exporter("eee", _write)
