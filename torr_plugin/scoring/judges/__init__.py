"""A model as judge of other models' answers (HCT-QA, appendix D.4).

In: a run, and any of lm-eval's models as judge. Out: a verdict an answer, kept shard by shard in
``RUN/judged/<judge>/``, and how far the verdicts agree with complete containment.
"""

from .agreement import Agreement, agreement
from .judging import Judgement, judge_run
from .prompt import judge_prompt
from .verdict import Verdict, verdict_of

__all__ = ["Agreement", "Judgement", "Verdict", "agreement", "judge_prompt", "judge_run", "verdict_of"]
