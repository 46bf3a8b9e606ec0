"""The answer to one request, and its columns in the store."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

    from ..core.texts import SplitAnswer

MOST_CHARACTERS = 1_000_000
MOST_ERROR_CHARACTERS = 500


SENT, ANSWERED_BY = "sent", "answered_by"
"""Fields of a model's record in study.yaml: the generation parameters that it was sent; the versions of the
packages that answered, or what a server's replies name (:data:`SERVED`)."""
SERVED = "models"
"""The models that the replies of a server name, in their order: of an alias what it stood for."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One row of ``predictions/<model>/*.parquet``; exactly one of ``prediction`` and ``error`` is set.

    ``prediction`` is the final text, ``reasoning`` the thoughts before it with the marks around them.
    ``seconds`` is the time from handing the request to the engine to its answer. ``finish_reason``
    says why the engine stopped (``stop``, ``length`` where the answer was cut at ``max_tokens``, ``thinking``
    where it ended in its thoughts otherwise, ``content_filter`` for a refusal, ...). ``cached_tokens`` of the
    prompt came from a prefix cache, ``cache_write_tokens`` were put there; ``reasoning_tokens`` are a part of
    ``completion_tokens``. ``max_tokens`` is how long it might have been, 0 without
    a limit. Null where the engine does not say.
    """

    key: str
    prediction: str | None
    error: str | None = None
    seconds: float | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    finish_reason: str | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    max_tokens: int | None = None
    reasoning: str | None = None

    @property
    def is_unfinished(self) -> bool:
        """Whether it has no text because it ran out of tokens or ended in its thoughts."""
        text = self.prediction
        return text is not None and not text.strip() and self.finish_reason in (CUT, IN_THOUGHTS)


def answer_schema() -> pa.Schema:
    """The Arrow schema of predictions: the fields of :class:`Answer`."""
    import pyarrow as pa

    from ..recipes.request import ABSENT_IN_OLD_FILES

    return pa.schema(
        [
            pa.field("key", pa.string(), nullable=False),
            pa.field("prediction", pa.large_string()),
            pa.field("error", pa.string()),
            pa.field("seconds", pa.float64()),
            pa.field("prompt_tokens", pa.int64()),
            pa.field("completion_tokens", pa.int64()),
            pa.field("finish_reason", pa.string(), metadata=ABSENT_IN_OLD_FILES),
            pa.field("cached_tokens", pa.int64(), metadata=ABSENT_IN_OLD_FILES),
            pa.field("cache_write_tokens", pa.int64(), metadata=ABSENT_IN_OLD_FILES),
            pa.field("reasoning_tokens", pa.int64(), metadata=ABSENT_IN_OLD_FILES),
            pa.field("max_tokens", pa.int64(), metadata=ABSENT_IN_OLD_FILES),
            pa.field("reasoning", pa.large_string(), metadata=ABSENT_IN_OLD_FILES),
        ]
    )


CUT, IN_THOUGHTS, REFUSED = "length", "thinking", "content_filter"
"""The finish reasons of answers that ended at ``max_tokens``, in their thoughts otherwise, in a refusal."""


def reason_of(split: SplitAnswer, reason: str | None) -> str | None:
    """The finish reason to store of an answer that an engine ended for ``reason``."""
    return IN_THOUGHTS if split.unfinished and reason not in (CUT, REFUSED) else reason


def longest(generation: Mapping[str, Any]) -> float:
    """How many tokens an answer may have under generation parameters; infinity without a limit."""
    most: float | None = generation.get("max_tokens")
    return math.inf if most is None else most


def unfinished(table: pa.Table) -> pa.ChunkedArray:
    """Which answers of a table have no text because they ran out of tokens or ended in their thoughts."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ended = pc.is_in(table["finish_reason"], value_set=pa.array([CUT, IN_THOUGHTS]))
    return pc.fill_null(pc.and_(ended, pc.equal(pc.utf8_trim_whitespace(table["prediction"]), "")), False)


def cut(table: pa.Table) -> pa.ChunkedArray:
    """Which answers of a table have a text that was cut at ``max_tokens``."""
    import pyarrow.compute as pc

    return pc.and_not(pc.fill_null(pc.equal(table["finish_reason"], CUT), False), unfinished(table))


def refused(table: pa.Table) -> pa.ChunkedArray:
    """Which answers of a table are refusals."""
    import pyarrow.compute as pc

    return pc.fill_null(pc.equal(table["finish_reason"], REFUSED), False)


def storable_text(text: str, most: int = MOST_CHARACTERS) -> str:
    """A model's text as it can be stored: its last ``most`` characters, U+FFFD for lone surrogates."""
    text = text[-most:]
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
