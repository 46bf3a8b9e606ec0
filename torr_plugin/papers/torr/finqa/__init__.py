"""FinQA's language of programs: ``subtract(5829, 5735), divide(#0, 5735)``.

In: a program as text. Out: its steps (:func:`parse`), its result over a table (:func:`execute`), and whether
two programs are equivalent (:func:`equivalent`), as in the data set's official evaluator (czyssrs/FinQA,
``code/evaluate/evaluate.py``); each function documents where it differs. Programs are written by models:
nothing is evaluated as code, and a program that cannot be parsed or grows without end is wrong, not an error.
"""

from .equivalence import equivalent
from .program import Answer, Program, ProgramStep, execute, parse, tokenize

__all__ = ["Answer", "Program", "ProgramStep", "equivalent", "execute", "parse", "tokenize"]
