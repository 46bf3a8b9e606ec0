"""From a recipe, one YAML file a study, to the plan of its requests.

In: a recipe file. Out: a plan, whose requests are prompts with the cell of the score cube that each answer
fills.

    recipe = load("quickstart")
    for request in plan(recipe).requests():
        ...
"""

from .choosing import with_cards
from .export import write_prompts
from .loading import add_recipe_folder, load, recipe_file, recipe_names, remove_recipe_folder, shipped_recipe
from .measuring import estimate_tokens
from .model_args import parse_model_args
from .model_rows import Outline, outline
from .models import ModelEntry, described_as, labelled, model_entry
from .models_file import chosen, read_models, read_pool
from .ordering import in_prefix_order
from .planning import plan
from .pricing import Price
from .request import Cell, Configuration, Request, request_key
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
from .study_plan import Plan
from .summarising import summary

__all__ = [
    "AnalysisOptions",
    "CardEntry",
    "Cell",
    "Configuration",
    "Demonstrations",
    "Examples",
    "Generation",
    "ModelEntry",
    "Outline",
    "Plan",
    "Price",
    "Product",
    "Recipe",
    "Request",
    "add_recipe_folder",
    "chosen",
    "described_as",
    "estimate_tokens",
    "facts_column",
    "facts_of_column",
    "in_prefix_order",
    "labelled",
    "load",
    "model_entry",
    "outline",
    "parse_model_args",
    "plan",
    "prompt_columns",
    "prompt_of_row",
    "read_models",
    "read_pool",
    "recipe_file",
    "recipe_names",
    "remove_recipe_folder",
    "request_batches",
    "request_key",
    "request_row",
    "request_schema",
    "shipped_recipe",
    "summary",
    "with_cards",
    "write_prompts",
]
