"""Our command takes the steps of unitxt's own; this fails where a release has others."""

from __future__ import annotations

import inspect
import re

STEPS = [
    "setup_parser",
    "setup_logging",
    "prepare_output_paths",
    "configure_unitxt_settings",
    "cli_load_dataset",
    "prepare_kwargs",
    "initialize_inference_engine",
    "run_inference",
    "run_evaluation",
    "process_and_save_results",
]


def test_unitxt_s_own_command_takes_these_steps() -> None:
    from unitxt import evaluate_cli

    called = re.findall(r"\b([a-z_]+)\(", inspect.getsource(evaluate_cli.main))
    functions = {name for name, each in vars(evaluate_cli).items() if inspect.isfunction(each)}
    assert list(dict.fromkeys(name for name in called if name in functions - {"main"})) == STEPS


def test_its_parser_has_models_to_choose_from() -> None:
    from torr_plugin.integrations.unitxt.__main__ import _parser

    (model,) = [each for each in _parser()._actions if each.dest == "model"]
    assert {"hf", "cross_provider", "torr-lexical"} <= set(model.choices or ())
