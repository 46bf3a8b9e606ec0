"""The files of an audit and of a gate: JSON, CSV, Markdown, a page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from operator import attrgetter
from pathlib import Path
from typing import Any

from .. import __version__
from ..analysis.power import POWER
from ..analysis.table_files import as_csv, markdown
from ..core.atomic_files import make_directory, write_file
from ..leaderboard.text import visible
from .gating import Gate, GatedCell
from .page import audit_page, gate_page
from .pairs import audited_pair
from .result import Audit, AuditedModel, AuditedPair, AuditedPlace
from .sentences import (
    cell_name,
    gate_sentence,
    headlines,
    limits_text,
    place_title,
    ranks_text,
)

RECORD, PAGE, TEXT = "audit.json", "audit.html", "audit.md"
MODELS, PAIRS, CELLS = "models.csv", "pairs.csv", "gate.csv"

_OF_PAIR = tuple(each.name for each in fields(AuditedPair) if each.name != "more")

MOST_IN_TEXT = 10
"""Models in the Markdown."""


def audit_record(audit: Audit) -> dict[str, Any]:
    """An audit as JSON: all of it but the pairs that are no neighbours, which are in ``pairs.csv``."""
    return {
        "version": __version__,
        "kind": "audit",
        **{name: getattr(audit, name) for name in ("over", "level", "order")},
        "power": POWER,
        "false_ranks": audit.false_ranks,
        "overall": None if audit.overall is None else _place_record(audit.overall),
        "tasks": [_place_record(place) for place in audit.tasks],
        "notes": list(audit.notes),
    }


def _place_record(place: AuditedPlace) -> dict[str, Any]:
    left_out = {"arrays", "scale", "models", "neighbours", "detectable"}
    return {
        **{each.name: getattr(place, each.name) for each in fields(place) if each.name not in left_out},
        "scale": asdict(place.scale),
        "detectable": asdict(place.detectable),
        "models": [asdict(model) for model in place.models],
        "neighbours": [asdict(pair) for pair in place.neighbours],
    }


def gate_record(found: Gate) -> dict[str, Any]:
    """A gate as JSON."""
    return {"version": __version__, "kind": "gate", "passed": found.passed, **asdict(found)}


def write_files(found: Audit | Gate, out: Path) -> Path:
    """Write all files of an audit, or of a gate; those of the other kind are removed.

    Returns:
        The page.
    """
    make_directory(out)
    for name in (MODELS, PAIRS, CELLS):
        (out / name).unlink(missing_ok=True)
    if isinstance(found, Gate):
        record, text, page = gate_record(found), gate_text(found), gate_page(found)
        header = tuple(each.name for each in fields(GatedCell))
        write_file(out / CELLS, as_csv(header, [tuple(asdict(cell).values()) for cell in found.cells]))
    else:
        record, text, page = audit_record(found), audit_text(found), audit_page(found)
        _write_tables(found, out)
    content = json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False)
    write_file(out / RECORD, f"{content}\n".encode("utf-8", "replace"))
    write_file(out / TEXT, text.encode("utf-8", "replace"))
    return write_file(out / PAGE, page.encode("utf-8", "replace"))


def _write_tables(audit: Audit, out: Path) -> None:
    header = ("place", *(each.name for each in fields(AuditedModel)))
    rows = [(place.name, *asdict(model).values()) for place in audit.places for model in place.models]
    write_file(out / MODELS, as_csv(header, rows))
    pairs = [row for place in audit.places for row in _pair_rows(place)]
    write_file(out / PAIRS, as_csv(("place", *_OF_PAIR), pairs))


def _pair_rows(place: AuditedPlace) -> Iterator[tuple[object, ...]]:
    """All pairs, the one with the better score first."""
    compared = place.arrays.compared
    scored = {model.model: number for number, model in enumerate(place.models)}
    values = attrgetter(*_OF_PAIR)
    for at in range(len(compared.first)):
        names = [place.arrays.names[int(each[at])] for each in (compared.first, compared.second)]
        if all(name in scored for name in names):
            swapped = scored[names[0]] > scored[names[1]]
            yield place.name, *values(audited_pair(place.arrays, place.scale, at, swapped=swapped))


def audit_text(audit: Audit) -> str:
    """A paragraph of Markdown with a table of the first models, to paste into an issue."""
    parts = []
    for place in audit.judged:
        shown = place.models[:MOST_IN_TEXT]
        rows = [
            (
                str(model.rank),
                visible(model.model),
                place.scale.with_interval(model.score, model.low, model.high),
                ranks_text(model),
            )
            for model in shown
        ]
        left = len(place.models) - len(shown)
        sentences = _plain(" ".join([f"{place_title(place, audit)}:", *headlines(audit, place)]))
        table = markdown(("", "model", f"score [{audit.level:.0%}]", "could be"), rows).decode()
        parts += [sentences, table.rstrip("\n"), *([f"... and {left:,} more."] if left else [])]
    return _text([*parts, _list(audit.notes)])


def gate_text(found: Gate) -> str:
    """A paragraph of Markdown, as :func:`audit_text`."""
    rows = [
        (visible(cell.model), visible(cell_name(cell)), limits_text(cell), cell.verdict, cell.items)
        for cell in found.cells
    ]
    table = markdown(("model", "task", "difference", "verdict", "items"), rows).decode()
    return _text([_plain(gate_sentence(found)), table.rstrip("\n"), _list(found.notes)])


def _list(notes: Sequence[str]) -> str:
    return "\n".join(f"- {_plain(note)}" for note in notes)


def _text(parts: Sequence[str]) -> str:
    made = f"Made by `torr audit` (torr-plugin {__version__})."
    return "\n\n".join([part for part in parts if part] + [made]) + "\n"


def _plain(text: str) -> str:
    """A text on one line, in which no character is Markdown's or HTML's."""
    return _MARKS.sub(lambda found: f"\\{found[0]}", " ".join(visible(text).split()))


_MARKS = re.compile(r"[\\`*_\[\]<>|]")
