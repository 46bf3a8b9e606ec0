"""FEVEROUS: the right verdict, and the score that also wants the evidence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence

from ....scoring.metrics.base import Metric

LABELS = ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")
MOST_SENTENCES, MOST_CELLS = 5, 25
_LABEL = re.compile(rf"\b(?:{'|'.join(LABELS)})\b")
_IN_TABLES_AND_LISTS = re.compile(r"_(?:header_cell|cell|item|table_caption)_\d[\d_]*\Z")


class Feverous(Metric):
    """1 for the right verdict.

    Formula: ``label_accuracy`` is ``[label(prediction) = label(r)]`` for some reference ``r``.
    ``feverous_score`` is 1 where the label is right and the evidence that the prompt shows, of it the first 5
    sentences and the first 25 cells, captions and items of lists, contains a complete set of the gold
    evidence, else 0. The label is the answer where it is one of SUPPORTS, REFUTES and NOT ENOUGH INFO, in any
    case, with marks around it; else the one that stands in it in capitals, if there is only one.

    Reading: FEVEROUS wants systems to find evidence and a verdict. Here the evidence is given, the gold
    one, so the figure to read is the label accuracy. The FEVEROUS score is at most that, and lower by the
    claims whose evidence is larger than a system may hand in. Special cases: an answer with two labels is
    wrong; without the facts ``evidence`` and ``shown`` the score is the label accuracy.

    Source: Aly et al., "FEVEROUS" (NeurIPS Datasets and Benchmarks 2021, section 5), and the published
    scorer. That one counts header cells and captions as sentences, as it takes the kind of an element from
    the text up to the first underscore; here they are cells, as in the list of kinds that it compares with.
    """

    name = "feverous"
    main = "label_accuracy"
    score_names = ("label_accuracy", "feverous_score")
    optional = ("evidence", "shown")
    source = "FEVEROUS"

    def scores(
        self, prediction: str, references: Sequence[str], facts: Mapping[str, str] | None = None
    ) -> dict[str, float]:
        """``{"label_accuracy": 0.0 or 1.0, "feverous_score": 0.0 or 1.0}``.

        Args:
            prediction: the answer.
            references: right labels.
            facts: ``evidence``, the gold sets of element ids, and ``shown``, those that the prompt shows, as
                JSON.
        """
        label = _label(prediction)
        right = label is not None and label in {_label(reference) for reference in references}
        complete = (
            not facts
            or not {"evidence", "shown"} <= facts.keys()
            or has_complete_set(json.loads(facts["shown"]), json.loads(facts["evidence"]))
        )
        return {"label_accuracy": float(right), "feverous_score": float(right and complete)}


def has_complete_set(predicted: Iterable[str], gold: Iterable[Iterable[str]]) -> bool:
    """Whether evidence has a complete gold set, once it is cut to 5 sentences and 25 cells.

    Args:
        predicted: ids of elements, ``Page_cell_0_4_1``, in order.
        gold: the sets of ids.
    """
    kept: set[str] = set()
    counts = [0, 0]
    for element in predicted:
        kind = _IN_TABLES_AND_LISTS.search(element) is not None
        if counts[kind] < (MOST_SENTENCES, MOST_CELLS)[kind]:
            counts[kind] += 1
            kept.add(element)
    return any(set(elements) <= kept for elements in gold)


def _label(text: str) -> str | None:
    plain = " ".join(re.sub(r"[^A-Za-z]+", " ", text[:200]).split()).upper()
    if plain in LABELS:
        return plain
    found = set(_LABEL.findall(text))
    return found.pop() if len(found) == 1 else None
