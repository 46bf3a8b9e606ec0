"""The progress that a run reports, summed up."""

from __future__ import annotations

from torr_plugin.running.progress import ModelProgress, Progress


class SummedProgress(Progress):
    def __init__(self) -> None:
        self.models = dict[str, ModelProgress]()

    @property
    def total(self) -> int:
        return sum(each.total for each in self.models.values())

    @property
    def done(self) -> int:
        return sum(each.done for each in self.models.values())

    def show(self, model: str, each: ModelProgress) -> None:
        assert each.done <= each.total
        self.models[model] = each
