"""A card as scoring sees it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class FakeTemplate:
    postprocessors: tuple[str, ...] = ("processors.take_first_non_empty_line",)


@dataclass(frozen=True)
class FakeReading:
    groups: tuple[str, ...] = ()


@dataclass(frozen=True)
class FakeCard:
    """The attributes of a card that scoring uses."""

    name: str = "cards.fruit"
    metrics: tuple[str, ...] = ("exact_match", "f1_strings")
    main_metric: str = "exact_match"
    test_split: str = "test"
    spellings: dict[str, list[str]] = field(default_factory=dict)
    template: FakeTemplate = field(default_factory=FakeTemplate)
    reading: FakeReading = field(default_factory=FakeReading)

    @property
    def dataset(self) -> str:
        return self.name.removeprefix("cards.")
