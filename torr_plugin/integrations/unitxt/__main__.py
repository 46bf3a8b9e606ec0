"""unitxt's own command, with our catalog and models: ``python -m torr_plugin.integrations.unitxt ...``.

The arguments are those of ``unitxt-evaluate``; ``--model`` also takes the embedded models and those of
plugins. unitxt reads no entry points, and folders of ``UNITXT_CATALOGS`` hold nothing but JSON of classes
that it knows; so its own command cannot find this catalog. This one takes the steps of unitxt's, by its
functions. Errors are one line; ``--debug``, anywhere on the line, shows the traceback.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Mapping
from typing import Any

import torr_plugin

from ...cli.command import INPUT_WRONG, say
from ...core.errors import InputError, described

_DEBUG = "--debug"
_LONGEST = 600


def main() -> None:
    """Run unitxt's command; wrong input and whatever unitxt raises end with one line and exit code 2."""
    torr_plugin.register()
    from unitxt import evaluate_cli

    debugging = _DEBUG in sys.argv[1:]
    arguments = _parser().parse_args([argument for argument in sys.argv[1:] if argument != _DEBUG])
    evaluate_cli.setup_logging(arguments.verbosity)
    if not debugging:
        evaluate_cli.logger.addFilter(_without_traceback)
    try:
        _evaluate(arguments)
    except Exception as wrong:
        if debugging:
            raise
        say(f"torr: {_message(wrong)}")
        raise SystemExit(INPUT_WRONG) from wrong


def _evaluate(arguments: argparse.Namespace) -> None:
    """As ``unitxt.evaluate_cli.main``, with our engines."""
    from huggingface_hub.constants import HF_HUB_OFFLINE
    from unitxt import evaluate_cli as steps
    from unitxt.settings_utils import get_settings

    if HF_HUB_OFFLINE:
        get_settings().use_only_local_catalogs = True  # else an unknown name is looked for on GitHub
    paths = steps.prepare_output_paths(arguments.output_path, arguments.output_file_prefix)
    with steps.configure_unitxt_settings(arguments):
        dataset = steps.cli_load_dataset(arguments)
        given = (arguments.model_args, arguments.gen_kwargs, arguments.chat_template_kwargs)
        model_args, generation, chat = map(steps.prepare_kwargs, given)
        engine = _engine(arguments, {**model_args, **generation}, chat)
        predictions = steps.run_inference(engine, dataset)
        steps.process_and_save_results(arguments, steps.run_evaluation(predictions, dataset), *paths)


def _engine(arguments: argparse.Namespace, model_args: dict[str, Any], chat: dict[str, Any]) -> Any:
    from unitxt.evaluate_cli import initialize_inference_engine

    from .engine import TorrEngine, TorrStepsEngine

    if arguments.model not in _models():
        return TorrStepsEngine(engine=initialize_inference_engine(arguments, model_args, chat))
    generation = arguments.gen_kwargs if isinstance(arguments.gen_kwargs, Mapping) else {}
    own = {name: value for name, value in model_args.items() if name not in generation}
    return TorrEngine(model=arguments.model, model_args=own, **generation)


def _parser() -> argparse.ArgumentParser:
    """unitxt's, whose ``--model`` takes our models too."""
    from unitxt.evaluate_cli import setup_parser

    parser: argparse.ArgumentParser = setup_parser()
    (model,) = [each for each in parser._actions if each.dest == "model"]
    model.choices = [*(model.choices or []), *_models()]
    model.help = f"{model.help}\n- of torr-plugin, run as by lm-eval: {', '.join(_models())}."
    return parser


def _models() -> list[str]:
    from .catalog import made_names

    return sorted(made_names("engines").values())


def _without_traceback(record: logging.LogRecord) -> bool:
    """Drop the traceback of an error that unitxt logs and then raises, as we report it."""
    record.exc_info = record.exc_text = None
    return True


def _message(wrong: Exception) -> str:
    """The text of an error: ours without the box that unitxt puts above it, others with their class."""
    if isinstance(wrong, InputError):
        return " ".join(line for line in str(wrong).split("\n") if line and line[0] not in "┌│└")
    return f"unitxt: {described(wrong, _LONGEST)} ({_DEBUG} shows the traceback)"


if __name__ == "__main__":
    main()
