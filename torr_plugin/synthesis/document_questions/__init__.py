"""Questions by models about documents of text and tables (TableQuest, section 2.1, appendices A, B and F).

In: a chunk of a document as text, a level, a model's replies. Out: prompts, questions with steps and answers
read from replies, a second model's verdicts. Pure functions: asking is :mod:`torr_plugin.workflows.synth_qa`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.lazy import lazy_package

if TYPE_CHECKING:
    from .contexts import DocumentExcerpt as DocumentExcerpt
    from .contexts import chunk_blocks as chunk_blocks
    from .contexts import drawn as drawn
    from .contexts import excerpts as excerpts
    from .prompts import PROMPTS_VERSION as PROMPTS_VERSION
    from .prompts import answer_prompt as answer_prompt
    from .prompts import filter_prompt as filter_prompt
    from .prompts import question_prompt as question_prompt
    from .question import DocumentQuestion as DocumentQuestion
    from .question import read_questions as read_questions
    from .question import write_questions as write_questions
    from .recall import GroundedAnswer as GroundedAnswer
    from .recall import RecallRow as RecallRow
    from .recall import answer_recall as answer_recall
    from .recall import recall_by_length as recall_by_length
    from .replies import Draft as Draft
    from .replies import FilterVerdict as FilterVerdict
    from .replies import is_quoted as is_quoted
    from .replies import read_answer as read_answer
    from .replies import read_draft as read_draft
    from .replies import read_verdict as read_verdict

__getattr__, __dir__, __all__ = lazy_package(
    __name__,
    {
        ".contexts": ["DocumentExcerpt", "chunk_blocks", "drawn", "excerpts"],
        ".prompts": ["PROMPTS_VERSION", "answer_prompt", "filter_prompt", "question_prompt"],
        ".question": ["DocumentQuestion", "read_questions", "write_questions"],
        ".recall": ["GroundedAnswer", "RecallRow", "answer_recall", "recall_by_length"],
        ".replies": ["Draft", "FilterVerdict", "is_quoted", "read_answer", "read_draft", "read_verdict"],
    },
)
