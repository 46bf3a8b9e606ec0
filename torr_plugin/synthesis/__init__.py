"""Generated data sets: human-centric tables with questions or statements and their answers.

``hctqa`` is the generator (HCT-QA, Appendix C); the small data sets of the bundled cards have its tables too.
In: a generator's name, a seed and the sizes of the splits. Out: rows with a table, a question or statement
and the answer, which holds by construction. The same rows on every machine and with every version of every
library; nothing is downloaded, and nothing but the twenty reports of ``filings`` is stored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.lazy import lazy_package

if TYPE_CHECKING:
    from . import suc as suc
    from .generation import Generator as Generator
    from .generation import Row as Row
    from .generation import generate as generate
    from .generation import generators as generators
    from .human_centric import aggregation as aggregation
    from .human_centric import cell_lookup as cell_lookup
    from .making import HctqaOptions as HctqaOptions
    from .making import make_hctqa as make_hctqa
    from .statements import fact_verification as fact_verification
    from .structure import structure_comprehending as structure_comprehending

__getattr__, __dir__, __all__ = lazy_package(
    __name__,
    {
        ".": ["suc"],
        ".generation": ["Generator", "Row", "generate", "generators"],
        ".human_centric": ["aggregation", "cell_lookup"],
        ".making": ["HctqaOptions", "make_hctqa"],
        ".statements": ["fact_verification"],
        ".structure": ["structure_comprehending"],
    },
)
