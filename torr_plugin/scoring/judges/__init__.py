"""A model as judge of other models' answers (HCT-QA, appendix D.4).

In: a run, and any of lm-eval's models as judge. Out: a verdict an answer, stored in shards in
``RUN/judged/<judge>/``, and how far the verdicts agree with complete containment.
"""

from typing import TYPE_CHECKING

from ...core.lazy import lazy_package

if TYPE_CHECKING:
    from .judging import Judgement as Judgement
    from .judging import judge_run as judge_run
    from .prompts import fenced as fenced
    from .prompts import judge_prompt as judge_prompt
    from .verdicts import JudgeAgreement as JudgeAgreement
    from .verdicts import Verdict as Verdict
    from .verdicts import agreement as agreement
    from .verdicts import score_of as score_of
    from .verdicts import verdict_of as verdict_of

__getattr__, __dir__, __all__ = lazy_package(
    __name__,
    {
        ".judging": ["Judgement", "judge_run"],
        ".prompts": ["fenced", "judge_prompt"],
        ".verdicts": ["JudgeAgreement", "Verdict", "agreement", "score_of", "verdict_of"],
    },
)
