"""Names of model folders: safe on any file system, whatever a model is called."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection

_PLAIN = re.compile(r"[a-z0-9][a-z0-9_-]*(\.[a-z0-9_-]+)*")
_MOST = 60
# names that Windows keeps for devices
_RESERVED = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
)


def folder_name(label: str, taken: Collection[str] = ()) -> str:
    """A folder name for a model's label: the label where it is plain, else what is plain of it and a hash.

    Two labels never share a folder, also where upper and lower case are the same; ``taken`` are the names in
    use.
    """
    if (
        _PLAIN.fullmatch(label)
        and len(label) <= _MOST
        and label.split(".", 1)[0] not in _RESERVED
        and label not in taken
    ):
        return label
    digest = hashlib.sha256(label.encode("utf-8", "surrogatepass")).hexdigest()
    plain = (
        re.sub(r"[^a-z0-9]+", "-", label.lower().encode("ascii", "ignore").decode())[:_MOST].strip("-")
        or "model"
    )
    lengths = range(8, len(digest) + 1, 8)
    return next(name for name in (f"{plain}-{digest[:n]}" for n in lengths) if name not in taken)
