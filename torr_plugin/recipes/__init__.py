"""Recipes, one YAML file per study, and the plan of requests that a recipe leads to.

In: a recipe file. Out: a plan of requests, each a prompt and the cell of the score cube that it fills.

    recipe = load("quickstart")
    for request in plan(recipe).requests():
        ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.lazy import lazy_package

if TYPE_CHECKING:
    from .loading import add_recipe_folder as add_recipe_folder
    from .loading import load as load
    from .loading import recipe_file as recipe_file
    from .loading import recipe_names as recipe_names
    from .loading import remove_recipe_folder as remove_recipe_folder
    from .loading import shipped_recipe as shipped_recipe
    from .model_pool import read_models as read_models
    from .model_pool import read_pool as read_pool
    from .model_pool import selected_models as selected_models
    from .models import ModelEntry as ModelEntry
    from .models import Price as Price
    from .models import labelled as labelled
    from .models import model_entry as model_entry
    from .models import parse_model_args as parse_model_args
    from .models import with_descriptions as with_descriptions
    from .plan_summary import Outline as Outline
    from .plan_summary import outline as outline
    from .plan_summary import summary as summary
    from .planning import plan as plan
    from .planning import with_cards as with_cards
    from .request import Configuration as Configuration
    from .request import Request as Request
    from .request import ScoreCell as ScoreCell
    from .request import request_key as request_key
    from .request_rows import facts_column as facts_column
    from .request_rows import facts_of_column as facts_of_column
    from .request_rows import prompt_columns as prompt_columns
    from .request_rows import prompt_of_row as prompt_of_row
    from .request_rows import request_batches as request_batches
    from .request_rows import request_row as request_row
    from .request_rows import request_schema as request_schema
    from .request_rows import write_prompts as write_prompts
    from .schema import AnalysisOptions as AnalysisOptions
    from .schema import CardEntry as CardEntry
    from .schema import Demonstrations as Demonstrations
    from .schema import Examples as Examples
    from .schema import Generation as Generation
    from .schema import Product as Product
    from .schema import Recipe as Recipe
    from .study_plan import Plan as Plan
    from .tokens import estimate_tokens as estimate_tokens
    from .tokens import in_prefix_order as in_prefix_order

__getattr__, __dir__, __all__ = lazy_package(
    __name__,
    {
        "AnalysisOptions": ".schema",
        "CardEntry": ".schema",
        "ScoreCell": ".request",
        "Configuration": ".request",
        "Demonstrations": ".schema",
        "Examples": ".schema",
        "Generation": ".schema",
        "ModelEntry": ".models",
        "Outline": ".plan_summary",
        "Plan": ".study_plan",
        "Price": ".models",
        "Product": ".schema",
        "Recipe": ".schema",
        "Request": ".request",
        "add_recipe_folder": ".loading",
        "estimate_tokens": ".tokens",
        "facts_column": ".request_rows",
        "facts_of_column": ".request_rows",
        "in_prefix_order": ".tokens",
        "labelled": ".models",
        "load": ".loading",
        "model_entry": ".models",
        "outline": ".plan_summary",
        "parse_model_args": ".models",
        "plan": ".planning",
        "prompt_columns": ".request_rows",
        "prompt_of_row": ".request_rows",
        "read_models": ".model_pool",
        "read_pool": ".model_pool",
        "recipe_file": ".loading",
        "recipe_names": ".loading",
        "remove_recipe_folder": ".loading",
        "request_batches": ".request_rows",
        "request_key": ".request",
        "request_row": ".request_rows",
        "request_schema": ".request_rows",
        "selected_models": ".model_pool",
        "shipped_recipe": ".loading",
        "summary": ".plan_summary",
        "with_cards": ".planning",
        "with_descriptions": ".models",
        "write_prompts": ".request_rows",
    },
)
