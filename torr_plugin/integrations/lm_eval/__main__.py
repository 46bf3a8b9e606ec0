"""``python -m torr_plugin.integrations.lm_eval``: lm-eval's command line with our tasks and models.

What is wrong is one line, where lm-eval ends with a traceback; ``--debug``, anywhere on the line, shows it.
"""

from __future__ import annotations

import sys

from ...cli.command import INPUT_WRONG, INTERRUPTED, say
from ...core.errors import InputError, described
from . import register
from .patches import know_our_tasks_alone

DEBUG = "--debug"
_LONGEST = 600


def main() -> None:
    """Run lm-eval's command line on ``sys.argv``.

    Wrong input, and whatever else lm-eval raises, ends with one line and exit code 2; Ctrl-C with 130.
    """
    debugging = DEBUG in sys.argv[1:]
    sys.argv[1:] = [argument for argument in sys.argv[1:] if argument != DEBUG]
    try:
        _lm_eval()
    except KeyboardInterrupt:
        say("torr: interrupted")
        sys.exit(INTERRUPTED)
    except Exception as error:
        if debugging:
            raise
        ours = isinstance(error, InputError)
        say(f"torr: {error if ours else f'lm-eval: {described(error, _LONGEST)} ({DEBUG} shows more)'}")
        sys.exit(INPUT_WRONG)


def _lm_eval() -> None:
    from lm_eval._cli import HarnessCLI
    from lm_eval.utils import setup_logging

    from ...running.model_classes import lm_class

    register()
    setup_logging()
    know_our_tasks_alone()
    cli = HarnessCLI()
    arguments = cli.parse_args()
    if model := getattr(arguments, "model", None):
        lm_class(model)  # a misspelt one, or one whose package is missing, is said as by ``torr run``
    cli.execute(arguments)


if __name__ == "__main__":
    main()
