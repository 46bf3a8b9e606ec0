"""FinQA's language of programs: ``subtract(5829, 5735), divide(#0, 5735)``.

In: a program as text. Out: its steps (:func:`parse`), its result over a table (:func:`execute`), and whether
two programs say the same (:func:`equivalent`). What counts is what the data set's official evaluator counts
(czyssrs/FinQA, ``code/evaluate/evaluate.py``); where this differs from it, the function says so. Programs are
written by models: nothing is evaluated as code, and what cannot be read or grows without end is wrong, no
error.
"""

from .equivalence import equivalent
from .program import Answer, Program, ProgramStep, execute, parse, tokenize

__all__ = ["Answer", "Program", "ProgramStep", "equivalent", "execute", "parse", "tokenize"]
