"""Requests: a prompt and the cell of the score cube that its answer fills; keys, order, rows in files."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from ..catalog.examples import Cut
from ..core.atomic_files import atomic_path
from ..core.errors import InputError, RecipeError
from ..core.seeds import seed
from ..prompts.design import Configuration
from ..prompts.message import Message, Prompt, images_of, weight_of

if TYPE_CHECKING:
    from .planning import Plan


@dataclass(frozen=True, slots=True)
class ScoreCell:
    """A cell of the score cube, for any model: an example in a configuration.

    ``replicate`` is 0 for the first answer and 1, 2, ... for those to the same prompt asked again.
    """

    dataset: str
    example: str
    config: Configuration
    replicate: int = 0

    @property
    def id(self) -> str:
        """A unique text for the cell."""
        again = f"replicate {self.replicate} " if self.replicate else ""
        return f"{again}{self.config.id} {len(self.dataset)} {self.dataset} {self.example}"


@dataclass(frozen=True, slots=True)
class Request:
    """One row of ``requests/*.parquet``.

    ``key`` is the hash of the prompt, the generation parameters and, if it is asked again, the number of the
    replicate; requests with equal keys, even of different data sets, are asked once per model. ``model`` is
    null unless the prompt contains an earlier answer of that model. ``facts`` are what the metric needs
    beside the references (:attr:`Example.facts <torr_plugin.catalog.Example.facts>`). ``cut`` says how much
    of the example's document, or how many rows of its table, are shown, where that is not all, and
    ``demonstrations`` how many fit, where the study shows those that fit.
    """

    key: str
    model: str | None
    dataset: str
    example: str
    config: Configuration
    stage: int
    prompt: Prompt
    references: tuple[str, ...]
    facts: Mapping[str, str] = field(default_factory=dict)
    replicate: int = 0
    cut: Cut | None = None
    demonstrations: int | None = None


def request_key(prompt: Prompt, generation: Mapping[str, Any]) -> str:
    """SHA-256 (first 32 hex digits) of the messages and the generation parameters, in canonical JSON.

    A message with pictures adds the list of their SHA-256; keys of other messages are as in earlier versions.
    """
    turns = [
        [message.role, message.content, *([_digests(message.images)] if message.images else [])]
        for message in prompt
    ]
    text = json.dumps([turns, dict(generation)], sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _digests(images: Sequence[bytes]) -> list[str]:
    return [hashlib.sha256(image).hexdigest() for image in images]


def replicate_seed(study_seed: int, replicate: int) -> int:
    """The seed with which a model is asked again, another one for each replicate.

    So an engine that honours seeds draws another answer. It is below 2**31, which every engine takes.
    """
    return seed(study_seed, "replicates", str(replicate)) % 2**31


def replicate_key(key: str, replicate: int) -> str:
    """The key of a request: that of its prompt for a first answer (0), another one for each replicate."""
    if not replicate:
        return key
    return hashlib.sha256(f"replicate {replicate} {key}".encode()).hexdigest()[:32]


_HALF_CHARACTER = re.compile("[\ud800-\udfff]")

ABSENT_IN_OLD_FILES = {"absent": "null"}
"""Metadata of a column that files of earlier versions lack; it is read as nulls there."""

PROMPT_BYTES = 32_000_000
"""A batch whose prompts have so many characters and bytes of pictures is full, as readers hold it whole."""


def facts_column(facts: Mapping[str, str]) -> str | None:
    """The column ``facts``: JSON, or null without facts."""
    return json.dumps(dict(facts), ensure_ascii=False, sort_keys=True) if facts else None


def facts_of_column(text: str | None) -> dict[str, str]:
    """The inverse of :func:`facts_column`."""
    return dict(json.loads(text)) if text else {}


def _cut_column(request: Request) -> str | None:
    """The column ``cut``: JSON, or null where nothing was cut and demonstrations are not fitted."""
    parts = {} if request.cut is None else asdict(request.cut)
    if request.demonstrations is not None:
        parts["demonstrations"] = request.demonstrations
    return json.dumps(parts) if parts else None


def prompt_columns(prompt: Prompt) -> tuple[str, str | None]:
    """The columns ``prompt`` and ``messages``.

    For a single user message ``prompt`` is its text and ``messages`` null. Otherwise both are the messages'
    JSON, ``[{"role": ..., "content": ...}, ...]``, where ``images`` gives the number of a message's pictures.
    The pictures themselves, in order, are the column ``images``.
    """
    if len(prompt) == 1 and prompt[0].role == "user":
        return prompt[0].content, None
    messages = [
        {"role": message.role, "content": message.content}
        | ({"images": len(message.images)} if message.images else {})
        for message in prompt
    ]
    text = json.dumps(messages, ensure_ascii=False)
    return text, text


def prompt_of_row(row: Mapping[str, Any]) -> Prompt:
    """The prompt in a row's ``prompt``, ``messages`` and ``images``."""
    messages, images = row.get("messages"), tuple(row.get("images") or ())
    if messages is None:
        return (Message("user", row["prompt"], images),)
    left = iter(images)
    return tuple(
        Message(entry["role"], entry["content"], tuple(islice(left, entry.get("images", 0))))
        for entry in json.loads(messages)
    )


def request_schema() -> pa.Schema:
    """The Arrow schema of ``requests/*.parquet``."""
    text = pa.string()
    columns = [
        pa.field("key", text, nullable=False),
        pa.field("model", text),
        *(pa.field(name, text, nullable=False) for name in ("dataset", "example", "config")),
        *(pa.field(name, text, nullable=False) for name in ("serializer", "perturbation", "design")),
        pa.field("stage", pa.int32(), nullable=False),
        pa.field("prompt", pa.large_string(), nullable=False),
        pa.field("messages", pa.large_string()),
        pa.field("references", pa.list_(text), nullable=False),
        pa.field("facts", pa.large_string(), metadata=ABSENT_IN_OLD_FILES),
        pa.field("images", pa.list_(pa.large_binary()), metadata=ABSENT_IN_OLD_FILES),
        pa.field("replicate", pa.int32(), metadata=ABSENT_IN_OLD_FILES),
        pa.field("cut", text, metadata=ABSENT_IN_OLD_FILES),
    ]
    return pa.schema(columns)


def request_batches(requests: Iterable[Request], size: int = 2048) -> Iterator[pa.RecordBatch]:
    """Yield requests as Arrow batches of at most ``size`` rows, one batch in memory at a time.

    A batch also ends with the row that brings its prompts, text and pictures, to ``PROMPT_BYTES``.

    Args:
        requests: any requests, e.g. ``plan.requests()``.
        size: rows per batch.

    Raises:
        RecipeError: a text is not valid Unicode and cannot be written (data set, example).
    """
    schema = request_schema()
    for portion in _portions(requests, size):
        try:
            yield pa.RecordBatch.from_pylist(list(map(_row, portion)), schema)
        except UnicodeEncodeError:
            raise _not_unicode(portion) from None


def _row(request: Request) -> dict[str, Any]:
    """A row of :func:`request_schema`."""
    prompt, messages = prompt_columns(request.prompt)
    return {
        "key": request.key,
        "model": request.model,
        "dataset": request.dataset,
        "example": request.example,
        "config": request.config.id,
        "serializer": request.config.serializer,
        "perturbation": request.config.perturbation,
        "design": request.config.design,
        "stage": request.stage,
        "prompt": prompt,
        "messages": messages,
        "references": request.references,
        "facts": facts_column(request.facts),
        "images": images_of(request.prompt) or None,
        "replicate": request.replicate,
        "cut": _cut_column(request),
    }


def _portions(requests: Iterable[Request], size: int) -> Iterator[list[Request]]:
    portion: list[Request] = []
    shown = 0
    for request in requests:
        portion.append(request)
        shown += weight_of(request.prompt)
        if len(portion) == size or shown >= PROMPT_BYTES:
            yield portion
            portion, shown = [], 0
    if portion:
        yield portion


def _not_unicode(requests: Iterable[Request]) -> RecipeError:
    for request in requests:
        texts = [prompt_columns(request.prompt), request.references, dict(request.facts), request.example]
        if found := _HALF_CHARACTER.search(json.dumps(texts, ensure_ascii=False)):
            return RecipeError(
                f"data set {request.dataset!r}, example {request.example!r}: the text holds {found[0]!a}, "
                "half of a character; expected valid Unicode"
            )
    return RecipeError("a prompt is not valid Unicode")


def write_prompts(plan: Plan, path: Path) -> None:
    """Write every request of a plan as a row with the columns of :func:`request_schema`.

    The suffix selects the format: ``.parquet``, or ``.jsonl`` (one JSON object per line, UTF-8; pictures in
    base64). Prompts are built and written batch by batch, and the file is replaced atomically.

    Raises:
        InputError: another suffix, a missing folder, or a file that cannot be written; whatever
            ``plan.requests()`` raises.
    """
    path = Path(path)
    writers = {".parquet": _write_parquet, ".jsonl": _write_jsonl}
    if path.suffix not in writers:
        raise InputError(f"{path}: the file ends in {path.suffix!r}; expected .parquet or .jsonl")
    if not path.parent.is_dir():
        raise InputError(f"{path}: the folder {str(path.parent)!r} does not exist")
    try:
        with atomic_path(path) as unfinished:
            writers[path.suffix](plan, unfinished)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from error


def _write_parquet(plan: Plan, path: Path) -> None:
    with pq.ParquetWriter(path, request_schema(), compression="zstd") as writer:
        for batch in request_batches(plan.requests()):
            writer.write_batch(batch)


def _write_jsonl(plan: Plan, path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for row in prompt_rows(plan):
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def prompt_rows(plan: Plan) -> Iterator[dict[str, Any]]:
    """Every request of a plan as a row for JSON, with its pictures in base64; made batch by batch.

    Raises:
        InputError: whatever ``plan.requests()`` raises.
    """
    for batch in request_batches(plan.requests()):
        for row in batch.to_pylist():
            images = row["images"] and [base64.b64encode(image).decode("ascii") for image in row["images"]]
            yield {**row, "images": images}


T = TypeVar("T")

MOST_ITEMS = 8192
MOST_CHARACTERS = 64_000_000


def in_prefix_order(
    items: Iterable[T],
    text: Callable[[T], str],
    *,
    most: int = MOST_ITEMS,
    most_characters: int = MOST_CHARACTERS,
) -> Iterator[T]:
    """Sort a stream of items by text within windows; equal texts keep their order.

    Only one window is in memory; it is full with ``most`` items or ``most_characters`` characters.

    Args:
        items: the stream, read a window at a time.
        text: the sort key, called once per item.
        most: items per window, at least 1.
        most_characters: characters per window, at least 1.
    """
    window: list[tuple[str, int, T]] = []
    characters = 0
    for item in items:
        key = text(item)
        window.append((key, len(window), item))
        characters += len(key)
        if len(window) >= most or characters >= most_characters:
            yield from _sorted(window)
            window, characters = [], 0
    yield from _sorted(window)


def _sorted(window: list[tuple[str, int, T]]) -> Iterator[T]:
    window.sort(key=lambda entry: entry[:2])
    return (item for _, _, item in window)
