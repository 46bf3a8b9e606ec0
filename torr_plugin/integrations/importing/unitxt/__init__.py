"""unitxt's output: ``*_samples.json`` of its command, or instance scores that were saved as JSON."""

from .source import unitxt_source

__all__ = ["unitxt_source"]
