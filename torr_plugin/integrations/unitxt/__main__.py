"""unitxt's own command, with our catalog and models: ``python -m torr_plugin.integrations.unitxt ...``.

The arguments are those of ``unitxt-evaluate``; ``--model`` also takes the embedded models and those of
plugins. unitxt reads no entry points, and folders of ``UNITXT_CATALOGS`` hold nothing but JSON of classes
that it knows; so its own command, in a process of its own, cannot find this catalog.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torr_plugin

from ...errors import InputError


def main() -> None:
    """Run unitxt's command."""
    torr_plugin.register()
    from unitxt import evaluate_cli
    from unitxt.settings_utils import get_settings

    with _without("transformers"):
        # Hugging Face's evaluate, which unitxt imports, loads it and torch for pipelines that unitxt never
        # asks: a third of the time of a short run. Whoever needs transformers later imports it as ever.
        import evaluate  # noqa: F401
    if os.environ.get("HF_HUB_OFFLINE") == "1":
        get_settings().use_only_local_catalogs = True  # else an unknown name is looked for on GitHub
    evaluate_cli.setup_parser = _knowing_models(evaluate_cli.setup_parser)
    evaluate_cli.initialize_inference_engine = _making_engines(evaluate_cli.initialize_inference_engine)
    for step in ("cli_load_dataset", "initialize_inference_engine", "run_inference"):
        setattr(evaluate_cli, step, _in_one_line(getattr(evaluate_cli, step)))
    evaluate_cli.main()


def _in_one_line(step: Callable[..., Any]) -> Callable[..., Any]:
    """What is wrong with the input, without unitxt's box and traceback; exit code 2, as of ``torr``."""

    def guarded(*given: Any) -> Any:
        try:
            return step(*given)
        except InputError as wrong:
            said = " ".join(line for line in str(wrong).split("\n") if line and line[0] not in "┌│└")
            sys.stderr.write(f"{said}\n")
            raise SystemExit(2) from wrong

    return guarded


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
        if args.model not in _models():
            return make(args, model_args, chat)
        from .engine import TorrEngine

        generation = args.gen_kwargs if isinstance(args.gen_kwargs, Mapping) else {}
        own = {name: value for name, value in model_args.items() if name not in generation}
        return TorrEngine(model=args.model, model_args=own, **generation)

    return with_engines


def _models() -> list[str]:
    from ...running.registry import added_models, baselines

    return sorted({*baselines(), *added_models()})


if __name__ == "__main__":
    main()
