"""Data sets from the project's own words: human-centric tables, questions, statements, answers.

``hctqa`` is the generator (HCT-QA, Appendix C); the small data sets of the bundled cards have its tables too.
In: a generator's name, a seed and the sizes of the splits. Out: rows with a table, a question or statement
and the answer, which holds by construction. The same rows on every machine and with every version of every
library; nothing is downloaded and nothing is stored.
"""

from .aggregation import aggregation
from .cell_lookup import cell_lookup
from .generators import generate, generators
from .rows import Generator, Row
from .statements import fact_verification

__all__ = ["Generator", "Row", "aggregation", "cell_lookup", "fact_verification", "generate", "generators"]
