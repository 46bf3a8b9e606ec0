"""A data set of a study in one configuration, as a recipe of unitxt; and the names of such recipes.

A recipe gives the requests of the study's plan: nothing is serialized, drawn or laid out a second time.
Importing this imports unitxt.
"""

# no ``from __future__ import annotations``: unitxt makes its fields of annotations that are types, not text

from collections.abc import Generator, Iterator
from typing import Any, Optional

from unitxt.artifact import Artifact
from unitxt.benchmark import Benchmark
from unitxt.formats import ChatAPIFormat, Format, HFSystemFormat
from unitxt.operator import InstanceOperator, SourceOperator
from unitxt.schema import FinalizeDataset
from unitxt.stream import DynamicStream, MultiStream
from unitxt.templates import InputOutputTemplate

from ...catalog import Card, Example, preserved_global_state
from ...catalog.examples import instance_of
from ...core.errors import InputError, UnknownNameError
from ...core.names import faithful_name
from ...prompts import designs
from ...prompts.builder import perturb_example
from ...recipes import Configuration, Plan, Request
from ...scoring.metrics import metrics
from ...tables import perturbations
from ..record import FIELD, record_of
from ..steps import scored_text, takes_steps
from ..studies import DatasetEntry, StudyPart, dataset_entry, known_studies, plan_of, recipe_of, study_parts
from .instances import STUDY, source_of, task_data

SPLIT = "test"
"""The split whose instances are the study's examples, whatever the card calls it; there is no other."""

PREFIX = "recipes."

SCORED_PART = "processors.torr.scored_part"
"""The postprocessor that comes before the card's where a part of a prediction is scored."""


class StudyRecipe(SourceOperator):  # type: ignore[misc]
    """A recipe whose instances are a study's requests in one configuration.

    ``format`` may be ``formats.chat_api``, and limits, other metrics, postprocessors and groups are unitxt's.
    What the study decides cannot be changed here: ``num_demos`` and ``system_prompt`` stay None.
    """

    study: str
    dataset: str
    config: str
    format: Format = None  # unitxt fetches what has this type by name
    loader_limit: Optional[int] = None  # noqa: UP045
    max_test_instances: Optional[int] = None  # noqa: UP045
    metrics: Any = None
    postprocessors: Any = None
    group_by: list[Any] = []  # noqa: RUF012
    data_classification_policy: Optional[list[str]] = None  # noqa: UP045
    num_demos: Any = None
    system_prompt: Any = None

    def prepare(self) -> None:
        """Check what was changed."""
        super().prepare()
        with preserved_global_state():  # what loading a data set imports sets variables: torch, threadpoolctl
            import scipy.io  # noqa: F401
            import unitxt.dataset  # noqa: F401
        self.reset()

    def reset(self) -> None:
        """Check again, as a benchmark changes its subsets after they are made.

        Raises:
            InputError: it changed what the study decides.
        """
        for field in ("num_demos", "system_prompt"):
            if getattr(self, field) is not None:
                found = getattr(self, field)
                raise InputError(f"{self._label}: {field}: found {found!r}, but the study decides it")
        chat = isinstance(self.format, ChatAPIFormat) and not isinstance(self.format, HFSystemFormat)
        if self.format is not None and not chat:
            raise InputError(
                f"{self._label}: format: found {self.format.__id__ or self.format.__type__}, which would "
                "write the study's prompts anew; expected formats.chat_api or none"
            )

    def process(self) -> MultiStream:
        """One stream, of :data:`SPLIT`."""
        return MultiStream({SPLIT: DynamicStream(self._instances, gen_kwargs={})})

    def _instances(self) -> Generator[dict[str, Any], None, None]:
        limits = [each for each in (self.loader_limit, self.max_test_instances) if each is not None]
        planned = plan_of(self.study, self.dataset, min(limits) if limits else None)
        config = Configuration.of(self.config)
        if config not in planned.configurations:
            known = [each.id for each in planned.configurations]
            raise UnknownNameError("configuration", config.id, known, where=f"recipe {self.study!r}")
        finish, common = FinalizeDataset(group_by=self.group_by), self._common(config)
        requests = (each for each in planned.requests_of(self.dataset, config) if not each.stage)
        for example, request in zip(planned.examples[self.dataset], requests, strict=True):
            made = _instance(planned, example, request)
            made["source"] = source_of(request.prompt, chat=self.format is not None)
            made["reference_fields"][STUDY] = self.study
            yield finish.process({**made, **common}, SPLIT)

    def _common(self, config: Configuration) -> dict[str, Any]:
        """The fields of all instances."""
        entry = dataset_entry(self.study, self.dataset)
        card = entry.card
        cut = takes_steps(config) or not designs.get(config.design).scores_whole_answer
        own = card.template.postprocessors if self.postprocessors is None else self.postprocessors
        return {
            "metrics": metric_names(card) if self.metrics is None else self.metrics,
            "postprocessors": [*([SCORED_PART] if cut else []), *own],
            "data_classification_policy": self.data_classification_policy or [],
            "recipe_metadata": _described(entry, config),
        }

    @property
    def _label(self) -> str:
        return f"recipe {self.study!r}, {self.dataset}, {self.config}"


def _described(entry: DatasetEntry, config: Configuration) -> dict[str, Any]:
    """What unitxt logs of a recipe: demonstrations, and the template of the design."""
    asked = designs.get(config.design).template(entry.card)
    template = InputOutputTemplate(
        instruction=asked.instruction,
        input_format=asked.input_format,
        output_format=asked.output_format,
        target_prefix=asked.target_prefix,
        postprocessors=list(entry.card.template.postprocessors),
    )
    return {"num_demos": entry.shots, "demos_pool_size": -1 if entry.shots else None, "template": template}


def _instance(planned: Plan, example: Example, request: Request) -> dict[str, Any]:
    """A request as a template of unitxt's leaves it; of a design of several calls the first one's."""
    perturbation = perturbations.get(request.config.perturbation)
    changed = perturb_example(example, perturbation, planned.recipe.seed, request.dataset)
    fields = instance_of(changed)
    inputs = {name: fields.pop(name) for name in ("table", "document", *changed.fields) if name in fields}
    references = list(request.references)
    fields |= {"references": references, "facts": dict(request.facts)}
    return {
        "target": changed.target,
        "references": references,
        "input_fields": inputs,
        "reference_fields": {**fields, FIELD: record_of(planned, request).as_dict()},
        "media": {},
    }


def metric_names(card: Card) -> list[str]:
    """The artifacts that rate a card's answers; the one with the main score comes first.

    unitxt's ``score`` is the main score of the first metric: the publisher's, as unitxt has no lenient one.
    """
    of_card = faithful_name(card.main_metric)
    named = [(name, metrics.get(name).main) for name in card.metrics]
    if len(named) == 1 and named[0][1] != of_card:
        return [f"metrics.torr.{named[0][0]}[main_score={of_card}]"]
    return [f"metrics.torr.{name}" for name, main in sorted(named, key=lambda each: each[1] != of_card)]


class ScoredPart(InstanceOperator):  # type: ignore[misc]
    """The part of a prediction that is scored: of a design's last step what the design says.

    Raises:
        InputError: the prediction is the answer to the first step alone.
    """

    def process(
        self,
        instance: dict[str, Any],
        stream_name: Optional[str] = None,  # noqa: UP045
    ) -> dict[str, Any]:
        """Replace the prediction."""
        record = task_data(instance)[FIELD]
        config = Configuration.of(record["config"])
        text = str(instance["prediction"])
        return {**instance, "prediction": scored_text(config, text, f"example {record['example']!r}")}


# -- names -----------------------------------------------------------------------------------------------


def recipe(name: str, changed: dict[str, Any]) -> Artifact:
    """The recipe or benchmark of a name of a study, of one of its data sets, or of that in configurations.

    ``recipes.torr`` is the study, ``recipes.torr.wikitq`` its data set in all configurations,
    ``recipes.torr.wikitq.html`` in those of one format, and ``recipes.torr.wikitq.html.none`` in one.

    Raises:
        UnknownNameError: no such name of a study.
    """
    source = study_of(name)
    parts = [part for part in study_parts(source) if part.config is not None and _is_below(part, name)]
    if not parts:
        known = [PREFIX + recipe_of(source).name, *(part.recipe for part in study_parts(source))]
        raise UnknownNameError("artifact", name, known)
    if parts[0].recipe == name:
        return _single(source, parts[0], changed)
    wholes = {part.dataset: part.recipe for part in study_parts(source) if part.config is None}
    datasets: dict[str, dict[str, Artifact]] = {}
    for part in parts:
        own = part.recipe.removeprefix(f"{wholes[part.dataset]}.")
        datasets.setdefault(part.dataset, {})[own] = _single(source, part, {})
    several = {name: Benchmark(subsets=subsets, splits=[SPLIT]) for name, subsets in datasets.items()}
    subsets = next(iter(datasets.values())) if len(datasets) == 1 else several
    return Benchmark(subsets=subsets, **{"splits": [SPLIT], **changed})


def _single(source: str, part: StudyPart, changed: dict[str, Any]) -> StudyRecipe:
    config = part.config.id if part.config else ""
    made = StudyRecipe(study=source, dataset=part.dataset, config=config, **changed)
    if not changed:
        made.__id__ = part.recipe  # of a changed one unitxt saves all
    return made


def _is_below(part: StudyPart, name: str) -> bool:
    return f"{part.recipe}.".startswith(f"{name}.") or name == PREFIX + part.study


def study_of(name: str) -> str:
    """The study that a recipe's name begins with, as ``recipes.load`` knows it; empty where none."""
    if not name.startswith(PREFIX):
        return ""  # before any study's file is read: every name of unitxt's comes by here
    studies = _studies()
    return next((source for source, own in studies if f"{name}.".startswith(f"{PREFIX}{own}.")), "")


def _studies() -> Iterator[tuple[str, str]]:
    """The recipes by the name of their file and their own; one that cannot be read is left out."""
    for source in known_studies():
        try:
            yield source, recipe_of(source).name
        except InputError:
            continue
