"""A model as judge of others' answers (HCT-QA, D.4; RealHiTBench, Table 19; TableQuest, appendix A).

In: a run, and any of lm-eval's models as judge. Out: a verdict an answer, yes or no or a score from 0 to 100,
stored in ``RUN/judged/<judge>/`` and as rows of scores.parquet, and how far yes and no agree with complete
containment; or which of two models' answers is better, in battles.parquet.
"""

from typing import TYPE_CHECKING

from ...core.registry import lazy_package

if TYPE_CHECKING:
    from .judging import Judgement as Judgement
    from .judging import JudgePlan as JudgePlan
    from .judging import judge_run as judge_run
    from .judging import judge_task as judge_task
    from .judging import pair_options as pair_options
    from .judging import plan_judging as plan_judging
    from .prompts import PairOptions as PairOptions
    from .prompts import fenced as fenced
    from .prompts import judge_prompt as judge_prompt
    from .verdicts import Verdict as Verdict
    from .verdicts import agreement as agreement
    from .verdicts import score_of as score_of
    from .verdicts import verdict_of as verdict_of

__getattr__, __dir__, __all__ = lazy_package(__name__, __file__)
