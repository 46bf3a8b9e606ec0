"""Metrics of SUC's tasks."""
