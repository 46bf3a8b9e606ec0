"""Recipes, one YAML file per study, and the plan of requests that a recipe leads to.

In: a recipe file. Out: a plan of requests, each a prompt and the cell of the score cube that it fills.

    recipe = load("quickstart")
    for request in plan(recipe).requests():
        ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.registry import lazy_package

if TYPE_CHECKING:
    from ..prompts.design import Configuration as Configuration
    from .choosing import with_cards as with_cards
    from .choosing import with_configurations as with_configurations
    from .choosing import with_replicates as with_replicates
    from .costs import outline as outline
    from .known_models import with_known_prices as with_known_prices
    from .model_entries import Generation as Generation
    from .model_entries import JudgeEntry as JudgeEntry
    from .model_entries import ModelEntry as ModelEntry
    from .model_entries import Price as Price
    from .model_entries import Trust as Trust
    from .model_entries import labelled as labelled
    from .model_entries import model_entry as model_entry
    from .model_entries import parse_model_args as parse_model_args
    from .model_entries import read_models as read_models
    from .model_entries import read_pool as read_pool
    from .model_entries import selected_models as selected_models
    from .model_entries import trusted as trusted
    from .model_entries import with_descriptions as with_descriptions
    from .model_entries import with_generation as with_generation
    from .model_entries import with_trust as with_trust
    from .planning import Plan as Plan
    from .planning import plan as plan
    from .request import Request as Request
    from .request import ScoreCell as ScoreCell
    from .request import facts_column as facts_column
    from .request import facts_of_column as facts_of_column
    from .request import in_prefix_order as in_prefix_order
    from .request import prompt_of_row as prompt_of_row
    from .request import prompt_rows as prompt_rows
    from .request import request_batches as request_batches
    from .request import request_key as request_key
    from .request import request_schema as request_schema
    from .request import write_prompts as write_prompts
    from .schema import Recipe as Recipe
    from .schema import add_recipe_folder as add_recipe_folder
    from .schema import load as load
    from .schema import recipe_file as recipe_file
    from .schema import recipe_names as recipe_names
    from .schema import shipped_recipe as shipped_recipe

__getattr__, __dir__, __all__ = lazy_package(__name__, __file__)
