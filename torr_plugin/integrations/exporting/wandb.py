"""Weights & Biases: an offline run a model, for ``wandb sync``."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from ..logs.names import digest
from .exporter import Attribution, Exporter
from .results import ExportedRun
from .tracking import client_library, metrics, parameters


def _write(results: ExportedRun, folder: Path, attribution: Attribution) -> list[str]:
    os.environ.setdefault("WANDB_ERROR_REPORTING", "false")  # an export sends nothing
    library = client_library("wandb")
    settings = library.Settings(
        console="off",
        silent=True,
        # nothing of this machine, its user and this process
        host="unknown",
        disable_code=True,
        disable_git=True,
        x_disable_machine_info=True,
        x_disable_meta=True,
        x_disable_stats=True,
        x_save_requirements=False,
    )
    for model in results.models:
        run = library.init(
            mode="offline",
            project=results.name,
            name=model,
            id=digest(str(results.run.study.get("fingerprint")), results.epoch, model)[:16],
            dir=str(folder),
            config=parameters(results, model) | ({"url": attribution.url} if attribution.url else {}),
            settings=settings,
        )
        run.summary.update(metrics(results, model))
        run.finish()
    _remove_logs(folder / "wandb")
    return []


def _remove_logs(folder: Path) -> None:
    """Remove the client's own logs and links to them, which name folders of this machine."""
    for path in folder.rglob("*"):
        if path.is_symlink():
            path.unlink()
    for logs in folder.glob("*/logs"):
        shutil.rmtree(logs)


WANDB = Exporter("wandb", _write)
