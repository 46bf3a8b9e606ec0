"""The same prompts by unitxt: its loader, task, template, serializer and format on the same card."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from torr_plugin.catalog import Card, Example
from torr_plugin.integrations.unitxt import register

# unitxt's catalog names of what ``torr.*`` write; unitxt's own choice, where none is named, is CSV
SERIALIZERS = {
    "torr.html": "html",
    "torr.csv": None,
    "torr.json": "json",
    "torr.markdown": "markdown",
    "torr.indexed_row_major": "indexed_row_major",
    "torr.df": "df",
    "torr.concat": "concat",
}


def unitxt_prompts(
    card: Card,
    serializer: str,
    count: int,
    demonstrations: Callable[[str], Sequence[Example]] | None = None,
) -> dict[str, str]:
    """What unitxt asks: example id -> prompt, for the first ``count`` examples of the card's test split.

    ``demonstrations`` gives those of an example by its id; without it there are none.
    """
    register()
    from unitxt import load_dataset
    from unitxt.artifact import fetch_artifact

    unitxt_card, _ = fetch_artifact(card.name.replace("cards.", "cards.torr.", 1))
    named = SERIALIZERS[serializer]
    arguments: dict[str, Any] = {"serializer": f"serializers.table.{named}"} if named else {}
    if demonstrations is not None:
        unitxt_card.preprocess_steps.append(_given(demonstrations))
        # the pool must be named but is not drawn from: instances bring their demonstrations with them
        arguments |= {"num_demos": 1, "demos_pool": [{}, {}], "demos_taken_from": None}
        arguments |= {"skip_demoed_instances": True}
    dataset = load_dataset(
        card=unitxt_card,
        template_card_index=0,
        max_test_instances=count,
        split=card.test_split,
        use_cache=False,
        **arguments,
    )
    return {json.loads(row["task_data"])["example"]: row["source"] for row in dataset}


def _given(demonstrations: Callable[[str], Sequence[Example]]) -> Any:
    """A unitxt step that puts the demonstrations of each instance into it."""
    from unitxt.operator import InstanceOperator

    from torr_plugin.catalog.examples import instance_of

    class GivenDemonstrations(InstanceOperator):  # type: ignore[misc]
        def process(self, instance: dict[str, Any], stream_name: str | None = None) -> dict[str, Any]:
            shown = [instance_of(each) for each in demonstrations(instance["example"])]
            policy = {"data_classification_policy": ["public"]}
            demos = [{"input_fields": each, "reference_fields": each, **policy} for each in shown]
            return {**instance, "demos": demos}

    return GivenDemonstrations()
