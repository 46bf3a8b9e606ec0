"""A model as judge of other models' answers (HCT-QA, appendix D.4).

In: a run, and any of lm-eval's models as judge. Out: a verdict an answer, kept shard by shard in
``RUN/judged/<judge>/``, and how far the verdicts agree with complete containment.
"""

from .judging import Judgement, judge_run
from .prompts import judge_prompt
from .verdicts import JudgeAgreement, Verdict, agreement, verdict_of

__all__ = ["JudgeAgreement", "Judgement", "Verdict", "agreement", "judge_prompt", "judge_run", "verdict_of"]
