"""The two files of Every Eval Ever 0.3, by its schemas: aggregate results, and instances a line each.

The schemas are ``eval.schema.json`` and ``instance_level_eval.schema.json`` of evaleval/every_eval_ever.
"""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal
from typing import Annotated, Any

from pydantic import Field, field_validator, model_validator
from typing_extensions import Self

from .files import HarnessModel, Number, Text, at, number
from .frames import error_of_interval

INSPECT, LM_EVAL, HELM, LIGHTEVAL = ("inspect_ai", "lm_eval", "helm", "lighteval")
"""Libraries whose logs the project's converters turn into instances, with scores that they may invent."""
OURS = "torr-plugin"

_VERSION = "0.3."
_Finite = Annotated[float, Field(allow_inf_nan=False)]
# how converters name a result: "accuracy on arc for scorer choice", "f1_score test on narrative_qa"
_OF_INSPECT = re.compile(r"(?P<metric>.+) on (?P<task>.+) for scorer (?P<scorer>.+)")
_OF_HELM = re.compile(r"(?P<metric>\S+)(?: (?P<split>test|valid|train))? on (?P<task>.+)")
_MEANS = ("accuracy", "mean")  # of inspect's metrics


def check_version(version: str) -> str:
    """Refuse files by another version of the schemas.

    Raises:
        ValueError: it is one.
    """
    if not version.startswith(_VERSION):
        raise ValueError(f"found {version!r}; expected version {_VERSION}x of the schema")
    return version


# -- aggregate results -----------------------------------------------------------------------------------


class _EeeMetric(HarnessModel):
    metric_id: Text | None = None
    metric_name: Text | None = None
    evaluation_description: Text | None = None
    metric_unit: Text | None = None
    lower_is_better: bool = False
    score_type: Text | None = None
    level_names: list[Text] = at("level_names", default=[])
    has_unknown_level: bool = False
    min_score: Any = None
    max_score: Any = None
    dataset: Text | None = at("additional_details", "dataset", default=None)
    config: Text | None = at("additional_details", "config", default=None)


class _EeeInterval(HarnessModel):
    lower: _Finite
    upper: _Finite
    confidence_level: Annotated[float, Field(gt=0, lt=1)] = 0.95

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.lower > self.upper:
            raise ValueError(f"found {self.lower:g} to {self.upper:g}; is reversed")
        return self


class _EeeUncertainty(HarnessModel):
    error: _Finite | None = at("standard_error", "value", default=None)
    confidence_interval: _EeeInterval | None = None
    num_samples: Number = None


class EeeResult(HarnessModel):
    """An entry of ``evaluation_results``."""

    evaluation_result_id: Text | None = None
    evaluation_name: Text
    samples_number: Number = at("source_data", "samples_number", default=None)
    metric_config: _EeeMetric
    score: _Finite = at("score_details", "score")
    uncertainty: _EeeUncertainty | None = at("score_details", "uncertainty", default=None)

    def place(self, library: str) -> tuple[str, str, str]:
        """Task, metric and split, out of the name that a converter makes of them."""
        said = self.metric_config
        named = said.metric_id or said.metric_name
        if library == INSPECT and (found := _OF_INSPECT.fullmatch(self.evaluation_name)):
            metric = "" if found["metric"] in _MEANS else f".{found['metric']}"
            return found["task"], named or f"{found['scorer']}{metric}", ""
        if library == HELM and (found := _OF_HELM.fullmatch(self.evaluation_name)):
            return found["task"], named or found["metric"], found["split"] or ""
        task = said.dataset or self.evaluation_name
        if library == LM_EVAL and not named:
            task, _, filter_ = self.evaluation_name.partition("/")
            metric = (said.evaluation_description or "score").partition(" (filter:")[0]
            return task, f"{metric},{filter_}" if filter_ else metric, ""
        return task, named or said.evaluation_description or "score", ""

    @property
    def names(self) -> frozenset[str | None]:
        """What its metric is called."""
        said = self.metric_config
        found = (said.metric_id, said.metric_name, said.evaluation_description, self.evaluation_result_id)
        return frozenset(found) - {None}

    @property
    def percent(self) -> bool:
        """Whether the score is one of a hundred."""
        unit = (self.metric_config.metric_unit or "").lower()
        return unit in {"percent", "percentage", "%"} or self.bounds == (0.0, 100.0)

    @property
    def bounds(self) -> tuple[float, float | None]:
        """The least score and the greatest, of a percentage 0 and 1; None where there is none."""
        metric = self.metric_config
        if metric.score_type == "levels":
            return 0.0, float(max(len(metric.level_names) - 1, 1))
        low, high = (_bound(each) for each in (metric.min_score, metric.max_score))
        if high is None and low in {None, 0.0} and 0 <= self.score <= 1:
            high = 1.0
        if low is None:
            low = 0.0 if self.score >= 0 else -math.inf
        return low, None if high is None or math.isinf(high) else high

    @property
    def told(self) -> bool:
        """Whether the file says what the score can be."""
        return self.metric_config.max_score is not None or self.metric_config.metric_unit is not None

    @property
    def unknown(self) -> bool:
        """Whether the score is -1 for a level, or a score, that is not known."""
        least = _bound(self.metric_config.min_score)
        return self.score == -1 and (
            self.metric_config.has_unknown_level or (least is not None and least >= 0)
        )

    @property
    def n(self) -> float:
        """The number of samples; NaN where it is unknown."""
        known = (self.uncertainty.num_samples if self.uncertainty else None, self.samples_number)
        return min((each for each in known if each and each > 0), default=math.nan)

    @property
    def error(self) -> float:
        """The standard error, or what an interval says of it; NaN where it is unknown."""
        found = self.uncertainty
        if found is not None and found.error is not None:
            return found.error
        if found is None or (interval := found.confidence_interval) is None:
            return math.nan
        return float(error_of_interval(interval.lower, interval.upper, interval.confidence_level))

    @property
    def digits(self) -> int:
        """How many decimals the score has, as a share."""
        exponent = Decimal(repr(self.score)).as_tuple().exponent
        return max(-int(exponent), 0) + 2 * self.percent


def _bound(value: object) -> float | None:
    if isinstance(value, str):
        return {"Infinity": math.inf, "-Infinity": -math.inf}.get(value)
    return number(value)


class EeeAggregate(HarnessModel):
    """A file of aggregate results of one model."""

    schema_version: Text
    evaluation_id: Text
    evaluation_timestamp: Text = ""
    retrieved_timestamp: Text = ""
    written_by: Text = at("eval_library", "name", default="unknown")
    model: Text = at("model_info", "id")
    evaluation_results: list[EeeResult]

    _check = field_validator("schema_version")(check_version)

    @property
    def library(self) -> str:
        """Which library's logs these were, whose name converters write in several ways."""
        return _SPELLED.get(self.written_by.lower(), self.written_by)


_SPELLED = {"inspect": INSPECT, "lm-eval": LM_EVAL, "lm-evaluation-harness": LM_EVAL, "crfm-helm": HELM}


# -- instances -------------------------------------------------------------------------------------------


class EeeInstance(HarnessModel):
    """A line of ``*_samples.jsonl``."""

    schema_version: str
    evaluation_id: str
    model_id: str
    evaluation_name: str
    evaluation_result_id: str | None = None
    sample_id: str
    raw: Text = at("input", "raw", default="")
    reference: list[Text] = at("input", "reference", default=[])
    score: _Finite = at("evaluation", "score")
    error: Text | None = None
    metadata: dict[str, Any] | None = None

    @property
    def group(self) -> tuple[str, str, str, str]:
        """What it belongs to: the aggregate results, the model, the evaluation, and the result."""
        return self.evaluation_id, self.model_id, self.evaluation_name, self.evaluation_result_id or ""

    def logged(self, key: str) -> dict[str, Any]:
        """The metrics that a converter kept as JSON beside the score."""
        text = (self.metadata or {}).get(key)
        try:
            found = json.loads(text) if isinstance(text, str) else None
        except (ValueError, RecursionError):
            found = None
        return found if isinstance(found, dict) else {}
