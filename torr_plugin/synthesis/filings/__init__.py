"""Synthetic annual reports: text around hierarchical tables whose figures agree, and questions about them.

In: a seed and a number of pages. Out: a document, the same as the HTML that filers send to EDGAR, and
questions at three levels; the answers of extraction and calculation hold by construction. All words are our
own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.lazy import lazy_package

if TYPE_CHECKING:
    from .corpus import CorpusOptions as CorpusOptions
    from .corpus import filing_outputs as filing_outputs
    from .corpus import write_corpus as write_corpus
    from .edgar import edgar_html as edgar_html
    from .filing import PAGE as PAGE
    from .filing import Filing as Filing
    from .filing import make_filing as make_filing
    from .questions.drawing import draw_questions as draw_questions
    from .questions.question import FilingQuestion as FilingQuestion
    from .questions.question import levels_called as levels_called

__getattr__, __dir__, __all__ = lazy_package(
    __name__,
    {
        ".corpus": ["CorpusOptions", "filing_outputs", "write_corpus"],
        ".edgar": ["edgar_html"],
        ".filing": ["PAGE", "Filing", "make_filing"],
        ".questions.drawing": ["draw_questions"],
        ".questions.question": ["FilingQuestion", "levels_called"],
    },
)
