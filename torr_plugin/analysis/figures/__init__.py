"""The figures of an analysis, a file each or a family of them: computation, tables, charts and words."""
