"""Questions written, filtered and checked by models, accepted by people.

``annotation/`` asks about tables (RealHiTBench), ``document_questions/`` about documents (TableQuest). Both
go the same way: a task says what is asked and by whom; rounds of prompts write the questions, and answer,
check or score them; people open the review files; what they accept becomes a data set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.registry import lazy_package

if TYPE_CHECKING:
    from .annotation.accepting import accept_annotation as accept_annotation
    from .annotation.asking import AnnotationTask as AnnotationTask
    from .annotation.asking import annotate as annotate
    from .document_questions.accepting import accept_questions as accept_questions
    from .document_questions.asking import SynthesisTask as SynthesisTask
    from .document_questions.asking import synthesize as synthesize
    from .flow import Asking as Asking
    from .flow import planned_rounds as planned_rounds

__getattr__, __dir__, __all__ = lazy_package(__name__, __file__)
