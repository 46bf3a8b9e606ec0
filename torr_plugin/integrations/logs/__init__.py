"""Readers of what other harnesses log, a file and an object a format.

In: a folder that a harness wrote. Out: a :class:`Log`, whose files give their results one by one; ``torr
import`` makes a run of it. Others wrote these files: they are read within bounds, and what does not fit is
refused.
"""

from __future__ import annotations

from ...core.registry import Registry
from .log import LogReader

readers: Registry[LogReader] = Registry(
    "log format",
    package=__name__,
    lazy={
        "eee": ".eee:EEE",
        "helm": ".helm:HELM",
        "inspect": ".inspect_ai:INSPECT_AI",
        "lighteval": ".lighteval:LIGHTEVAL",
        "lm-eval": ".lm_eval:LM_EVAL",
        "mteb": ".mteb:MTEB",
        "nemo-evaluator": ".nemo_evaluator:NEMO_EVALUATOR",
        "opencompass": ".opencompass:OPENCOMPASS",
        "swe-bench": ".swe_bench:SWE_BENCH",
        "table": ".tables:TABLES",
        "torr": ".torr:TORR",
        "unitxt": ".unitxt:UNITXT",
    },
)
"""The readers, by the names that ``torr import`` and ``--format`` have for them."""
