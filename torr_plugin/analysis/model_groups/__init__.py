"""Groups of models, where they are described: open and closed ones, families by size."""
