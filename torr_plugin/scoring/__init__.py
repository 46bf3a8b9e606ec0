"""Scores of answers. In: a card, predictions and references. Out: scores in [0, 1], one row a score.

``metrics`` and ``processors`` are registries; ``score_example`` rates one answer, ``score_run`` a run
directory and ``score_predictions`` a file of predictions made elsewhere.
"""

from typing import TYPE_CHECKING

from ..core.registry import lazy_package

# not lazy: these registries are called as the modules that they are in
from .metrics import Metric as Metric
from .metrics import metrics as metrics
from .processors import Processor as Processor
from .processors import processors as processors

if TYPE_CHECKING:
    from .example_scores import LAST as LAST
    from .example_scores import card_score_names as card_score_names
    from .example_scores import check_card as check_card
    from .example_scores import check_main_score as check_main_score
    from .example_scores import rated_steps as rated_steps
    from .example_scores import score_example as score_example
    from .example_scores import scored_leniently as scored_leniently
    from .joined_runs import join_scored_runs as join_scored_runs
    from .joined_runs import joined_for_reading as joined_for_reading
    from .joined_runs import without_absent_models as without_absent_models
    from .judges.rows import with_verdicts as with_verdicts
    from .predictions import ScoreReport as ScoreReport
    from .predictions import score_predictions as score_predictions
    from .run_scores import lengths_of_run as lengths_of_run
    from .run_scores import score_run as score_run

__getattr__, __dir__, __all__ = lazy_package(__name__, __file__)
__all__ += ["Metric", "Processor", "metrics", "processors"]
