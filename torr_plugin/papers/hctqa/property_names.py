"""The names of HCT-QA's table properties (Table 6), as its own annotation writes them; labels of totals."""

from __future__ import annotations

import re

ALL = (
    STANDARD := "Standard Relational Table",
    MULTI_LEVEL_COLUMN := "Multi Level Column",
    BALANCED_COLUMN := "Balanced Multi Level Column",
    UNBALANCED_COLUMN := "Unbalanced Multi Level Column",
    SYMMETRIC_COLUMN := "Symmetric Multi Level Column",
    ASYMMETRIC_COLUMN := "Asymmetric Multi Level Column",
    COLUMN_AGGREGATION := "Column Aggregation",
    GLOBAL_COLUMN := "Global Column Aggregation",
    LOCAL_COLUMN := "Local Column-Group Aggregation",
    EXPLICIT_COLUMN := "Explicit Column Aggregation Terms",
    IMPLICIT_COLUMN := "Implicit Column Aggregation Terms",
    ROW_NESTING := "Row Nesting",
    BALANCED_ROW := "Balanced Row Nesting",
    UNBALANCED_ROW := "Unbalanced Row Nesting",
    SYMMETRIC_ROW := "Symmetric Row Nesting",
    ASYMMETRIC_ROW := "Asymmetric Row Nesting",
    ROW_AGGREGATION := "Row Aggregation",
    GLOBAL_ROW := "Global Row Aggregation",
    LOCAL_ROW := "Local Row-Group Aggregation",
    EXPLICIT_ROW := "Explicit Row Aggregation Terms",
    IMPLICIT_ROW := "Implicit Row Aggregation Terms",
    ROW_GROUP_LABEL := "Row Group Label",
    SPLIT_HEADER_CELL := "Split Header Cell",
)
"""What the benchmark's annotation has, in this order."""

DETECTED = (
    MULTI_LEVEL_COLUMN,
    BALANCED_COLUMN,
    UNBALANCED_COLUMN,
    SYMMETRIC_COLUMN,
    ASYMMETRIC_COLUMN,
    ROW_NESTING,
    BALANCED_ROW,
    UNBALANCED_ROW,
    SYMMETRIC_ROW,
    ASYMMETRIC_ROW,
    ROW_GROUP_LABEL,
)
"""What :func:`.properties.detect` answers, in this order."""

_TOTAL = r"(?:sub-?\s*|g\.?\s*|grand\s+)?totals?"
_ALONE = re.compile(
    rf"\W*(?:{_TOTAL}|averages?|avg|mean|sum|overall\s+(?:total|average))\W*\d?\W*", re.IGNORECASE
)
_OTHER_ALONE = re.compile(r"\W*(?:(?:max|min)(?:imum)?|all)\W*", re.IGNORECASE)
_EXPLICIT = re.compile(
    rf"""\b{_TOTAL}\b | \bsum\b | \baverages?\b | \bavg\b | \bmeans?\b | \bmedian\b | \boverall\b
    | \bmin(?:imum)?\b | \bmax(?:imum)?\b | % | \bper\s?cent(?:age)?s?\b | \bchanges?\b | \bgrowth\b
    | \bvariation\b | \bdifference\b | \bratio\b | \bshare\b
    | \w\s*\+\s*\w+\s*[+\-\u2212]\s*\w | \(\s*\w+\s*\+\s*\w+\s*\)""",
    re.IGNORECASE | re.VERBOSE,
)


def stands_alone(label: str) -> bool:
    """Whether a label is the name of an aggregate and nothing else."""
    return _ALONE.fullmatch(label) is not None or _OTHER_ALONE.fullmatch(label) is not None


def is_explicit(label: str) -> bool:
    """Whether the label of an aggregate names it as one (HCT-QA, A.1)."""
    return _EXPLICIT.search(label) is not None
