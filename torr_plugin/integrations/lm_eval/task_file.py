"""A task's file: which part of which study it asks, written and read again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...core.errors import InputError

if TYPE_CHECKING:
    from ...recipes import Configuration
    from ..studies import Part

FIELD = "torr"
VERSION = 1
CLASS = "!function torr_task.TableTask"


@dataclass(frozen=True)
class TaskFile:
    """What a task's file says.

    Attributes:
        study: a recipe's name or path.
        dataset: of the study.
        configuration: None for all of them.
    """

    study: str
    dataset: str
    configuration: Configuration | None

    def arguments(self) -> dict[str, Any]:
        """The study's generation parameters by lm-eval's names."""
        from ...recipes import load
        from ...running.model import lm_eval_arguments

        return lm_eval_arguments(load(self.study).generation.model_dump(mode="json"))

    def shows_pictures(self) -> bool:
        """Whether its prompts have pictures.

        Raises:
            InputError: some have and some have none, which lm-eval's models cannot be asked together.
        """
        from ...prompts import designs, is_picture
        from ...recipes import load
        from ..studies import single_calls

        asked = [self.configuration] if self.configuration else single_calls(load(self.study).expanded())
        seen = [is_picture(each.serializer) and not designs.get(each.design).carries for each in asked]
        if any(seen) and not all(seen):
            raise InputError(
                f"study {self.study!r} shows {self.dataset} in some configurations as pictures and in others "
                "as text, which lm-eval cannot ask together; ask its tasks of single configurations"
            )
        return any(seen)


def task_text(part: Part, study: str) -> str:
    """The file of a part.

    Args:
        part: of the study.
        study: by what the task finds it again: a recipe's name or an absolute path.
    """
    lines = [
        f"task: {_quoted(part.task)}",
        f"class: {CLASS}",
        "metadata:",
        f"  version: {VERSION}",
        f"  {FIELD}: {{study: {_quoted(study)}, dataset: {_quoted(part.dataset)}{_config(part)}}}",
    ]
    return "\n".join(lines) + "\n"


def read_task_config(config: Mapping[str, Any]) -> TaskFile:
    """What the configuration of a task says, as lm-eval read it from :func:`task_text`.

    Raises:
        InputError: it names no study or data set, or a configuration in another form.
    """
    from ...recipes import Configuration

    said = (config.get("metadata") or {}).get(FIELD)
    task = config.get("task")
    if not isinstance(said, Mapping) or not all(
        isinstance(said.get(key), str) for key in ("study", "dataset")
    ):
        raise InputError(
            f"task {task!r}: metadata.{FIELD}: found {said!r:.80}; expected study and dataset, as "
            "'torr lm-eval-path' writes them"
        )
    config_id = said.get("config")
    configuration = None if config_id is None else Configuration.of(str(config_id))
    return TaskFile(said["study"], said["dataset"], configuration)


def _config(part: Part) -> str:
    return "" if part.config is None else f", config: {_quoted(part.config.id)}"


def _quoted(text: str) -> str:
    """A YAML scalar in double quotes, which JSON's form is."""
    return json.dumps(text, ensure_ascii=True)
