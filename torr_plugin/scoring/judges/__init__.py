"""A model as judge of other models' answers (HCT-QA, appendix D.4; RealHiTBench, Table 19).

In: a run, and any of lm-eval's models as judge. Out: a verdict an answer, yes or no or a score from 0 to 100,
stored in ``RUN/judged/<judge>/`` and as rows of scores.parquet, and how far yes and no agree with complete
containment. Judges of pairs (``pairs/``) say which of two models' answers is better.
"""

from typing import TYPE_CHECKING

from ...core.lazy import lazy_package

if TYPE_CHECKING:
    from .judging import Judgement as Judgement
    from .judging import JudgePlan as JudgePlan
    from .judging import Summary as Summary
    from .judging import judge_run as judge_run
    from .judging import plan_judging as plan_judging
    from .notes import contestant_judges as contestant_judges
    from .pairs.judging import PairJudgement as PairJudgement
    from .pairs.judging import PairPlan as PairPlan
    from .pairs.judging import judge_pairs as judge_pairs
    from .pairs.judging import plan_pairs as plan_pairs
    from .pairs.prompts import PairOptions as PairOptions
    from .prompts import fenced as fenced
    from .prompts import judge_prompt as judge_prompt
    from .verdicts import Grades as Grades
    from .verdicts import JudgeAgreement as JudgeAgreement
    from .verdicts import Verdict as Verdict
    from .verdicts import agreement as agreement
    from .verdicts import score_of as score_of
    from .verdicts import verdict_of as verdict_of

__getattr__, __dir__, __all__ = lazy_package(
    __name__,
    {
        ".judging": ["Judgement", "JudgePlan", "Summary", "judge_run", "plan_judging"],
        ".notes": ["contestant_judges"],
        ".pairs.judging": ["PairJudgement", "PairPlan", "judge_pairs", "plan_pairs"],
        ".pairs.prompts": ["PairOptions"],
        ".prompts": ["fenced", "judge_prompt"],
        ".verdicts": ["Grades", "JudgeAgreement", "Verdict", "agreement", "score_of", "verdict_of"],
    },
)
