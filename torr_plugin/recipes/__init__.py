"""From a recipe, one YAML file a study, to the plan of its requests.

In: a recipe file. Out: a plan, whose requests are prompts with the cell of the score cube that each answer
fills.

    recipe = load("quickstart")
    for request in plan(recipe).requests():
        ...
"""

from .export import write_prompts
from .loading import add_recipe_folder, load, recipe_names
from .model_args import parse_model_args
from .models import ModelEntry, labelled, model_entry
from .planning import Plan, plan
from .request import Configuration, Request, request_key
from .rows import prompt_columns, prompt_of_row, request_batches, request_row, request_schema
from .schema import (
    AnalysisOptions,
    CardEntry,
    Demonstrations,
    Examples,
    Generation,
    Product,
    Recipe,
)
from .summarising import estimate_tokens, summary

__all__ = [
    "AnalysisOptions",
    "CardEntry",
    "Configuration",
    "Demonstrations",
    "Examples",
    "Generation",
    "ModelEntry",
    "Plan",
    "Product",
    "Recipe",
    "Request",
    "add_recipe_folder",
    "estimate_tokens",
    "labelled",
    "load",
    "model_entry",
    "parse_model_args",
    "plan",
    "prompt_columns",
    "prompt_of_row",
    "recipe_names",
    "request_batches",
    "request_key",
    "request_row",
    "request_schema",
    "summary",
    "write_prompts",
]
