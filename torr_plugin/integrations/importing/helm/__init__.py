"""HELM's ``benchmark_output``: ``scenario_state.json`` and ``per_instance_stats.json`` of its runs."""

from .source import helm_source

__all__ = ["helm_source"]
