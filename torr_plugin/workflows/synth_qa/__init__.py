"""Questions about documents by models, filtered by a second, reviewed by people (TableQuest, section 2).

In: documents and models by their roles. Out: a folder with every reply, the questions, and files for
reviewers; from a review, a mirror that the cards of TableQuest read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.lazy import lazy_package

if TYPE_CHECKING:
    from .accepting import AcceptedQuestions as AcceptedQuestions
    from .accepting import accept_questions as accept_questions
    from .asking import LevelCounts as LevelCounts
    from .asking import SynthesisReport as SynthesisReport
    from .asking import synthesize as synthesize
    from .planning import planned_synthesis as planned_synthesis
    from .review import review_sheet as review_sheet
    from .task import SynthesisOptions as SynthesisOptions
    from .task import SynthesisTask as SynthesisTask
    from .task import synthesis_folder as synthesis_folder
    from .task import synthesis_task as synthesis_task

__getattr__, __dir__, __all__ = lazy_package(
    __name__,
    {
        ".accepting": ["AcceptedQuestions", "accept_questions"],
        ".review": ["review_sheet"],
        ".asking": ["LevelCounts", "SynthesisReport", "synthesize"],
        ".planning": ["planned_synthesis"],
        ".task": ["SynthesisOptions", "SynthesisTask", "synthesis_folder", "synthesis_task"],
    },
)
