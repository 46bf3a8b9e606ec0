"""What the commands show a person: results on stdout, progress and notes on stderr."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.lazy import lazy_package

if TYPE_CHECKING:
    from .annotation import show_accepted as show_accepted
    from .annotation import show_annotation as show_annotation
    from .annotation import show_rounds as show_rounds
    from .designs import show_designs as show_designs
    from .doctor import show_report as show_report
    from .document_questions import show_accepted_questions as show_accepted_questions
    from .document_questions import show_recall as show_recall
    from .judgements import show_battles as show_battles
    from .judgements import show_judgement as show_judgement
    from .plan import show_budget as show_budget
    from .plan import show_detection as show_detection
    from .plan import show_plan as show_plan
    from .progress import CountingProgress as CountingProgress
    from .progress import RunProgress as RunProgress
    from .progress import table_progress as table_progress
    from .ratings import show_ratings as show_ratings
    from .reports import show_findings as show_findings
    from .reports import show_listing as show_listing
    from .reports import show_metrics as show_metrics
    from .reports import show_models as show_models
    from .reports import show_plugins as show_plugins
    from .reports import show_scores as show_scores
    from .reports import show_summary as show_summary
    from .reports import verdict as verdict
    from .status import follow as follow
    from .status import show_end as show_end
    from .status import show_status as show_status
    from .status import status_record as status_record
    from .synthesis import show_synthesis as show_synthesis
    from .tables import print_rows as print_rows
    from .tables import say_in_columns as say_in_columns
    from .tables import show_lines as show_lines
    from .tables import show_text as show_text

__getattr__, __dir__, __all__ = lazy_package(
    __name__,
    {
        ".annotation": ["show_accepted", "show_annotation", "show_rounds"],
        ".designs": ["show_designs"],
        ".document_questions": ["show_accepted_questions", "show_recall"],
        ".doctor": ["show_report"],
        ".judgements": ["show_battles", "show_judgement"],
        ".plan": ["show_budget", "show_detection", "show_plan"],
        ".progress": ["CountingProgress", "RunProgress", "table_progress"],
        ".ratings": ["show_ratings"],
        ".reports": [
            "show_findings",
            "show_listing",
            "show_models",
            "show_metrics",
            "show_plugins",
            "show_scores",
            "show_summary",
            "verdict",
        ],
        ".status": ["follow", "show_end", "show_status", "status_record"],
        ".synthesis": ["show_synthesis"],
        ".tables": ["print_rows", "say_in_columns", "show_lines", "show_text"],
    },
)
