"""Logs as inspect_ai writes them, made by hand: both shapes of ``.eval``, and ``.json``."""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

NAN = float("nan")


def sample(id_: int | str, epoch: int = 1, *, error: str | None = None, **scores: Any) -> dict[str, Any]:
    """A sample with the values of its scores."""
    given = {name: {"value": value, "answer": "said", "history": []} for name, value in scores.items()}
    whole = {"id": id_, "epoch": epoch, "input": f"question {id_}", "target": f"right {id_}", "scores": given}
    return whole | ({"error": error} if error else {})


def head(
    model: str = "mockllm/a", task: str = "quiz", status: str = "success", **other: Any
) -> dict[str, Any]:
    """A header; ``results`` are (score, accuracy) pairs."""
    ids, epochs = other.pop("ids", (1, 2)), other.pop("epochs", 1)
    results = other.pop("results", None)
    found: dict[str, Any] = {
        "version": 2,
        "status": status,
        "eval": {
            "eval_id": "e",
            "run_id": "r",
            "created": "2026-01-01T00:00:00+00:00",
            "task": task,
            "task_id": f"id-{task}",
            "task_version": 0,
            "task_args_passed": {},
            "dataset": {"samples": len(ids), "sample_ids": list(ids), "shuffled": False},
            "model": model,
            "model_generate_config": {},
            "config": {"epochs": epochs},
            "packages": {"inspect_ai": "0.3.285"},
            "scorers": [{"name": "match", "metrics": [{"name": "inspect_ai/accuracy"}]}],
        }
        | other,
        "plan": {},
    }
    if results is not None:
        found["results"] = {
            "total_samples": len(ids) * epochs,
            "completed_samples": len(ids) * epochs,
            "scores": [
                {"name": name, "scorer": name, "metrics": {"accuracy": {"name": "accuracy", "value": value}}}
                for name, value in results
            ],
        }
    return found


def write_json(path: Path, header: Mapping[str, Any], samples: Sequence[Mapping[str, Any]]) -> Path:
    """A ``.json`` log."""
    path.write_text(json.dumps({**header, "samples": list(samples)}, indent=2))
    return path


def write_eval(
    path: Path,
    header: Mapping[str, Any],
    samples: Sequence[Mapping[str, Any]],
    *,
    chunked: bool = False,
    method: int = 93,
    killed: bool = False,
) -> Path:
    """An ``.eval`` log; of a killed run there is the journal alone."""
    members: dict[str, Any] = {
        "_journal/start.json": {name: header[name] for name in ("version", "eval", "plan")},
        "_journal/summaries/1.json": list(samples[:1]),
        "_journal/summaries/2.json": list(samples[1:]),
    }
    for each in samples:
        said = {"role": "assistant", "content": "said"}
        asked = {"role": "user", "content": each["input"]}
        whole = {**each, "output": {"completion": "said", "choices": [{"message": said}]}}
        folder = f"samples/{each['id']}_epoch_{each['epoch']}"
        if chunked:
            members[f"{folder}/sample.json"] = {**whole, "message_refs": [[0, 2]]}
            members[f"{folder}/messages/0.json"] = [asked, said]
        else:
            members[f"{folder}.json"] = {**whole, "messages": [asked, said]}
    if not killed:
        members |= {"summaries.json": list(samples), "header.json": dict(header)}
    return zipped(path, {name: json.dumps(value).encode() for name, value in members.items()}, method)


def zipped(path: Path, members: Mapping[str, bytes], method: int = 93) -> Path:
    """A zip file; zipfile writes Zstandard, method 93, from Python 3.14 on only."""
    if method != 93:
        with zipfile.ZipFile(path, "w", method) as archive:
            for name, data in members.items():
                archive.writestr(name, data)
        return path
    with path.open("wb") as file:
        directory = b""
        for name, data in members.items():
            packed, at = bytes(pa.compress(data, codec="zstd", asbytes=True)), file.tell()
            common = struct.pack(
                "<HHHHHIIIHH",
                *(20, 0, method, 0, 33),
                *(zlib.crc32(data), len(packed), len(data), len(name.encode()), 0),
            )
            file.write(b"PK\3\4" + common + name.encode() + packed)
            directory += b"PK\1\2" + struct.pack("<H", 20) + common
            directory += struct.pack("<HHHII", 0, 0, 0, 0, at) + name.encode()
        start = file.tell()
        counts = (0, 0, len(members), len(members), len(directory), start, 0)
        file.write(directory + b"PK\5\6" + struct.pack("<HHHHIIH", *counts))
    return path
