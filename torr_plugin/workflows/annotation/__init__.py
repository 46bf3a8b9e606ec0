"""Questions about tables by models, answers by vote, and a review by people (RealHiTBench, section 3.4).

In: a folder of tables and models by their roles. Out: a directory with every reply, and files for reviewers;
from a review, a data set as ``torr data make`` makes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.lazy import lazy_package

if TYPE_CHECKING:
    from .accepting import AcceptedData as AcceptedData
    from .accepting import accept as accept
    from .asking import AnnotationReport as AnnotationReport
    from .asking import annotate as annotate
    from .planning import planned_rounds as planned_rounds
    from .task import AnnotationTask as AnnotationTask
    from .task import annotation_task as annotation_task

__getattr__, __dir__, __all__ = lazy_package(
    __name__,
    {
        ".accepting": ["AcceptedData", "accept"],
        ".asking": ["AnnotationReport", "annotate"],
        ".planning": ["planned_rounds"],
        ".task": ["AnnotationTask", "annotation_task"],
    },
)
