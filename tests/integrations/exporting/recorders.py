"""Stand-ins for the client libraries of trackers, which record what they are told."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any


@dataclass
class TrackedRun:
    """A run as a tracker has it."""

    name: str
    of: str
    parameters: dict[str, Any] = field(default_factory=dict)
    metrics: dict[str, float] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    ended: bool = False


class RecordedMlflow(ModuleType):
    """mlflow, with one tracking store."""

    def __init__(self) -> None:
        super().__init__("mlflow")
        self.runs: dict[str, TrackedRun] = {}
        self.tracking_uri = ""

    def MlflowClient(self, tracking_uri: str) -> RecordedMlflow:
        self.tracking_uri = tracking_uri
        Path(tracking_uri.removeprefix("sqlite:///")).touch()
        return self

    def create_experiment(self, name: str, artifact_location: str) -> str:
        self.artifact_location = artifact_location
        return name

    def create_run(self, experiment_id: str, start_time: int, run_name: str) -> Any:
        run_id = f"run-{len(self.runs)}"
        self.runs[run_id] = TrackedRun(run_name, experiment_id)
        return SimpleNamespace(info=SimpleNamespace(run_id=run_id))

    def log_param(self, run_id: str, key: str, value: str) -> None:
        assert len(value) <= 6000
        self.runs[run_id].parameters[key] = value

    def log_metric(self, run_id: str, key: str, value: float, timestamp: int) -> None:
        self.runs[run_id].metrics[key] = value

    def set_tag(self, run_id: str, key: str, value: str) -> None:
        self.runs[run_id].tags[key] = value

    def set_terminated(self, run_id: str, end_time: int) -> None:
        self.runs[run_id].ended = True


class RecordedWandb(ModuleType):
    """wandb, which writes a folder a run, and beside it logs that name this machine."""

    def __init__(self) -> None:
        super().__init__("wandb")
        self.runs: dict[str, TrackedRun] = {}

    def Settings(self, **settings: Any) -> dict[str, Any]:
        return settings

    def init(self, *, mode: str, project: str, name: str, config: Any, settings: Any, **places: str) -> Any:
        assert mode == "offline"
        assert settings["x_disable_machine_info"]
        run = self.runs[places["id"]] = TrackedRun(name, project, dict(config))
        folder = Path(places["dir"]) / "wandb" / f"offline-run-{places['id']}"
        (folder / "logs").mkdir(parents=True)
        (folder / f"run-{places['id']}.wandb").touch()
        (folder / "logs" / "debug.log").write_text(str(folder))
        latest = Path(places["dir"]) / "wandb" / "debug.log"
        latest.unlink(missing_ok=True)
        latest.symlink_to(folder / "logs" / "debug.log")

        def finish() -> None:
            run.ended = True

        return SimpleNamespace(summary=run.metrics, finish=finish)
