"""A data set of a study in one configuration, as a recipe of unitxt; and the names of such recipes.

A recipe looks like any of unitxt's (card, template, serializer, augmentor, number of demonstrations), but its
prompts are those of the study's plan: nothing is serialized, drawn or laid out a second time. Importing this
imports unitxt.
"""

# no ``from __future__ import annotations``: unitxt makes its fields of annotations that are types, not text

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Optional

from unitxt.formats import ChatAPIFormat, Format, HFSystemFormat, SystemFormat
from unitxt.operator import SourceOperator
from unitxt.operators import Set
from unitxt.schema import FinalizeDataset
from unitxt.standard import DatasetRecipe
from unitxt.stream import DynamicStream, MultiStream
from unitxt.system_prompts import EmptySystemPrompt
from unitxt.templates import InputOutputTemplate

from ...catalog import Card, preserved_global_state
from ...core.errors import InputError
from ...prompts import designs
from ...recipes import Configuration
from ..steps import takes_steps
from ..studies import DatasetEntry, StudyPart, dataset_entry, known_studies, recipe_of, study_parts
from .instances import instances_of, metric_names

SPLIT = "test"
"""The split whose instances are the study's examples, whatever the card calls it; there is no other."""

PREFIX = "recipes."

SCORED_PART = "processors.torr.scored_part"
"""The postprocessor that comes before the card's where a part of a prediction is scored."""


@dataclass(frozen=True, slots=True)
class RecipeName:
    """What a name stands for.

    Attributes:
        name: e.g. ``recipes.torr.wikitq``.
        source: the study, as :func:`torr_plugin.recipes.load` knows it.
        datasets: for each data set its configurations, by what their names add to the data set's
            (``html.none``).
        single: the configuration, where the name is that of one; None where it stands for all below it.
    """

    name: str
    source: str
    datasets: Mapping[str, Mapping[str, StudyPart]]
    single: StudyPart | None


def recipe_name(name: str) -> RecipeName | None:
    """The parts of a name: of a study, of one of its data sets, or of that in one configuration.

    ``recipes.torr`` is the study, ``recipes.torr.wikitq`` its data set in all configurations,
    ``recipes.torr.wikitq.html`` in those of one format, and ``recipes.torr.wikitq.html.none`` in one. None
    where no study has such a name.

    Raises:
        InputError: no configuration of the study can be asked in one call.
    """
    if not name.startswith(PREFIX):
        return None  # before any study's file is read: every name of unitxt's comes by here
    for source, study in _studies():
        if not f"{name}.".startswith(f"{PREFIX}{study}."):
            continue
        parts = study_parts(source)
        datasets = _by_dataset(parts, name)
        if datasets:
            single = next((part for part in parts if part.config is not None and part.recipe == name), None)
            return RecipeName(name, source, datasets, single)
    return None


def names() -> list[str]:
    """All names, sorted; studies whose file is wrong or that other harnesses cannot ask are left out."""
    found: set[str] = set()
    for source, study in _studies():
        try:
            found |= {PREFIX + study, *(part.recipe for part in study_parts(source))}
        except InputError:
            continue
    return sorted(found)


def is_of_a_study(name: str) -> bool:
    """Whether a name begins as those of a study do."""
    return name.startswith(PREFIX) and any(
        f"{name}.".startswith(f"{PREFIX}{study}.") for _, study in _studies()
    )


def _studies() -> Iterator[tuple[str, str]]:
    """The recipes by the name of their file and their own; one that cannot be read is left out."""
    for source in known_studies():
        try:
            yield source, recipe_of(source).name
        except InputError:
            continue


def _by_dataset(parts: tuple[StudyPart, ...], name: str) -> dict[str, dict[str, StudyPart]]:
    wholes = {part.dataset: part.recipe for part in parts if part.config is None}
    found: dict[str, dict[str, StudyPart]] = {}
    for part in parts:
        if part.config is not None and _is_below(part, name):
            own = part.recipe.removeprefix(f"{wholes[part.dataset]}.")
            found.setdefault(part.dataset, {})[own] = part
    return found


def _is_below(part: StudyPart, name: str) -> bool:
    return f"{part.recipe}.".startswith(f"{name}.") or name == PREFIX + part.study


class StudyRequests(SourceOperator):  # type: ignore[misc]
    """The requests of a study's data set in one configuration, as a stream of instances."""

    study: str
    dataset: str
    config: str
    limit: Optional[int] = None  # noqa: UP045
    chat: bool = False

    def process(self) -> MultiStream:
        """One stream, of :data:`SPLIT`."""
        return MultiStream({SPLIT: DynamicStream(self._instances, gen_kwargs={})})

    def _instances(self) -> Generator[dict[str, Any], None, None]:
        config = Configuration.of(self.config)
        yield from instances_of(self.study, self.dataset, config, self.limit, chat=self.chat)


class StudyRecipe(DatasetRecipe):  # type: ignore[misc]
    """A recipe whose instances are a study's requests.

    ``study``, ``dataset`` and ``config`` say which; ``format`` may be ``formats.chat_api``, and limits, other
    metrics, postprocessors and groups are unitxt's. What the study decides cannot be changed here.
    """

    study: str = None  # type: ignore[assignment]
    dataset: str = None  # type: ignore[assignment]
    config: str = None  # type: ignore[assignment]
    template: Any = None

    def prepare(self) -> None:
        """Read from the study's file what unitxt's recipes have as arguments."""
        with preserved_global_state():  # what loading a data set imports sets variables: torch, threadpoolctl
            import scipy.io  # noqa: F401
            import unitxt.dataset  # noqa: F401
        card = self._entry().card
        if self.template is None:
            self.template = _template(card, Configuration.of(self.config).design)
        super().prepare()

    def reset_pipeline(self) -> None:
        """From the study's requests to unitxt's finished instances."""
        card, chat = self._entry().card, _is_chat(self.format, self._label)
        _refuse_system_prompt(self.system_prompt, self._label)
        self._refuse_demos()
        self.task = self.card.task
        self.set_pipelines()
        limits = [each for each in (self.loader_limit, self.max_test_instances) if each is not None]
        self.loading.steps.append(
            StudyRequests(
                study=self.study,
                dataset=self.dataset,
                config=self.config,
                limit=min(limits) if limits else None,
                chat=chat,
            )
        )
        self.metadata.steps.append(Set(fields=self._metadata(card)))
        self.prepare_refiners()
        self.finalize.steps.append(FinalizeDataset(group_by=self.group_by))
        self.steps = [self.loading, self.metadata, self.processing, self.finalize]

    def produce(self, task_instances: Any) -> Any:
        """Refuse other instances than the study's.

        Raises:
            InputError: always, with what to do instead.
        """
        raise InputError(
            f"{self._label}: asks only the study's own examples; for others take unitxt's arguments: "
            f"card={self.card.__id__},serializer=...,augmentor=..."
        )

    def _metadata(self, card: Card) -> dict[str, Any]:
        shown = {"template": self.template, "format": self.format, "system_prompt": self.system_prompt}
        counted = {"num_demos": self.num_demos, "demos_pool_size": self.demos_pool_size}
        return {
            **{f"recipe_metadata/{name}": value for name, value in {**shown, **counted}.items()},
            "metrics": metric_names(card) if self.metrics is None else self.metrics,
            "postprocessors": [
                *([SCORED_PART] if _is_cut(Configuration.of(self.config)) else []),
                *(card.template.postprocessors if self.postprocessors is None else self.postprocessors),
            ],
            "data_classification_policy": self.data_classification_policy or [],
        }

    @property
    def _label(self) -> str:
        return f"recipe {self.study!r}, {self.dataset}, {self.config}"

    def _entry(self) -> DatasetEntry:
        return dataset_entry(self.study, self.dataset)

    def _refuse_demos(self) -> None:
        """Check this here, as a benchmark changes its subsets after they are made."""
        shots = self._entry().shots
        if self.num_demos != shots:
            raise InputError(
                f"{self._label}: num_demos: found {self.num_demos}; expected {shots}, as the study's file "
                "says"
            )


def _is_cut(config: Configuration) -> bool:
    """Whether a part of a prediction is scored: the last step, or a final answer."""
    return takes_steps(config) or not designs.get(config.design).scores_whole_answer


def _template(card: Card, design: str) -> InputOutputTemplate:
    """The template of a design, for people and tools that look at the recipe."""
    asked = designs.get(design).template(card)
    return InputOutputTemplate(
        instruction=asked.instruction,
        input_format=asked.input_format,
        output_format=asked.output_format,
        target_prefix=asked.target_prefix,
        postprocessors=list(card.template.postprocessors),
    )


def _is_chat(given: Optional[Format], name: str) -> bool:  # noqa: UP045
    """Whether the format asks for a chat.

    Raises:
        InputError: a format that would write the prompt anew.
    """
    if isinstance(given, ChatAPIFormat) and not isinstance(given, HFSystemFormat):
        return True
    if given is None or (
        type(given) is SystemFormat and given._to_raw_dict() == SystemFormat()._to_raw_dict()
    ):
        return False
    raise InputError(
        f"{name}: format: found {given.__id__ or given.__type__}, which would write the study's prompts "
        "anew; expected formats.empty or formats.chat_api"
    )


def _refuse_system_prompt(given: Any, name: str) -> None:
    if not isinstance(given, EmptySystemPrompt):
        raise InputError(
            f"{name}: system_prompt: found {given.__id__ or given.__type__}; expected none, for the study's "
            "design decides what the system turn says"
        )
