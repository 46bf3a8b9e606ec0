"""What a HELM run asked: its run_spec.json in our names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..fields import field, optional
from ..json_text import read_json
from ..models import model_entry
from ..names import AS_IS, DEFAULT, NONE, Named, arguments_of, named
from ..plain import plain_name

if TYPE_CHECKING:
    from ....recipes import ModelEntry

_UNITXT = "unitxt"
_OURS = re.compile(r"torr/[a-z0-9._-]+")
# what a run spec's name says of how HELM ran it, not of what it asked
_NOT_ASKED = frozenset({"model", "model_deployment", "groups", "num_train_trials", "max_eval_instances"})


@dataclass(frozen=True, slots=True)
class RunSpec:
    """A run of HELM.

    Attributes:
        path: its run_spec.json.
        name: HELM's.
        model: HELM's name of it.
        deployment: the one it was asked through.
        named: data set and configuration; of a run of ours those of the records count instead.
        first_rows: whether HELM's own UnitxtMetric rated it, which compares the n-th answer with the data's
            n-th row.
    """

    path: Path
    name: str
    model: str
    deployment: str
    named: Named
    first_rows: bool

    def entry(self, *, apart: bool = False) -> ModelEntry:
        """The model as a run has it: an embedded one under lm-eval's name, any other as HELM's.

        Args:
            apart: name the deployment too, where the model was asked through several.
        """
        where = f"{self.path}: adapter_spec.model"
        if _OURS.fullmatch(self.deployment):
            return model_entry(where, model=self.deployment.replace("/", "-", 1))
        name = f"{self.model} ({self.deployment})" if apart else self.model
        return model_entry(where, model="helm", args={"model_deployment": self.deployment}, name=name)


def read_run_spec(path: Path) -> RunSpec:
    """The run of a run_spec.json.

    Raises:
        InputError: it is no JSON, or not what HELM 0.5 writes.
    """
    spec, where = read_json(path, dict), str(path)
    older = "HELM 0.5 writes it, older versions do not: run helm-run of HELM 0.5 again"
    name = field(spec, "name", str, where, older)
    adapter = field(spec, "adapter_spec", dict, where, older)
    model = field(adapter, "model", str, f"{where}: adapter_spec", older)
    deployment = optional(adapter, "model_deployment", str, f"{where}: adapter_spec") or model
    scenario = field(spec, "scenario_spec", dict, where, older)
    class_name = field(scenario, "class_name", str, f"{where}: scenario_spec", older)
    arguments = optional(scenario, "args", dict, f"{where}: scenario_spec") or {}
    return RunSpec(
        path=path,
        name=name,
        model=model,
        deployment=deployment,
        named=_named(name, class_name, arguments, where),
        first_rows=_rated_by_unitxt_metric(spec),
    )


def asked_by(folder: str) -> Named | None:
    """What a run was to ask, by its folder's name; None where that does not tell, as in runs of ours."""
    scenario, _, rest = folder.partition(":")
    if scenario != _UNITXT:
        return None
    arguments = arguments_of(rest)
    return named(arguments, folder) if arguments.keys() & {"recipe", "card"} else None


def _rated_by_unitxt_metric(spec: Mapping[str, Any]) -> bool:
    metrics = spec.get("metric_specs")
    names = (
        [each.get("class_name") for each in metrics if isinstance(each, dict)]
        if isinstance(metrics, list)
        else []
    )
    return any(isinstance(name, str) and name.endswith("unitxt_metrics.UnitxtMetric") for name in names)


def _named(name: str, class_name: str, arguments: Mapping[str, Any], where: str) -> Named:
    if class_name.endswith(".UnitxtScenario") or name.startswith(f"{_UNITXT}:"):
        return named(arguments, where)
    scenario, _, rest = name.partition(":")
    kept = [part for part in rest.split(",") if part and part.split("=")[0] not in _NOT_ASKED]
    return Named(plain_name(",".join([scenario, *kept])), f"{AS_IS}/{NONE}/{DEFAULT}")
