"""Work of commands across stages. Functions return values, and report progress through callbacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.lazy import lazy_package

if TYPE_CHECKING:
    from .doctor import diagnose as diagnose
    from .judging import judge_study as judge_study
    from .listing import list_models as list_models
    from .listing import list_names as list_names
    from .merging import merge_runs as merge_runs
    from .own_data import make_own_data as make_own_data
    from .properties import properties_report as properties_report
    from .remaining_work import remaining_requests as remaining_requests
    from .scores import analyse_scores as analyse_scores
    from .scores import budget_report as budget_report
    from .scores import detection_report as detection_report
    from .study import run_study as run_study
    from .synthetic_study import SyntheticStudyOptions as SyntheticStudyOptions
    from .synthetic_study import make_synthetic_study as make_synthetic_study
    from .synthetic_study import named as named
    from .synthetic_study import numbered as numbered

__getattr__, __dir__, __all__ = lazy_package(
    __name__,
    {
        ".doctor": ["diagnose"],
        ".judging": ["judge_study"],
        ".listing": ["list_models", "list_names"],
        ".merging": ["merge_runs"],
        ".own_data": ["make_own_data"],
        ".properties": ["properties_report"],
        ".remaining_work": ["remaining_requests"],
        ".scores": ["analyse_scores", "budget_report", "detection_report"],
        ".study": ["run_study"],
        ".synthetic_study": ["SyntheticStudyOptions", "make_synthetic_study", "named", "numbered"],
    },
)
