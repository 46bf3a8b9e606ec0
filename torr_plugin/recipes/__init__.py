"""From a recipe, one YAML file a study, to the plan of its requests.

In: a recipe file. Out: a plan, whose requests are prompts with the cell of the score cube that each answer
fills.

    recipe = load("quickstart")
    for request in plan(recipe).requests():
        ...
"""

from .choosing import with_cards
from .export import write_prompts
from .loading import add_recipe_folder, load, recipe_names
from .model_args import parse_model_args
from .models import ModelEntry, described_as, labelled, model_entry
from .models_file import read_models
from .planning import Plan, plan
from .request import Configuration, Request, request_key
from .rows import (
    facts_column,
    facts_of_column,
    prompt_columns,
    prompt_of_row,
    request_batches,
    request_row,
    request_schema,
)
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
    "described_as",
    "estimate_tokens",
    "facts_column",
    "facts_of_column",
    "labelled",
    "load",
    "model_entry",
    "parse_model_args",
    "plan",
    "prompt_columns",
    "prompt_of_row",
    "read_models",
    "recipe_names",
    "request_batches",
    "request_key",
    "request_row",
    "request_schema",
    "summary",
    "with_cards",
    "write_prompts",
]
