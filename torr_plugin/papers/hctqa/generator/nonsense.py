"""The variant in made-up words: attribute ``AA``, its value ``AAgl`` (HCT-QA, Section 4)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random

from ....core.seeds import seed as seeded
from ..nonsense_names import nonsense_names
from .dataset import GeneratedTable
from .instance import HctInstance, TableAxis
from .layout.pivot import hct_table
from .layout.relational import relational
from .parameters.models import sql_name
from .sql import SqlEngine

_QUOTED = re.compile(r"'((?:[^']|'')*)'|([A-Za-z_]\w*)")


@dataclass(frozen=True, slots=True)
class Renaming:
    """The new names of attributes and values, all different."""

    attributes: Mapping[str, str]
    values: Mapping[str, str]


def nonsense(generated: GeneratedTable, seed: int) -> GeneratedTable:
    """The same table, relational table, questions, SQL and answers in made-up words.

    The table's title, its aggregate's name and the words of the question templates stay, as in the
    benchmark. Answers come from the renamed SQL on the renamed table.
    """
    names = renaming(generated.instance, seed)
    instance = _renamed_instance(generated.instance, names)
    rows = relational(instance)
    sql_names = {sql_name(old): new for old, new in names.attributes.items()}
    pattern = _words({**names.attributes, **names.values})
    questions = []
    with SqlEngine(rows) as engine:
        for question in generated.questions:
            sql = _renamed_sql(question.sql, sql_names, names.values)
            text = pattern.sub(lambda found: _word(found[0], names), question.question)
            questions.append(replace(question, question=text, sql=sql, answer=engine.answer(sql)))
    return replace(
        generated, instance=instance, table=hct_table(instance), relational=rows, questions=tuple(questions)
    )


def renaming(instance: HctInstance, seed: int) -> Renaming:
    """Other names for all words of a table: two capitals an attribute, two consonants more a value.

    A value of two attributes gets the first one's letters in both.
    """
    random = Random(seeded(seed, "hctqa", "nonsense", instance.table_id))  # noqa: S311
    known = _values(instance)
    made = nonsense_names({name: known[name] for name in instance.order or known}, random)
    values: dict[str, str] = {}
    for renamed in made.values.values():
        values = {**renamed, **values}
    return Renaming(made.attributes, values)


def _values(instance: HctInstance) -> dict[str, list[str]]:
    """Each attribute's values in display order."""
    return {
        name: list(dict.fromkeys(leaf[place] for leaf in axis.leaves))
        for axis in (instance.columns, instance.rows)
        for place, name in enumerate(axis.attributes)
    }


def _renamed_instance(instance: HctInstance, names: Renaming) -> HctInstance:
    return replace(
        instance,
        columns=_renamed_axis(instance.columns, names),
        rows=_renamed_axis(instance.rows, names),
        order=tuple(names.attributes[name] for name in instance.order),
    )


def _renamed_axis(axis: TableAxis, names: Renaming) -> TableAxis:
    return replace(
        axis,
        attributes=tuple(names.attributes[name] for name in axis.attributes),
        leaves=tuple(tuple(names.values[value] for value in leaf) for leaf in axis.leaves),
    )


def _words(known: Mapping[str, str]) -> re.Pattern[str]:
    """Matches the known names as whole words, the longest first, but not the threshold of a comparison."""
    longest = sorted(known, key=len, reverse=True)
    return re.compile(
        r"(?<!\w)(?<!\d[.])(?<!than )(?<!than -)(?:" + "|".join(map(re.escape, longest)) + r")(?!\w|[.]\d)"
    )


def _word(word: str, names: Renaming) -> str:
    return names.values.get(word) or names.attributes[word]


def _renamed_sql(sql: str, attributes: Mapping[str, str], values: Mapping[str, str]) -> str:
    def rename(found: re.Match[str]) -> str:
        text, name = found.groups()
        if text is None:
            return attributes.get(name, name)
        return "'" + values.get(text.replace("''", "'"), text) + "'"

    return _QUOTED.sub(rename, sql)
