"""Questions by models about given tables, and answers by vote (RealHiTBench, section 3.4 and appendix B).

In: a table as text, a type of question, a model's texts. Out: prompts, questions and final answers read from
what models say, and the answer that a vote chooses. Pure functions: asking is
:mod:`torr_plugin.workflows.annotation`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.lazy import lazy_package

if TYPE_CHECKING:
    from .parsing import DraftQuestion as DraftQuestion
    from .parsing import final_answer as final_answer
    from .parsing import questions_in as questions_in
    from .prompts import PROMPTS_VERSION as PROMPTS_VERSION
    from .prompts import answer_prompt as answer_prompt
    from .prompts import judge_prompt as judge_prompt
    from .prompts import question_prompt as question_prompt
    from .question_types import TYPES as TYPES
    from .question_types import QuestionType as QuestionType
    from .voting import Alternative as Alternative
    from .voting import distinct as distinct
    from .voting import ranked as ranked
    from .voting import with_scores as with_scores

__getattr__, __dir__, __all__ = lazy_package(
    __name__,
    {
        ".parsing": ["DraftQuestion", "final_answer", "questions_in"],
        ".prompts": ["PROMPTS_VERSION", "answer_prompt", "judge_prompt", "question_prompt"],
        ".question_types": ["TYPES", "QuestionType"],
        ".voting": ["Alternative", "distinct", "ranked", "with_scores"],
    },
)
