"""The words of the prompts: templates, types of questions and levels, as text files in ``prompt_files/``.

They are our own, and ask for what the prompts of RealHiTBench (appendix B.3; the judge: Table 19) and
TableQuest (appendices A, B and F; the filter: section 2.1) ask for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
import yaml

from ..prompts import Message
from ..prompts.message import spoilt

if TYPE_CHECKING:
    from ..prompts import Prompt
    from .review import AnswerForm

PROMPTS_VERSION = 1
"""Counts changes of the words, since other words get other questions and answers."""

_FOLDER = Path(__file__).parent / "prompt_files"


@dataclass(frozen=True)
class QuestionType:
    """What questions about tables of a type ask for.

    Attributes:
        name: as options and data have it: ``fact_checking``.
        task: what such a question asks for.
        simple: an easy question of the type; ``hard`` a difficult one.
        subtypes: RealHiTBench's name of each -> what it asks for.
        answer: the words for the form of the final answer.
        form: ``values``, one ``sentence``, or the ``code`` of a chart.
        rules: further requirements on a question.
        hints: subtype -> what its answer consists of, where that differs within the type.
    """

    name: str
    task: str
    simple: str
    hard: str
    subtypes: Mapping[str, str]
    answer: str = "a number or a name as short as possible, several with | between them"
    form: AnswerForm = "values"
    rules: tuple[str, ...] = ()
    hints: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The name as people write it."""
        return self.name.replace("_", " ").capitalize()


@cache
def question_types() -> Mapping[str, QuestionType]:
    """The five types of questions about tables by name."""
    return {given["name"]: QuestionType(**given) for given in _read("question_types.yaml")}


@cache
def level_guides() -> Mapping[str, Mapping[str, Any]]:
    """Level of questions about documents -> what a writer and a filter are told of it, with examples."""
    guides: dict[str, dict[str, Any]] = _read("levels.yaml")
    return guides


def prompt(name: str, **values: object) -> Prompt:
    """The two messages of a template, without marks for pictures."""
    system, user = _template(name)
    return spoilt((Message("system", system), Message("user", user.render(values))))


@cache
def _template(name: str) -> tuple[str, jinja2.Template]:
    """What the system says, and the template of what the user says."""
    system, _, user = (_FOLDER / f"{name}.txt").read_text(encoding="utf-8").partition("\n---\n")
    # prompts are plain text: there is nothing to escape
    made = jinja2.Environment(trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined)  # noqa: S701
    return system, made.from_string(user)


def _read(name: str) -> Any:
    return yaml.safe_load((_FOLDER / name).read_text(encoding="utf-8"))
