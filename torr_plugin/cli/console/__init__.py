"""What the commands show a person: results on stdout, progress and notes on stderr."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.lazy import lazy_package

if TYPE_CHECKING:
    from .plan import show_plan as show_plan
    from .progress import RunProgress as RunProgress
    from .progress import counting as counting
    from .progress import rate_text as rate_text
    from .progress import remaining as remaining
    from .progress import shortened as shortened
    from .progress import traffic_text as traffic_text
    from .questions import show_accepted as show_accepted
    from .questions import show_accepted_questions as show_accepted_questions
    from .questions import show_annotation as show_annotation
    from .questions import show_rounds as show_rounds
    from .questions import show_synthesis as show_synthesis
    from .tables import print_paragraph as print_paragraph
    from .tables import print_rows as print_rows
    from .tables import say_in_columns as say_in_columns
    from .tables import show_lines as show_lines
    from .tables import show_sections as show_sections
    from .tables import show_summary as show_summary
    from .tables import show_text as show_text
    from .tables import stdout as stdout
    from .tables import table_of as table_of

__getattr__, __dir__, __all__ = lazy_package(
    __name__,
    {
        ".plan": ["show_plan"],
        ".progress": ["RunProgress", "counting", "rate_text", "remaining", "shortened", "traffic_text"],
        ".questions": [
            "show_accepted",
            "show_accepted_questions",
            "show_annotation",
            "show_rounds",
            "show_synthesis",
        ],
        ".tables": [
            "print_paragraph",
            "print_rows",
            "say_in_columns",
            "show_lines",
            "show_sections",
            "show_summary",
            "show_text",
            "stdout",
            "table_of",
        ],
    },
)
