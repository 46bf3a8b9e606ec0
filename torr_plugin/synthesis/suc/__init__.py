"""Structural questions about tables, after SUC (Sui et al., "Table Meets LLM", WSDM 2024, section 3).

In: a table, one of the tasks, a random generator. Out: a question and its answer, read off the table's own
grid; so it holds by construction. The questions' sentences are the project's own.
"""

from .generators import GENERATORS
from .tasks import TASKS, Asked

__all__ = ["GENERATORS", "TASKS", "Asked"]
