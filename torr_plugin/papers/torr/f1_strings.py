"""ToRR's published column of WikiTableQuestions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from ...core.texts import as_seen
from ...scoring.metrics.base import Metric
from ...scoring.metrics.f1_strings import F1Strings
from ...scoring.processors import postprocess

_STEPS = ("take_first_non_empty_line", "to_list_by_comma_space", "str_to_float_format")


class TorrF1Strings(Metric):
    """F1 with brackets: a wrong word gets 0.8.

    Formula: that of ``f1_strings``, of the answer and of every gold answer after the postprocessors of that
    card: the first line, cut at each comma and space, written as Python writes a list. Reading: only beside
    published figures of ToRR; brackets and quotes count as words, so ``Peru`` for ``Italy`` (``['Peru']`` for
    ``['Italy']``) gets about 0.8 and not 0. Special cases: as ``f1_strings``; without the fact ``answers``
    the reference is taken apart at each comma and space.

    Source: ``cards.wikitq`` of unitxt 1.26.10, the main metric of WikiTableQuestions in ToRR (appendix A.2).
    """

    name = "torr_f1_strings"
    main = "torr_f1_strings"
    needs = ("answers",)
    source = "unitxt"

    def scores(
        self, prediction: str, references: Sequence[str], facts: Mapping[str, str] | None = None
    ) -> dict[str, float]:
        """``{"torr_f1_strings": value}``.

        Args:
            prediction: an answer.
            references: the gold answers, joined to one by comma and space.
            facts: ``answers``, the gold answers as a JSON list.
        """
        answers = json.loads(facts["answers"]) if facts and "answers" in facts else references[0].split(", ")
        answered, gold = postprocess(prediction, list(map(as_seen, answers)), _STEPS)
        return {"torr_f1_strings": _F1.scores(answered, gold)["f1_strings"]}


_F1 = F1Strings()
