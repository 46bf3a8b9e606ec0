"""The files of HELM 0.5's runs: each is a folder of three.

``run_spec.json`` says what was asked, ``scenario_state.json`` has each instance with its prompt and answer,
``per_instance_stats.json`` the scores.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ...core.errors import InputError
from ...core.validation import validate
from ...prompts import Message, Prompt
from ...recipes import ModelEntry
from ..record import FIELD
from ..steps import FAILURE
from .files import HarnessModel, Number, Repeat, Text, at, folders_below, number
from .json_stream import members_of
from .log import model_entry
from .names import AS_IS, DEFAULT, NONE, DatasetConfig, dataset_config, plain_name

SPEC, STATE, STATS = FILES = ("run_spec.json", "scenario_state.json", "per_instance_stats.json")
TEST = "test"
"""The split that HELM's own pages show."""

_OURS = re.compile(r"torr/[a-z0-9._-]+")
# parts of a run spec's name that say how HELM ran it, not what it asked
_NOT_ASKED = frozenset({"model", "model_deployment", "groups", "num_train_trials", "max_eval_instances"})
# what HELM counts of every request
_NO_SCORE = re.compile(
    "num_|inference_|training_|finish_reason_|logprob|torr_(missing|requests|prompt_tokens|output_tokens)"
    "|(batch_size|prompt_truncated|max_prob|perplexity|bits_per_byte|estimated_num_tokens_cost)$"
)
# what a perturbation is used for, not what it does
_NOT_DONE = frozenset({"name", "robustness", "fairness", "computed_on", "seed"})
_MAIN = {
    **dict.fromkeys(("narrative_qa", "natural_qa_closedbook", "natural_qa_openbook_longans"), "f1_score"),
    **dict.fromkeys(("quac", "natural_qa"), "f1_score"),
    **dict.fromkeys(("legalbench", "med_qa", "boolq", "imdb", "raft", "civil_comments"), "quasi_exact_match"),
    **dict.fromkeys(("babi_qa", "bbq", "wikifact", "lsat_qa", "legal_support"), "quasi_exact_match"),
    **dict.fromkeys(("summarization_cnndm", "summarization_xsum"), "rouge_2"),
    **dict.fromkeys(("mmlu_pro", "gpqa"), "chain_of_thought_correctness"),
    "gsm": "final_number_exact_match",
    "math_chain_of_thought": "math_equiv_chain_of_thought",
    "math_regular": "math_equiv",
    "wmt_14": "bleu_4",
    "msmarco_regular": "RR@10",
    "ifeval": "ifeval_strict_accuracy",
    "wildbench": "wildbench_score_rescaled",
    "omni_math": "omni_math_accuracy",
}
"""Run group -> the metric of HELM's own leaderboards, where that is not exact_match."""


# -- run_spec.json ---------------------------------------------------------------------------------------


class RunSpec(HarnessModel):
    """``run_spec.json``."""

    name: Text
    model: Text = at("adapter_spec", "model")
    deployment: Text = at("adapter_spec", "model_deployment", default="")
    method: Text = at("adapter_spec", "method", default="")
    scenario: Text = at("scenario_spec", "class_name")
    arguments: dict[str, Any] = at("scenario_spec", "args", default={})
    metric_specs: list[dict[str, Any]] = at("metric_specs", default=[])
    groups: list[Text] = at("groups", default=[])

    @property
    def by_unitxt(self) -> bool:
        """Whether unitxt gave the scores."""
        classes = (str(each.get("class_name")) for each in self.metric_specs)
        return any(name.endswith("unitxt_metrics.UnitxtMetric") for name in classes)

    @property
    def main(self) -> str | None:
        """The metric of HELM's leaderboards, where it is another than exact_match."""
        return next((_MAIN[group] for group in self.groups if group in _MAIN), None)

    def entry(self, where: str) -> ModelEntry:
        """An embedded model by lm-eval's name, any other by HELM's."""
        deployment = self.deployment or self.model
        if _OURS.fullmatch(deployment):
            return model_entry(where, model=deployment.replace("/", "-", 1))
        args, chat = {"model_deployment": deployment}, self.method == "chat" or None
        return model_entry(where, model="helm", args=args, name=self.model, chat=chat)

    def asks(self, where: str) -> DatasetConfig:
        """Data set and configuration; of a run of ours those of the records count instead."""
        scenario, _, rest = self.name.partition(":")
        if self.scenario.endswith(".UnitxtScenario") or scenario == "unitxt":
            return dataset_config(self.arguments, where)
        kept = [part for part in rest.split(",") if part and part.split("=")[0] not in _NOT_ASKED]
        return DatasetConfig(plain_name(",".join([scenario, *kept])), f"{AS_IS}/{NONE}/{DEFAULT}")


class _Turn(HarnessModel):
    role: Text = "user"
    content: Text


class _Sent(HarnessModel):
    """An instance's input (``text``) or a request (``prompt``); a chat has messages in its place."""

    text: Text = ""
    prompt: Text = ""
    messages: list[_Turn] | None = None

    def as_prompt(self) -> Prompt:
        turns = self.messages or [_Turn(content=self.text or self.prompt)]
        return tuple(
            Message(turn.role if turn.role in ("system", "assistant") else "user", turn.content)  # type: ignore[arg-type]
            for turn in turns
        )


class _Reference(HarnessModel):
    text: Text = at("output", "text")
    tags: list[Text] = at("tags", default=[])


class InstanceKey(NamedTuple):
    """What tells an instance's request from another.

    Attributes:
        id: the instance's.
        change: HELM's own perturbation of it, or nothing.
        trial: with other demonstrations, from 0.
    """

    id: str
    change: str
    trial: int


def _change(perturbation: Mapping[str, Any] | None) -> str:
    """A perturbation with what tells its modes apart: ``gender+mode=pronouns+prob=1.0``."""
    if perturbation is None:
        return ""
    modes = (f"{key}={perturbation[key]}" for key in sorted({*perturbation} - _NOT_DONE) if perturbation[key])
    return plain_name("+".join([str(perturbation.get("name")), *modes]))


class RequestState(HarnessModel):
    """An instance with its request and the answer."""

    id: Text = at("instance", "id")
    input: _Sent = at("instance", "input")
    references: list[_Reference] = at("instance", "references")
    split: Text = at("instance", "split", default="test")
    perturbation: dict[str, Any] | None = at("instance", "perturbation", default=None)
    record: Any = at("instance", "extra_data", FIELD, default=None)
    train_trial_index: Repeat
    request: _Sent
    success: bool = at("result", "success")
    completion: Text | None = at("result", "completions", 0, "text", default=None)
    error: Text | None = at("result", "error", default=None)
    seconds: Number = at("result", "request_time", default=None)
    steps: dict[str, Any] | None = at("annotations", FIELD, default=None)
    prompt_truncated: bool = False
    reference_index: int | None = None
    """Of methods that ask about each reference apart, and so have no answer to an instance."""

    @property
    def key(self) -> InstanceKey:
        """What tells it from the others of its run."""
        return InstanceKey(self.id, _change(self.perturbation), self.train_trial_index)

    def right(self) -> tuple[str, ...]:
        """The references that are marked as correct, or all if none is."""
        marked = [each for each in self.references if "correct" in each.tags]
        return tuple(each.text for each in marked or self.references)

    def outcome(self) -> tuple[str | None, str | None]:
        """The answer, or why there is none; of a design of several calls all steps, from our annotator."""
        if self.steps:
            failure = self.steps.get(FAILURE)
            return (None, str(failure)) if failure else (json.dumps(self.steps), None)
        if self.success and self.completion is not None:
            return self.completion, None
        return None, self.error or "HELM: the request failed"


def request_states(folder: Path) -> Iterator[RequestState]:
    """Those of ``scenario_state.json``, one by one.

    Raises:
        InputError: the file is damaged, or a state has not its fields.
    """
    path, place = folder / STATE, 0
    for key, value in members_of(path, "request_states"):
        if key == "request_states":
            yield validate(RequestState, value, f"{path}: request_states[{place}]")
            place += 1


DOUBT = (
    "answers to drawn instances were rated by HELM's UnitxtMetric against the first rows of the data set, so "
    "HELM's scores are not of these answers; those that --rate-again gives are"
)


def in_order(ids: Iterable[str]) -> bool:
    """Whether instances are the first rows of the data set, in their order.

    UnitxtMetric of HELM 0.5.16 hands unitxt the answers and the data set, which pairs the n-th answer with
    the data set's n-th row; with instances drawn by max_eval_instances these are others.
    """
    rows = (re.search(r"\d{1,15}$", name) for name in ids)
    return all(row is not None and int(row[0]) == at for at, row in enumerate(rows))


# -- per_instance_stats.json -----------------------------------------------------------------------------


class _InstanceStats(HarnessModel):
    instance_id: str
    perturbation: dict[str, Any] | None = None
    train_trial_index: Repeat
    stats: list[dict[str, Any]]  # name: {name, split}, and mean; there are millions


class InstanceScores(NamedTuple):
    """The split of an instance, and its scores by metric."""

    split: str
    scores: dict[str, float]


def instance_scores(folder: Path) -> dict[InstanceKey, InstanceScores]:
    """The scores in ``per_instance_stats.json``; an instance has an entry for each of HELM's metrics.

    Raises:
        InputError: the file is damaged, or an entry has not its fields.
    """
    path, found = folder / STATS, dict[InstanceKey, InstanceScores]()
    rates = dict[str, bool]()  # whether a statistic is a score
    for place, (_, value) in enumerate(members_of(path)):
        entry = validate(_InstanceStats, value, f"{path}: [{place}]")
        key = InstanceKey(entry.instance_id, _change(entry.perturbation), entry.train_trial_index)
        try:
            split = str(entry.stats[0]["name"].get("split", TEST)) if entry.stats else TEST
            scores = found.setdefault(key, InstanceScores(split, {})).scores
            for stat in entry.stats:
                name = stat["name"]["name"]
                if name not in rates:
                    rates[name] = not _NO_SCORE.match(name)
                if rates[name] and (mean := number(stat.get("mean"))) is not None:
                    scores[name] = mean
        except (KeyError, TypeError, AttributeError):
            raise InputError(f"{path}: [{place}].stats: expected objects with name.name, a text") from None
    return found


# -- the folder ------------------------------------------------------------------------------------------


def run_folders(path: Path) -> Iterator[Path]:
    """Also empty ones, as helm-run makes a run's folder first and fills it at its end."""
    for folder, names in folders_below(path):
        if not {*FILES}.isdisjoint(names) or (":" in folder.name and "model=" in folder.name):
            yield folder
