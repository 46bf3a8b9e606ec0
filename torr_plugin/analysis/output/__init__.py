"""What leaves the analysis: files, tables, and rows for a terminal."""
