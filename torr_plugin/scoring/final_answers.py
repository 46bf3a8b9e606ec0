"""The part of an answer that is scored, as the design that asked for it says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..core.errors import blamed
from ..prompts import designs

if TYPE_CHECKING:
    import pandas as pd

    from ..prompts import Design


def final_answers(texts: pa.Array, names: Sequence[str], codes: np.ndarray) -> pa.Array:
    """The answers to last steps, each cut to the part that its design says is scored.

    Args:
        texts: the answers.
        names: of designs; of those that are no longer registered whole answers are scored.
        codes: for each answer the place of its design among ``names``.
    """
    for code, design in _cutting(names):
        asked = pa.array(codes == code)
        final = [_final(design, text) for text in texts.filter(asked).to_pylist()]
        texts = pc.replace_with_mask(texts, asked, pa.array(final, type=texts.type))
    return texts


def with_final_answers(answered: pd.DataFrame) -> pd.DataFrame:
    """Rows with ``design`` (null where it is unknown) and ``prediction``, that cut as above."""
    kinds = answered["design"].dropna().unique().tolist()
    cutting = {kinds[code]: design for code, design in _cutting(kinds)}
    if not cutting:
        return answered
    rows = zip(answered["design"], answered["prediction"], strict=True)
    final = [_final(cutting[name], text) if name in cutting else text for name, text in rows]
    cut: pd.DataFrame = answered.assign(prediction=final)
    return cut


def final_answer(name: str, text: str) -> str:
    """The scored part of an answer to the last step of a design, by the design's name."""
    return next((_final(design, text) for _, design in _cutting([name])), text)


def _cutting(names: Sequence[str]) -> Iterator[tuple[int, Design]]:
    """The designs of which only a part of an answer is scored, with their places."""
    for place, name in enumerate(names):
        design = designs.get(name) if name in designs else None
        if design is not None and not design.scores_whole_answer:
            yield place, design


def _final(design: Design, text: str) -> str:
    with blamed("design", design.name, designs.origin(design.name)):
        return design.final_answer(text)
