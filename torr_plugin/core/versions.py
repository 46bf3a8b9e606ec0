"""The versions of the packages that a result rests on, and what changed between two of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache

_PACKAGES = (
    "torr-plugin",
    "lm-eval",
    "unitxt",
    "datasets",
    "pandas",
    "pyarrow",
    "numpy",
    "scipy",
    "statsmodels",
    "lxml",
    "typst",  # draws the pictures
    "ray",
    "vllm",
    "sglang",
    "torch",
    "transformers",
    "tokenizers",
)


ENGINES = frozenset({"lm-eval", "vllm", "sglang", "torch", "transformers", "tokenizers"})


def versions() -> dict[str, str]:
    """Python's version and those of the packages that are installed."""
    return dict(_versions())


@lru_cache(maxsize=1)  # reading them takes longer than storing some hundred requests
def _versions() -> dict[str, str]:
    import platform
    from importlib.metadata import PackageNotFoundError, version

    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def changed(
    before: Mapping[str, str], now: Mapping[str, str], among: Collection[str] | None = None
) -> str | None:
    """What differs, as ``vllm 0.9.0, now 0.10.1; torch 2.7.0, now absent``; None where nothing does."""
    names = [name for name in dict.fromkeys((*before, *now)) if among is None or name in among]
    differ = [
        f"{name} {before.get(name, 'absent')}, now {now.get(name, 'absent')}"
        for name in names
        if before.get(name) != now.get(name)
    ]
    return "; ".join(differ) or None
