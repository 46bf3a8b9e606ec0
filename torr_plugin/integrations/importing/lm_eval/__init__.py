"""lm-eval's output folder: ``samples_*.jsonl`` and ``results_*.json``."""

from .source import lm_eval_source

__all__ = ["lm_eval_source"]
