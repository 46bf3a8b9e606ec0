"""lm-eval's results_*.json: which model was asked, how, and how many examples of each task."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..fields import field
from ..json_text import read_json
from ..models import model_entry

if TYPE_CHECKING:
    from ....recipes import ModelEntry

_OLD = "this may be of an lm-eval before 0.4; run lm_eval of 0.4.13 with --log_samples"


@dataclass(frozen=True)
class RunFile:
    """A run of lm-eval.

    Attributes:
        path: the file.
        entry: the model.
        versions: of lm-eval and of what it says beside it.
        expected: task -> how many examples.
        tasks: those that were rated one by one.
        templated: whether prompts went through a chat template, which each model has of its own.
    """

    path: Path
    entry: ModelEntry
    versions: Mapping[str, str]
    expected: Mapping[str, int]
    tasks: tuple[str, ...]
    templated: bool


def read_run_file(path: Path) -> RunFile:
    """The run of a results_*.json.

    Raises:
        InputError: it is no JSON, or not what lm-eval 0.4 writes.
    """
    said, where = read_json(path, dict), str(path)
    config = field(said, "config", dict, where, _OLD)
    counts = field(said, "n-samples", dict, where, _OLD)
    template = said.get("chat_template")
    model = field(config, "model", str, f"{where}: config", _OLD)
    return RunFile(
        path=path,
        entry=_entry(model, config.get("model_args"), bool(template), where),
        versions=_versions(said),
        expected={
            task: field(each, "effective", int, f"{where}: n-samples") for task, each in counts.items()
        },
        tasks=tuple(field(said, "configs", dict, where, _OLD)),
        templated=bool(template),
    )


def _entry(model: str, args: object, templated: bool, where: str) -> ModelEntry:
    given = args if isinstance(args, (dict, str)) and args else {}
    chat = None if model.startswith("torr-") else templated
    return model_entry(f"{where}: config", model=model, args=given, chat=chat)


def _versions(said: Mapping[str, Any]) -> dict[str, str]:
    found = {"lm-eval": said.get("lm_eval_version"), "transformers": said.get("transformers_version")}
    environment = said.get("pretty_env_info")
    torch = re.search(r"\btorch==([\w.+]+)", environment if isinstance(environment, str) else "")
    found["torch"] = torch[1] if torch else None
    return {name: version for name, version in found.items() if isinstance(version, str) and version != "N/A"}
