"""The answer to one request, and its columns in the store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

MOST_CHARACTERS = 100_000
MOST_ERROR_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class Answer:
    """One row of ``predictions/<model>/*.parquet``; exactly one of ``prediction`` and ``error`` is set.

    ``seconds`` is the time from handing the request to the engine to its answer. ``finish_reason``
    says why the engine stopped (``stop``, ``length`` where the answer was cut at ``max_tokens``, ...);
    ``cached_tokens`` of the prompt came from a prefix cache. Null where the engine does not say.
    """

    key: str
    prediction: str | None
    error: str | None = None
    seconds: float | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    finish_reason: str | None = None
    cached_tokens: int | None = None


def answer_schema() -> pa.Schema:
    """The Arrow schema of predictions: the fields of :class:`Answer`."""
    import pyarrow as pa

    from ..recipes.request_rows import ABSENT_IN_OLD_FILES

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
        ]
    )


def storable_text(text: str, most: int = MOST_CHARACTERS) -> str:
    """A model's text as it can be stored: at most ``most`` characters, lone surrogates replaced by U+FFFD."""
    text = text[:most]
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def one_line(error: BaseException) -> str:
    """An error as one line of limited length: its kind and its message."""
    message = " ".join(str(error).split())
    line = f"{type(error).__name__}: {message}" if message else type(error).__name__
    return storable_text(line, MOST_ERROR_CHARACTERS)
