"""Scores by what examples are: their groups, properties of their table and question, the table's size."""
