"""What the columns of a table of scores are, by their names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ...core.errors import InputError, counted
from .frames import decoded
from .table_files import Columns, Numbers, numbered

_ROLES = {
    "model": "model model_name model_id system submission llm",
    "task": "task task_name dataset benchmark scenario",
    "item": (
        "item item_id example example_id question_id doc_id sample_id instance_id problem_id problem_idx id "
        "question"
    ),
    "solved": "solved_id solved_ids resolved_id resolved_ids",
    "score": "score correct is_correct passed solved resolved value result reward",
    "config": "config configuration format prompt_format",
    "metric": "metric metric_name",
    "replicate": "replicate epoch trial repeat run seed",
    "cluster": "cluster group table table_id passage passage_id",
    "n": "n n_items num_items n_samples num_samples n_examples",
    "error": "error stderr std_error standard_error se sem",
    "low": "low lower ci_low ci_lower lower_bound rating_q025",
    "rank": "rank",
    "high": "high upper ci_high ci_upper upper_bound rating_q975",
    "level": "level confidence_level",
}
_NAMES = {role: names.split() for role, names in _ROLES.items()}
_BESIDE_MODELS = {"item": ("item", "task", "cluster", "config"), "task": ("task", "n"), "": ()}
_OVERALL = frozenset(("average", "avg", "overall", "mean", "macroaverage", "macroavg", "all", "total"))


@dataclass
class ScoreTable:
    """A table, the column of each role, and the others.

    Attributes:
        columns: all of them.
        roles: where the column of a role is.
        others: where those without a role are.
        notes: what was found, a line each.
    """

    columns: Columns
    roles: dict[str, int]
    others: list[int]
    notes: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, columns: Columns) -> ScoreTable:
        """Find what each column is.

        Where none has the models' names, other columns may be models, and of the roles only those count
        that items and tasks have.
        """
        plain = [snake_case(name) for name in columns.names]
        roles = dict[str, int]()
        for role, names in _NAMES.items():
            known = [plain.index(name) for name in names if name in plain]
            if free := [at for at in known if at not in roles.values()]:
                roles[role] = free[0]
        if "model" not in roles:
            beside = _BESIDE_MODELS["item" if "item" in roles else "task" if "task" in roles else ""]
            roles = {role: at for role, at in roles.items() if role in beside}
        taken = set(roles.values())
        return cls(columns, roles, [at for at in range(len(plain)) if at not in taken])

    @property
    def path(self) -> Path:
        """Its file."""
        return self.columns.path

    @cached_property
    def numeric(self) -> list[int]:
        """The columns without a role that hold numbers."""
        return [at for at in self.others if self.columns.is_numeric(at)]

    @cached_property
    def titles(self) -> list[str]:
        """The names of these columns."""
        return [self.title(at) for at in self.numeric]

    @cached_property
    def numbers(self) -> list[Numbers]:
        """What these columns hold."""
        return [self.columns.numbers(at) for at in self.numeric]

    def has_each_once(self, role: str) -> bool:
        """Whether no name of a role's column stands twice, of two or more."""
        codes, names = self.columns.texts(self.roles[role])
        return 1 < len(names) == len(codes)

    def title(self, at: int) -> str:
        """A column's name without blanks around it."""
        return self.columns.names[at].strip()

    def names(self, role: str) -> Any:
        """The texts of a role's column, one a row."""
        codes, names = self.columns.texts(self.roles[role])
        return decoded(names, codes)

    def known(self, *roles: str) -> dict[str, Any]:
        """The texts of those columns that are there."""
        return {role: self.names(role) for role in roles if role in self.roles}

    def models(self, names: Iterable[str]) -> list[str]:
        """Names of models, each once."""
        every = list(names)
        plain = numbered(every)
        if plain != every:
            self.note("some models have one name; the second of them is called 'name (2)', and so on")
        return plain

    def note(self, text: str) -> None:
        """Add a line on what was found."""
        self.notes.append(f"{self.path.name}: {text}")

    def unclear(self, what: str) -> InputError:
        """An error about the table as a whole."""
        found = ", ".join(repr(name)[:40] for name in self.columns.names[:6])
        return InputError(f"{self.path}: {what}; found {counted(len(self.columns.names), 'column')}: {found}")

    def wide(self) -> ScoreTable:
        """The table with a model a row: columns that are called like anything else are items or tasks."""
        roles = {role: at for role, at in self.roles.items() if role in ("model", "rank")}
        others = [at for at in range(len(self.columns.names)) if at not in roles.values()]
        return replace(self, roles=roles, others=others)


def is_overall(name: str) -> bool:
    """Whether a task is the mean of others."""
    return re.sub(r"[^a-z]", "", name.lower()) in _OVERALL


def snake_case(name: str) -> str:
    """``questionId`` and ``Question ID`` are ``question_id``."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())
    return re.sub(r"[\s_.-]+", "_", apart).lower()
