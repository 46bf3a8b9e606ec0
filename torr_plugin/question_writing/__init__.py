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
    from .annotation.task import AnnotationTask as AnnotationTask
    from .annotation.task import annotate as annotate
    from .annotation.task import annotation_roles as annotation_roles
    from .asking import Rounds as Rounds
    from .asking import planned_rounds as planned_rounds
    from .document_questions.accepting import accept_questions as accept_questions
    from .document_questions.question import levels_called as levels_called
    from .document_questions.task import SynthesisTask as SynthesisTask
    from .document_questions.task import synthesis_roles as synthesis_roles
    from .document_questions.task import synthesize as synthesize

__getattr__, __dir__, __all__ = lazy_package(__name__, __file__)
