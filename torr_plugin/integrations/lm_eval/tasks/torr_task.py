"""The class that the tasks beside this file name; lm-eval looks for it here."""

from torr_plugin.integrations.lm_eval.task import TableTask

__all__ = ["TableTask"]
