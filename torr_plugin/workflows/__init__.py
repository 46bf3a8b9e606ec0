"""Work of commands across stages. Functions return values, and report progress through callbacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.registry import lazy_package

if TYPE_CHECKING:
    from .judging import JUDGES_NOTE as JUDGES_NOTE
    from .judging import RATINGS_FILE as RATINGS_FILE
    from .judging import ask_judge as ask_judge
    from .judging import check_judges as check_judges
    from .judging import judge_costs as judge_costs
    from .judging import judge_study as judge_study
    from .judging import plan_judge as plan_judge
    from .judging import rate_run as rate_run
    from .judging import write_ratings as write_ratings
    from .scores import analyse_scores as analyse_scores
    from .scores import budget_report as budget_report
    from .study import run_study as run_study

__getattr__, __dir__, __all__ = lazy_package(__name__, __file__)
