"""The names of HCT-QA's table properties (Table 6), as the benchmark's own annotation writes them."""

from __future__ import annotations

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
"""What :func:`torr_plugin.tables.properties.detect` answers, in this order."""
