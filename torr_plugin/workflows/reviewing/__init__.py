"""Questions by models, reviewed by people: the folder, the files and the page to fill in, the verdicts.

In: questions as :class:`ReviewItem`. Out: CSV, XLSX, JSON lines and a page for a browser; from them what
people said of each question. ``torr annotate`` and ``torr synth qa`` share it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.lazy import lazy_package

if TYPE_CHECKING:
    from .files import check_unreviewed as check_unreviewed
    from .files import files_with_verdicts as files_with_verdicts
    from .files import write_review as write_review
    from .folder import WorkFolder as WorkFolder
    from .items import ReviewItem as ReviewItem
    from .items import ReviewSheet as ReviewSheet
    from .verdicts import Review as Review
    from .verdicts import read_reviews as read_reviews

__getattr__, __dir__, __all__ = lazy_package(
    __name__,
    {
        ".files": ["check_unreviewed", "files_with_verdicts", "write_review"],
        ".folder": ["WorkFolder"],
        ".items": ["ReviewItem", "ReviewSheet"],
        ".verdicts": ["Review", "read_reviews"],
    },
)
