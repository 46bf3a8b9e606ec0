"""analysis.json of a run."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...core.atomic_files import unreadable, write_atomically
from ...core.errors import RunError

ANALYSIS_FILE = "analysis.json"


def read_analysis(run: Path) -> dict[str, Any]:
    """The contents of a run's analysis.json.

    Raises:
        RunError: there is none, or it is damaged.
    """
    path = run / ANALYSIS_FILE
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RunError(f"{run}: has no {ANALYSIS_FILE} yet; 'torr analyse' makes one") from None
    except OSError as error:
        raise unreadable(path, error) from error
    except ValueError as error:
        raise RunError(f"{path}: is not JSON ({error}); 'torr analyse' makes a new one") from error
    if not isinstance(found, dict):
        raise RunError(f"{path}: is not a JSON object; 'torr analyse' makes a new one")
    return found


def write_analysis(analysis: Mapping[str, Any], run: Path) -> None:
    """Write analysis.json; what is not a number becomes null.

    Raises:
        RunError: it cannot be written.
    """
    text = json.dumps(_json(analysis), ensure_ascii=False, allow_nan=False, indent=1)
    write_atomically(run / ANALYSIS_FILE, text.encode("utf-8", "replace"))


def _json(value: Any) -> Any:
    """Plain values for JSON: NumPy's numbers as Python's, NaN and infinities as null."""
    if isinstance(value, Mapping):
        return {str(key): _json(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_json(entry) for entry in value]
    if hasattr(value, "tolist"):
        return _json(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (str, int, bool)) else str(value)
