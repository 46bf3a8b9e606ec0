"""How many tokens a model takes, as far as is known here, and which prompts of a plan are longer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .known_prices import known_model
from .models import ModelEntry
from .tokens import folder_of

LONG = 32_768
"""Tokens of prompt and answer from which a plan warns, where nothing is known of the model."""

_ARGUMENTS = ("max_length", "max_model_len", "context_length")
_NAMED_BY = ("pretrained", "model")
# as lm-eval's ``hf`` looks for them
_FIELDS = ("n_positions", "max_position_embeddings", "n_ctx")


def context_length(entry: ModelEntry) -> int | None:
    """The most tokens of prompt and answer together; None where that is not known here."""
    given = [entry.args[name] for name in _ARGUMENTS if entry.args.get(name) is not None]
    if given:
        return _length(given[0])
    known = known_model(entry)
    return _of_configuration(entry.args) or (known.context if known else None)


def _of_configuration(args: Mapping[str, Any]) -> int | None:
    names = [str(args[name]) for name in _NAMED_BY if isinstance(args.get(name), str)]
    folders = (folder_of(name, str(args.get("revision") or "main")) for name in names)
    for folder in filter(None, folders):
        try:
            found = json.loads((folder / "config.json").read_text("utf-8"))
        except (OSError, ValueError):
            continue
        for part in (found.get("text_config"), found) if isinstance(found, dict) else ():
            lengths = [_length(part.get(name)) for name in _FIELDS] if isinstance(part, dict) else []
            if known := next(filter(None, lengths), None):
                return known
    return None


def _length(value: object) -> int | None:
    try:
        found = int(str(value))
    except ValueError:
        return None
    return found if found > 0 else None


def length_notes(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Warnings of prompts that a model does not take, or may not take where nothing is known of it.

    Args:
        rows: of the models of a plan, see :func:`.plan_summary.outline`, without baselines, which take any.
    """
    unknown: dict[str, list[str]] = {}
    for row in rows:
        about = "" if row["counted"] == "exact" else "about "
        longest, too_long = f"{about}{row['longest with answer']:,}", f"{about}{row['too long'] or 0:,}"
        if row["too long"]:
            yield (
                f"{row['model']}: {too_long} of {row['unique requests']:,} prompts do not fit: with "
                f"their longest answers they take more than its {row['context']:,} tokens, the longest "
                f"{longest}"
            )
        elif row["context"] is None and row["longest with answer"] > LONG:
            unknown.setdefault(longest, []).append(row["model"])
    for longest, models in unknown.items():
        yield (
            f"{', '.join(models)}: the longest prompt takes {longest} tokens with its answer; whether that "
            "fits is not known here (max_length=N among a model's arguments says what it takes)"
        )


def long_datasets(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The same for a plan without models, by the rows of its data sets."""
    for row in rows:
        if row["longest prompt"] > LONG and row["dataset"] != "total":
            longest = f"about {row['longest prompt']:,}"
            yield f"{row['dataset']}: the longest prompt has {longest} tokens, which many models do not take"
