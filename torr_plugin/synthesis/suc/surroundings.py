"""The text that stands before and after a table in the task of table partition.

The paper has descriptions, contexts, statements and user queries around the table (section 3.2). Ours speak
of the same topic and name values of it, so that a word of the table alone does not give its border away.
"""

from __future__ import annotations

from itertools import islice
from random import Random

from ...tables import Table
from ..human_centric import Drawn


def before(table: Table, drawn: Drawn, random: Random) -> str:
    """A description, and a remark that names a value of the table."""
    names = [cell.text for cell in table.grid[0]]
    named = random.choice(table.body)[random.randrange(table.n_columns)].text
    told = f"{', '.join(names[:-1])} and {names[-1]}"
    return (
        f"Description: {table.title}. Of each entry {told} are known.\n"
        f"Context: A reader who looked for {named} had asked for the list below."
    )


def after(drawn: Drawn, random: Random) -> str:
    """A remark on the list, and queries of a user, which are not the ones to answer."""
    queries = [question.question for question in islice(drawn.questions((1, 4)), random.randint(1, 2))]
    lines = [
        f"Statement: The figures are those of {drawn.instance.title.lower()}, as they were first published."
    ]
    return "\n".join([*lines, *(f"User query: {query}" for query in queries)])
