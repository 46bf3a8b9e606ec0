"""inspect_ai's JSON log: one a model and data set, for ``inspect view`` and ``read_eval_log``.

A sample is an example in a configuration, an epoch of it an answer to the same prompt. Fields are those of
version 2 of inspect's ``EvalLog``.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

from ...prompts.message import turns
from ..logs.names import digest
from .answers import ExportedAnswer
from .exporter import Attribution, Exporter, plain_json
from .results import ExportedRun, ModelScore

_STOPPED = {
    "stop": "stop",
    "length": "max_tokens",
    "thinking": "max_tokens",
    "content_filter": "content_filter",
}
"""Our finish reasons -> inspect's; any other is ``unknown``."""


def _write(results: ExportedRun, folder: Path, attribution: Attribution) -> list[str]:
    for model in results.models:
        _write_model(results, model, folder)
    return []


def _write_model(results: ExportedRun, model: str, folder: Path) -> None:
    """Write a model's logs side by side, as its answers come."""
    scores = {score.dataset.name: score for score in results.scores(model)}
    metrics = {dataset: results.scored_as(dataset) for dataset in scores}
    with ExitStack() as stack:
        files = dict[str, IO[str]]()
        for dataset, score in scores.items():
            path = folder / _file_name(results, model, dataset)
            files[dataset] = stack.enter_context(path.open("w", encoding="utf-8"))
            header = plain_json(_header(results, model, score, metrics[dataset]), indent=1)
            files[dataset].write(f'{header.removesuffix("}").rstrip()},\n "samples": [')
        comma = dict.fromkeys(files, "\n")
        for answer in results.answers(model):
            if answer.dataset in files:
                sample = _sample(answer, model, metrics[answer.dataset])
                files[answer.dataset].write(f"{comma[answer.dataset]}  {plain_json(sample)}")
                comma[answer.dataset] = ",\n"
        for file in files.values():
            file.write("\n ]\n}\n")


def _file_name(results: ExportedRun, model: str, dataset: str) -> str:
    """``TIME_TASK_ID.json``, as inspect names its logs and finds them."""
    at = results.created.isoformat(timespec="seconds").replace(":", "-")
    folder = str(results.record(model)["folder"])
    return f"{at}_{_plain(dataset)}_{_plain(folder)}-{digest(dataset, model)[:8]}.json"


def _plain(name: str) -> str:
    kept = "".join(char if char.isascii() and char.isalnum() else "-" for char in name)
    return kept[:60]


def _header(
    results: ExportedRun, model: str, score: ModelScore, metrics: Mapping[str, bool]
) -> dict[str, Any]:
    """All of a log but its samples."""
    dataset, record, at = score.dataset, results.record(model), results.created.isoformat()
    identifier = digest(str(results.run.study.get("fingerprint")), at, model, dataset.name)[:22]
    answers, missing = results.counts(model, dataset.name)
    facts: dict[str, Any] = {"torr-plugin": results.version, "study": results.name}
    facts |= {"fingerprint": results.run.study.get("fingerprint"), "level": results.level}
    facts |= {"complete": score.complete, "ranks": score.rank, "configurations": score.configurations}
    described = ("maker", "family", "size", "open", "licence", "link", "released")
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "eval_id": identifier,
            "run_id": digest(str(results.run.study.get("fingerprint")), at)[:22],
            "created": at,
            "task": dataset.name,
            "task_id": identifier,
            "task_version": 0,
            "task_attribs": {},
            "task_args": {},
            "dataset": {
                "name": dataset.name,
                **({"location": dataset.hub.path} if dataset.hub else {}),
                "samples": dataset.examples * len(score.configurations),
                "shuffled": False,
            },
            "model": model,
            "model_generate_config": _generation(results.generation(model)),
            "model_args": {"class": record["model"], **record["args"]},
            "config": {"epochs": results.replicates()},
            "packages": {"torr-plugin": results.version},
            "metadata": {**facts, **{name: record[name] for name in described if name in record}},
            "scorers": [{"name": name, "options": {}, "metrics": [], "metadata": {}} for name in metrics],
        },
        "plan": {"name": "plan", "steps": [{"solver": "torr-plugin", "params": {}}], "config": {}},
        "results": {
            "total_samples": answers,
            "completed_samples": answers - missing,
            "scores": [
                {
                    "name": dataset.metric,
                    "scorer": dataset.metric,
                    "scored_samples": answers - missing,
                    "unscored_samples": missing,
                    "params": {},
                    "metrics": {
                        name: {"name": name, "value": value, "params": {}}
                        for name, value in (
                            ("performance", score.value),
                            ("low", score.low),
                            ("high", score.high),
                        )
                        if value is not None
                    },
                }
            ],
        },
        "stats": {"started_at": at, "completed_at": at, "model_usage": {}},
    }


def _generation(given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that inspect has too, by its names."""
    found = {name: given.get(name) for name in ("temperature", "top_p", "top_k", "max_tokens", "seed")}
    found["stop_seqs"] = given.get("until") or None
    return {name: value for name, value in found.items() if value is not None}


def _sample(answer: ExportedAnswer, model: str, metrics: Mapping[str, bool]) -> dict[str, Any]:
    asked, messages = (
        [{**turn, "source": "input"} for turn in turns(prompt)] for prompt in (answer.asked, answer.prompt)
    )
    alone = len(asked) == 1 and asked[0]["role"] == "user"
    sample: dict[str, Any] = {
        "id": f"{answer.example} {answer.config}",
        "epoch": answer.replicate + 1,
        "input": asked[0]["content"] if alone else asked,
        "target": answer.references[0] if len(answer.references) == 1 else list(answer.references),
        "messages": messages,
        "output": {"model": model, "choices": []},
        "scores": {},
        "metadata": {name: value for name, value in answer.facts.items() if name != "replicate"},
        "store": {},
        "events": [],
        "model_usage": {},
        "attachments": {},
    }
    if answer.seconds is not None:
        sample["total_time"] = answer.seconds
    if answer.text is None:
        return {**sample, "error": {"message": answer.error, "traceback": "", "traceback_ansi": ""}}
    reply = {"role": "assistant", "content": _content(answer), "source": "generate", "model": model}
    stopped = _STOPPED.get(answer.finish_reason or "stop", "unknown")
    output: dict[str, Any] = {"model": model, "choices": [{"message": reply, "stop_reason": stopped}]}
    if answer.tokens is not None:
        read, written = answer.tokens
        usage = {"input_tokens": read, "output_tokens": written, "total_tokens": read + written}
        output["usage"] = usage
        sample["model_usage"] = {model: usage}
    scores = {
        name: {"value": _value(answer.scores[name], whole), "answer": answer.final}
        for name, whole in metrics.items()
        if name in answer.scores
    }
    return {**sample, "messages": [*messages, reply], "output": output, "scores": scores}


def _content(answer: ExportedAnswer) -> str | list[dict[str, str]]:
    if not answer.reasoning:
        return answer.text or ""
    return [
        {"type": "reasoning", "reasoning": answer.reasoning},
        {"type": "text", "text": answer.text or ""},
    ]


def _value(score: float, whole: bool) -> float | str:
    """A score; of a metric that gives 0 and 1 alone, inspect's letters for them."""
    return {0.0: "I", 1.0: "C"}[score] if whole else score


INSPECT = Exporter("inspect", _write)
