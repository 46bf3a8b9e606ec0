"""unitxt's own command, with our catalog and models: ``python -m torr_plugin.integrations.unitxt ...``.

The arguments are those of ``unitxt-evaluate``; ``--model`` also takes the embedded models and those of
plugins. unitxt reads no entry points, and folders of ``UNITXT_CATALOGS`` hold nothing but JSON of classes
that it knows; so its own command cannot find this catalog. Errors are one line; ``--debug``, anywhere on
the line, shows unitxt's traceback.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torr_plugin

from ...cli.command import INPUT_WRONG, say
from ...core.errors import InputError, described

_DEBUG = "--debug"
_MOST = 600
_STEPS = (
    "prepare_output_paths",
    "cli_load_dataset",
    "prepare_kwargs",
    "initialize_inference_engine",
    "run_inference",
    "run_evaluation",
    "process_and_save_results",
)


def main() -> None:
    """Run unitxt's command."""
    torr_plugin.register()
    from unitxt import evaluate_cli, metric_utils
    from unitxt.settings_utils import get_settings

    from .catalog import offline

    with _without("transformers"):
        # Hugging Face's evaluate, which unitxt imports, loads it and torch for pipelines that unitxt never
        # asks: a third of the time of a short run. Whoever needs transformers later imports it as ever.
        import evaluate  # noqa: F401
    if offline():
        get_settings().use_only_local_catalogs = True  # else an unknown name is looked for on GitHub
    metric_utils.recursive_copy = shared_scores(metric_utils.recursive_copy)
    evaluate_cli.setup_parser = _knowing_models(evaluate_cli.setup_parser)
    evaluate_cli.initialize_inference_engine = _making_engines(evaluate_cli.initialize_inference_engine)
    debugging = _DEBUG in sys.argv[1:]
    sys.argv[1:] = [argument for argument in sys.argv[1:] if argument != _DEBUG]
    if not debugging:
        evaluate_cli.logger.addFilter(_without_traceback)
    for step in _STEPS:
        setattr(evaluate_cli, step, _in_one_line(getattr(evaluate_cli, step), debugging=debugging))
    evaluate_cli.main()


def _in_one_line(step: Callable[..., Any], *, debugging: bool) -> Callable[..., Any]:
    """Report an error in one line, without unitxt's box and traceback; exit code 2, as ``torr`` has."""

    def guarded(*given: Any) -> Any:
        try:
            return step(*given)
        except Exception as wrong:
            if debugging:
                raise
            say(f"torr: {_message(wrong)}")
            raise SystemExit(INPUT_WRONG) from wrong

    return guarded


def _without_traceback(record: logging.LogRecord) -> bool:
    """Drop the traceback of an error that unitxt logs and then raises, as we report it."""
    record.exc_info = record.exc_text = None
    return True


def _message(wrong: Exception) -> str:
    """The text of an error: ours without the box that unitxt puts above it, others with their class."""
    if isinstance(wrong, InputError):
        return " ".join(line for line in str(wrong).split("\n") if line and line[0] not in "┌│└")
    if isinstance(wrong, OSError) and wrong.filename:
        return f"{wrong.filename}: {wrong.strerror}"
    return f"unitxt: {described(wrong, _MOST)} ({_DEBUG} shows the traceback)"


@contextmanager
def _without(package: str) -> Iterator[None]:
    """Have a package seem not installed, unless it is imported already."""
    if package in sys.modules:
        yield
        return
    sys.modules[package] = None  # type: ignore[assignment]  # so ``import`` raises ImportError, as documented
    try:
        yield
    finally:
        del sys.modules[package]


def _knowing_models(setup: Callable[[], argparse.ArgumentParser]) -> Callable[[], argparse.ArgumentParser]:
    def with_models() -> argparse.ArgumentParser:
        parser = setup()
        (model,) = [each for each in parser._actions if each.dest == "model"]
        model.choices = [*(model.choices or []), *_models()]
        model.help = f"{model.help}\n- of torr-plugin, run as by lm-eval: {', '.join(_models())}."
        return parser

    return with_models


def _making_engines(make: Callable[..., Any]) -> Callable[..., Any]:
    def with_engines(args: argparse.Namespace, model_args: dict[str, Any], chat: dict[str, Any]) -> Any:
        from .engine import TorrEngine
        from .stepping import TorrStepsEngine

        if args.model not in _models():
            return TorrStepsEngine(engine=make(args, model_args, chat))

        generation = args.gen_kwargs if isinstance(args.gen_kwargs, Mapping) else {}
        own = {name: value for name, value in model_args.items() if name not in generation}
        return TorrEngine(model=args.model, model_args=own, **generation)

    return with_engines


def _models() -> list[str]:
    from ...running.registry import added_models, baselines

    return sorted({*baselines(), *added_models()})


def shared_scores(copy: Callable[..., Any]) -> Callable[..., Any]:
    """Stands for ``recursive_copy`` where unitxt joins subsets: one call a row, with the scores of all rows.

    The first row gets all of them, the others what is global; unitxt itself reads those of the first row
    alone. A data set in 35 configurations has 35 subsets: with a hundred examples that would be 3,500 rows of
    35 subsets' scores each.

    Args:
        copy: unitxt's own.
    """
    last: object = None

    def copied(scores: Any, *given: Any, **named: Any) -> Any:
        nonlocal last
        again, last = scores is last, scores
        if again and isinstance(scores, Mapping) and "global" in scores:
            return copy({"global": scores["global"]}, *given, **named)
        return copy(scores, *given, **named)

    return copied


if __name__ == "__main__":
    main()
